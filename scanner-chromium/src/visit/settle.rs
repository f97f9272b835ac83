//! The time at which a page that has loaded is ready to be checked.
//!
//! Pages build themselves after `load`: from data that they fetch, fonts, frames drawn. Waiting for the network to fall
//! silent never ends on pages that stream or poll, and a fixed pause is too short for some and wasted on most. So a
//! page is ready after no request for a while, no response under way that a script waits for
//! ([`Requests`](super::requests::Requests) knows which ones count), fonts loaded, two frames drawn, half a second
//! without an element added or removed; and no request meanwhile. All of this is bounded, and a page that reaches the
//! bound is marked as still changing.
//!
//! Most pages are long done by then. While such a page stays unchanged, axe-core can already work on it; whether it did
//! stay unchanged is known at the end of the same wait.

use serde::Deserialize;
use tokio::time::{Duration, Instant, sleep_until, timeout_at};

use super::{
    errors::PageError,
    events::PageEvents,
    requests::{QUIET, QUIET_BUSY},
};
use crate::{
    axe::Timing,
    browser::{Outcome, Tab, Timers, ensure_timers, evaluate, world},
    cdp::CdpError,
};

/// The longest wait for responses and what they lead to, after `load`.
const LONGEST: Duration = Duration::from_secs(12);

/// The time limit for fonts and frames of animation; and again for scripts that rebuild the page.
const DRAW_TIME: Duration = Duration::from_secs(3);
/// The time for scripts since the page's load. No tool that looks once can see what they do later without a request.
const SINCE_LOAD: Duration = Duration::from_millis(500);
/// The time without an added or removed element after which a page counts as built by its scripts.
const BUILT_TIME: Duration = Duration::from_millis(400);
/// The time for what the network brought to get into the page.
const ARRIVAL_TIME: Duration = Duration::from_millis(100);
/// The same for responses to scripts, which may delay their use. It is measured in the page: one that waits for a
/// processor core has that much longer.
const ANSWER_TIME: Duration = Duration::from_millis(400);
/// The time limit for a timer to fire, if it fires at all: longer than a page is busy that has just loaded.
const TIMER_TIME: Duration = Duration::from_secs(5);

const WATCH: &str = include_str!("watch.js");
const DRAWN: &str = include_str!("drawn.js");
const BUILT: &str = include_str!("built.js");

/// The expectation of a page that has loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Readiness {
    /// It will not change.
    Built,
    /// It has not changed since its load, and it will be noticed if it does.
    Still,
    /// It changes.
    Moving,
}

/// The end of a wait for a page to build itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// The page has built itself.
    Done,
    /// It was not done when the time for that was up.
    Unfinished,
}

/// The time that a document has to build itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct BuildTime {
    /// The instant at which it had loaded.
    origin: Instant,
    limit: Instant,
}

impl BuildTime {
    /// Returns the time from `origin` for a page that must be done at `done_by`: axe-core gets at least half of what is
    /// left.
    pub(super) fn new(origin: Instant, done_by: Instant) -> Self {
        let now = Instant::now();
        Self { origin, limit: (origin + LONGEST).min(now + done_by.saturating_duration_since(now) / 2) }
    }
}

/// The moment at which axe-core runs in a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// After the page has built itself, or has had all the time that there is for it.
    Built(Progress),
    /// Before it can be known whether it has.
    Early,
}

impl Moment {
    /// Returns the same for axe-core.
    pub(super) const fn timing(self) -> Timing {
        match self {
            Self::Built(_) => Timing::Final,
            Self::Early => Timing::Early { unchanged_for: SINCE_LOAD },
        }
    }
}

/// Starts to watch the document, and returns the world from which that is done.
pub(super) async fn watch(tab: &Tab, deadline: Instant) -> Result<i64, CdpError> {
    let world = world(tab, tab.main_frame(), deadline).await?;
    let watching = evaluate(tab, world, &format!("({WATCH})()"), Outcome::Value, deadline).await?;
    if let Some(exception) = watching.exception_details {
        // Such a page counts as one that moves.
        tracing::debug!(%exception, "a page could not be watched");
    }
    Ok(world)
}

/// Waits until fonts are loaded and frames are drawn.
pub(super) async fn drawn(tab: &Tab, world: i64, deadline: Instant) -> Result<Readiness, PageError> {
    if ensure_timers(tab, world, TIMER_TIME, deadline).await? == Timers::Replaced {
        // Nothing is animated where no script may run.
        return Ok(Readiness::Built);
    }
    let expression = format!("({DRAWN})({})", draw_time(deadline).as_millis());
    let drawn = evaluate(tab, world, &expression, Outcome::Promise, deadline).await?;
    // A page that gives no answer is waited for.
    Ok(drawn.value().unwrap_or(Readiness::Moving))
}

