//! What an operator watches.

use std::sync::Arc;

use chrono::TimeDelta;

use super::Service;
use crate::{
    error::Error,
    store::{DeliveryDepth, QueueDepth, StoreError, Waiting},
};

/// How many checks wait, by whether somebody waits for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backlog {
    /// Checks that were started by hand, and first checks of new sites: they begin first.
    pub requested: Queue,
    /// Checks that the schedule queued.
    pub scheduled: Queue,
}

/// How many checks of one kind wait, and for how long the first of them has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Queue {
    /// Checks that no worker has.
    pub waiting: u64,
    /// How long the first of them has waited; zero where none waits.
    pub oldest: TimeDelta,
}

/// How many webhook deliveries wait, and for how long the first that is due has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveryBacklog {
    /// Deliveries that have not ended.
    pub pending: u64,
    /// Of these, those that are due and that no dispatcher has.
    pub due: u64,
    /// How long ago the first of those that are due fell due; zero where none is.
    pub oldest: TimeDelta,
    /// Endpoints that are switched off.
    pub endpoints_off: u64,
}

/// Why this process can't do its work now.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotReady {
    /// The store gives no sign of life.
    #[error("the store does not answer")]
    Store(#[source] StoreError),
    /// The scanner can't work, so the workers of this process begin no check. It is tried again and again.
    #[error("no check can be begun here: {0}")]
    Scanner(Arc<str>),
}

impl Service {
    /// Asks the store for a sign of life, and the workers of this process whether the scanner works. Where no worker runs, the
    /// scanner is not asked.
    ///
    /// # Errors
    /// [`NotReady`].
    pub async fn ready(&self) -> Result<(), NotReady> {
        self.store().now().await.map_err(NotReady::Store)?;
        match self.parts().gate.fault() {
            Some(reason) => Err(NotReady::Scanner(reason)),
            None => Ok(()),
        }
    }

    /// Whether files of checks can be kept and read; known without asking, as
    /// [`FileStore::files_ready`](crate::store::FileStore::files_ready) says.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn files_ready(&self) -> Result<(), Error> {
        Ok(self.store().files_ready().await?)
    }

    /// How many webhook deliveries wait.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn delivery_backlog(&self) -> Result<DeliveryBacklog, Error> {
        let DeliveryDepth { pending, due, oldest_due, endpoints_off } = self.store().delivery_depth().await?;
        let now = self.store().now().await?;
        let oldest = oldest_due.map_or(TimeDelta::zero(), |since| now - since);
        Ok(DeliveryBacklog { pending, due, oldest, endpoints_off })
    }

    /// How many checks wait.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn backlog(&self) -> Result<Backlog, Error> {
        let QueueDepth { requested, scheduled } = self.store().queue_depth().await?;
        let now = self.store().now().await?;
        let queue = |Waiting { checks, oldest }: Waiting| Queue {
            waiting: checks,
            oldest: oldest.map_or(TimeDelta::zero(), |since| now - since),
        };
        Ok(Backlog { requested: queue(requested), scheduled: queue(scheduled) })
    }
}
