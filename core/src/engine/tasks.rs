//! Tasks that don't outlive their owner.

use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Tasks that are waited for, or cancelled when this is dropped.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    tracker: TaskTracker,
    abandoned: CancellationToken,
}

impl Tasks {
    /// Runs a task to its end, or until it is abandoned. An abandoned task takes no further step: a worker, for example,
    /// whose scanner is cancelled at the same time, hands no check back.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let abandoned = self.abandoned.clone();
        self.tracker.spawn(async move {
            tokio::select! {
                biased;
                () = abandoned.cancelled() => {}
                () = task => {}
            }
        });
    }

    /// Waits until all tasks have ended. None may be started after that.
    pub(super) async fn ended(&self) {
        self.tracker.close();
        self.tracker.wait().await;
    }
}

impl Drop for Tasks {
    fn drop(&mut self) {
        self.abandoned.cancel();
    }
}