/// Waits until scripts have built a page that is drawn, and the network has been quiet meanwhile.
pub(super) async fn built(
    tab: &Tab,
    events: &PageEvents,
    world: i64,
    time: BuildTime,
    deadline: Instant,
) -> Result<Progress, PageError> {
    loop {
        let rests = rests(tab, events, world, deadline).await?;
        let now = Instant::now();
        match network(events, time, QUIET_BUSY) {
            Network::Left => return Ok(Progress::Done),
            Network::QuietFrom(instant) if instant <= now => {
                let is_busy = events.peek(|state| state.requests.is_busy(time.origin, now));
                return Ok(if rests && !is_busy { Progress::Done } else { Progress::Unfinished });
            }
            Network::QuietFrom(_) => {}
        }
        quiet(events, time).await;
        drawn(tab, world, deadline).await?;
    }
}

/// Waits in the same way for a page in which axe-core has already run: no less than the time that scripts have since
/// the load, and no more if the network was quiet all along.
pub(super) async fn stayed(
    tab: &Tab,
    events: &PageEvents,
    world: i64,
    time: BuildTime,
    deadline: Instant,
) -> Result<Progress, PageError> {
    sleep_until((time.origin + SINCE_LOAD).min(time.limit)).await;
    match network(events, time, QUIET_BUSY) {
        Network::QuietFrom(instant) if instant > Instant::now() => {
            quiet(events, time).await;
            drawn(tab, world, deadline).await?;
            built(tab, events, world, time, deadline).await
        }
        Network::QuietFrom(_) | Network::Left => {
            let is_busy = events.peek(|state| state.requests.is_busy(time.origin, Instant::now()));
            Ok(if is_busy { Progress::Unfinished } else { Progress::Done })
        }
    }
}

/// Returns whether a script of the page has begun to wait for a response, so that the earlier findings may not be
/// complete.
pub(super) fn is_waiting(events: &PageEvents, time: BuildTime) -> bool {
    matches!(network(events, time, QUIET_BUSY), Network::QuietFrom(instant) if instant > Instant::now())
}

/// Waits until no element was added or removed for a while, for three seconds at most, and returns whether that was
/// reached.
async fn rests(tab: &Tab, events: &PageEvents, world: i64, deadline: Instant) -> Result<bool, PageError> {
    let is_scripted = events.peek(|state| state.requests.is_scripted());
    let arriving = if is_scripted { ANSWER_TIME } else { ARRIVAL_TIME };
    let [since_load, quiet, arriving, limit] =
        [SINCE_LOAD, BUILT_TIME, arriving, draw_time(deadline)].map(|time| time.as_millis());
    let expression = format!("({BUILT})({since_load}, {quiet}, {arriving}, {limit})");
    let rests = evaluate(tab, world, &expression, Outcome::Promise, deadline).await?;
    // A page that gives no answer has no scripts that run.
    Ok(rests.result.value != false)
}

/// Returns the time to be drawn, for a page that must be done at `deadline`.
fn draw_time(deadline: Instant) -> Duration {
    DRAW_TIME.min(deadline.saturating_duration_since(Instant::now()) / 4)
}

/// Waits until the network is quiet, but no longer than the page has time to build itself. A response that has not
/// arrived in its time is given up.
pub(super) async fn quiet(events: &PageEvents, time: BuildTime) {
    let mut states = events.subscribe();
    loop {
        states.mark_unchanged();
        let Network::QuietFrom(instant) = network(events, time, QUIET) else { return };
        let now = Instant::now();
        if instant <= now {
            events.give_up(|requests, known| requests.give_up_answers(time.origin, now, known));
            return;
        }
        // This wakes for a change, or when silence has lasted long enough.
        let _ = timeout_at(instant, states.changed()).await;
    }
}

/// The expectation of the network.
enum Network {
    /// It is quiet from this instant, unless something happens.
    QuietFrom(Instant),
    /// The page is being left.
    Left,
}

fn network(events: &PageEvents, time: BuildTime, after_data: Duration) -> Network {
    events.peek(|state| match (&state.end, &state.navigating) {
        (None, None) => Network::QuietFrom(state.requests.quiet_from(time.origin, time.limit, after_data)),
        _ => Network::Left,
    })
}
