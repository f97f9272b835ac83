//! How loops wait.

use std::{future::Future, time::Duration};

use tokio_util::sync::CancellationToken;

use crate::store::StoreError;

/// What one step of a loop did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Something; there may be more.
    Worked,
    /// Nothing was due.
    Idle,
}

/// Runs `step` until `stop`: at once again after work, after `idle` (spread by a quarter, so that many nodes do not ask
/// together) or a wake-up when there was none, and after a growing pause when the store is in trouble.
///
/// A wake-up that came while `step` ran must not be lost: `wake_up` ends at once then.
pub(super) async fn run<F, W>(
    name: &'static str,
    idle: Duration,
    stop: &CancellationToken,
    mut wake_up: impl FnMut() -> W,
    mut step: impl FnMut() -> F,
) where
    F: Future<Output = Result<Step, StoreError>>,
    W: Future<Output = ()>,
{
    const FIRST_PAUSE: Duration = Duration::from_secs(1);
    const LONGEST_PAUSE: Duration = Duration::from_secs(30);
    let mut pause = FIRST_PAUSE;
    while !stop.is_cancelled() {
        let wait = match step().await {
            Ok(Step::Worked) => {
                pause = FIRST_PAUSE;
                continue;
            }
            Ok(Step::Idle) => {
                pause = FIRST_PAUSE;
                idle.mul_f64(rand::random_range(0.75..1.25))
            }
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, pause = ?pause, "The {name} can't reach the store");
                let wait = pause.mul_f64(rand::random_range(0.75..1.25));
                pause = (pause * 2).min(LONGEST_PAUSE);
                wait
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = tokio::time::sleep(wait) => {}
            () = wake_up() => {}
        }
    }
}
