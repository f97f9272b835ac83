//! Browser processes: start, health, recycling. Nothing here knows about pages.

mod advice;
mod canary;
mod death;
mod flags;
mod fonts;
mod memory;
mod pool;
mod process;
mod profile;
mod tab;

pub(crate) use self::{
    death::MemoryMarks,
    flags::VIEWPORT,
    pool::{Browser, BrowserPool},
    process::is_sandboxed,
    tab::{Tab, TabError, TabSettings},
};
pub use self::{flags::Sandbox, pool::BrowserError};
