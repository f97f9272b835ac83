//! Browser processes: their start, health and replacement; tabs, and our isolated world in the documents of one. This
//! folder does not know what a page is opened for.

mod advice;
mod authorities;
mod beyond;
mod canary;
mod context;
mod error;
mod flags;
mod font_files;
mod fonts;
mod frame_tree;
mod instance;
mod memory;
mod pool;
mod process;
mod profile;
mod settings;
mod tab;
mod viewport;
mod world;

pub use self::{
    authorities::AuthoritiesError,
    error::BrowserError,
    flags::Sandbox,
    fonts::Fonts,
    viewport::{InvalidViewport, Viewport},
};
pub(crate) use self::{
    flags::Sound,
    font_files::installed_fonts,
    frame_tree::FrameTree,
    instance::Browser,
    memory::{Death, MemoryMarks, Workers},
    pool::BrowserPool,
    settings::BrowserSettings,
    tab::{Tab, TabError, TabSettings},
    world::{Outcome, Script, Timers, ensure_timers, evaluate, world},
};
