//! What an operator watches.

use chrono::TimeDelta;

use super::Service;
use crate::{error::Error, store::QueueDepth};

/// How much work waits, and for how long the first of it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backlog {
    /// Checks that no worker has.
    pub waiting: u64,
    /// How long the first of them has waited; zero where none waits.
    pub oldest: TimeDelta,
}

impl Service {
    /// Asks the store for a sign of life.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn ready(&self) -> Result<(), Error> {
        self.store().now().await?;
        Ok(())
    }

    /// How much work waits.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn backlog(&self) -> Result<Backlog, Error> {
        let QueueDepth { waiting, oldest } = self.store().queue_depth().await?;
        let now = self.store().now().await?;
        Ok(Backlog { waiting, oldest: oldest.map_or(TimeDelta::zero(), |since| now - since) })
    }
}
