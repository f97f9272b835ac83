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
mod settings;
mod tab;
mod tabs;
mod watch;

pub use self::{authorities::AuthoritiesError, flags::Sandbox, pool::BrowserError};
pub(crate) use self::{
    death::{Death, MemoryMarks},
    flags::VIEWPORT,
    pool::{Browser, BrowserPool},
    settings::BrowserSettings,
    tab::{Tab, TabError, TabSettings},
};
