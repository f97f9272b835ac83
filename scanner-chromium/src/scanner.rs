//! The scanner, as core uses it.

use a11ycheck_core::{
    domain::{Failure, Tool},
    net::AddressPolicy,
    scanner::{BoxError, CancellationToken, ProgressSink, ScanError, ScanOutput, ScanRequest, Scanner},
};
use async_trait::async_trait;
use url::Url;

use crate::{
    ChromiumConfig, ChromiumError, Sandbox,
    crawl::{Crawl, CrawlError, Sitemap, check_exactly, read_sitemap},
    parts::Parts,
    probes,
};

/// A scanner that checks pages with axe-core in a real Chromium.
///
/// One browser serves all scans. It starts with the first one, is replaced when it dies or has served its time, and
/// ends with [`close`](Self::close) or when the scanner is dropped. Methods must be called within a tokio runtime with
/// I/O and time.
#[derive(Debug)]
pub struct ChromiumScanner {
    parts: Parts,
}

impl ChromiumScanner {
    /// Creates a scanner that visits public addresses only, with the browser and axe-core in their [usual
    /// places](ChromiumConfig::with_axe). Anything else takes a [`ChromiumConfig`].
    ///
    /// # Errors
    /// Those of [`new`](Self::new).
    pub fn find() -> Result<Self, ChromiumError> {
        Self::new(ChromiumConfig::new(AddressPolicy::default()))
    }

    /// Finds the browser and axe-core, and reads the latter. No process is started yet.
    ///
    /// # Errors
    /// Those of [`ChromiumError`] that concern the two files, the system's certificate authorities and the sandbox; the message
    /// says what to install or to set.
    pub fn new(config: ChromiumConfig) -> Result<Self, ChromiumError> {
        Ok(Self { parts: Parts::new(config)? })
    }

    /// Returns the names and versions of the programs that check. Starts the browser if none runs.
    ///
    /// # Errors
    /// [`ChromiumError::Browser`] when it does not start.
    pub async fn versions(&self) -> Result<Tool, ChromiumError> {
        let browser = self.parts.browsers.for_new_scan().await?;
        Ok(Tool::axe_core(self.parts.axe.version(), browser.product()).with_probes(probes::VERSION))
    }

    /// Returns the process id of the browser that new scans would use, for operations; `None` if none runs.
    pub async fn browser_pid(&self) -> Option<u32> {
        self.parts.browsers.pid().await
    }

    /// Returns whether the browser confines the processes of pages to its sandbox: [`ChromiumConfig::with_sandbox`].
    pub fn is_sandboxed(&self) -> bool {
        self.parts.browsers.settings().sandbox == Sandbox::On
    }

    /// Returns how many bytes of memory are in use by the browser that new scans would use, with its helper processes;
    /// memory that several of them share counts for each. `None` if none runs, or if the system does not show it. Reads
    /// a file for each process of the machine.
    pub fn browser_memory(&self) -> Option<u64> {
        self.parts.browsers.memory()
    }

    /// Fetches and reads the sitemap at this address, under the same rules as a scan: its addresses as they are written, and none of
    /// those of the sitemaps that it names.
    ///
    /// # Errors
    /// The reason why it was not read, in English: no response, an error status, a refused address.
    pub async fn read_sitemap(&self, file: &Url) -> Result<Sitemap, Failure> {
        read_sitemap(&self.parts, file).await
    }

    /// Ends the browser and deletes its folder; returns when both are done. Scans under way fail, and so do later ones.
    pub async fn close(&self) {
        self.parts.browsers.close().await;
    }
}

#[async_trait]
impl Scanner for ChromiumScanner {
    async fn scan(
        &self,
        request: ScanRequest,
        progress: &dyn ProgressSink,
        cancel: CancellationToken,
    ) -> Result<ScanOutput, ScanError> {
        let scan = async {
            if let Some(pages) = &request.pages {
                return check_exactly(&self.parts, &request, pages, progress).await;
            }
            let crawl = Crawl::begin(&self.parts, &request).await?;
            crawl.run(progress).await
        };
        let output = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(ScanError::Cancelled),
            output = scan => output,
        };
        match output {
            Ok(output) => Ok(output),
            Err(CrawlError::Start(failure)) => Err(ScanError::Failed(failure)),
            Err(CrawlError::Troubled { failure, retry_after }) => Err(ScanError::Troubled { failure, retry_after }),
            Err(CrawlError::Fetcher(error)) => Err(ScanError::Unavailable(Box::new(error))),
            Err(CrawlError::NoBrowser(error)) => Err(ScanError::Unavailable(Box::new(ChromiumError::from(error)))),
            Err(CrawlError::LostBrowser(error)) => Err(ScanError::Broken(Box::new(ChromiumError::from(error)))),
        }
    }

    async fn check_readiness(&self) -> Result<(), BoxError> {
        let browser = self.parts.browsers.for_new_scan().await.map_err(ChromiumError::from)?;
        browser.answers().await.map_err(ChromiumError::from)?;
        Ok(())
    }
}
