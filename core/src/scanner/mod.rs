//! The interface to the part that checks pages.

mod acceptance;
mod error;
mod pages;
mod request;
#[cfg(any(test, feature = "testing"))]
mod scripted;

use async_trait::async_trait;
pub use tokio_util::sync::CancellationToken;

#[cfg(any(test, feature = "testing"))]
pub use self::scripted::{Script, ScriptedScanner};
pub use self::{
    acceptance::{OutputError, accept, judge},
    error::{BoxError, ScanError},
    pages::{PageList, PageListError},
    request::{
        EarlierCheck, KeptPicture, KnownElements, ProgressSink, Remembered, RuleOutcomes, ScanOutput, ScanRequest,
        Screenshot, ScreenshotFormat,
    },
};

/// Checks the pages of a site.
///
/// Core trusts no scanner blindly: a result that breaks one of the bounds of its types, or claims what only core can know,
/// is not stored, and the check fails with an [`OutputError`] in the log. `scanner_suite!` of the crate
/// `a11ycheck-storage-testkit` runs the tests that every scanner passes.
///
/// # Bounds
/// A call ends within a time that the scanner chooses, whatever the site does, and lists at most
/// [`ScanRequest::page_budget`] pages. A page that can't be checked is listed with its error, and the others are still
/// checked. A dead link does not count towards the budget: up to [`ScanRequest::MAX_DEAD_LINKS`] of them are listed in
/// addition.
///
/// # Exact pages
/// A request with [`ScanRequest::pages`] is for these pages alone: each is listed once, in the order of the request, under the
/// address at which it was found; one that was not checked, or not reached in time, with its error. No link is followed, and there
/// are no dead links. The pages of each host are a site of their own: what one of them reaches, another need not.
///
/// # Reach
/// Every connection that the site causes is judged by the [`AddressPolicy`](crate::net::AddressPolicy) that the scanner was
/// built with, including redirects and sub-resources. Networks that the policy opens can be reached only by scans whose
/// start page comes from one of them.
///
/// # Concurrency
/// Calls run concurrently; the scanner itself limits what it does at once.
#[async_trait]
pub trait Scanner: Send + Sync + 'static {
    /// Checks one site.
    ///
    /// `progress` receives the page counts each time one of them changes. When `cancel` fires, the call soon ends with
    /// [`ScanError::Cancelled`], and leaves nothing running.
    ///
    /// # Errors
    /// [`ScanError::Failed`] or [`ScanError::Troubled`] when no page could be checked, with the failure of the start page; a
    /// request for exact pages has a result then, too, in which each page has its error.
    /// [`ScanError::Unavailable`] when the scanner could not begin, which says nothing about the site;
    /// [`ScanError::Broken`] when it broke down while it checked the site.
    async fn scan(
        &self,
        request: ScanRequest,
        progress: &dyn ProgressSink,
        cancel: CancellationToken,
    ) -> Result<ScanOutput, ScanError>;

    /// Checks whether [`scan`](Self::scan) could begin now: whether everything that it needs beside the site is there and
    /// responds. After a scan that ended with [`ScanError::Unavailable`], workers claim no check until this succeeds.
    ///
    /// A call ends within a time that the scanner chooses, and may be dropped at any time. A scanner that needs nothing
    /// keeps the default, which is always ready.
    ///
    /// # Errors
    /// The thing that is missing. The error's own message is one sentence for operators, which probes show; details for the
    /// log alone are in its sources.
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
