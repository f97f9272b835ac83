//! The events of the protocol that are in use, each with the part of it that is read.
//!
//! A missing field has its default: a page must not be able to decide whether an event is noticed.

use std::fmt;

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value};

/// An event of a session, or of the browser.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Event<'a> {
    /// The name of the event, including its domain.
    pub(crate) method: &'a str,
    pub(super) params: &'a Value,
}

/// The part that is read of one kind of event.
pub(crate) trait EventKind: DeserializeOwned {
    /// The name of the event, including its domain.
    const METHOD: &'static str;
}

impl Event<'_> {
    /// Reads the event, if it is of this kind; `None` if it is not, or if it has an unexpected shape.
    pub(crate) fn read<E: EventKind>(&self) -> Option<E> {
        if self.method != E::METHOD {
            return None;
        }
        E::deserialize(self.params)
            .inspect_err(|error| tracing::debug!(%error, event = E::METHOD, "an event has another shape than expected"))
            .ok()
    }
}

/// Implements [`EventKind`] for a struct: `event!(LifecycleEvent = "Page.lifecycleEvent")`.
macro_rules! event {
    ($event:ty = $method:literal) => {
        impl EventKind for $event {
            const METHOD: &'static str = $method;
        }
    };
}

/// A window or a tab has been opened, by us or by a page, or a worker or a worklet has begun.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct TargetCreated {
    pub(crate) target_info: TargetInfo,
}
event!(TargetCreated = "Target.targetCreated");

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct TargetInfo {
    pub(crate) target_id: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// The page that opened it.
    pub(crate) opener_id: Option<String>,
    /// The context to which it belongs.
    pub(crate) browser_context_id: Option<String>,
}

/// The process of a tab has died. The status says how.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TargetCrashed {
    pub(crate) target_id: String,
    pub(crate) status: String,
}
event!(TargetCrashed = "Target.targetCrashed");

/// A session has ended.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DetachedFromTarget {
    pub(crate) session_id: String,
}
event!(DetachedFromTarget = "Target.detachedFromTarget");

/// The process of the session's tab has died.
#[derive(Debug, Deserialize)]
pub(crate) struct InspectorTargetCrashed {}
event!(InspectorTargetCrashed = "Inspector.targetCrashed");

/// A request is about to be sent, or is redirected.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct RequestWillBeSent {
    pub(crate) request_id: String,
    /// The purpose of the request: `Document`, `Fetch`, `Image`, …
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) frame_id: String,
    pub(crate) request: Request,
    /// The response that redirected it, if one did.
    pub(crate) redirect_response: Option<Response>,
}
event!(RequestWillBeSent = "Network.requestWillBeSent");

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) url: String,
    pub(crate) has_post_data: bool,
    pub(crate) post_data: Option<String>,
    /// The parts of the body, if it was uploaded in parts.
    pub(crate) post_data_entries: Value,
    /// The headers that are known before it is sent. Some of them may be secrets.
    pub(crate) headers: Map<String, Value>,
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request").field("method", &self.method).field("url", &self.url).finish_non_exhaustive()
    }
}

/// The same event as [`RequestWillBeSent`], of which only the id is read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestStarts {
    pub(crate) request_id: String,
}
event!(RequestStarts = "Network.requestWillBeSent");

/// The head of a response has arrived.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ResponseReceived {
    pub(crate) request_id: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) frame_id: String,
    pub(crate) response: Response,
}
event!(ResponseReceived = "Network.responseReceived");

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Response {
    pub(crate) url: String,
    /// The number that the site sent, which may be any.
    pub(crate) status: i64,
    pub(crate) mime_type: String,
    pub(crate) headers: Map<String, Value>,
    pub(crate) from_disk_cache: bool,
}

/// The browser has the response in its memory: it reports the head again, and not the body.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct RequestServedFromCache {
    pub(crate) request_id: String,
}
event!(RequestServedFromCache = "Network.requestServedFromCache");

/// A page has opened a WebSocket.
#[derive(Debug, Deserialize)]
pub(crate) struct WebSocketCreated {}
event!(WebSocketCreated = "Network.webSocketCreated");

/// A page has opened a session of WebTransport.
#[derive(Debug, Deserialize)]
pub(crate) struct WebTransportCreated {}
event!(WebTransportCreated = "Network.webTransportCreated");

/// A part of a response has arrived.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct DataReceived {
    pub(crate) request_id: String,
    /// The number of bytes, decoded.
    pub(crate) data_length: u64,
}
event!(DataReceived = "Network.dataReceived");

