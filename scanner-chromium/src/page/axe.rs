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
/// For fonts and frames of animation.
const DRAW_TIME: Duration = Duration::from_secs(2);
/// Milliseconds for axe-core to hear from a frame that answered its first call.
const FRAME_TIME_MS: u32 = 20_000;

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

/// Waits until fonts are there and frames are drawn.
pub(super) async fn drawn(tab: &Tab, deadline: Instant) -> Result<(), PageError> {
    let world = world(tab, tab.main_frame(), deadline).await?;
    let expression = format!("({SETTLE})({})", DRAW_TIME.as_millis());
    evaluate(tab, world, &expression, deadline).await?;
    Ok(())
}

/// Runs axe-core over the page and its frames.
pub(super) async fn run(tab: &Tab, axe: &AxeSource, deadline: Instant) -> Result<Collected, PageError> {
    let frames = frames(tab, deadline).await?;
    let inject = |frame: String| async move {
        let world = world(tab, &frame, deadline).await?;
        evaluate(tab, world, axe.expression(), deadline).await
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
    evaluate(tab, main_world, axe.expression(), deadline).await?;
    let expression = format!("({COLLECT})({}, {})", limits(), axe_options());
    let evaluated = evaluate(tab, main_world, &expression, deadline).await?;
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
async fn world(tab: &Tab, frame: &str, deadline: Instant) -> Result<i64, CdpError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct World {
        execution_context_id: i64,
    }
    let params = json!({ "frameId": frame, "worldName": WORLD });
    let world: World = tab.session().call("Page.createIsolatedWorld", params, deadline).await?;
    Ok(world.execution_context_id)
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Evaluated {
    #[serde(default)]
    result: Value,
    exception_details: Option<Value>,
}

async fn evaluate<E: Serialize + ?Sized>(
    tab: &Tab,
    world: i64,
    expression: &E,
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
    let params = Evaluate { expression, context_id: world, await_promise: true, return_by_value: true, silent: true };
    tab.session().call("Runtime.evaluate", params, deadline).await
}
