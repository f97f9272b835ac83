//! The loops that run beside any frontend: workers that check, a scheduler that queues, a dispatcher that delivers webhooks,
//! a keeper that purges.
//!
//! [`Engine::start`] spawns them; [`Engine::drain`] lets them begin nothing new; [`Engine::stop`] ends them in order: nothing new is begun, a running check is handed back
//! so that another worker takes it at once, a webhook that is
//! being sent is sent to its end, which is at most 10 s away, and only then does it return. Each loop also has a single step as a public
//! function, which tests call to run the service without waiting.

mod dispatcher;
mod pace;
mod recording;
mod retention;
mod scheduler;
mod sealing;
mod worker;

use std::time::Duration;

use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub use self::{
    dispatcher::Dispatcher, pace::Step, retention::Retention, scheduler::Scheduler, sealing::Sealing, worker::Worker,
};
use crate::service::Service;

/// Which loops run, and how many of them.
#[derive(Debug, Clone, Copy)]
pub struct EngineConfig {
    /// Checks that this process works on at once. 0 runs none.
    pub workers: usize,
    /// Whether this process queues checks that fall due.
    pub scheduler: bool,
    /// Whether this process delivers webhooks.
    pub webhooks: bool,
    /// Whether this process purges checks that have left the history, and deliveries that have left the log.
    pub retention: bool,
    /// How long an idle loop waits before it looks again, at most; where the store [hints](crate::store::HintStore) at a
    /// check that was queued, or an event that was made, it looks at once.
    pub poll: Duration,
}

impl Default for EngineConfig {
    /// Everything, two checks at a time.
    fn default() -> Self {
        Self { workers: 2, scheduler: true, webhooks: true, retention: true, poll: Duration::from_secs(1) }
    }
}

/// Running loops. Dropping it leaves them running; [`stop`](Self::stop) ends them.
#[derive(Debug)]
pub struct Engine {
    /// Nothing new is begun any more. Follows `stop`.
    drain: CancellationToken,
    /// What is under way is handed back.
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Engine {
    /// Starts the loops on the current tokio runtime.
    pub fn start(service: &Service, config: EngineConfig) -> Self {
        let stop = CancellationToken::new();
        let drain = stop.child_token();
        let tasks = TaskTracker::new();
        if config.workers > 0 {
            service.parts().gate.describe();
        }
        for _ in 0..config.workers {
            tasks.spawn(Worker::new(service.clone()).run(config.poll, drain.clone(), stop.clone()));
        }
        if config.scheduler {
            tasks.spawn(Scheduler::new(service.clone()).run(config.poll, drain.clone()));
        }
        match Dispatcher::new(service.clone()) {
            Some(dispatcher) if config.webhooks => drop(tasks.spawn(dispatcher.run(config.poll, drain.clone()))),
            None if config.webhooks => {
                tracing::warn!("Webhooks are not delivered: the service has no sender, or no sealing keys");
            }
            Some(_) | None => {}
        }
        match Sealing::new(service.clone()) {
            Some(sealing) if config.webhooks => drop(tasks.spawn(sealing.run(drain.clone()))),
            Some(_) | None => {}
        }
        if config.retention {
            tasks.spawn(Retention::new(service.clone()).run(drain.clone()));
        }
        tasks.close();
        Self { drain, stop, tasks }
    }

    /// Lets the loops begin nothing new from now on: no check, no delivery, no purge. What is under way goes on, until its end
    /// or until [`stop`](Self::stop).
    pub fn drain(&self) {
        self.drain.cancel();
    }

    /// Ends the loops: no check and no delivery is begun any more, running checks are handed back, deliveries that are being
    /// sent end. Returns when all have ended.
    pub async fn stop(self) {
        self.stop.cancel();
        self.tasks.wait().await;
    }
}
