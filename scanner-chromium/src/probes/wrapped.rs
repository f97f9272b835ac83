//! The handlers that jQuery calls. To an element it adds one listener for each event, whose source is the same everywhere, and keeps the functions of the
//! page, with the selectors of those for elements below, in an object behind a property of the element (2.2 and newer), or under a number that is such
//! a property in `jQuery.cache` (before 2.0). They are read there as developer tools show them, so that no function of the page is called, and no getter.
//! Versions 2.0 and 2.1 keep them where nothing can be read.

use futures_util::future::join_all;
use tokio::time::Instant;

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
/// The greatest number of handlers of an event of an element that are read.
const MAX_HANDLERS: usize = 20;

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
    until: Instant,
}

/// Returns the handlers behind those of `listeners` that jQuery has added for one of these events, in the order of the document. What the browser refuses, or what has
/// another form than expected, is left out. The handles to objects of the page are in the group `object_group`, which the caller releases.
pub(super) async fn wrapped(
    session: &Session,
    listeners: &[EventListener],
    is_wanted: impl Fn(&str) -> bool,
    object_group: &str,
    until: Instant,
) -> Vec<Wrapped> {
    let reader = Reader { session, group: object_group, until };
    let mut nodes: Vec<i64> = listeners
        .iter()
        .filter(|listener| is_wanted(&listener.kind) && is_of_jquery(listener))
        .filter_map(|listener| listener.backend_node_id)
        .collect();
    // The listeners of a node stand together.
    nodes.dedup();
    nodes.truncate(MAX_NODES);
    let kept = join_all(nodes.iter().map(|node| reader.kept(*node))).await;
    let cache =
        if kept.iter().any(|kept| matches!(kept, Some(Kept::InCache(_)))) { reader.cache().await } else { Vec::new() };
    let read = nodes.iter().zip(kept).map(|(node, kept)| {
        let data = match kept {
            Some(Kept::Object(id)) => Some(id),
            Some(Kept::InCache(number)) => object(&cache, &number).map(str::to_owned),
            None => None,
        };
        reader.handlers(*node, data, &is_wanted)
    });
    join_all(read).await.into_iter().flatten().collect()
}

/// Returns whether a listener is one that jQuery adds.
fn is_of_jquery(listener: &EventListener) -> bool {
    let source = listener.handler.as_ref().and_then(|handler| handler.description.as_deref());
    source.is_some_and(|source| DISPATCHES.iter().any(|dispatches| source.contains(dispatches)))
}

/// The place where the handlers of an element are kept.
#[derive(Debug)]
enum Kept {
    /// In this object.
    Object(String),
    /// Under this number in `jQuery.cache`.
    InCache(String),
}

impl Reader<'_> {
    /// Returns the place where the handlers of a node are kept.
    async fn kept(self, node: i64) -> Option<Kept> {
        let resolve = ResolveNode { backend_node_id: node, execution_context_id: None, object_group: self.group };
        let node = self.session.call(resolve, self.until).await.ok()?.object.object_id?;
        let of_jquery: Vec<Property> =
            self.properties(&node).await.into_iter().filter(|property| is_expando(&property.name)).collect();
        // Newer versions have a second object for what the page itself has them keep.
        for property in &of_jquery {
            let Some(RemoteObject { object_id: Some(id), .. }) = &property.value else { continue };
            if object(&self.properties(id).await, "events").is_some() {
                return Some(Kept::Object(id.clone()));
            }
        }
        let number = of_jquery.iter().find_map(|property| property.value.as_ref()?.value.as_u64());
        number.map(|number| Kept::InCache(number.to_string()))
    }

    /// Returns the entries of `jQuery.cache`.
    async fn cache(self) -> Vec<Property> {
        let name =
            NameObject { expression: JQUERY, object_group: Some(self.group), silent: true, throw_on_side_effect: true };
        let Ok(named) = self.session.call(name, self.until).await else { return Vec::new() };
        let Some(jquery) = named.result.object_id else { return Vec::new() };
        match object(&self.properties(&jquery).await, "cache") {
            Some(cache) => self.properties(cache).await,
            None => Vec::new(),
        }
    }

    /// Returns the handlers of a node that are kept in an object, for the events that are wanted.
    async fn handlers(self, node: i64, data: Option<String>, is_wanted: impl Fn(&str) -> bool) -> Vec<Wrapped> {
        let Some(data) = data else { return Vec::new() };
        let data = self.properties(&data).await;
        let Some(events) = object(&data, "events") else { return Vec::new() };
        let events = self.properties(events).await;
        let mut found = Vec::new();
        for event in events.iter().filter(|event| is_wanted(&event.name)) {
            let Some(list) = event.value.as_ref().and_then(|list| list.object_id.as_deref()) else { continue };
            let entries = self.properties(list).await;
            let entries = entries.iter().filter(|entry| entry.name.bytes().all(|byte| byte.is_ascii_digit()));
            let entries = entries.filter_map(|entry| entry.value.as_ref()?.object_id.as_deref()).take(MAX_HANDLERS);
            for entry in join_all(entries.map(|entry| self.properties(entry))).await {
                let of = |name| entry.iter().find(|property| property.name == name)?.value.as_ref();
                let Some(source) = of("handler").and_then(|handler| handler.description.clone()) else { continue };
                let selector = of("selector").and_then(|selector| selector.value.as_str()).map(str::to_owned);
                found.push(Wrapped { node, event: event.name.clone(), source, selector });
            }
        }
        found
    }

    /// Returns an object's own properties; none if the browser refuses them.
    async fn properties(self, object_id: &str) -> Vec<Property> {
        let own = GetProperties { object_id: Some(object_id), own_properties: true };
        self.session.call(own, self.until).await.map(|found| found.result).unwrap_or_default()
    }
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
