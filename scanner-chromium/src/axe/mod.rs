//! axe-core: its source (`source`), its injection into a document (`inject`), its runs in a page (`run`) and in the
//! frames of a page (`frames`, `part`), and the way from its result to findings (`collected`). The scripts that run in
//! the page are beside the files that send them; they use `watch`, which `visit/watch.js` left in the same world, to
//! find out whether the page has changed.

mod collected;
mod frames;
mod inject;
mod part;
mod run;
mod shared;
mod source;

pub(crate) use self::{
    collected::{Collected, PageSums, add_page, add_reasons},
    run::{AxeError, AxeOptions, HOLD, Timing, collect, counts, prepare, run, run_within},
    shared::{Shared, SharedBlock, SharedItem},
    source::{AxeSource, SourceError, WANTED},
};
