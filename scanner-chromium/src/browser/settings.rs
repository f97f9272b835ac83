//! The settings with which every browser of a scanner is started.

use std::path::PathBuf;

use rustls::pki_types::CertificateDer;

use super::flags::{Sandbox, Sound};
use crate::agent::Agent;

/// The settings with which every browser of a scanner is started.
#[derive(Debug)]
pub(crate) struct BrowserSettings {
    pub(crate) program: PathBuf,
    pub(crate) sandbox: Sandbox,
    pub(crate) sound: Sound,
    /// The authorities that it trusts besides its own.
    pub(crate) certificates: Vec<CertificateDer<'static>>,
    /// The number of bytes that the page in one tab may use.
    pub(crate) tab_memory: u64,
    /// The name under which sites see it.
    pub(crate) agent: Agent,
}

#[cfg(test)]
impl BrowserSettings {
    /// Returns the settings of a browser that can't be started.
    pub(crate) fn without_browser() -> Self {
        Self {
            program: "/no/browser".into(),
            sandbox: Sandbox::On,
            sound: Sound::HeldBack,
            certificates: Vec::new(),
            tab_memory: u64::MAX,
            agent: Agent::default(),
        }
    }
}
