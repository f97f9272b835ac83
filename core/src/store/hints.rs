//! Hints that it is worth looking for work.

use async_trait::async_trait;
use tokio::sync::Notify;

/// The work that a loop looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Work {
    /// Checks that are due: for workers.
    Scans,
    /// Deliveries that are due: for dispatchers.
    Deliveries,
    /// Entries in the log of occurrences: for its readers.
    Events,
}

impl Work {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Scans, Self::Deliveries, Self::Events];
}

/// Wakes loops that have found nothing, when it is worth looking again.
///
/// A hint saves waiting and guarantees nothing: it may come although there is nothing, and it may be late or lost on its
/// way from another process. A loop that waits for one also looks again by itself from time to time. Work that falls due
/// because time has passed gives no hint.
#[async_trait]
pub trait HintStore {
    /// Returns when there may be work of this kind that was not there when an earlier call returned: at once, if a hint was
    /// given since.
    ///
    /// Hints of the same process, by this store or a clone of it, are never lost. One is given, after the step has taken
    /// effect, for
    /// - [`Work::Scans`] by each step that queues a check ([`add_site`](super::SiteStore::add_site),
    ///   [`start_manual_scan`](super::ScanStore::start_manual_scan), [`queue_due_scans`](super::QueueStore::queue_due_scans)),
    ///   by [`hand_back`](super::QueueStore::hand_back), and by [`claim_scan`](super::QueueStore::claim_scan) when it gives
    ///   a check, since more may wait;
    /// - [`Work::Deliveries`] by each step that makes a delivery due at once
    ///   ([`complete_scan`](super::QueueStore::complete_scan), [`send_event`](super::WebhookStore::send_event),
    ///   [`resend_delivery`](super::WebhookStore::resend_delivery), and
    ///   [`record_attempt`](super::WebhookStore::record_attempt) where a delivery waited for that attempt);
    /// - [`Work::Events`] by each step that writes into the [log of occurrences](super::EventLog).
    ///
    /// # Concurrency
    /// Of several callers that wait for one kind, one is woken; a worker that then finds a check passes the hint on. Hints
    /// that nobody waits for are kept as one.
    async fn hint(&self, work: Work);
}

/// Hints within a process: what a store needs to implement [`HintStore`].
#[derive(Debug, Default)]
pub struct Hints {
    scans: Notify,
    deliveries: Notify,
    events: Notify,
}

impl Hints {
    /// Ends one present or future [`wait`](Self::wait) for this kind.
    pub fn give(&self, work: Work) {
        self.of(work).notify_one();
    }

    /// Waits as [`HintStore::hint`] promises. Nothing is lost when it is dropped before it has ended.
    pub async fn wait(&self, work: Work) {
        self.of(work).notified().await;
    }

    const fn of(&self, work: Work) -> &Notify {
        match work {
            Work::Scans => &self.scans,
            Work::Deliveries => &self.deliveries,
            Work::Events => &self.events,
        }
    }
}
