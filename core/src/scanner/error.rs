//! The errors of scans.

use std::{error::Error as StdError, time::Duration};

use crate::domain::Failure;

/// The cause of an error, of any type.
pub type BoxError = Box<dyn StdError + Send + Sync>;

/// The reason why a scan ended without findings.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// No page of the site could be checked; this is the failure of the first one.
    /// [`FailureCode::is_worth_retrying`](crate::domain::FailureCode::is_worth_retrying) says whether to try again.
    #[error("the site could not be checked")]
    Failed(#[source] Failure),
    /// The same, because of trouble at the site that may pass: it is too busy (429, 503), its server fails (5xx), or its
    /// robots.txt can't be read. Worth trying again, whatever the code.
    #[error("the site is in trouble")]
    Troubled {
        /// The failure of the start page.
        #[source]
        failure: Failure,
        /// The time for which the site asks not to be visited, if it says so.
        retry_after: Option<Duration>,
    },
    /// The caller cancelled the scan.
    #[error("the scan was cancelled")]
    Cancelled,
    /// The scanner could not begin: no browser starts, or no port is free. The site was not contacted, so any scan of this
    /// process would have ended like this, while another process may well succeed.
    #[error(transparent)]
    Unavailable(BoxError),
    /// The scanner broke down during the scan: its browser died and no other starts, or it panicked. The site may be the
    /// cause, or may be fine.
    #[error("the scanner broke down during the scan")]
    Broken(#[source] BoxError),
}
