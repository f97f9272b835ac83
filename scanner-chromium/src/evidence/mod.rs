//! Pictures of what fails: the choice of elements (`plan`), the shots that the browser takes (`capture`), the parts cut
//! out of them (`cut`), and the bounds for one check (`album`). What fields show about people (`fields`) is painted
//! over before anything is cut out.

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
