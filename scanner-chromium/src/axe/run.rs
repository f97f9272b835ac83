//! axe-core in a page: it runs in an isolated world in every document, and the results are joined in that of the top
//! one.

use std::collections::HashSet;

use a11ycheck_core::domain::{AxeCheck, Findings, Standard, UncheckedFrame};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::time::{Duration, Instant};

use super::{
    AxeSource, Collected,
    frames::{Frames, PART, PLACES},
    inject::{Injected, inject},
    part::Context,
};
use crate::{
    browser::{FrameTree, Outcome, Tab, evaluate},
    cdp::{CdpError, commands::Evaluated},
};

const RUN: &str = include_str!("run.js");
const JOIN: &str = include_str!("join.js");
const COLLECT: &str = include_str!("collect.js");
const STAYED: &str = include_str!("stayed.js");
/// The script that lets what axe-core has read outlast its next run.
pub(crate) const HOLD: &str = include_str!("hold.js");

/// The point in a page's life at which axe-core runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Timing {
    /// The page has finished building itself, or has had all the time that there is for it.
    Final,
    /// Nothing has changed so far. The findings count if nothing changes for this long after the page's load.
    Early { unchanged_for: Duration },
}

/// The reason why axe-core has no result for a page.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AxeError {
    /// The page is larger than axe-core has memory for.
    #[error("the page has elements of a size that can't be checked")]
    TooLarge,
    /// axe-core, or the script that runs it, threw this exception.
    #[error("axe-core could not run in the page: {0}")]
    Failed(String),
    /// A command to the browser failed.
    #[error(transparent)]
    Browser(#[from] CdpError),
}

/// The options of axe-core in a scan. This is the one place that decides them.
#[derive(Debug, Clone)]
pub(crate) struct AxeOptions(Value);

impl AxeOptions {
    /// Returns axe-core's own default rules, all of them, and those that the standard switches on.
    ///
    /// Of elements that pass nothing is read, so axe-core makes no selectors for them: the rules that passed are still
    /// named, each with one element. That saves a tenth of a run.
    pub(crate) fn of(standard: &Standard) -> Self {
        let rules: Map<String, Value> =
            standard.rules_on.iter().map(|rule| (rule.as_str().to_owned(), json!({"enabled": true}))).collect();
        let mut options = json!({ "resultTypes": ["violations", "incomplete"] });
        if !rules.is_empty() {
            options["rules"] = Value::Object(rules);
        }
        Self(options)
    }
}

impl AxeOptions {
    /// Returns the options as axe-core takes them.
    pub(crate) const fn json(&self) -> &Value {
        &self.0
    }
}

/// Injects axe-core into a document that has it not yet.
pub(crate) async fn prepare(tab: &Tab, world: i64, axe: &AxeSource, deadline: Instant) -> Result<(), AxeError> {
    match inject(tab, world, axe, deadline).await? {
        Injected::Ready => Ok(()),
        Injected::TooLarge => Err(AxeError::TooLarge),
        Injected::Failed(error) => Err(AxeError::Failed(error)),
    }
}

/// Returns the bounds on what may leave a page. `text` is above what core keeps of any text, so that core decides;
/// `characters` bounds the texts of all elements together, so that the result fits into one message however they are
/// escaped.
fn limits() -> Value {
    json!({
        "nodes": 5_000,
        // The elements of each rule that are kept before any rule has more.
        "share": 50,
        "characters": 8_000_000,
        // The characters of all elements that probes found.
        "probeCharacters": 1_000_000,
        "text": 5_000,
        // What checks say about an element: above what core keeps, which chooses by the catalogue.
        "checks": AxeCheck::MAX_PER_ELEMENT,
        "values": 20,
        "pieces": AxeCheck::MAX_PIECES,
        "piece": 400,
        // The elements of a rule that could not be decided, the characters of all of them, and the reasons of a rule.
        "undecided": Findings::MAX_UNDECIDED,
        "undecidedCharacters": 2_000_000,
        "reasons": 100,
        "links": 5_000,
        "link": 2_000,
        "roots": 1_000,
        // The greatest position and size of an element, in pixels: far beyond what a picture shows.
        "place": 1_000_000_000,
        // What may be on a page that shows only a login form: fields of the form, other characters, pixels of a frame.
        "loginFields": 4,
        "loginText": 500,
        "loginFrame": 40_000,
    })
}

