//! How a scan ends without findings.

use std::error::Error as StdError;

use crate::domain::Failure;

/// Why there are no findings.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// No page of the site could be checked, and this is why the first one could not.
    /// [`FailureCode::is_worth_retrying`](crate::domain::FailureCode::is_worth_retrying) tells whether to try again.
    #[error("the site could not be checked")]
    Failed(#[source] Failure),
    /// The caller gave up.
    #[error("the scan was cancelled")]
    Cancelled,
    /// The scanner could not work: no browser, no disk, no memory. The site may be fine.
    #[error("the scanner could not work")]
    Unavailable(#[source] Box<dyn StdError + Send + Sync>),
}
