//! When a page that has loaded is ready to be looked at.
//!
//! Pages build themselves after `load`: from data that they fetch, fonts, frames drawn. Waiting for the network to fall
//! silent never ends on pages that stream or poll, and a fixed pause is too short for some and wasted on most. So: no
//! *new* request for a while, nothing young in flight, fonts there, two frames drawn; and a bound on all of it.

use tokio::time::{Duration, Instant, timeout_at};

use super::events::{PageEvents, PageState};

/// The longest wait for silence after `load`.
const LONGEST: Duration = Duration::from_secs(5);
/// Silence that counts as the end, where scripts fetch data: one request often leads to the next.
const QUIET_SCRIPTED: Duration = Duration::from_millis(500);
/// The same where they don't.
const QUIET: Duration = Duration::from_millis(100);
/// A request older than this streams, polls or hangs: the page won't change soon because of it.
const LONG_LIVED: Duration = Duration::from_secs(2);

/// Waits until the network is quiet; at most five seconds, and not beyond the deadline.
pub(super) async fn quiet(events: &PageEvents, deadline: Instant) {
    let deadline = deadline.min(Instant::now() + LONGEST);
    let mut states = events.subscribe();
    loop {
        let next_look = {
            let state = states.borrow_and_update();
            if state.end.is_some() || state.navigating.is_some() {
                return;
            }
            silent_from(&state)
        };
        let now = Instant::now();
        if next_look <= now || now >= deadline {
            return;
        }
        // Wakes for a change, or when silence has lasted long enough.
        let _ = timeout_at(next_look.min(deadline), states.changed()).await;
    }
}

/// The first moment at which the page counts as quiet if nothing happens until then.
fn silent_from(state: &PageState) -> Instant {
    let window = if state.is_scripted || !state.in_flight.is_empty() { QUIET_SCRIPTED } else { QUIET };
    let now = Instant::now();
    let after_last = state.last_request.map_or(now, |last| last + window);
    let in_flight = state.in_flight.values().map(|started| *started + LONG_LIVED);
    in_flight.chain([after_last]).max().unwrap_or(now)
}
