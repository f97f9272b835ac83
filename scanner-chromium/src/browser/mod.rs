//! Browser processes: start, health, recycling; tabs, and our own world in the documents of one. Nothing here knows what a page is
//! opened for.

mod advice;
mod authorities;
mod canary;
mod drawn_fonts;
mod flags;
mod fonts;
mod frame_tree;
mod memory;
mod pool;
mod process;
mod profile;
mod settings;
mod tab;
mod world;

pub use self::{authorities::AuthoritiesError, flags::Sandbox, fonts::Fonts, pool::BrowserError};
pub(crate) use self::{
    flags::VIEWPORT,
    frame_tree::FrameTree,
    memory::{Death, MemoryMarks},
    pool::{Browser, BrowserPool},
    settings::BrowserSettings,
    tab::{Tab, TabError, TabSettings},
    world::{Evaluated, Outcome, Timers, evaluate, mend_timers, world},
};
