//! The handlers that jQuery calls. To an element it adds one listener for each event, whose source is the same everywhere, and keeps the functions of the
//! page, with the selectors of those for elements below, in an object behind a property of the element (2.2 and newer), or under a number that is such
//! a property in `jQuery.cache` (before 2.0). They are read there as developer tools show them, so that, in current browsers, no function of the page is called, and no getter.
//! Versions 2.0 and 2.1 keep them where nothing can be read, and those before 1.7 have other listeners.

use std::{
    collections::HashSet,
    sync::atomic::{AtomicUsize, Ordering},
};

use futures_util::future::join_all;
use tokio::time::{Duration, Instant};

use crate::cdp::{
    Session,
    commands::{EventListener, GetProperties, NameObject, Property, RemoteObject, ResolveNode},
};

/// The expression for jQuery in the page's own world.
const JQUERY: &str = "jQuery";
/// What stands in the source of each listener that jQuery adds, of any version, minified or not; the second where it hears the focus for elements below.
const DISPATCHES: [&str; 2] = ["event.dispatch", "event.simulate"];
/// The greatest number of elements with such listeners whose handlers are read: the first ones of the document.
const MAX_NODES: usize = 60;
/// The greatest number of handlers of a page that are read.
const MAX_HANDLERS: usize = 300;
/// The greatest number of properties of an element behind which handlers may be: a copy of jQuery has one or two.
const MAX_PLACES: usize = 4;
/// The greatest number of characters of a handler's source; the rest is cut off.
const MAX_SOURCE: usize = 20_000;
/// The greatest number of bytes of a selector; a handler with a longer one is left out.
const MAX_SELECTOR: usize = 1_000;
/// The time limit for all of it.
const TIME: Duration = Duration::from_millis(700);

/// A function of the page that jQuery calls.
#[derive(Debug)]
pub(super) struct Wrapped {
    /// The node that has the listener.
    pub(super) node: i64,
    /// The type of the event, as jQuery calls it: for the focus of elements below, `focusin`.
    pub(super) event: String,
    /// The source of the function.
    pub(super) source: String,
    /// The selector of the elements below the node for whose events it is called; `None` if it is called for those of the node.
    pub(super) selector: Option<String>,
}

/// A page whose objects are read.
#[derive(Debug, Clone, Copy)]
struct Reader<'a> {
    session: &'a Session,
    /// The group of the handles to objects of the page.
    group: &'a str,
    /// The handlers that may still be read.
    left: &'a AtomicUsize,
    until: Instant,
}

/// Returns the handlers behind those of `listeners` that jQuery has added for an event that `is_wanted`, where a node is looked at `first` for these events, else in
/// the order of the document. What the browser refuses, what has another form than expected, and what can't be read within [`TIME`] is left out. The handles to
/// objects of the page are in the group `object_group`, which the caller releases.
pub(super) async fn wrapped(
    session: &Session,
    listeners: &[EventListener],
    (is_wanted, first): (impl Fn(&str) -> bool, impl Fn(&str) -> bool),
    object_group: &str,
    until: Instant,
) -> Vec<Wrapped> {
    let left = AtomicUsize::new(MAX_HANDLERS);
    let reader = Reader { session, group: object_group, left: &left, until: until.min(Instant::now() + TIME) };
    let of_jquery: Vec<_> =
        listeners.iter().filter(|listener| is_wanted(&listener.kind) && is_of_jquery(listener)).collect();
    let (early, late): (Vec<_>, Vec<_>) = of_jquery.into_iter().partition(|listener| first(&listener.kind));
    let mut seen = HashSet::new();
    let nodes = early.into_iter().chain(late).filter_map(|listener| listener.backend_node_id);
    let nodes: Vec<i64> = nodes.filter(|node| seen.insert(*node)).take(MAX_NODES).collect();
    let kept = join_all(nodes.iter().map(|node| reader.kept(*node))).await;
    let is_cached = kept.iter().flatten().any(|kept| matches!(kept, Kept::InCache { .. }));
    let cache = if is_cached { reader.cache().await } else { None };
    let read = nodes.iter().zip(&kept).flat_map(|(node, kept)| kept.iter().map(move |kept| (*node, kept)));
    let read = read.filter_map(|(node, kept)| match (kept, &cache) {
        (Kept::Object(id), _) => Some(reader.handlers(node, id, &is_wanted)),
        // There may be several copies of jQuery on a page; the numbers of another mean something else.
        (Kept::InCache { expando, number }, Some(cache)) if *expando == cache.expando => {
            Some(reader.handlers(node, object(&cache.entries, number)?, &is_wanted))
        }
        _ => None,
    });
    join_all(read).await.into_iter().flatten().collect()
}

/// Returns whether a listener is one that jQuery adds.
fn is_of_jquery(listener: &EventListener) -> bool {
    let source = listener.handler.as_ref().and_then(|handler| handler.description.as_deref());
    source.is_some_and(|source| DISPATCHES.iter().any(|dispatches| source.contains(dispatches)))
}

