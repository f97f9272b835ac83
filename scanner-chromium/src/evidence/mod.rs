//! Pictures of what fails: which elements (`plan`), out of what the browser shows (`page/capture.rs`), cut to size (`cut`),
//! and kept within what one check may take (`album`). What fields show of people is painted over before anything is cut.

mod album;
mod cut;
mod plan;

pub(crate) use self::{
    album::Album,
    cut::{COVER, Capture, Picture, cut_out},
    plan::{Candidate, Quota, Rect, Shot, plan},
};
