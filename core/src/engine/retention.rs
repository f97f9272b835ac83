//! Purges checks that have left the history, deliveries that have left their log, old entries of the log of occurrences, and what
//! is over of people: sessions, invitations, entries of the audit log, mail, and batches that can no longer be undone.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{Step, pace, pace::ran};
use crate::{service::Service, store::StoreError};

/// Purges checks that have left the history of their team's plan, deliveries that have left their log, and old entries of
/// the log of occurrences, in batches.
#[derive(Debug, Clone)]
pub struct Retention {
    service: Service,
}

impl Retention {
    /// The most checks, the most deliveries and the most entries that one step purges.
    const BATCH: u32 = 100;
    /// The pause between idle steps. It may be long: what has left the history is invisible at once, and only its space is
    /// freed later.
    const POLL: Duration = Duration::from_secs(600);

    pub(super) const fn new(service: Service) -> Self {
        Self { service }
    }

    /// Runs until `stop`.
    pub(super) async fn run(self, stop: CancellationToken) {
        pace::run("retention", Self::POLL, &stop, std::future::pending, || self.step()).await;
    }

    /// Purges a batch of each.
    ///
    /// # Errors
    /// Those of the store; the next step tries the same again.
    pub async fn step(&self) -> Result<Step, StoreError> {
        let purged = self.service.store().purge_scans(Self::BATCH).await?;
        if purged > 0 {
            tracing::info!(purged, "Purged checks that have left the history");
        }
        let deliveries = self.service.store().purge_deliveries(Self::BATCH).await?;
        if deliveries > 0 {
            tracing::info!(purged = deliveries, "Purged deliveries that have left the log");
        }
        let entries = self.service.store().purge_scan_events(Self::BATCH).await?;
        if entries > 0 {
            tracing::debug!(purged = entries, "Purged entries of the log of occurrences");
        }
        let people = self.service.purge_people(Self::BATCH).await?;
        let mails = self.service.purge_mails(Self::BATCH).await?;
        let links = self.service.purge_shared_reports(Self::BATCH).await?;
        let batches = self.service.purge_batches(Self::BATCH).await?;
        ran("a11ycheck_purge_last_run_timestamp_seconds", &self.service);
        self.service.note_run(|runs, now| runs.purge = Some(now));
        Ok(if purged.max(deliveries).max(entries).max(people).max(mails).max(links).max(batches) >= Self::BATCH {
            Step::Worked
        } else {
            Step::Idle
        })
    }
}
