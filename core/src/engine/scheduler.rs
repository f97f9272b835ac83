//! Queues the checks of sites that fall due.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{Step, pace, pace::ran};
use crate::{service::Service, store::StoreError};

/// Queues the checks of sites that fall due. Any number of schedulers may run, on any number of nodes.
#[derive(Debug, Clone)]
pub struct Scheduler {
    service: Service,
}

impl Scheduler {
    /// The most sites that one step takes up.
    const BATCH: u32 = 100;

    pub(super) const fn new(service: Service) -> Self {
        Self { service }
    }

    /// Runs until `stop`.
    pub(super) async fn run(self, poll: Duration, stop: CancellationToken) {
        pace::run("scheduler", poll, &stop, std::future::pending, || self.step()).await;
    }

    /// Takes up the sites that are due now, at most a batch.
    ///
    /// # Errors
    /// Those of the store; nothing is lost, and the next step takes up the same sites.
    pub async fn step(&self) -> Result<Step, StoreError> {
        let due = self.service.store().queue_due_scans(Self::BATCH).await?;
        ran("a11ycheck_scheduler_last_run_timestamp_seconds", &self.service);
        self.service.note_run(|runs, now| runs.scheduler = Some(now));
        for scan in &due.queued {
            // The line `Began a check` follows, with its kind.
            tracing::debug!(scan = %scan.id, site = %scan.site, "Queued a scheduled check");
        }
        Ok(if due.more { Step::Worked } else { Step::Idle })
    }
}
