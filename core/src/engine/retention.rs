//! Purges checks that have left the history, and deliveries that have left the log.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{Step, pace, pace::ran};
use crate::{service::Service, store::StoreError};

/// Purges checks that have left the history of their team's plan, and deliveries that have left the log, in batches.
#[derive(Debug, Clone)]
pub struct Retention {
    service: Service,
}

impl Retention {
    /// Checks, and deliveries, that one step purges at most.
    const BATCH: u32 = 100;
    /// What has left the history is invisible at once; how soon its space is free matters little.
    const POLL: Duration = Duration::from_secs(600);

    /// A keeper for this service.
    pub const fn new(service: Service) -> Self {
        Self { service }
    }

    /// Runs until `stop`.
    pub(super) async fn run(self, stop: CancellationToken) {
        pace::run("retention", Self::POLL, &stop, std::future::pending, || self.step()).await;
    }

    /// Purges a batch of each.
    ///
    /// # Errors
    /// Those of the store; the next step takes the same up.
    pub async fn step(&self) -> Result<Step, StoreError> {
        let purged = self.service.store().purge_scans(Self::BATCH).await?;
        if purged > 0 {
            tracing::info!(purged, "Purged checks that have left the history");
        }
        let deliveries = self.service.store().purge_deliveries(Self::BATCH).await?;
        if deliveries > 0 {
            tracing::info!(purged = deliveries, "Purged deliveries that have left the log");
        }
        ran("a11ycheck_purge_last_run_timestamp_seconds", &self.service);
        Ok(if purged.max(deliveries) >= Self::BATCH { Step::Worked } else { Step::Idle })
    }
}
