//! The part of the probes `a11ycheck-focus-removed`, `a11ycheck-context-change` and `a11ycheck-paste-blocked` that reads the handlers which scripts have added. `clicks.rs`
//! lists the listeners, and the browser gives the source of each with it.

use futures_util::future::join_all;
use serde_json::json;
use tokio::time::Instant;

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
const REFUSALS: [&str; 2] = ["preventDefault", "return false"];

/// Judges the handlers of a page on which the other probes have run, and adds what they find to their findings. The handles to objects of
/// the page are in the group `object_group`, which the caller releases.
///
/// # Errors
/// Those of the browser.
pub(super) async fn judge_handlers(
    session: &Session,
    listeners: &[EventListener],
    (execution_context_id, object_group): (i64, &str),
    until: Instant,
) -> Result<(), CdpError> {
    let handlers: Vec<_> = handlers(listeners).collect();
    let resolve = |backend_node_id: i64| async move {
        let resolve = ResolveNode { backend_node_id, execution_context_id, object_group };
        session.call(resolve, until).await.ok()?.object.object_id
    };
    let elements = join_all(handlers.iter().map(|handler| resolve(handler.node))).await;
    // The page may have removed a node meanwhile.
    let resolved: Vec<_> =
        elements.into_iter().zip(handlers).filter_map(|(element, handler)| Some((element?, handler))).collect();
    if resolved.is_empty() {
        return Ok(());
    }
    let (events, sources): (Vec<&str>, Vec<&str>) =
        resolved.iter().map(|(_, handler)| (handler.event, handler.source.as_str())).unzip();
    let first = [json!(events), json!(sources)].map(CallArgument::Value);
    let elements = resolved.iter().map(|(element, _)| CallArgument::ObjectId(element.clone()));
    let arguments: Vec<_> = first.into_iter().chain(elements).collect();
    let function = format!("(events, sources, ...elements) => ({LISTENED})(events, sources, elements)");
    let call = CallFunction {
        function_declaration: &function,
        execution_context_id,
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
#[derive(Debug)]
struct Handler<'a> {
    node: i64,
    event: &'a str,
    source: String,
}

/// Returns at most [`MAX_HANDLERS`] handlers that the probes may name, in the order of `listeners`, which is that of the document.
fn handlers(listeners: &[EventListener]) -> impl Iterator<Item = Handler<'_>> {
    let handler = |listener: &EventListener| {
        let words = match listener.kind.as_str() {
            "focus" | "change" => WORDS.as_slice(),
            "paste" => REFUSALS.as_slice(),
            _ => return None,
        };
        let source = listener.handler.as_ref()?.description.as_deref()?;
        let may_be_named = !listener.once && words.iter().any(|word| source.contains(word));
        may_be_named.then(|| source.chars().take(MAX_SOURCE).collect())
    };
    let found = listeners.iter().filter_map(move |listener| {
        let (node, source) = (listener.backend_node_id?, handler(listener)?);
        Some(Handler { node, event: &listener.kind, source })
    });
    found.take(MAX_HANDLERS)
}
