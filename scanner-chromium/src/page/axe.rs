//! axe-core in a page: a world of its own in every frame, one run from the top.

use a11ycheck_core::domain::FailureCode;
use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::time::{Duration, Instant};

use super::{
    errors::PageError,
    settle::{Moment, SINCE_LOAD},
    world::{Evaluated, Outcome, evaluate, mend_timers, world},
};
use crate::{axe_map::Collected, axe_source::AxeSource, browser::Tab, cdp::CdpError};

/// Frames of one page that are looked into. Those beyond are counted as not checked.
const MAX_FRAMES: usize = 100;
/// Milliseconds for axe-core to hear from a frame that answered its first call.
const FRAME_TIME_MS: u32 = 20_000;

/// For a timer to fire in a frame, should it fire at all.
const FRAME_TIMER_TIME: Duration = Duration::from_secs(1);

const RUN: &str = include_str!("../../js/run.js");
const COLLECT: &str = include_str!("../../js/collect.js");

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
        // What may stand beside a login form that is all there is: fields of the form, characters, pixels of a frame.
        "loginFields": 4,
        "loginText": 500,
        "loginFrame": 40_000,
    })
}

/// Runs axe-core over the page and its frames; `false` when it was too early for that. [`collect`] gets the outcome.
pub(super) async fn run(
    tab: &Tab,
    main_world: i64,
    axe: &AxeSource,
    moment: Moment,
    deadline: Instant,
) -> Result<bool, PageError> {
    let frames = frames(tab, deadline).await?;
    let inject = |frame: String| async move {
        let world = world(tab, &frame, deadline).await?;
        mend_timers(tab, world, FRAME_TIMER_TIME, deadline).await?;
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
    evaluate(tab, main_world, axe.expression(), Outcome::Value, deadline).await?;
    let expression = format!("({RUN})({}, {})", axe_options(), moment == Moment::Early);
    let evaluated = evaluate(tab, main_world, &expression, Outcome::Promise, deadline).await?;
    finished(&evaluated)?;
    Ok(evaluated.result["value"] == true)
}

/// What axe-core found, and what else is to be known of the page; `None` when it was too early for that. It takes until it can
/// be known.
pub(super) async fn collect(
    tab: &Tab,
    main_world: i64,
    moment: Moment,
    deadline: Instant,
) -> Result<Option<Collected>, PageError> {
    let early = (moment == Moment::Early).then_some(SINCE_LOAD.as_millis());
    let expression = format!("({COLLECT})({}, {})", limits(), json!(early));
    let evaluated = evaluate(tab, main_world, &expression, Outcome::Promise, deadline).await?;
    finished(&evaluated)?;
    let text = evaluated.result["value"].as_str().unwrap_or_default();
    serde_json::from_str(text).map_err(|source| CdpError::Shape { method: "Runtime.evaluate", source }.into())
}

fn finished(evaluated: &Evaluated) -> Result<(), PageError> {
    let Some(exception) = &evaluated.exception_details else { return Ok(()) };
    let error = exception["exception"]["description"].as_str().unwrap_or_default();
    tracing::warn!(error, "axe-core could not run in a page");
    Err(PageError::failed(FailureCode::EngineError, "axe-core could not run to its end in the page."))
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
