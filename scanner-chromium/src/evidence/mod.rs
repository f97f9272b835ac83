//! Pictures of what fails: which elements (`plan`), out of what the browser shows (`capture`), cut to size (`cut`),
//! and kept within what one check may take (`album`). What fields show of people (`fields`) is painted over before anything is cut.

mod album;
mod capture;
mod cut;
mod fields;
mod plan;

pub(crate) use self::{
    album::Album,
    capture::{Screen, Wanted, pictures},
    cut::{Capture, Picture, cut_out},
    plan::{Candidate, ElementNumber, Quota, Rect, Shot, Template, plan},
};
