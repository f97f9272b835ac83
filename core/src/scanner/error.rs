//! How a scan ends without findings.

use std::{error::Error as StdError, time::Duration};

use crate::domain::Failure;

/// The cause of an error, of any type.
pub type BoxError = Box<dyn StdError + Send + Sync>;

/// Why there are no findings.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// No page of the site could be checked, and this is why the first one could not.
    /// [`FailureCode::is_worth_retrying`](crate::domain::FailureCode::is_worth_retrying) tells whether to try again.
    #[error("the site could not be checked")]
    Failed(#[source] Failure),
    /// The same, for trouble of the site's own that may pass: it is too busy (429, 503), its server fails (5xx), or its
    /// robots.txt can't be read. Worth trying again, whatever the code.
    #[error("the site is in trouble")]
    Troubled {
        /// Why the start page could not be checked.
        #[source]
        failure: Failure,
        /// How long the site asks to be left alone, if it says.
        retry_after: Option<Duration>,
    },
    /// The caller gave up.
    #[error("the scan was cancelled")]
    Cancelled,
    /// The scanner could not begin: no browser starts, no port is free. Nothing was asked of the site, so any scan of this
    /// process would have ended so, and another process may well do it.
    #[error(transparent)]
    Unavailable(BoxError),
    /// The scanner broke down on the way: its browser died and no other starts, or it panicked. The site may be the cause, and
    /// may be fine.
    #[error("the scanner broke down during the scan")]
    Broken(#[source] BoxError),
}
