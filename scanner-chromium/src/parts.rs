//! The parts that all scans of a scanner share.

use crate::{ChromiumConfig, ChromiumError, axe::AxeSource, browser::BrowserPool, permits::Permits, tls};

/// The parts that all scans of a scanner share.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) config: ChromiumConfig,
    pub(crate) axe: AxeSource,
    pub(crate) browsers: BrowserPool,
    /// The TLS settings of the crawler's own requests.
    pub(crate) tls: rustls::ClientConfig,
    pub(crate) permits: Permits,
}

impl Parts {
    /// Finds the browser and axe-core, and reads the latter.
    ///
    /// # Errors
    /// Those of [`ChromiumScanner::new`](crate::ChromiumScanner::new).
    pub(crate) fn new(config: ChromiumConfig) -> Result<Self, ChromiumError> {
        let axe = config.find_axe()?;
        let browsers = BrowserPool::new(config.browser_settings()?);
        let tls = tls::config(&config.authorities).map_err(ChromiumError::Certificates)?;
        let permits = Permits::new(config.tabs, config.cores);
        Ok(Self { config, axe, browsers, tls, permits })
    }
}
