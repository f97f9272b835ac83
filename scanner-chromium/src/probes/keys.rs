//! The probe of shortcuts of a single character. It reads the sources of the handlers that a page has for keys, as the browser knows them,
//! and presses none. The browser looks up the `handleEvent` of an object that listens, which may be a getter of the page.

use serde::Serialize;
use serde_json::json;
use tokio::time::{Duration, Instant};

use super::facts::facts;
use crate::{
    axe::AxeError,
    browser::{Outcome, Tab, evaluate},
    cdp::{
        CdpError,
        commands::{EventListener, GetEventListeners, NameObject, ReleaseObjectGroup},
    },
};

const KEYS: &str = include_str!("keys.js");

/// The objects whose handlers get keys wherever the focus is, as a page's own world names them. Nobody can redefine these names.
const TARGETS: [&str; 2] = ["window", "document"];
/// The group of the functions that are looked at.
const GROUP: &str = "a11ycheck-keys";
/// The number of listeners of an object; where there are more, their sources are not asked for.
const MAX_LISTENERS: usize = 200;
/// The number of handlers that are read, and the characters of each.
const MAX_HANDLERS: usize = 20;
const MAX_SOURCE: usize = 20_000;
/// The time limit for asking for them.
const TIME: Duration = Duration::from_secs(2);

/// A handler of keys.
#[derive(Debug, Serialize)]
struct Handler {
    /// The object and the event, for example `document keydown`.
    place: String,
    source: String,
}

/// Runs the probe on a page on which the others have run, and leaves what it finds beside theirs. Where the handlers can't be read, it
/// has not run.
///
/// # Errors
/// Those of the browser.
pub(crate) async fn run_keys(tab: &Tab, world: i64, deadline: Instant) -> Result<(), AxeError> {
    let until = deadline.min(Instant::now() + TIME);
    let Ok(Some(handlers)) = handlers(tab, until).await else { return Ok(()) };
    let expression = format!("({KEYS})({}, {})", json!(handlers), facts());
    let evaluated = evaluate(tab, world, &expression, Outcome::Value, deadline).await?;
    if let Some(exception) = evaluated.exception() {
        tracing::warn!(exception, "The handlers of keys of a page could not be read");
    }
    Ok(())
}

/// Returns the handlers of keys; `None` if there are too many listeners.
async fn handlers(tab: &Tab, until: Instant) -> Result<Option<Vec<Handler>>, CdpError> {
    let mut found = Vec::new();
    for target in TARGETS {
        let known = listeners(tab, target, None, until).await?;
        if known.len() > MAX_LISTENERS {
            return Ok(None);
        }
        if !known.iter().any(is_of_keys) {
            continue;
        }
        let with_sources = listeners(tab, target, Some(GROUP), until).await?;
        found.extend(with_sources.into_iter().filter(is_of_keys).filter_map(|listener| {
            let source = listener.handler?.description?.chars().take(MAX_SOURCE).collect();
            Some(Handler { place: format!("{target} {}", listener.kind), source })
        }));
        tab.session().call(ReleaseObjectGroup { object_group: GROUP }, until).await?;
    }
    found.truncate(MAX_HANDLERS);
    Ok(Some(found))
}

/// Returns the listeners of an object, with their functions if it is kept in a group.
async fn listeners(
    tab: &Tab,
    expression: &str,
    group: Option<&str>,
    until: Instant,
) -> Result<Vec<EventListener>, CdpError> {
    let name = NameObject { expression, object_group: group, silent: true };
    // A document without scripts has no handlers.
    let Some(object_id) = tab.session().call(name, until).await?.result.object_id else { return Ok(Vec::new()) };
    Ok(tab.session().call(GetEventListeners { object_id: &object_id }, until).await?.listeners)
}

fn is_of_keys(listener: &EventListener) -> bool {
    matches!(listener.kind.as_str(), "keydown" | "keypress" | "keyup")
}
