//! When a page that has loaded is ready to be looked at.
//!
//! Pages build themselves after `load`: from data that they fetch, fonts, frames drawn. Waiting for the network to fall
//! silent never ends on pages that stream or poll, and a fixed pause is too short for some and wasted on most. So: no
//! *new* request for a while, nothing young in flight, fonts there, two frames drawn, half a second passed and no element
//! coming or going; and a bound on all of it.
//!
//! Most pages are long done by then. While such a page stays as it is, axe-core can work on it already; whether it did is
//! known at the end of the half second.

use serde::Deserialize;
use tokio::time::{Duration, Instant, timeout_at};

use super::{
    errors::PageError,
    events::{PageEvents, PageState},
    world::{Outcome, Timers, evaluate, mend_timers, world},
};
use crate::{browser::Tab, cdp::CdpError};

/// The longest wait for silence after `load`.
const LONGEST: Duration = Duration::from_secs(5);
/// Silence that counts as the end, where scripts fetch data: one request often leads to the next.
const QUIET_SCRIPTED: Duration = Duration::from_millis(500);
/// The same where they don't.
const QUIET: Duration = Duration::from_millis(100);
/// A request older than this streams, polls or hangs: the page won't change soon because of it.
const LONG_LIVED: Duration = Duration::from_secs(2);

/// For fonts, frames of animation, and scripts that build the page.
const DRAW_TIME: Duration = Duration::from_secs(3);
/// What scripts do later than this after the page's load, no tool that looks once can see.
pub(super) const SINCE_LOAD: Duration = Duration::from_millis(500);
/// How long no element comes or goes on a page that its scripts have built.
const BUILT_TIME: Duration = Duration::from_millis(400);
/// For what the network brought to get into the page.
const ARRIVAL_TIME: Duration = Duration::from_millis(100);
/// For a timer to fire, should it fire at all: longer than a page is busy that has just loaded.
const TIMER_TIME: Duration = Duration::from_secs(5);

const WATCH: &str = include_str!("../../js/watch.js");
const DRAWN: &str = include_str!("../../js/drawn.js");
const BUILT: &str = include_str!("../../js/built.js");

/// What is to be expected of a page that has loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Readiness {
    /// It stays as it is.
    Built,
    /// It has been as it is since its load, and it will be noticed if it does not stay so.
    Still,
    /// It changes.
    Moving,
}

/// When axe-core looks at a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// When the page has built itself.
    Built,
    /// Before anybody can know whether it has.
    Early,
}

/// Starts to watch the document; the world from which that is done.
pub(super) async fn watch(tab: &Tab, deadline: Instant) -> Result<i64, CdpError> {
    let world = world(tab, tab.main_frame(), deadline).await?;
    let watching = evaluate(tab, world, &format!("({WATCH})()"), Outcome::Value, deadline).await?;
    if let Some(exception) = watching.exception_details {
        // Such a page counts as one that moves.
        tracing::debug!(%exception, "a page could not be watched");
    }
    Ok(world)
}

/// Waits until fonts are there and frames are drawn.
pub(super) async fn drawn(tab: &Tab, world: i64, deadline: Instant) -> Result<Readiness, PageError> {
    if mend_timers(tab, world, TIMER_TIME, deadline).await? == Timers::Replaced {
        // Nothing is animated where no script may run.
        return Ok(Readiness::Built);
    }
    let expression = format!("({DRAWN})({})", DRAW_TIME.as_millis());
    let drawn = evaluate(tab, world, &expression, Outcome::Promise, deadline).await?;
    // What can't tell is waited for.
    Ok(Readiness::deserialize(&drawn.result["value"]).unwrap_or(Readiness::Moving))
}

/// Waits until scripts have built the page, for three seconds at most since [`drawn`] was called.
pub(super) async fn built(tab: &Tab, world: i64, deadline: Instant) -> Result<(), PageError> {
    let [since_load, quiet, arriving] = [SINCE_LOAD, BUILT_TIME, ARRIVAL_TIME].map(|time| time.as_millis());
    let expression = format!("({BUILT})({since_load}, {quiet}, {arriving})");
    evaluate(tab, world, &expression, Outcome::Promise, deadline).await?;
    Ok(())
}

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
