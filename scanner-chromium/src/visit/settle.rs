//! When a page that has loaded is ready to be looked at.
//!
//! Pages build themselves after `load`: from data that they fetch, fonts, frames drawn. Waiting for the network to fall
//! silent never ends on pages that stream or poll, and a fixed pause is too short for some and wasted on most. So: no
//! request for a while, no answer under way that a script waits for ([`Requests`](super::requests::Requests) knows which
//! ones count), fonts there, two frames drawn, half a second passed and no element coming or going; and then, no request
//! meanwhile. There is a bound on all of it, and a page that reaches it is marked as still changing.
//!
//! Most pages are long done by then. While such a page stays as it is, axe-core can work on it already; whether it did is
//! known at the end of the same wait.

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

/// The longest wait for answers and what they lead to, after `load`.
const LONGEST: Duration = Duration::from_secs(12);

/// For fonts and frames of animation; and again for scripts that rebuild the page.
const DRAW_TIME: Duration = Duration::from_secs(3);
/// What scripts do later than this after the page's load, and without a request, no tool that looks once can see.
const SINCE_LOAD: Duration = Duration::from_millis(500);
/// How long no element comes or goes on a page that its scripts have built.
const BUILT_TIME: Duration = Duration::from_millis(400);
/// For what the network brought to get into the page.
const ARRIVAL_TIME: Duration = Duration::from_millis(100);
/// The same for answers to scripts, which may wait with them. It passes in the page's own time: one that is kept waiting for a
/// processor core is given as much longer.
const ANSWER_TIME: Duration = Duration::from_millis(400);
/// For a timer to fire, should it fire at all: longer than a page is busy that has just loaded.
const TIMER_TIME: Duration = Duration::from_secs(5);

const WATCH: &str = include_str!("watch.js");
const DRAWN: &str = include_str!("drawn.js");
const BUILT: &str = include_str!("built.js");

/// What is to be expected of a page that has loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Readiness {
    /// It stays as it is.
    Built,
    /// It has been as it is since its load, and it will be noticed if it does not stay so.
    Still,
    /// It changes.
    Moving,
}

/// How a wait for a page to build itself has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// The page has built itself.
    Done,
    /// It was still at it when the time for that was up.
    Unfinished,
}

/// The time that a document has to build itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct BuildTime {
    /// When it had loaded.
    origin: Instant,
    limit: Instant,
}

impl BuildTime {
    /// From `origin` on, of a page that must be done with at `done_by`: axe-core needs at least as much of what is left.
    pub(super) fn new(origin: Instant, done_by: Instant) -> Self {
        let now = Instant::now();
        Self { origin, limit: (origin + LONGEST).min(now + done_by.saturating_duration_since(now) / 2) }
    }
}

/// When axe-core looks at a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// When the page has built itself, or had all the time that there is for it.
    Built(Progress),
    /// Before anybody can know whether it has.
    Early,
}

impl Moment {
    /// The same for axe-core.
    pub(super) const fn timing(self) -> Timing {
        match self {
            Self::Built(_) => Timing::Final,
            Self::Early => Timing::Early { unchanged_for: SINCE_LOAD },
        }
    }
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
    if ensure_timers(tab, world, TIMER_TIME, deadline).await? == Timers::Replaced {
        // Nothing is animated where no script may run.
        return Ok(Readiness::Built);
    }
    let expression = format!("({DRAWN})({})", draw_time(deadline).as_millis());
    let drawn = evaluate(tab, world, &expression, Outcome::Promise, deadline).await?;
    // A page without an answer is waited for.
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

/// The same for a page that axe-core has looked at early: no sooner than scripts have had their time since the load, and no later
/// where the network has been quiet all along.
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

/// Whether a script of the page has begun to wait for an answer, so that what was seen before may not be all.
pub(super) fn is_waiting(events: &PageEvents, time: BuildTime) -> bool {
    matches!(network(events, time, QUIET_BUSY), Network::QuietFrom(instant) if instant > Instant::now())
}

/// Waits until no element has come or gone for a while, for three seconds at most; whether none has.
async fn rests(tab: &Tab, events: &PageEvents, world: i64, deadline: Instant) -> Result<bool, PageError> {
    let is_scripted = events.peek(|state| state.requests.is_scripted());
    let arriving = if is_scripted { ANSWER_TIME } else { ARRIVAL_TIME };
    let [since_load, quiet, arriving, limit] =
        [SINCE_LOAD, BUILT_TIME, arriving, draw_time(deadline)].map(|time| time.as_millis());
    let expression = format!("({BUILT})({since_load}, {quiet}, {arriving}, {limit})");
    let rests = evaluate(tab, world, &expression, Outcome::Promise, deadline).await?;
    // A page without an answer has no scripts that run.
    Ok(rests.result.value != false)
}

/// The time to be drawn, of a page that must be done with at `deadline`.
fn draw_time(deadline: Instant) -> Duration {
    DRAW_TIME.min(deadline.saturating_duration_since(Instant::now()) / 4)
}

/// Waits until the network is quiet; no longer than the page has time to build itself. An answer that has not come in its time
/// is given up.
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
        // Wakes for a change, or when silence has lasted long enough.
        let _ = timeout_at(instant, states.changed()).await;
    }
}

/// What there is to expect of the network.
enum Network {
    /// It is quiet from this instant on, unless something happens.
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
