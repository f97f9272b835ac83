//! The pace of the requests to a site.

use std::sync::{Mutex, PoisonError};

use tokio::time::{Duration, Instant, sleep_until};

/// The longest wait that a site is granted at a time, whatever its `Retry-After` says.
const MAX_WAIT: Duration = Duration::from_secs(30);
/// The wait if a site asks for one without saying how long.
const USUAL_WAIT: Duration = Duration::from_secs(5);
/// The pause between two requests to a site that asked for a wait; doubled each time it asks again.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// The longest pause.
const MAX_PAUSE: Duration = Duration::from_secs(10);

/// The schedule of the instants at which a page or a file of the site may be requested.
#[derive(Debug)]
pub(crate) struct Pace(Mutex<State>);

#[derive(Debug)]
struct State {
    pause: Duration,
    next: Instant,
}

impl Pace {
    /// Returns a pace without pause, until the site asks for one.
    pub(crate) fn new() -> Self {
        Self(Mutex::new(State { pause: Duration::ZERO, next: Instant::now() }))
    }

    /// Returns whether requests are made without pause.
    pub(crate) fn is_unhindered(&self) -> bool {
        self.lock().pause.is_zero()
    }

    /// Leaves at least `pause`, up to [`MAX_PAUSE`], between any two requests after this call.
    pub(crate) fn slow_down(&self, pause: Duration) {
        let mut state = self.lock();
        state.pause = state.pause.max(pause.min(MAX_PAUSE));
        state.next = state.next.max(Instant::now() + state.pause);
    }

    /// Stops all requests to a busy site for `wait`, or for the usual time, and makes the later ones slower.
    pub(crate) fn back_off(&self, wait: Option<Duration>) {
        let wait = wait.unwrap_or(USUAL_WAIT).min(MAX_WAIT);
        let mut state = self.lock();
        state.pause = (state.pause * 2).clamp(FIRST_PAUSE, MAX_PAUSE);
        state.next = state.next.max(Instant::now() + wait);
    }

    /// Waits for an instant of the caller's own. One that is not used is lost, not passed on.
    pub(crate) async fn turn(&self) {
        loop {
            let at = self.lock().next;
            sleep_until(at).await;
            let mut state = self.lock();
            let now = Instant::now();
            // Another caller may have taken it, or the site may have asked for a longer wait.
            if state.next <= now {
                state.next = now + state.pause;
                return;
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn time_for(turns: u32, pace: &Pace) -> Duration {
        let start = Instant::now();
        for _ in 0..turns {
            pace.turn().await;
        }
        start.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn a_site_is_asked_without_pause_until_it_wants_one() {
        let pace = Pace::new();
        assert!(time_for(100, &pace).await < Duration::from_millis(10));
        pace.slow_down(Duration::from_secs(2));
        let three = time_for(3, &pace).await;
        assert!((6_000..6_100).contains(&three.as_millis()), "{three:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_busy_site_is_left_alone_and_then_asked_more_slowly_within_bounds() {
        let pace = Pace::new();
        pace.back_off(Some(Duration::from_secs(7)));
        let three = time_for(3, &pace).await;
        assert!((9_000..9_100).contains(&three.as_millis()), "{three:?}");
        for _ in 0..50 {
            pace.back_off(Some(Duration::from_secs(86_400)));
        }
        let three = time_for(3, &pace).await;
        assert!((50_000..50_100).contains(&three.as_millis()), "{three:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn those_who_wait_together_take_turns() {
        let pace = Pace::new();
        pace.slow_down(Duration::from_secs(1));
        let start = Instant::now();
        let (_, _, _, ()) = tokio::join!(pace.turn(), pace.turn(), pace.turn(), async { pace.back_off(None) });
        let all = start.elapsed();
        assert!((9_000..9_100).contains(&all.as_millis()), "{all:?}");
    }
}
