//! Seals what servers of the previous release still store in the clear, and reports missing keys.

use std::{error::Error as StdError, time::Duration};

use tokio_util::sync::CancellationToken;

use super::{Step, pace};
use crate::{
    service::{
        SealingError, Service,
        sealing::{require_all_keys, seal_unsealed},
    },
    store::StoreError,
};

/// Seals, during a roll-out, the secrets that servers of the previous release store in the clear after this server has
/// started. Logs an error for as long as secrets are sealed with a key that this server does not hold, because it can't
/// deliver their webhooks.
#[derive(Debug, Clone)]
pub struct Sealing {
    service: Service,
}

impl Sealing {
    /// The longest time for which a new endpoint of an older server waits for its first delivery.
    const POLL: Duration = Duration::from_secs(60);

    pub(super) fn new(service: Service) -> Option<Self> {
        service.parts().sealing.is_some().then_some(Self { service })
    }

    /// Runs until `stop`.
    pub(super) async fn run(self, stop: CancellationToken) {
        pace::run("sealing", Self::POLL, &stop, std::future::pending, || self.step()).await;
    }

    /// Seals all secrets that are in the clear.
    ///
    /// # Errors
    /// Those of the store; the next step tries the same again.
    pub async fn step(&self) -> Result<Step, StoreError> {
        let (store, parts) = (self.service.store(), self.service.parts());
        // `new` makes sure that there are keys.
        let Some(keys) = &parts.sealing else { return Ok(Step::Idle) };
        seal_unsealed(store, keys).await?;
        match require_all_keys(store, keys).await {
            Ok(()) => {}
            Err(SealingError::Store(error)) => return Err(error),
            Err(error) => tracing::error!(
                error = &error as &dyn StdError,
                "Webhooks of some endpoints are not delivered by this server: add the missing key to its keys, and start it again"
            ),
        }
        Ok(Step::Idle)
    }
}