/// A response has arrived completely.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct LoadingFinished {
    pub(crate) request_id: String,
}
event!(LoadingFinished = "Network.loadingFinished");

/// No response will arrive, or no more of it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct LoadingFailed {
    pub(crate) request_id: String,
    /// The reason why the browser did not send it.
    pub(crate) blocked_reason: Option<String>,
    /// The browser's name for what went wrong, such as `net::ERR_NAME_NOT_RESOLVED`.
    pub(crate) error_text: String,
}
event!(LoadingFailed = "Network.loadingFailed");

/// A request was paused, before it is sent or at its response.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct RequestPaused {
    pub(crate) request_id: String,
    /// Its id in the events of the network.
    pub(crate) network_id: Option<String>,
    pub(crate) frame_id: String,
    pub(crate) request: PausedRequest,
    /// The browser's name for the purpose of the request: `Document`, `Script`, …
    pub(crate) resource_type: String,
    /// The request that was redirected to this one, if there was one.
    pub(crate) redirected_request_id: Option<String>,
    pub(crate) response_error_reason: Option<String>,
    pub(crate) response_status_code: Option<i64>,
    pub(crate) response_headers: Vec<Header>,
}
event!(RequestPaused = "Fetch.requestPaused");

/// The request itself.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct PausedRequest {
    pub(crate) url: String,
    pub(crate) method: String,
    /// Some of them may be secrets.
    pub(crate) headers: Map<String, Value>,
}

impl fmt::Debug for PausedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PausedRequest").field("url", &self.url).finish_non_exhaustive()
    }
}

impl PausedRequest {
    /// Returns the headers, those that are no texts left out.
    pub(crate) fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Header {
    pub(crate) name: String,
    pub(crate) value: String,
}

/// A frame shows a new document.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct FrameNavigated {
    pub(crate) frame: NavigatedFrame,
}
event!(FrameNavigated = "Page.frameNavigated");

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct NavigatedFrame {
    pub(crate) id: String,
    pub(crate) loader_id: String,
    pub(crate) url: String,
    /// The address that failed, if the browser shows its own error page instead.
    pub(crate) unreachable_url: Option<String>,
}

/// A document has reached a stage of its life.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct LifecycleEvent {
    pub(crate) frame_id: String,
    pub(crate) loader_id: String,
    /// The stage: `DOMContentLoaded`, `load`, …
    pub(crate) name: String,
}
event!(LifecycleEvent = "Page.lifecycleEvent");

/// The browser has stopped loading a frame, with or without a `load` event.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct FrameStoppedLoading {
    pub(crate) frame_id: String,
}
event!(FrameStoppedLoading = "Page.frameStoppedLoading");

/// A page opens a window.
#[derive(Debug, Deserialize)]
pub(crate) struct WindowOpen {}
event!(WindowOpen = "Page.windowOpen");

/// A page sends something over a socket.
#[derive(Debug, Deserialize)]
pub(crate) struct WebSocketFrameSent {}
event!(WebSocketFrameSent = "Network.webSocketFrameSent");

/// A page has opened a dialog, and waits for an answer.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct DialogOpening {
    #[serde(rename = "type")]
    pub(crate) kind: String,
}
event!(DialogOpening = "Page.javascriptDialogOpening");

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_event_is_read_whatever_it_lacks_and_never_as_another() {
        let params =
            json!({ "requestId": "1.2", "newer": "field", "request": { "url": "/a", "postDataEntries": [{}] } });
        let event = Event { method: "Network.requestWillBeSent", params: &params };
        let sent: RequestWillBeSent = event.read().unwrap();
        assert_eq!((sent.request_id.as_str(), sent.kind.as_str(), sent.request.url.as_str()), ("1.2", "", "/a"));
        assert!(sent.redirect_response.is_none() && !sent.request.has_post_data && sent.request.post_data.is_none());
        assert_eq!(sent.request.post_data_entries, json!([{}]));
        assert!(event.read::<ResponseReceived>().is_none());
        let event = Event { method: "Network.dataReceived", params: &json!({ "dataLength": "many" }) };
        assert!(event.read::<DataReceived>().is_none(), "another shape");
    }

    #[test]
    fn a_site_may_send_any_status() {
        let params = json!({ "responseStatusCode": 99_999, "responseHeaders": [{ "name": "a", "value": "b" }] });
        let paused: RequestPaused = Event { method: "Fetch.requestPaused", params: &params }.read().unwrap();
        assert_eq!((paused.response_status_code, paused.response_headers.len()), (Some(99_999), 1));
    }
}
