//! Seals what a server of the release before still writes in the clear, and reports keys that are missing.

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

/// Seals, during a roll-out, what servers of the release before store in the clear after this one has started; and logs an error
/// for as long as secrets are sealed with a key that this server does not hold, which keeps it from delivering their webhooks.
#[derive(Debug, Clone)]
pub struct Sealing {
    service: Service,
}

impl Sealing {
    /// For so long a new endpoint of an older server waits for its first delivery, at most.
    const POLL: Duration = Duration::from_secs(60);

    /// Returns the loop of this service; `None` where it has no [keys](crate::service::ServiceBuilder::with_sealing).
    pub fn new(service: Service) -> Option<Self> {
        service.parts().sealing.is_some().then_some(Self { service })
    }

    /// Runs until `stop`.
    pub(super) async fn run(self, stop: CancellationToken) {
        pace::run("sealing", Self::POLL, &stop, std::future::pending, || self.step()).await;
    }

    /// Seals all that is in the clear.
    ///
    /// # Errors
    /// Those of the store; the next step takes the same up.
    pub async fn step(&self) -> Result<Step, StoreError> {
        let (store, parts) = (self.service.store(), self.service.parts());
        // `new` makes sure that there are some.
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
