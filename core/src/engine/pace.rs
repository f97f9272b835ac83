//! The pace of loops: their pauses, and how long they retry while the store fails.

use std::{error::Error as StdError, future::Future, panic::AssertUnwindSafe, time::Duration};

use futures_util::FutureExt as _;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{service::Service, store::StoreError};

/// The outcome of one step of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Something was done; there may be more.
    Worked,
    /// Nothing was due.
    Idle,
}

/// Runs `step` until `stop`: again at once after work; after `idle` (spread by a quarter, so that many nodes do not ask at
/// the same time) or a wake-up when there was no work; and after a growing pause when the store fails. A step that panics
/// counts as a failure, too: its leases end by themselves, and all other work goes on.
///
/// A wake-up that comes while `step` runs must not be lost: `wake_up` must then end at once.
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
    /// Returns the pause, and doubles it for the next time, up to the longest.
    fn longer(pause: &mut Duration) -> Duration {
        let next = (*pause * 2).min(LONGEST_PAUSE);
        std::mem::replace(pause, next)
    }
    let mut pause = FIRST_PAUSE;
    while !stop.is_cancelled() {
        // Steps share no state that a panic could leave half changed.
        let outcome = AssertUnwindSafe(step()).catch_unwind().await;
        let mut is_well = true;
        let usual = match outcome {
            Ok(Ok(Step::Worked)) => {
                pause = FIRST_PAUSE;
                continue;
            }
            Ok(Ok(Step::Idle)) => {
                pause = FIRST_PAUSE;
                idle
            }
            // While the store is in trouble, no hint shortens the pause.
            Ok(Err(error)) => {
                is_well = false;
                tracing::warn!(error = &error as &dyn StdError, ?pause, "The {name} can't reach the store");
                longer(&mut pause)
            }
            Err(_) => {
                is_well = false;
                tracing::error!(?pause, "The {name} panicked");
                longer(&mut pause)
            }
        };
        let wait = usual.mul_f64(rand::random_range(0.75..1.25));
        tokio::select! {
            () = stop.cancelled() => {}
            () = tokio::time::sleep(wait) => {}
            () = wake_up(), if is_well => {}
        }
    }
}

/// Sets `gauge` to the time of the last successful step, in seconds since 1970, for operators.
pub(super) fn ran(gauge: &'static str, service: &Service) {
    // A float is exact to the microsecond for a century to come.
    #[expect(clippy::cast_precision_loss, reason = "see above")]
    let seconds = service.parts().clock.now().timestamp_micros() as f64 / 1e6;
    metrics::gauge!(gauge).set(seconds);
}

/// The pauses between attempts to store a result while the store is in trouble: they grow, and end after a limit.
pub(super) struct RetryBudget {
    until: Instant,
    pause: Duration,
}

impl RetryBudget {
    /// The pause after the first failure; it doubles with each further one, up to the longest.
    pub(super) const FIRST_PAUSE: Duration = Duration::from_millis(200);
    const LONGEST_PAUSE: Duration = Duration::from_secs(5);

    /// Returns a budget that ends after `limit`, counted from now.
    pub(super) fn of(limit: Duration) -> Self {
        Self { until: Instant::now() + limit, pause: Self::FIRST_PAUSE }
    }

    /// Waits before the next attempt; returns `false` at once if that would come too late.
    pub(super) async fn wait(&mut self) -> bool {
        if Instant::now() + self.pause >= self.until {
            return false;
        }
        tokio::time::sleep(self.pause).await;
        self.pause = (self.pause * 2).min(Self::LONGEST_PAUSE);
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    };

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_store_in_trouble_is_asked_ever_more_seldom_whatever_hints_come_and_often_again_when_it_is_well() {
        let (stop, asked) = (CancellationToken::new(), Arc::new(AtomicU32::new(0)));
        let is_well = CancellationToken::new();
        let (stopped, counted, well) = (stop.clone(), Arc::clone(&asked), is_well.clone());
        let looping = tokio::spawn(async move {
            let hints = || tokio::time::sleep(Duration::from_millis(500));
            run("loop", Duration::from_secs(1), &stopped, hints, || async {
                counted.fetch_add(1, Ordering::Relaxed);
                let outcome = if well.is_cancelled() { Ok(Step::Idle) } else { Err(()) };
                outcome.map_err(|()| StoreError::Unavailable("no connection".into()))
            })
            .await;
        });
        tokio::time::sleep(Duration::from_secs(300)).await;
        let in_trouble = asked.swap(0, Ordering::Relaxed);
        assert!((10..=20).contains(&in_trouble), "{in_trouble} times in five minutes");

        is_well.cancel();
        tokio::time::sleep(Duration::from_secs(100)).await;
        let well = asked.load(Ordering::Relaxed);
        assert!(well >= 40, "the longest pause is over, and then it is asked each second: {well}");
        stop.cancel();
        looping.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_step_that_panics_does_not_end_the_loop() {
        let (stop, asked) = (CancellationToken::new(), Arc::new(AtomicU32::new(0)));
        let (stopped, counted) = (stop.clone(), Arc::clone(&asked));
        let looping = tokio::spawn(async move {
            run("loop", Duration::from_secs(1), &stopped, std::future::pending, || async {
                assert!(counted.fetch_add(1, Ordering::Relaxed) > 2, "a row that nobody thought of");
                Ok(Step::Idle)
            })
            .await;
        });
        tokio::time::sleep(Duration::from_secs(60)).await;
        stop.cancel();
        looping.await.unwrap();
        let times = asked.load(Ordering::Relaxed);
        assert!(times >= 30, "three in trouble, and then each second: {times}");
    }
}
