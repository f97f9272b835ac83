//! Pictures of what fails: which elements (`plan`), out of what the browser shows (`page/capture.rs`), cut to size (`cut`),
//! and kept within what one check may take (`album`).

mod album;
mod cut;
mod plan;

pub(crate) use self::{
    album::Album,
    cut::{Capture, Picture, cut_out},
    plan::{Candidate, Quota, Rect, Shot, plan},
};
