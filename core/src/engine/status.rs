//! The status of an engine.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use super::gate::Gate;

/// The status of an engine: whether it can do its work. Cheap to clone; all clones show the status of the same engine, from
/// before it is [started](super::EngineBuilder::start) until after it has stopped.
#[derive(Debug, Clone)]
pub struct EngineStatus {
    health: Arc<Health>,
}

#[derive(Debug)]
struct Health {
    /// The state of the scanner, for all workers of the engine.
    gate: Gate,
    /// True if workers were asked for, and there is no scanner.
    lacks_scanner: AtomicBool,
    /// True if a check completed whose events could not be written.
    lacks_event_writer: AtomicBool,
}

/// The reason why an engine can't do its work now.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineFault {
    /// The scanner can't work, so the workers of this engine begin no check. It is tried again and again.
    #[error("no check can be begun here: {0}")]
    Scanner(Arc<str>),
    /// The engine was started with workers and without a scanner, so none of them runs.
    #[error("no check can be begun here: the engine has no scanner")]
    NoScanner,
    /// A check of a team with webhook endpoints completed here, and the service has no
    /// [event writer](crate::service::ServiceBuilder::with_event_writer): its events are lost. This lasts until the process
    /// is restarted with one.
    #[error("webhooks of checks that complete here are lost: the service has no event writer")]
    NoEventWriter,
}

impl EngineStatus {
    /// Returns whether the engine can do its work, as far as its loops have found out; neither the scanner nor the store is
    /// asked now. An engine of which no worker has run is ready, whatever the state of its scanner.
    ///
    /// # Errors
    /// The [`EngineFault`] that keeps it from its work.
    pub fn ready(&self) -> Result<(), EngineFault> {
        if self.health.lacks_scanner.load(Ordering::Relaxed) {
            return Err(EngineFault::NoScanner);
        }
        if let Some(reason) = self.gate().fault() {
            return Err(EngineFault::Scanner(reason));
        }
        if self.health.lacks_event_writer.load(Ordering::Relaxed) {
            return Err(EngineFault::NoEventWriter);
        }
        Ok(())
    }

    pub(super) fn gate(&self) -> &Gate {
        &self.health.gate
    }

    pub(super) fn note_lack_of_scanner(&self) {
        self.health.lacks_scanner.store(true, Ordering::Relaxed);
        tracing::warn!("No check is begun here: the engine has workers, and no scanner");
    }

    /// Notes that events could not be written. Logged once, however many checks complete.
    pub(super) fn note_lack_of_event_writer(&self) {
        if !self.health.lacks_event_writer.swap(true, Ordering::Relaxed) {
            tracing::error!("Webhooks of checks that complete here are lost: the service has no event writer");
        }
    }
}

impl Default for EngineStatus {
    /// Returns the status of an engine that has found nothing amiss, or of a process that has no engine.
    fn default() -> Self {
        let health = Health {
            gate: Gate::open(),
            lacks_scanner: AtomicBool::new(false),
            lacks_event_writer: AtomicBool::new(false),
        };
        Self { health: Arc::new(health) }
    }
}
