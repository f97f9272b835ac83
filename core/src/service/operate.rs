//! What an operator watches.

use std::sync::Arc;

use chrono::TimeDelta;

use super::Service;
use crate::{
    error::Error,
    store::{DeliveryDepth, QueueDepth, StoreError},
};

/// How much work waits, and for how long the first of it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backlog {
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
        let QueueDepth { waiting, oldest } = self.store().queue_depth().await?;
        let now = self.store().now().await?;
        Ok(Backlog { waiting, oldest: oldest.map_or(TimeDelta::zero(), |since| now - since) })
    }
}
