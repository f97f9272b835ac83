//! What core asks of a part that checks pages.

mod absent;
mod acceptance;
mod error;
mod gate;
mod request;
#[cfg(any(test, feature = "testing"))]
mod scripted;

use async_trait::async_trait;
pub use tokio_util::sync::CancellationToken;

pub(crate) use self::gate::Gate;
#[cfg(any(test, feature = "testing"))]
pub use self::scripted::{Script, ScriptedScanner};
pub use self::{
    absent::NoScanner,
    acceptance::{OutputError, accept, judge},
    error::{BoxError, ScanError},
    request::{ProgressSink, ScanOutput, ScanRequest, Screenshot, ScreenshotFormat},
};

/// Checks the pages of a site.
///
/// Core believes no scanner blindly: a result that breaks one of the bounds of its types, or claims what core alone can know, is
/// not stored, and the check fails with an [`OutputError`] in the log. `scanner_suite!` of the crate
/// `a11ycheck-storage-testkit` runs the tests that every scanner passes.
///
/// # Bounds
/// A call ends within a time of the scanner's own choosing, whatever the site does, and lists at most
/// [`ScanRequest::page_budget`] pages. A page that cannot be checked costs itself: it is listed with its error, and the
/// others are still checked. A dead link costs no page: up to [`ScanRequest::MAX_DEAD_LINKS`] of them are listed besides.
///
/// # Reach
/// Every connection that the site causes is judged by the [`AddressPolicy`](crate::net::AddressPolicy) that the scanner
/// was built with, redirects and sub-resources included. Networks that the policy opens are reached by scans whose start page
/// comes from one of them, and by no other.
///
/// # Concurrency
/// Calls run side by side; the scanner bounds by itself what it does at once.
#[async_trait]
pub trait Scanner: Send + Sync + 'static {
    /// Checks one site.
    ///
    /// `progress` hears the number of pages done so far, each time it grows. When `cancel` fires, the call ends soon with
    /// [`ScanError::Cancelled`], and leaves nothing running behind.
    ///
    /// # Errors
    /// [`ScanError::Failed`] or [`ScanError::Troubled`] when no page could be checked: why the start page could not.
    /// [`ScanError::Unavailable`] when the scanner could not begin, which says nothing about the site;
    /// [`ScanError::Broken`] when it broke down while it checked the site.
    async fn scan(
        &self,
        request: ScanRequest,
        progress: &dyn ProgressSink,
        cancel: CancellationToken,
    ) -> Result<ScanOutput, ScanError>;

    /// Checks whether [`scan`](Self::scan) could begin now: that all it needs beside the site is there and answers. After a
    /// scan that ended with [`ScanError::Unavailable`], workers claim no check until this succeeds.
    ///
    /// A call ends within a time of the scanner's own choosing, and may be dropped at any time. A scanner that needs nothing
    /// keeps the default, which is always ready.
    ///
    /// # Errors
    /// What is missing. Its own message is one sentence for operators, which probes show; what only the log should have is
    /// in its sources.
    async fn check_readiness(&self) -> Result<(), BoxError> {
        Ok(())
    }
}

#[async_trait]
impl<S: Scanner + ?Sized> Scanner for std::sync::Arc<S> {
    async fn scan(
        &self,
        request: ScanRequest,
        progress: &dyn ProgressSink,
        cancel: CancellationToken,
    ) -> Result<ScanOutput, ScanError> {
        (**self).scan(request, progress, cancel).await
    }

    async fn check_readiness(&self) -> Result<(), BoxError> {
        (**self).check_readiness().await
    }
}
