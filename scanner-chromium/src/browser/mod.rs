//! Browser processes: start, health, recycling. Nothing here knows about pages.

mod advice;
mod authorities;
mod canary;
mod death;
mod flags;
mod fonts;
mod memory;
mod pool;
mod process;
mod profile;
mod tab;

pub use self::{authorities::AuthoritiesError, flags::Sandbox, pool::BrowserError};
pub(crate) use self::{
    death::MemoryMarks,
    flags::VIEWPORT,
    pool::{Browser, BrowserPool},
    process::is_sandboxed,
    tab::{Tab, TabError, TabSettings},
};