/// Runs axe-core over the page and its frames, and returns the frames that were not checked, or `None` if the run was
/// early and the page has changed. [`collect`] gets the outcome.
pub(crate) async fn run(
    tab: &Tab,
    main_world: i64,
    axe: &AxeSource,
    options: &AxeOptions,
    timing: Timing,
    deadline: Instant,
) -> Result<Option<Vec<UncheckedFrame>>, AxeError> {
    prepare(tab, main_world, axe, deadline).await?;
    let is_early = timing != Timing::Final;
    if !FrameTree::read(tab, deadline).await?.is_empty() {
        return run_with_frames(tab, main_world, axe, options, "document", is_early, deadline).await;
    }
    // One run is cheaper than parts, which read the details of every element, even of those that pass.
    let expression = format!("({RUN})({}, {is_early}, {HOLD})", options.0);
    let evaluated = evaluate(tab, main_world, &expression, Outcome::Promise, deadline).await?;
    finished(&evaluated)?;
    Ok((evaluated.result.value == true).then(Vec::new))
}

/// Runs axe-core on a part of a document that has it already, and on the frames in that part. `extent` is a JavaScript
/// expression for the part. Frames that can't be checked are left out. [`collect`] returns the outcome.
pub(crate) async fn run_within(
    tab: &Tab,
    main_world: i64,
    axe: &AxeSource,
    options: &AxeOptions,
    extent: &str,
    deadline: Instant,
) -> Result<(), AxeError> {
    run_with_frames(tab, main_world, axe, options, extent, false, deadline).await.map(drop)
}

async fn run_with_frames(
    tab: &Tab,
    main_world: i64,
    axe: &AxeSource,
    AxeOptions(options): &AxeOptions,
    extent: &str,
    is_early: bool,
    deadline: Instant,
) -> Result<Option<Vec<UncheckedFrame>>, AxeError> {
    #[derive(Deserialize)]
    struct Top {
        contexts: Vec<Context>,
        rules: HashSet<String>,
    }
    let expression = format!("({PART})({options}, null, null, {is_early}, {PLACES}, {HOLD}, {extent})");
    let evaluated = evaluate(tab, main_world, &expression, Outcome::Promise, deadline).await?;
    finished(&evaluated)?;
    if evaluated.text().is_none() {
        return Ok(None);
    }
    let Top { contexts, rules } = evaluated.json()?;
    let mut frames = Frames::check(tab, axe, options, (main_world, contexts), &rules, deadline).await?;
    // The first attempt is with all parts; if some do not fit, the next is without those; the last is without any,
    // which can't fail because of them.
    if let Some(numbers) = join(tab, main_world, options, &frames.parts(), deadline).await? {
        frames.leave_out(&numbers);
        if join(tab, main_world, options, &frames.parts(), deadline).await?.is_some() {
            frames.leave_out(&[]);
            join(tab, main_world, options, &frames.parts(), deadline).await?;
        }
    }
    Ok(Some(frames.unchecked()))
}

/// Joins the parts of frames with the page's own. If that fails because of some of them, returns the numbers of those
/// that can't be joined.
async fn join(
    tab: &Tab,
    main_world: i64,
    options: &Value,
    parts: &[Option<&str>],
    deadline: Instant,
) -> Result<Option<Vec<usize>>, AxeError> {
    let expression = format!("({JOIN})({options}, {})", json!(parts));
    let evaluated = evaluate(tab, main_world, &expression, Outcome::Promise, deadline).await?;
    finished(&evaluated)?;
    Ok(evaluated.value()?)
}

/// Returns whether an outcome counts: that of an early run does if the page stays as it was for as long after its load as the timing says.
pub(crate) async fn counts(tab: &Tab, main_world: i64, timing: Timing, deadline: Instant) -> Result<bool, AxeError> {
    let Timing::Early { unchanged_for } = timing else { return Ok(true) };
    let expression = format!("({STAYED})({})", unchanged_for.as_millis());
    let evaluated = evaluate(tab, main_world, &expression, Outcome::Promise, deadline).await?;
    finished(&evaluated)?;
    Ok(evaluated.result.value == true)
}

