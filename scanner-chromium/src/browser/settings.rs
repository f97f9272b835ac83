//! What every browser of a scanner is started with.

use std::path::PathBuf;

use rustls::pki_types::CertificateDer;

use super::flags::Sandbox;
use crate::agent::Agent;

/// What every browser of a scanner is started with.
#[derive(Debug)]
pub(crate) struct BrowserSettings {
    pub(crate) program: PathBuf,
    pub(crate) sandbox: Sandbox,
    /// Authorities that it trusts besides its own.
    pub(crate) certificates: Vec<CertificateDer<'static>>,
    /// Bytes that the page in one tab may have in memory.
    pub(crate) tab_memory: u64,
    /// The name under which sites see it.
    pub(crate) agent: Agent,
}

#[cfg(test)]
impl BrowserSettings {
    /// The settings of a browser that can't be started.
    pub(crate) fn without_browser() -> Self {
        Self {
            program: "/no/browser".into(),
            sandbox: Sandbox::On,
            certificates: Vec::new(),
            tab_memory: u64::MAX,
            agent: Agent::default(),
        }
    }
}
