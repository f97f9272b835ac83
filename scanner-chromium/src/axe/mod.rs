//! axe-core: its source (`source`), how it runs in a page (`run`) and in the frames of one (`frames`, `part`), and how what it
//! returns becomes findings (`collected`). The scripts that run in the page lie beside the file that sends them.

mod collected;
mod frames;
mod part;
mod run;
mod source;

pub(crate) use self::{
    collected::{Collected, add_page},
    frames::address,
    run::{collect, described, run},
    source::{AxeSource, WANTED},
};
