//! The figures that an operator watches.

use chrono::TimeDelta;

use super::{Operator, Service};
use crate::{
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

impl Operator {
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
