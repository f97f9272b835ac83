//! axe-core in a page: a world of its own in every frame, one run from the top.

use a11ycheck_core::domain::FailureCode;
use futures_util::future::join_all;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::{Duration, Instant};

use super::errors::PageError;
use crate::{axe_map::Collected, axe_source::AxeSource, browser::Tab, cdp::CdpError};

/// The name of our world in each frame.
const WORLD: &str = "a11ycheck";
/// Frames of one page that are looked into. Those beyond are counted as not checked.
const MAX_FRAMES: usize = 100;
/// For fonts, frames of animation, and scripts that build the page.
const DRAW_TIME: Duration = Duration::from_secs(3);
/// How long no element comes or goes on a page that its scripts have built. Together with the wait for the network, half a
/// second from the page's load on: what comes later, no tool that looks once can see.
const BUILT_TIME: Duration = Duration::from_millis(400);
/// Milliseconds for axe-core to hear from a frame that answered its first call.
const FRAME_TIME_MS: u32 = 20_000;

/// For a timer to fire in the top document, should it fire at all: longer than a page is busy that has just loaded.
const PAGE_TIMER_TIME: Duration = Duration::from_secs(5);
/// The same for a frame.
const FRAME_TIMER_TIME: Duration = Duration::from_secs(1);

/// In a document whose `sandbox` allows no scripts no timer fires, though everything else of ours runs, and axe-core
/// would wait for ever.
const TIMER: &str = "new Promise((resolve) => setTimeout(resolve))";
/// Makes do without: what was to run at once runs next, and what guards a wait is left out.
const NO_TIMERS: &str = "window.setTimeout = (run, delay = 0, ...rest) => {
  if (delay < 100) Promise.resolve().then(() => run(...rest));
  return 0;
}";

const COLLECT: &str = include_str!("../../js/collect.js");
const SETTLE: &str = include_str!("../../js/settle.js");

/// How axe-core runs: its own default rules, all of them. The one place where that is decided.
fn axe_options() -> Value {
    json!({ "frameWaitTime": FRAME_TIME_MS })
}

/// What may leave a page. `text` is above what core keeps of any text, so that core decides; `characters` bounds the
/// texts of all elements together, so that the result fits into one message however they are escaped.
fn limits() -> Value {
    json!({
        "nodes": 5_000,
        "characters": 8_000_000,
        "text": 5_000,
        "links": 5_000,
        "link": 2_000,
        "roots": 1_000,
    })
}

/// Waits until fonts are there, frames are drawn, and scripts have built the page.
pub(super) async fn drawn(tab: &Tab, deadline: Instant) -> Result<(), PageError> {
    let (world, timers) = world_with_timers(tab, tab.main_frame(), PAGE_TIMER_TIME, deadline).await?;
    if timers == Timers::Replaced {
        // Nothing is animated where no script may run.
        return Ok(());
    }
    let expression = format!("({SETTLE})({}, {})", DRAW_TIME.as_millis(), BUILT_TIME.as_millis());
    evaluate(tab, world, &expression, Outcome::Promise, deadline).await?;
    Ok(())
}

/// Runs axe-core over the page and its frames.
pub(super) async fn run(tab: &Tab, axe: &AxeSource, deadline: Instant) -> Result<Collected, PageError> {
    let frames = frames(tab, deadline).await?;
    let inject = |frame: String| async move {
        let (world, _) = world_with_timers(tab, &frame, FRAME_TIMER_TIME, deadline).await?;
        evaluate(tab, world, axe.expression(), Outcome::Value, deadline).await
    };
    // Frames first, so that each is ready to answer when the top document asks. A frame that fails, because it went
    // away or is another process's, does not answer, and axe-core counts it.
    for outcome in join_all(frames.into_iter().map(inject)).await {
        match outcome {
            Err(error @ (CdpError::Ended { .. } | CdpError::TimedOut { .. })) => return Err(error.into()),
            Err(error) => tracing::debug!(%error, "axe-core was not injected into a frame"),
            Ok(_) => {}
        }
    }
    let main_world = world(tab, tab.main_frame(), deadline).await?;
    evaluate(tab, main_world, axe.expression(), Outcome::Value, deadline).await?;
    let expression = format!("({COLLECT})({}, {})", limits(), axe_options());
    let evaluated = evaluate(tab, main_world, &expression, Outcome::Promise, deadline).await?;
    if let Some(exception) = evaluated.exception_details {
        let error = exception["exception"]["description"].as_str().unwrap_or_default();
        tracing::warn!(error, "axe-core could not run in a page");
        return Err(PageError::failed(FailureCode::EngineError, "axe-core could not run to its end in the page."));
    }
    let text = evaluated.result["value"].as_str().unwrap_or_default();
    serde_json::from_str(text).map_err(|source| CdpError::Shape { method: "Runtime.evaluate", source }.into())
}

/// The frames below the top document that show a page.
async fn frames(tab: &Tab, deadline: Instant) -> Result<Vec<String>, CdpError> {
    let tree: Value = tab.session().call("Page.getFrameTree", json!({}), deadline).await?;
    let mut frames = Vec::new();
    let mut trees: Vec<&Value> = children(&tree["frameTree"]).collect();
    while let Some(tree) = trees.pop() {
        let frame = &tree["frame"];
        // The browser's own error page stands there: nothing of the site's.
        if !frame["unreachableUrl"].is_string()
            && let Some(id) = frame["id"].as_str()
            && frames.len() < MAX_FRAMES
        {
            frames.push(id.to_owned());
        }
        trees.extend(children(tree));
    }
    Ok(frames)
}

fn children(tree: &Value) -> impl Iterator<Item = &Value> {
    tree["childFrames"].as_array().into_iter().flatten()
}

/// Our world in a frame; the same one each time.
pub(super) async fn world(tab: &Tab, frame: &str, deadline: Instant) -> Result<i64, CdpError> {
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
enum Timers {
    Native,
    Replaced,
}

/// Our world in a frame, in which axe-core can do its work whether timers fire or not.
async fn world_with_timers(
    tab: &Tab,
    frame: &str,
    patience: Duration,
    deadline: Instant,
) -> Result<(i64, Timers), CdpError> {
    let world = world(tab, frame, deadline).await?;
    match evaluate(tab, world, TIMER, Outcome::Promise, deadline.min(Instant::now() + patience)).await {
        Err(CdpError::TimedOut { .. }) => {
            evaluate(tab, world, NO_TIMERS, Outcome::Value, deadline).await?;
            Ok((world, Timers::Replaced))
        }
        other => other.map(|_| (world, Timers::Native)),
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Evaluated {
    #[serde(default)]
    pub(super) result: Value,
    exception_details: Option<Value>,
}

/// What an expression gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// A value, at once.
    Value,
    /// A promise, whose value is wanted.
    Promise,
}

pub(super) async fn evaluate<E: Serialize + ?Sized>(
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
