//! Commands about the content of documents: scripts, elements and the fonts with which they are drawn.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::cdp::{
    CdpError, Command,
    command::{Done, command},
};

/// Evaluates an expression of JavaScript, which is a string in JSON.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Evaluate<'a, E: ?Sized> {
    pub(crate) expression: &'a E,
    /// The world in which it is evaluated; the page's own if `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) context_id: Option<i64>,
    /// True to wait for the promise that the expression gives, and to return its value.
    pub(crate) await_promise: bool,
    /// True to return the value itself, not a handle to it.
    pub(crate) return_by_value: bool,
    /// True to keep exceptions out of the page's own console.
    pub(crate) silent: bool,
    /// The time limit in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) timeout: Option<u32>,
}

impl<E: Serialize + ?Sized> Command for Evaluate<'_, E> {
    const METHOD: &'static str = EVALUATE;
    type Result = Evaluated;
}

const EVALUATE: &str = "Runtime.evaluate";

/// The result of an expression.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Evaluated {
    #[serde(default)]
    pub(crate) result: RemoteObject,
    pub(crate) exception_details: Option<Value>,
}

impl Evaluated {
    /// Returns the description of the exception, if one was thrown; at most 500 characters.
    pub(crate) fn exception(&self) -> Option<String> {
        const MAX: usize = 500;
        let exception = self.exception_details.as_ref()?;
        Some(exception["exception"]["description"].as_str().unwrap_or_default().chars().take(MAX).collect())
    }

    /// Returns the value, if it is a text.
    pub(crate) fn text(&self) -> Option<&str> {
        self.result.value.as_str()
    }

    /// Reads the value.
    pub(crate) fn value<T: DeserializeOwned>(&self) -> Result<T, CdpError> {
        T::deserialize(&self.result.value).map_err(Self::of_another_shape)
    }

    /// Reads the value as a text in JSON.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, CdpError> {
        serde_json::from_str(self.text().unwrap_or_default()).map_err(Self::of_another_shape)
    }

    const fn of_another_shape(source: serde_json::Error) -> CdpError {
        CdpError::Shape { method: EVALUATE, source }
    }
}

/// A value, or a handle to one.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RemoteObject {
    #[serde(default)]
    pub(crate) value: Value,
    pub(crate) object_id: Option<String>,
    /// The value as text for people; for a function, its source.
    pub(crate) description: Option<String>,
}

/// Requests a handle to the value of an expression in the page's own world. The handle belongs to a group.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NameObject<'a> {
    pub(crate) expression: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) object_group: Option<&'a str>,
    /// True to keep exceptions out of the page's own console.
    pub(crate) silent: bool,
    /// True to give up where the expression would change anything, as a getter of the page may.
    pub(crate) throw_on_side_effect: bool,
}
command!(NameObject<'_> = "Runtime.evaluate" => Evaluated);

/// Requests a list of all objects in the memory of a world that have a given prototype. Garbage is collected first. The
/// list is a handle that belongs to a group.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct QueryObjects<'a> {
    pub(crate) prototype_object_id: &'a str,
    pub(crate) object_group: &'a str,
}
command!(QueryObjects<'_> = "Runtime.queryObjects" => FoundObjects);

#[derive(Debug, Deserialize)]
pub(crate) struct FoundObjects {
    pub(crate) objects: RemoteObject,
}

/// Calls a function with an object as `this`, in the world of the object.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CallFunctionOn<'a, T> {
    pub(crate) function_declaration: &'a str,
    pub(crate) object_id: &'a str,
    pub(crate) arguments: [Argument<T>; 1],
    /// True to return the value itself, not a handle to it.
    pub(crate) return_by_value: bool,
    /// True to keep exceptions out of the page's own console.
    pub(crate) silent: bool,
}

impl<T: Serialize> Command for CallFunctionOn<'_, T> {
    const METHOD: &'static str = "Runtime.callFunctionOn";
    type Result = Evaluated;
}

/// An argument of such a function.
#[derive(Debug, Serialize)]
pub(crate) struct Argument<T> {
    pub(crate) value: T,
}

/// Calls a function with objects and values as its arguments, in a world.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CallFunction<'a> {
    pub(crate) function_declaration: &'a str,
    pub(crate) execution_context_id: i64,
    pub(crate) arguments: &'a [CallArgument],
    /// True to return the value itself, not a handle to it.
    pub(crate) return_by_value: bool,
    /// True to keep exceptions out of the page's own console.
    pub(crate) silent: bool,
}
command!(CallFunction<'_> = "Runtime.callFunctionOn" => Evaluated);

/// An argument of such a function.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum CallArgument {
    /// An object of the world, by its handle.
    ObjectId(String),
    Value(Value),
}

