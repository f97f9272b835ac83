//! axe-core: its source (`source`), its way into a document (`inject`), how it runs in a page (`run`) and in the frames of one
//! (`frames`, `part`), and how what it returns becomes findings (`collected`). The scripts that run in the page lie beside the file
//! that sends them; `watch`, which they ask whether the page has changed, is what `visit/watch.js` left in the same world.

mod collected;
mod frames;
mod inject;
mod part;
mod run;
mod source;

pub(crate) use self::{
    collected::{Collected, add_page},
    run::{AxeError, Timing, collect, run},
    source::{AxeSource, SourceError, WANTED},
};
