//! The probe of shortcuts of a single character. It reads the source of a page's handlers of keys, as the browser has
//! it, and presses no key. The browser looks up the `handleEvent` of listeners that are objects, which may be a getter
//! of the page. The probe of what reacts to movements of the device asks for the types of the same listeners.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::json;
use tokio::time::{Duration, Instant};

use super::{heard::Heard, wrapped::wrapped};
use crate::{
    axe::AxeError,
    browser::{Outcome, Tab, evaluate},
    cdp::{
        CdpError,
        commands::{EventListener, GetEventListeners, NameObject, ReleaseObjectGroup},
    },
};

const KEYS: &str = include_str!("keys.js");

/// The expressions, in the page's own world, for the objects whose handlers get keys wherever the focus is. A page
/// can't redefine these names.
const TARGETS: [&str; 2] = [WINDOW, "document"];
/// The one that gets the events of a device that moves.
const WINDOW: &str = "window";
/// The group of the handles to functions of the page, which are released together.
const GROUP: &str = "a11ycheck-keys";
/// The greatest number of listeners of an object. If there are more, the probe does not run.
const MAX_LISTENERS: usize = 200;
/// The greatest number of handlers that are read.
const MAX_HANDLERS: usize = 20;
/// The greatest number of characters of a handler's source; the rest is cut off.
const MAX_SOURCE: usize = 20_000;
/// The time limit for listing and reading the handlers.
const TIME: Duration = Duration::from_secs(2);

/// A handler of keys.
#[derive(Debug, Serialize)]
struct Handler {
    /// The object and the event, for example `document keydown`.
    place: String,
    source: String,
}

/// What a page listens to wherever the focus is.
#[derive(Debug, Default)]
struct Listened {
    /// At most [`MAX_HANDLERS`] handlers of keys.
    handlers: Vec<Handler>,
    /// The events of a device that moves, each once.
    motions: Vec<String>,
}

/// Runs the probes on a page on which the others have run, and adds their findings. If the listeners can't be read,
/// they do not run. Adds to `heard` what the window and the document listen for.
///
/// # Errors
/// Returns the errors of the browser while the handlers are judged.
pub(crate) async fn run_keys(tab: &Tab, world: i64, heard: &mut Heard, deadline: Instant) -> Result<(), AxeError> {
    let until = deadline.min(Instant::now() + TIME);
    let Ok(Some(Listened { handlers, motions })) = listened(tab, heard, until).await else {
        *heard = Heard::default();
        return Ok(());
    };
    let expression = format!("({KEYS})({}, {})", json!(handlers), json!(motions));
    let evaluated = evaluate(tab, world, &expression, Outcome::Value, deadline).await?;
    if let Some(exception) = evaluated.exception() {
        tracing::warn!(exception, "The handlers of keys of a page could not be read");
    }
    Ok(())
}

/// Returns what the page listens to; `None` if an object has more than [`MAX_LISTENERS`] listeners.
async fn listened(tab: &Tab, heard: &mut Heard, until: Instant) -> Result<Option<Listened>, CdpError> {
    let mut found = Vec::new();
    let mut motions = BTreeSet::new();
    for target in TARGETS {
        let known = listeners(tab, target, None, until).await?;
        heard.add(&known);
        if known.len() > MAX_LISTENERS {
            return Ok(None);
        }
        if target == WINDOW {
            motions.extend(known.iter().map(|listener| &listener.kind).filter(|kind| is_of_motion(kind)).cloned());
        }
        if !known.iter().any(is_of_keys) {
            continue;
        }
        let with_sources = listeners(tab, target, Some(GROUP), until).await?;
        let of_jquery = wrapped(tab.session(), &with_sources, (is_key, is_key), GROUP, until).await;
        // Those with a selector get the keys of elements.
        let of_jquery = of_jquery.into_iter().filter(|handler| handler.selector.is_none());
        found.extend(
            of_jquery.map(|handler| Handler { place: format!("{target} {}", handler.event), source: handler.source }),
        );
        found.extend(with_sources.into_iter().filter(is_of_keys).filter_map(|listener| {
            let source = listener.handler?.description?.chars().take(MAX_SOURCE).collect();
            Some(Handler { place: format!("{target} {}", listener.kind), source })
        }));
        tab.session().call(ReleaseObjectGroup { object_group: GROUP }, until).await?;
    }
    found.truncate(MAX_HANDLERS);
    Ok(Some(Listened { handlers: found, motions: motions.into_iter().collect() }))
}

/// Returns the listeners of an object, with their functions if there is a group for the handles.
async fn listeners(
    tab: &Tab,
    expression: &str,
    group: Option<&str>,
    until: Instant,
) -> Result<Vec<EventListener>, CdpError> {
    let name = NameObject { expression, object_group: group, silent: true, throw_on_side_effect: false };
    // A document without scripts has no handlers.
    let Some(object_id) = tab.session().call(name, until).await?.result.object_id else { return Ok(Vec::new()) };
    Ok(tab.session().call(GetEventListeners { object_id: &object_id }, until).await?.listeners)
}

/// Returns whether an event is one of a device that is tilted, turned or shaken (Device Orientation and Motion, W3C).
fn is_of_motion(kind: &str) -> bool {
    matches!(kind, "devicemotion" | "deviceorientation" | "deviceorientationabsolute")
}

fn is_of_keys(listener: &EventListener) -> bool {
    is_key(&listener.kind)
}

fn is_key(kind: &str) -> bool {
    matches!(kind, "keydown" | "keypress" | "keyup")
}