/// Requests the release of all handles of a group.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReleaseObjectGroup<'a> {
    pub(crate) object_group: &'a str,
}
command!(ReleaseObjectGroup<'_> = "Runtime.releaseObjectGroup" => Done);

/// Requests the listeners of an object that scripts of its own world have added.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GetEventListeners<'a> {
    pub(crate) object_id: &'a str,
}
command!(GetEventListeners<'_> = "DOMDebugger.getEventListeners" => EventListeners);

/// Requests the listeners of a node and of all nodes below it, including those in shadow trees and in frames of the
/// same process, and those that scripts of other worlds have added.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GetListenersBelow<'a> {
    pub(crate) object_id: &'a str,
    /// The number of levels; -1 for all.
    pub(crate) depth: i32,
    /// True to go into shadow trees and frames.
    pub(crate) pierce: bool,
}
command!(GetListenersBelow<'_> = "DOMDebugger.getEventListeners" => EventListeners);

#[derive(Debug, Deserialize)]
pub(crate) struct EventListeners {
    pub(crate) listeners: Vec<EventListener>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EventListener {
    /// The type of the event.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// The function; `None` if the object belongs to no group.
    pub(crate) handler: Option<RemoteObject>,
    /// The node that has the listener; `None` if an object other than a node has it.
    pub(crate) backend_node_id: Option<i64>,
    /// True if it hears the event once only.
    #[serde(default)]
    pub(crate) once: bool,
}

/// Requests the properties of an object.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GetProperties<'a> {
    pub(crate) object_id: Option<&'a str>,
    pub(crate) own_properties: bool,
}
command!(GetProperties<'_> = "Runtime.getProperties" => Properties);

#[derive(Debug, Deserialize)]
pub(crate) struct Properties {
    pub(crate) result: Vec<Property>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Property {
    pub(crate) name: String,
    pub(crate) value: Option<RemoteObject>,
}

/// Begins the reports about elements. The commands below need it.
#[derive(Debug, Serialize)]
pub(crate) struct EnableDom {}
command!(EnableDom = "DOM.enable" => Done);

/// Requests the document of the tab.
#[derive(Debug, Serialize)]
pub(crate) struct GetDocument {}
command!(GetDocument = "DOM.getDocument" => Document);

#[derive(Debug, Deserialize)]
pub(crate) struct Document {
    pub(crate) root: DocumentRoot,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DocumentRoot {
    pub(crate) node_id: i64,
}

/// Requests the elements below a node that match a selector.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct QuerySelectorAll<'a> {
    pub(crate) node_id: i64,
    pub(crate) selector: &'a str,
}
command!(QuerySelectorAll<'_> = "DOM.querySelectorAll" => FoundNodes);

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FoundNodes {
    pub(crate) node_ids: Vec<i64>,
}

/// Requests the description of a node.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DescribeNode<'a> {
    pub(crate) object_id: &'a str,
}
command!(DescribeNode<'_> = "DOM.describeNode" => Described);

#[derive(Debug, Deserialize)]
pub(crate) struct Described {
    pub(crate) node: DescribedNode,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DescribedNode {
    /// The id of its frame, if it is the element of one.
    pub(crate) frame_id: Option<String>,
}

/// Requests a handle to a node in a world. The handle belongs to a group.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResolveNode<'a> {
    pub(crate) backend_node_id: i64,
    /// The world to which the handle belongs; the page's own if `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) execution_context_id: Option<i64>,
    pub(crate) object_group: &'a str,
}
command!(ResolveNode<'_> = "DOM.resolveNode" => ResolvedNode);

#[derive(Debug, Deserialize)]
pub(crate) struct ResolvedNode {
    pub(crate) object: RemoteObject,
}

/// Requests the element of a frame.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GetFrameOwner<'a> {
    pub(crate) frame_id: &'a str,
}
command!(GetFrameOwner<'_> = "DOM.getFrameOwner" => FrameOwner);

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrameOwner {
    pub(crate) backend_node_id: i64,
}

/// Requests the position of an element. It is refused for an element that is not shown.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GetBoxModel {
    pub(crate) backend_node_id: i64,
}
command!(GetBoxModel = "DOM.getBoxModel" => BoxModel);

#[derive(Debug, Deserialize)]
pub(crate) struct BoxModel {
    pub(crate) model: Boxes,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Boxes {
    /// The corners of the content, clockwise from the top left one.
    pub(crate) content: [f64; 8],
}

/// Begins the tracking of styles. The command below needs it.
#[derive(Debug, Serialize)]
pub(crate) struct EnableCss {}
command!(EnableCss = "CSS.enable" => Done);

/// Requests the fonts with which a node is drawn.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GetPlatformFonts {
    pub(crate) node_id: i64,
}
command!(GetPlatformFonts = "CSS.getPlatformFontsForNode" => PlatformFonts);

#[derive(Debug, Deserialize)]
pub(crate) struct PlatformFonts {
    pub(crate) fonts: Vec<PlatformFont>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PlatformFont {
    pub(crate) family_name: String,
    pub(crate) glyph_count: f64,
}