/// A place where handlers of an element may be kept.
#[derive(Debug)]
enum Kept {
    /// In this object.
    Object(String),
    /// Under this number in the cache of the copy of jQuery that has this property.
    InCache { expando: String, number: String },
}

/// The cache of a copy of jQuery.
#[derive(Debug)]
struct Cache {
    /// The property by which elements have their numbers.
    expando: String,
    entries: Vec<Property>,
}

impl Reader<'_> {
    /// Returns the places where handlers of a node may be kept.
    async fn kept(self, node: i64) -> Vec<Kept> {
        let resolve = ResolveNode { backend_node_id: node, execution_context_id: None, object_group: self.group };
        let Ok(resolved) = self.session.call(resolve, self.until).await else { return Vec::new() };
        let Some(node) = resolved.object.object_id else { return Vec::new() };
        let own = self.properties(&node).await.into_iter().filter(|property| is_expando(&property.name));
        let kept = own.filter_map(|Property { name, value }| match value? {
            RemoteObject { object_id: Some(id), .. } => Some(Kept::Object(id)),
            RemoteObject { value, .. } => Some(Kept::InCache { expando: name, number: value.as_u64()?.to_string() }),
        });
        kept.take(MAX_PLACES).collect()
    }

    /// Returns the cache of the page's jQuery.
    async fn cache(self) -> Option<Cache> {
        let name =
            NameObject { expression: JQUERY, object_group: Some(self.group), silent: true, throw_on_side_effect: true };
        let jquery = self.session.call(name, self.until).await.ok()?.result.object_id?;
        let own = self.properties(&jquery).await;
        let expando = own.iter().find(|property| property.name == "expando")?.value.as_ref()?.value.as_str()?;
        let entries = self.properties(object(&own, "cache")?).await;
        Some(Cache { expando: expando.to_owned(), entries })
    }

    /// Returns the handlers of a node that are kept in an object, for the events that are wanted.
    async fn handlers(self, node: i64, data: &str, is_wanted: impl Fn(&str) -> bool) -> Vec<Wrapped> {
        let data = self.properties(data).await;
        let Some(events) = object(&data, "events") else { return Vec::new() };
        let events = self.properties(events).await;
        let mut found = Vec::new();
        for event in events.iter().filter(|event| is_wanted(&event.name)) {
            let Some(list) = event.value.as_ref().filter(|list| !is_long(list)) else { continue };
            let Some(list) = &list.object_id else { continue };
            let entries = self.properties(list).await;
            let entries = entries.iter().filter(|entry| entry.name.bytes().all(|byte| byte.is_ascii_digit()));
            let entries = entries.filter_map(|entry| entry.value.as_ref()?.object_id.as_deref());
            for entry in entries.take_while(|_| self.may_read()) {
                let entry = self.properties(entry).await;
                let of = |name| entry.iter().find(|property| property.name == name)?.value.as_ref();
                let Some(source) = of("handler").and_then(|handler| handler.description.as_deref()) else { continue };
                let selector = of("selector").and_then(|selector| selector.value.as_str()).unwrap_or_default();
                if selector.len() > MAX_SELECTOR {
                    continue;
                }
                found.push(Wrapped {
                    node,
                    event: event.name.clone(),
                    source: source.chars().take(MAX_SOURCE).collect(),
                    // An empty one is as none.
                    selector: Some(selector.to_owned()).filter(|selector| !selector.is_empty()),
                });
            }
        }
        found
    }

    /// Returns whether one handler more may be read, and counts it.
    fn may_read(self) -> bool {
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
    }

    /// Returns an object's own properties; none if the browser refuses them.
    async fn properties(self, object_id: &str) -> Vec<Property> {
        let own = GetProperties { object_id: Some(object_id), own_properties: true };
        match self.session.call(own, self.until).await {
            Ok(found) => found.result,
            Err(error) => {
                tracing::debug!(%error, "what jQuery keeps of an element could not be read");
                Vec::new()
            }
        }
    }
}

/// Returns whether a list has more entries than are read of a page, by what the browser calls it: `Array(3)`.
fn is_long(list: &RemoteObject) -> bool {
    let length = list.description.as_deref().and_then(|text| text.strip_prefix("Array(")?.strip_suffix(')'));
    length.and_then(|length| length.parse::<usize>().ok()).is_none_or(|length| length > MAX_HANDLERS)
}

/// Returns whether a property of an element is one that jQuery adds: its name with the digits of its version and of a number by chance.
fn is_expando(name: &str) -> bool {
    name.strip_prefix(JQUERY).is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns the handle to the object that a property has for its value.
fn object<'a>(properties: &'a [Property], name: &str) -> Option<&'a str> {
    properties.iter().find(|property| property.name == name)?.value.as_ref()?.object_id.as_deref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_properties_of_jquery_are_told_from_those_of_a_page() {
        for (name, is_its) in
            [("jQuery36104862", true), ("jQuery112", true), ("jQuery", false), ("jQueryUi1", false), ("x1", false)]
        {
            assert_eq!(is_expando(name), is_its, "{name}");
        }
    }
}
