//! The part of the probe `a11ycheck-mouse-only` that finds elements by the listeners that scripts have added. The
//! browser lists the listeners of all nodes of the document with their types, and calls none. It does look up the
//! `handleEvent` of listeners that are objects, which may be a getter of the page.
//!
//! `clicks.js` judges the elements. If one listener serves many elements (event delegation), as on a list or on the
//! root of an application, the elements are not known, unless jQuery has been told a selector for them.

use std::collections::HashMap;

use futures_util::future::join_all;
use serde_json::json;
use tokio::time::{Duration, Instant};

use super::{
    facts::facts,
    handlers::{is_judged, judge_handlers},
    heard::Heard,
    wrapped::{Wrapped, wrapped},
};
use crate::{
    browser::Tab,
    cdp::{
        CdpError,
        commands::{
            CallArgument, CallFunction, EventListener, GetListenersBelow, NameObject, ReleaseObjectGroup, ResolveNode,
        },
    },
};

const CLICKS: &str = include_str!("clicks.js");

/// The rule to whose findings this part adds.
const RULE: &str = "a11ycheck-mouse-only";
/// The expression for the document in the page's own world. A page can't redefine this name.
const DOCUMENT: &str = "document";
/// The group of the handles to objects of the page, which are released together.
const GROUP: &str = "a11ycheck-clicks";
/// The greatest number of listeners of a page. If there are more, none is examined.
const MAX_LISTENERS: usize = 5_000;
/// The greatest number of nodes that are examined: the first ones of the document.
const MAX_NODES: usize = 200;
/// The time limit for listing and judging.
const TIME: Duration = Duration::from_secs(2);

/// Runs this part on a page on which the other probes have run, and adds its findings to theirs. If the browser refuses
/// something, or if [`TIME`] is over, only this part is without findings.
/// Returns what the document and its elements listen for.
pub(crate) async fn run_clicks(tab: &Tab, world: i64, deadline: Instant) -> Heard {
    let until = deadline.min(Instant::now() + TIME);
    let mut heard = Heard::default();
    if let Err(error) = judge(tab, world, &mut heard, until).await {
        tracing::debug!(%error, "The listeners for clicks of a page could not be read");
    }
    let release = ReleaseObjectGroup { object_group: GROUP };
    if let Err(error) = tab.session().call(release, deadline.min(Instant::now() + TIME)).await {
        tracing::debug!(%error, "what was read of a page is not released");
    }
    heard
}

async fn judge(tab: &Tab, world: i64, heard: &mut Heard, until: Instant) -> Result<(), CdpError> {
    let session = tab.session();
    let name =
        NameObject { expression: DOCUMENT, object_group: Some(GROUP), silent: true, throw_on_side_effect: false };
    let Some(object_id) = session.call(name, until).await?.result.object_id else { return Ok(()) };
    let below = GetListenersBelow { object_id: &object_id, depth: -1, pierce: true };
    let listeners = session.call(below, until).await?.listeners;
    *heard = Heard::of(&listeners);
    let is_wanted = |kind: &str| is_judged(kind) || is_of_mouse(kind).is_some();
    let handlers = wrapped(session, &listeners, (is_wanted, is_judged), GROUP, until).await;
    if listeners.len() <= MAX_LISTENERS {
        let nodes = listening(&listeners, &handlers);
        let resolve = |Listening { node, is_whole, selector }: Listening| async move {
            let resolve = ResolveNode { backend_node_id: node, execution_context_id: Some(world), object_group: GROUP };
            // The page may have removed a node meanwhile.
            Some((session.call(resolve, until).await.ok()?.object.object_id?, (is_whole, selector)))
        };
        let (elements, ways): (Vec<String>, Vec<(bool, Option<String>)>) =
            join_all(nodes.into_iter().map(resolve)).await.into_iter().flatten().unzip();
        if !elements.is_empty() {
            let function = format!("(ways, ...nodes) => ({CLICKS})({}, ways, nodes)", facts()[RULE]);
            let elements = elements.into_iter().map(CallArgument::ObjectId);
            let arguments: Vec<_> = std::iter::once(CallArgument::Value(json!(ways))).chain(elements).collect();
            let call = CallFunction {
                function_declaration: &function,
                execution_context_id: world,
                arguments: &arguments,
                return_by_value: true,
                silent: true,
            };
            if let Some(exception) = session.call(call, until).await?.exception() {
                tracing::warn!(exception, "The listeners for clicks of a page could not be judged");
            }
        }
    }
    judge_handlers(session, &listeners, &handlers, (world, GROUP), until).await
}

/// A node that listens for events of a mouse.
#[derive(Debug, PartialEq, Eq)]
struct Listening {
    node: i64,
    /// True if it listens for `click` or `dblclick`, and not only for a press or a release.
    is_whole: bool,
    /// The selector of the elements below it that are meant, if jQuery says which they are.
    selector: Option<String>,
}

/// Returns whether an event is a whole click; `None` if it is none of a mouse.
fn is_of_mouse(kind: &str) -> Option<bool> {
    match kind {
        "click" | "dblclick" => Some(true),
        "mousedown" | "mouseup" | "pointerdown" | "pointerup" => Some(false),
        _ => None,
    }
}

/// Returns the first [`MAX_NODES`] nodes that listen for events of a mouse, in the order of `listeners`, which is that
/// of the document, and then those by which jQuery serves elements below them, once for each selector.
fn listening(listeners: &[EventListener], handlers: &[Wrapped]) -> Vec<Listening> {
    let mut places = HashMap::new();
    let mut nodes: Vec<Listening> = Vec::new();
    let direct = listeners.iter().map(|listener| (listener.backend_node_id, &listener.kind, None));
    let served = handlers.iter().filter(|handler| handler.selector.is_some());
    let served = served.map(|handler| (Some(handler.node), &handler.event, handler.selector.as_ref()));
    for (node, kind, selector) in direct.chain(served) {
        let (Some(node), Some(is_whole)) = (node, is_of_mouse(kind)) else { continue };
        let place = *places.entry((node, selector)).or_insert(nodes.len());
        match nodes.get_mut(place) {
            Some(known) => known.is_whole |= is_whole,
            None => nodes.push(Listening { node, is_whole, selector: selector.cloned() }),
        }
    }
    nodes.truncate(MAX_NODES);
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_looked_at_once_in_the_order_of_the_document() {
        let of = |kind: &str, node| EventListener {
            kind: kind.to_owned(),
            handler: None,
            backend_node_id: node,
            once: false,
        };
        let listeners = [
            of("mousedown", Some(7)),
            of("keydown", Some(1)),
            of("click", Some(3)),
            of("click", Some(7)),
            of("pointerup", Some(3)),
            of("mouseup", Some(9)),
            of("click", None),
        ];
        let once = |node, is_whole, selector: Option<&str>| Listening {
            node,
            is_whole,
            selector: selector.map(str::to_owned),
        };
        let below = |event: &str, selector: Option<&str>| Wrapped {
            node: 3,
            event: event.to_owned(),
            source: String::new(),
            selector: selector.map(str::to_owned),
        };
        let handlers = [below("mousedown", Some("li")), below("click", None), below("click", Some("li"))];
        assert_eq!(
            listening(&listeners, &handlers),
            [once(7, true, None), once(3, true, None), once(9, false, None), once(3, true, Some("li"))]
        );
        let many: Vec<_> = (0..1_000).map(|node| of("click", Some(node))).collect();
        assert_eq!(listening(&many, &[]).len(), MAX_NODES);
    }
}
