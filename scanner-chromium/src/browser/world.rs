//! Our isolated world in a document, where no script of the page can reach what runs.

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use tokio::time::{Duration, Instant};

use super::Tab;
use crate::cdp::{
    CdpError,
    commands::{CreateIsolatedWorld, Evaluate, Evaluated},
};

/// The name of our world in each frame.
const WORLD: &str = "a11ycheck";

/// A promise that resolves if timers fire. In a document whose `sandbox` allows no scripts none does, though everything
/// else of ours runs, and axe-core would wait without end. The world keeps the promise: one that nothing can resolve any more is garbage,
/// and the browser refuses an answer about it as soon as it is collected.
const TIMER: &str = "window.timer = new Promise((resolve) => setTimeout(resolve))";
/// A replacement of timers: what was to run at once runs as a microtask, and longer timers, which guard a wait, are
/// left out.
const NO_TIMERS: &str = "window.setTimeout = (run, delay = 0, ...rest) => {
  if (delay < 100) Promise.resolve().then(() => run(...rest));
  return 0;
}";

/// Returns our world in a frame; the same one each time.
pub(crate) async fn world(tab: &Tab, frame: &str, deadline: Instant) -> Result<i64, CdpError> {
    let create = CreateIsolatedWorld { frame_id: frame, world_name: WORLD };
    Ok(tab.session().call(create, deadline).await?.execution_context_id)
}

/// The implementation of `setTimeout` in a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Timers {
    Native,
    Replaced,
}

/// Replaces `setTimeout` in a world where no timer fires within `patience`, so that axe-core can work there.
pub(crate) async fn ensure_timers(
    tab: &Tab,
    world: i64,
    patience: Duration,
    deadline: Instant,
) -> Result<Timers, CdpError> {
    match evaluate(tab, world, TIMER, Outcome::Promise, deadline.min(Instant::now() + patience)).await {
        Err(CdpError::TimedOut { .. }) => {
            evaluate(tab, world, NO_TIMERS, Outcome::Value, deadline).await?;
            Ok(Timers::Replaced)
        }
        other => other.map(|_| Timers::Native),
    }
}

/// An expression that is the same for every page, as a JSON string: escaping a long one for each page would cost more than sending
/// it.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct Script(Box<RawValue>);

impl Script {
    pub(crate) fn new(expression: &str) -> Self {
        Self(to_raw_value(expression).expect("every text can be written as JSON"))
    }
}

/// The kind of result of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The value itself.
    Value,
    /// A promise, whose value is returned once it is resolved.
    Promise,
}

/// Evaluates an expression in a world.
pub(crate) async fn evaluate<E: Serialize + ?Sized>(
    tab: &Tab,
    world: i64,
    expression: &E,
    outcome: Outcome,
    deadline: Instant,
) -> Result<Evaluated, CdpError> {
    let await_promise = outcome == Outcome::Promise;
    let evaluate = Evaluate {
        expression,
        context_id: Some(world),
        await_promise,
        return_by_value: true,
        silent: true,
        timeout: None,
    };
    tab.session().call(evaluate, deadline).await
}
