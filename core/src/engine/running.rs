//! An engine that runs.

use tokio_util::sync::CancellationToken;

use super::{EngineBuilder, EngineConfig, EngineParts, EngineStatus, tasks::Tasks};
use crate::service::Service;

/// Running loops, until they are [stopped](Self::stop) or dropped.
///
/// An engine that is dropped stops at once: nothing new is begun, and what is under way is cancelled without being handed
/// back. A check that was under way is claimed again, by any worker of the same store, when its lease ends
/// ([`Lease::TERM`](crate::domain::Lease::TERM) after its last renewal); so is a webhook that was being sent, which its
/// receiver may then get twice. Only [`stop`](Self::stop) hands checks back and completes webhooks that are being sent.
#[derive(Debug)]
#[must_use = "an engine that is dropped stops"]
pub struct Engine {
    /// Cancelled when nothing new may be begun. Follows `stop`.
    drain: CancellationToken,
    /// Cancelled when running checks are to be handed back.
    stop: CancellationToken,
    /// The loops, which end where they are when this is dropped.
    tasks: Tasks,
    status: EngineStatus,
}

impl Engine {
    /// Returns a builder of an engine for this service; see [`EngineBuilder`] for its parts.
    pub fn builder(service: &Service) -> EngineBuilder {
        EngineBuilder::new(service.clone())
    }

    pub(super) fn run(parts: &EngineParts, config: EngineConfig) -> Self {
        let stop = CancellationToken::new();
        let drain = stop.child_token();
        let tasks = Tasks::default();
        if config.workers > 0 {
            match parts.worker() {
                Some(_) => parts.status().gate().describe(),
                None => parts.status().note_lack_of_scanner(),
            }
        }
        for worker in (0..config.workers).filter_map(|_| parts.worker()) {
            tasks.spawn(worker.run(config.poll, drain.clone(), stop.clone()));
        }
        if config.scheduler {
            tasks.spawn(parts.scheduler().run(config.poll, drain.clone()));
        }
        if config.webhooks {
            match parts.dispatcher() {
                Some(dispatcher) => tasks.spawn(dispatcher.run(config.poll, drain.clone())),
                None => {
                    tracing::warn!(
                        "Webhooks are not delivered: there is no sender, or the service has no sealing keys"
                    );
                }
            }
            if let Some(mailer) = parts.mailer() {
                tasks.spawn(mailer.run(config.poll, drain.clone()));
            }
            if let Some(sealing) = parts.sealing() {
                tasks.spawn(sealing.run(drain.clone()));
            }
        }
        if config.retention {
            tasks.spawn(parts.retention().run(drain.clone()));
        }
        Self { drain, stop, tasks, status: parts.status().clone() }
    }

    /// Returns the status of the engine.
    pub const fn status(&self) -> &EngineStatus {
        &self.status
    }

    /// Makes the loops begin nothing new: no check, no delivery, no purge. What is under way goes on until its end, or
    /// until [`stop`](Self::stop).
    pub fn drain(&self) {
        self.drain.cancel();
    }

    /// Ends the loops: no check and no delivery is begun any more, running checks are handed back, and deliveries that are
    /// being sent are completed. Returns when all loops have ended. A call that is dropped before that drops the engine.
    pub async fn stop(self) {
        self.stop.cancel();
        self.tasks.ended().await;
    }
}
