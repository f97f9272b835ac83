//! The figures that an operator watches.

use std::sync::PoisonError;

use chrono::{DateTime, TimeDelta, Utc};

use super::{Operator, Service};
use crate::{
    domain::{Scan, WebhookEndpoint},
    error::Error,
    store::{DeliveryDepth, QueueDepth, StoreError, Waiting},
};

/// The numbers of checks that wait, by whether somebody waits for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backlog {
    /// Checks that were started by hand, and first checks of new sites: they begin first.
    pub requested: Queue,
    /// Checks that the schedule queued.
    pub scheduled: Queue,
}

/// The number of checks of one kind that wait, and the time for which the first of them has waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Queue {
    /// Checks that no worker has.
    pub waiting: u64,
    /// The time for which the first of them has waited; zero if none waits.
    pub oldest: TimeDelta,
}

/// The number of webhook deliveries that wait, and the time since the first due one fell due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeliveryBacklog {
    /// Deliveries that have not ended.
    pub pending: u64,
    /// Of these, those that are due and that no dispatcher has.
    pub due: u64,
    /// The time since the first of the due deliveries fell due; zero if none is due.
    pub oldest: TimeDelta,
    /// Endpoints that are switched off.
    pub endpoints_off: u64,
}

/// The reason why the service can't do its work now.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotReady {
    /// The store does not respond.
    #[error("the store does not answer")]
    Store(#[source] StoreError),
}

impl Service {
    /// Notes that a loop of this process has ended a step.
    pub(crate) fn note_run(&self, note: impl FnOnce(&mut LastRuns, DateTime<Utc>)) {
        let now = self.now();
        note(&mut self.parts().last_runs.lock().unwrap_or_else(PoisonError::into_inner), now);
    }

    /// Returns whether the store responds. [`EngineStatus::ready`](crate::engine::EngineStatus::ready) has the status of
    /// the loops of this process.
    ///
    /// # Errors
    /// [`NotReady`] if it does not.
    pub async fn ready(&self) -> Result<(), NotReady> {
        self.store().now().await.map_err(NotReady::Store)?;
        Ok(())
    }

    /// Returns whether files of checks can be kept and read. This is known without asking, as
    /// [`FileStore::files_ready`](crate::store::FileStore::files_ready) says.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn files_ready(&self) -> Result<(), Error> {
        Ok(self.store().files_ready().await?)
    }
}

/// A check that is running.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunningCheck {
    /// The check.
    pub scan: Scan,
    /// True if it [may be stuck](crate::domain::ScanState::is_stuck).
    pub is_stuck: bool,
}

/// The instants at which loops of this process last ended a step without an error; `None` where they have not, or run elsewhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LastRuns {
    /// The loop that queues scheduled checks.
    pub scheduler: Option<DateTime<Utc>>,
    /// The loop that purges.
    pub purge: Option<DateTime<Utc>>,
}

impl Operator {
    /// The most running checks, and the most endpoints that are off, that are shown.
    pub const MOST_SHOWN: u32 = 100;

    /// Returns the checks that are running, those that began first before others; [`MOST_SHOWN`](Self::MOST_SHOWN) at most.
    ///
    /// # Errors
    /// [`Error::Unavailable`] and [`Error::Corrupt`].
    pub async fn running_checks(&self) -> Result<Vec<RunningCheck>, Error> {
        let store = self.service().store();
        let (scans, now) = (store.running_scans(Self::MOST_SHOWN).await?, store.now().await?);
        let checks = scans.into_iter().map(|scan| RunningCheck { is_stuck: scan.state.is_stuck(now), scan });
        Ok(checks.collect())
    }

    /// Returns the webhook endpoints that are switched off, the latest first; [`MOST_SHOWN`](Self::MOST_SHOWN) at most.
    ///
    /// # Errors
    /// [`Error::Unavailable`] and [`Error::Corrupt`].
    pub async fn endpoints_off(&self) -> Result<Vec<WebhookEndpoint>, Error> {
        Ok(self.service().store().endpoints_off(Self::MOST_SHOWN).await?)
    }

    /// Returns when the loops of this process last ran.
    pub fn last_runs(&self) -> LastRuns {
        *self.service().parts().last_runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of webhook deliveries that wait.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn delivery_backlog(&self) -> Result<DeliveryBacklog, Error> {
        let DeliveryDepth { pending, due, oldest_due, endpoints_off } = self.service().store().delivery_depth().await?;
        let now = self.service().store().now().await?;
        let oldest = oldest_due.map_or(TimeDelta::zero(), |since| now - since);
        Ok(DeliveryBacklog { pending, due, oldest, endpoints_off })
    }

    /// Returns the number of checks that wait.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn backlog(&self) -> Result<Backlog, Error> {
        let QueueDepth { requested, scheduled } = self.service().store().queue_depth().await?;
        let now = self.service().store().now().await?;
        let queue = |Waiting { checks, oldest }: Waiting| Queue {
            waiting: checks,
            oldest: oldest.map_or(TimeDelta::zero(), |since| now - since),
        };
        Ok(Backlog { requested: queue(requested), scheduled: queue(scheduled) })
    }
}