/// Returns the findings of axe-core and what else a check needs from the page; `None` if the run was early and the page
/// has changed. An early outcome is waited for until it counts.
pub(crate) async fn collect(
    tab: &Tab,
    main_world: i64,
    timing: Timing,
    deadline: Instant,
) -> Result<Option<Collected>, AxeError> {
    let early = match timing {
        Timing::Final => None,
        Timing::Early { unchanged_for } => Some(unchanged_for.as_millis()),
    };
    let expression = format!("({COLLECT})({}, {}, {PLACES})", limits(), json!(early));
    let evaluated = evaluate(tab, main_world, &expression, Outcome::Promise, deadline).await?;
    finished(&evaluated)?;
    Ok(evaluated.json()?)
}

fn finished(evaluated: &Evaluated) -> Result<(), AxeError> {
    evaluated.exception().map_or(Ok(()), |exception| Err(AxeError::Failed(exception)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use a11ycheck_core::{domain::StandardId, net::AddressPolicy};

    use super::*;
    use crate::{
        ChromiumConfig,
        browser::{BrowserPool, TabSettings, Viewport, world},
        cdp::{IgnoreEvents, commands::SetDocumentContent},
    };

    /// Returns the part that a frame would return if it could choose.
    fn part(rule: &str, check: &str, error: Option<&str>) -> String {
        let check = json!({ "id": check, "data": null, "relatedNodes": [], "result": false });
        let node = json!({ "selector": ["#in"], "instead": [], "source": "<i>", "nodeIndexes": [3], "ancestry": ["html > i"], "xpath": [] });
        let result = json!({
            "id": rule, "result": "inapplicable", "pageLevel": false,
            "nodes": [{ "any": [check], "all": [], "none": [], "node": node }],
        });
        let mut part = json!({ "results": [result], "frames": [] });
        if let Some(message) = error {
            part["results"][0]["error"] = json!({ "message": message });
        }
        part.to_string()
    }

    /// Needs a browser and axe-core, like the tests in `tests/browser`.
    #[tokio::test(flavor = "multi_thread")]
    async fn parts_that_break_the_joining_are_found_and_take_nothing_from_the_others() {
        let config = ChromiumConfig::new(AddressPolicy::builder().build());
        let (browsers, axe) = (BrowserPool::new(config.browser_settings().unwrap()), config.find_axe().unwrap());
        let deadline = Instant::now() + Duration::from_secs(300);
        let nowhere = TabSettings { proxy: "127.0.0.1:9".parse().unwrap(), viewport: Viewport::DESKTOP };
        let browser = browsers.for_new_scan().await.unwrap();
        let tab = Tab::open(browser, &nowhere, Arc::new(IgnoreEvents)).await.unwrap();
        let html =
            "<html lang=en><title>t</title><main><h1>h</h1><img id=own src=data:,></main><p>out of any region</p>
            <iframe title=a id=a></iframe><iframe title=b id=b></iframe>";
        let content = SetDocumentContent { frame_id: tab.main_frame(), html };
        tab.session().call(content, deadline).await.unwrap();
        let world = world(&tab, tab.main_frame(), deadline).await.unwrap();
        let options = AxeOptions::of(StandardId::default().effective());
        let run = run(&tab, world, &axe, &options, Timing::Final, deadline).await.unwrap();
        assert_eq!(run, Some(Vec::new()));

        let options = options.0;
        let good = part("image-alt", "has-alt", None);
        // The frame does not have the data that axe-core would compare.
        let broken = part("region", "region", None);
        let failed = part("image-alt", "has-alt", Some("boom"));
        let joined = |parts: [Option<String>; 2]| {
            let (tab, options) = (&tab, &options);
            async move {
                let parts: Vec<_> = parts.iter().map(Option::as_deref).collect();
                join(tab, world, options, &parts, deadline).await.unwrap()
            }
        };
        assert_eq!(joined([Some(good.clone()), Some(broken.clone())]).await, Some(vec![1]));
        assert_eq!(joined([Some(broken.clone()), None]).await, Some(vec![0]));
        assert_eq!(
            joined([Some("null".to_owned()), Some("7".to_owned())]).await,
            Some(vec![1]),
            "null counts for none"
        );

        assert_eq!(joined([Some(good), Some(failed)]).await, None);
        let collected = collect(&tab, world, Timing::Final, deadline).await.unwrap().unwrap();
        let found = format!("{collected:?}");
        for element in ["\"#own\"", "\"#a #in\"", "id: \"region\"", "error: Some(\"boom\")"] {
            assert!(found.contains(element), "{element} in {found}");
        }
        assert!(!found.contains("\"#b #in\""), "{found}");
        drop(tab);
        browsers.close().await;
    }
}
