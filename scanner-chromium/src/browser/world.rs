//! Our own world in a document, where no script of the page can reach what runs there.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::{Duration, Instant};

use super::Tab;
use crate::cdp::CdpError;

/// The name of our world in each frame.
const WORLD: &str = "a11ycheck";

/// In a document whose `sandbox` allows no scripts no timer fires, though everything else of ours runs, and axe-core
/// would wait for ever.
const TIMER: &str = "new Promise((resolve) => setTimeout(resolve))";
/// Makes do without: what was to run at once runs next, and what guards a wait is left out.
const NO_TIMERS: &str = "window.setTimeout = (run, delay = 0, ...rest) => {
  if (delay < 100) Promise.resolve().then(() => run(...rest));
  return 0;
}";

/// Our world in a frame; the same one each time.
pub(crate) async fn world(tab: &Tab, frame: &str, deadline: Instant) -> Result<i64, CdpError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct World {
        execution_context_id: i64,
    }
    let params = json!({ "frameId": frame, "worldName": WORLD });
    let world: World = tab.session().call("Page.createIsolatedWorld", params, deadline).await?;
    Ok(world.execution_context_id)
}

/// What stands behind `setTimeout` in a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Timers {
    Native,
    Replaced,
}

/// Sees to it that axe-core can do its work in a world whether timers fire or not.
pub(crate) async fn mend_timers(
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

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Evaluated {
    #[serde(default)]
    pub(crate) result: Value,
    pub(crate) exception_details: Option<Value>,
}

impl Evaluated {
    /// The error for a value of another shape than what was evaluated gives.
    pub(crate) fn of_another_shape(source: serde_json::Error) -> CdpError {
        CdpError::Shape { method: "Runtime.evaluate", source }
    }

    /// What the exception says of itself, where one was thrown.
    pub(crate) fn exception(&self) -> Option<String> {
        const MAX: usize = 500;
        let exception = self.exception_details.as_ref()?;
        Some(exception["exception"]["description"].as_str().unwrap_or_default().chars().take(MAX).collect())
    }
}

/// What an expression gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// A value, at once.
    Value,
    /// A promise, whose value is wanted.
    Promise,
}

pub(crate) async fn evaluate<E: Serialize + ?Sized>(
    tab: &Tab,
    world: i64,
    expression: &E,
    outcome: Outcome,
    deadline: Instant,
) -> Result<Evaluated, CdpError> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Evaluate<'a, E: ?Sized> {
        expression: &'a E,
        context_id: i64,
        await_promise: bool,
        return_by_value: bool,
        silent: bool,
    }
    let await_promise = outcome == Outcome::Promise;
    let params = Evaluate { expression, context_id: world, await_promise, return_by_value: true, silent: true };
    tab.session().call("Runtime.evaluate", params, deadline).await
}
