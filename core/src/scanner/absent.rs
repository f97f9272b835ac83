//! No scanner.

use async_trait::async_trait;

use super::{BoxError, CancellationToken, ProgressSink, ScanError, ScanOutput, ScanRequest, Scanner};

/// Stands where a process runs no worker and so needs no scanner: an API node of a larger installation, for example.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoScanner;

const NONE: &str = "this process has no scanner, and should run no worker";

#[async_trait]
impl Scanner for NoScanner {
    async fn scan(&self, _: ScanRequest, _: &dyn ProgressSink, _: CancellationToken) -> Result<ScanOutput, ScanError> {
        Err(ScanError::Unavailable(NONE.into()))
    }

    async fn check_readiness(&self) -> Result<(), BoxError> {
        Err(NONE.into())
    }
}
