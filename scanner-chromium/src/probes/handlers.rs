//! The part of the probes `a11ycheck-focus-removed`, `a11ycheck-context-change` and `a11ycheck-paste-blocked` that reads the handlers which scripts have added. `clicks.rs`
//! lists the listeners, and the browser gives the source of each with it; `wrapped.rs` reads those that jQuery calls.

use futures_util::future::join_all;
use serde::Serialize;
use serde_json::json;
use tokio::time::Instant;

use super::wrapped::Wrapped;
use crate::cdp::{
    CdpError, Session,
    commands::{CallArgument, CallFunction, EventListener, ResolveNode},
};

const LISTENED: &str = include_str!("listened.js");

/// The greatest number of handlers that are judged: the first ones of the document.
const MAX_HANDLERS: usize = 100;
/// The greatest number of characters of a handler's source; the rest is cut off.
const MAX_SOURCE: usize = 5_000;
/// What stands in the source of each handler of the focus or of a change that the probes may name.
const WORDS: [&str; 5] = ["blur", "location", "open", "submit", "Submit"];
/// What stands in that of each handler of what is pasted.
const REFUSALS: [&str; 8] =
    ["preventDefault", "return false", "return!1", "return !1", "=> false", "=>false", "=> !1", "=>!1"];

/// Judges the handlers of a page on which the other probes have run, and adds what they find to their findings. The handles to objects of
/// the page are in the group `object_group`, which the caller releases.
///
/// # Errors
/// Those of the browser.
pub(super) async fn judge_handlers(
    session: &Session,
    listeners: &[EventListener],
    of_jquery: &[Wrapped],
    (world, object_group): (i64, &str),
    until: Instant,
) -> Result<(), CdpError> {
    let handlers: Vec<_> = handlers(listeners, of_jquery).collect();
    let resolve = |backend_node_id: i64| async move {
        let resolve = ResolveNode { backend_node_id, execution_context_id: Some(world), object_group };
        session.call(resolve, until).await.ok()?.object.object_id
    };
    let elements = join_all(handlers.iter().map(|handler| resolve(handler.node))).await;
    // The page may have removed a node meanwhile.
    let resolved: Vec<_> =
        elements.into_iter().zip(handlers).filter_map(|(element, handler)| Some((element?, handler))).collect();
    if resolved.is_empty() {
        return Ok(());
    }
    let told: Vec<_> = resolved.iter().map(|(_, handler)| handler).collect();
    let elements = resolved.iter().map(|(element, _)| CallArgument::ObjectId(element.clone()));
    let arguments: Vec<_> = std::iter::once(CallArgument::Value(json!(told))).chain(elements).collect();
    let function = format!("(handlers, ...nodes) => ({LISTENED})(handlers, nodes)");
    let call = CallFunction {
        function_declaration: &function,
        execution_context_id: world,
        arguments: &arguments,
        return_by_value: true,
        silent: true,
    };
    if let Some(exception) = session.call(call, until).await?.exception() {
        tracing::warn!(exception, "The handlers of a page could not be judged");
    }
    Ok(())
}

/// A handler of a change, of the focus, or of what is pasted.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Handler<'a> {
    #[serde(skip)]
    node: i64,
    event: &'a str,
    source: &'a str,
    /// The selector of the elements below the node that have it; `None` if the node has.
    selector: Option<&'a str>,
    /// True if jQuery calls it, for which what it returns means more.
    is_of_jquery: bool,
}

/// Returns whether the probes judge handlers of an event.
pub(super) fn is_judged(event: &str) -> bool {
    words(event).is_some()
}

/// Returns what stands in the source of each handler of an event that may be named; `None` if none is.
fn words(event: &str) -> Option<&'static [&'static str]> {
    match event {
        // jQuery hears the second of what gets the focus below an element.
        "focus" | "focusin" | "change" => Some(&WORDS),
        "paste" => Some(&REFUSALS),
        _ => None,
    }
}

/// Returns at most [`MAX_HANDLERS`] handlers that the probes may name: those that the browser calls, in the order of `listeners`, which is that of the document,
/// then those that jQuery calls.
fn handlers<'a>(listeners: &'a [EventListener], of_jquery: &'a [Wrapped]) -> impl Iterator<Item = Handler<'a>> {
    let direct = listeners.iter().filter(|listener| !listener.once).filter_map(|listener| {
        let source = listener.handler.as_ref()?.description.as_deref()?;
        let node = listener.backend_node_id?;
        Some(Handler { node, event: &listener.kind, source, selector: None, is_of_jquery: false })
    });
    let called = of_jquery.iter().map(|Wrapped { node, event, source, selector }| Handler {
        node: *node,
        event,
        source,
        selector: selector.as_deref(),
        is_of_jquery: true,
    });
    let found = direct.chain(called).filter_map(|handler| {
        let may_be_named = words(handler.event)?.iter().any(|word| handler.source.contains(word));
        let event = match (handler.event, handler.selector) {
            ("focusin", None) => return None,
            ("focusin", Some(_)) => "focus",
            (event, _) => event,
        };
        let end = handler.source.char_indices().nth(MAX_SOURCE).map_or(handler.source.len(), |(end, _)| end);
        let source = &handler.source[..end];
        may_be_named.then_some(Handler { event, source, ..handler })
    });
    found.take(MAX_HANDLERS)
}
