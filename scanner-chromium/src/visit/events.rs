//! What the browser tells of a page while it loads.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::{sync::watch, time::Instant};
use url::Url;

use super::{requests::Requests, scope::Scope, unresponsive::Unresponsive};
use crate::{
    cdp::{EventSink, Reaction, SessionEnd},
    guard::REFUSAL_MARK,
};

/// Headers of an answer that are kept, and the longest name and value.
const MAX_HEADERS: usize = 100;
const MAX_HEADER: usize = 2_000;

/// Keeps [`PageState`] up to date.
#[derive(Debug)]
pub(super) struct PageEvents(watch::Sender<PageState>);

/// The page in the tab, as of the latest event.
#[derive(Debug, Default)]
pub(super) struct PageState {
    main_frame: String,
    /// What was asked for; at rest, nothing.
    errand: Option<Errand>,
    /// The request by which it was, redirects included.
    own_request: Option<String>,
    /// Where the main frame wanted to go off the errand's way. It was not asked for.
    pub(super) led_away: Option<LedAway>,
    /// The document that is shown; its request has the same id.
    pub(super) loader: String,
    /// The address of the document that is shown, without fragment.
    pub(super) url: String,
    /// The address in whose place the browser shows its own error page.
    pub(super) unreachable: Option<String>,
    /// Whether it has been read to its end, and its own scripts have run.
    pub(super) parsed: bool,
    /// When its `load` event fired, or the browser stopped to load it without one.
    pub(super) loaded: Option<Instant>,
    /// The latest address that the main frame asked for, redirects included.
    pub(super) requested: String,
    /// The request of a document that will replace the one that is shown.
    pub(super) navigating: Option<String>,
    /// The latest answer to a request of the main frame; not always of the document that is shown.
    pub(super) response: Option<DocumentResponse>,
    /// The answer that became the document that is shown.
    pub(super) document: Option<DocumentResponse>,
    /// Documents that the main frame has shown.
    pub(super) documents: u32,
    /// Dialogs that the page has opened.
    pub(super) dialogs: u32,
    /// What it has asked for.
    pub(super) requests: Requests,
    /// Bytes of all answers, decoded.
    pub(super) bytes: u64,
    /// Bytes of the document, decoded.
    pub(super) document_bytes: u64,
    /// Whether all of the document has come.
    pub(super) is_document_whole: bool,
    /// Why there will be no more events.
    pub(super) end: Option<SessionEnd>,
}

/// What the main frame is to show.
#[derive(Debug)]
pub(super) struct Errand {
    url: Url,
    /// By which addresses it may get there.
    way: Arc<dyn Scope>,
    /// What had no answer on other pages.
    unresponsive: Arc<Unresponsive>,
}

impl Errand {
    pub(super) fn new(mut url: Url, way: Arc<dyn Scope>, unresponsive: Arc<Unresponsive>) -> Self {
        // Nobody is told of it.
        url.set_fragment(None);
        Self { url, way, unresponsive }
    }
}

/// Where the main frame wanted to go.
#[derive(Debug)]
pub(super) struct LedAway {
    pub(super) to: Url,
    /// Whether that is the answer to what was asked for; else some page did it.
    pub(super) is_redirect: bool,
}

/// The head of an answer that became a document, or was meant to.
#[derive(Debug, Clone)]
pub(super) struct DocumentResponse {
    pub(super) loader: String,
    pub(super) url: String,
    pub(super) status: u16,
    pub(super) mime: String,
    /// Names in lower case; at most [`MAX_HEADERS`], without the longest.
    pub(super) headers: Vec<(String, String)>,
    /// Whether it is the guard that answers, in place of the site.
    pub(super) is_refusal: bool,
}

impl DocumentResponse {
    /// The value of a header; its name in lower case.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl PageEvents {
    pub(super) fn new() -> Self {
        Self(watch::Sender::default())
    }

    /// Forgets the previous page, for the next errand. Without one, the main frame asks for nothing.
    pub(super) fn reset(&self, main_frame: &str, errand: Option<Errand>) {
        self.0.send_modify(|state| {
            *state = PageState { main_frame: main_frame.to_owned(), errand, end: state.end, ..PageState::default() };
        });
    }

    /// Waits until `condition` holds; at once if it does already.
    pub(super) async fn until(&self, condition: impl FnMut(&PageState) -> bool) {
        // The borrow of the state must not outlive this line: it would lock out the task that brings the events. An
        // error means that the sender is gone, which `self` holds.
        drop(self.0.subscribe().wait_for(condition).await);
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<PageState> {
        self.0.subscribe()
    }

    /// Gives up requests that have been waited for long enough, by `give_up`.
    pub(super) fn give_up<T: Default>(&self, give_up: impl FnOnce(&mut Requests, &Unresponsive) -> T) -> T {
        let mut outcome = T::default();
        self.0.send_modify(|state| {
            if let Some(errand) = &state.errand {
                outcome = give_up(&mut state.requests, &errand.unresponsive);
            }
        });
        outcome
    }

    /// Returns the headers of the document that is shown.
    pub(super) fn headers(&self) -> Vec<(String, String)> {
        self.peek(|state| state.document.as_ref().map(|document| document.headers.clone())).unwrap_or_default()
    }

    /// A look at the present state.
    pub(super) fn peek<T>(&self, look: impl FnOnce(&PageState) -> T) -> T {
        look(&self.0.borrow())
    }
}

impl EventSink for PageEvents {
    fn event(&self, method: &str, params: &Value) -> Option<Reaction> {
        self.0.send_if_modified(|state| state.apply(method, params));
        match method {
            "Page.javascriptDialogOpening" => {
                // Leaving a page is always right; anything else that it asks gets the answer "no".
                let accept = params["type"] == "beforeunload";
                Some(Reaction { method: "Page.handleJavaScriptDialog", params: json!({ "accept": accept }) })
            }
            "Fetch.requestPaused" => Some(self.peek(|state| state.steer(params))),
            _ => None,
        }
    }

    fn ended(&self, end: SessionEnd) {
        self.0.send_modify(|state| state.end = Some(end));
    }
}

impl PageState {
    /// Whether anything changed that someone may wait for.
    fn apply(&mut self, method: &str, params: &Value) -> bool {
        let request = params["requestId"].as_str().unwrap_or_default();
        match method {
            "Network.requestWillBeSent" => self.request_starts(request, params),
            "Network.responseReceived" => self.response_arrives(request, params),
            "Network.dataReceived" => {
                let bytes = params["dataLength"].as_u64().unwrap_or(0);
                self.bytes += bytes;
                if self.response.as_ref().is_some_and(|response| response.loader == request) {
                    self.document_bytes += bytes;
                }
            }
            "Network.loadingFinished" => {
                self.requests.end(request, params, Instant::now());
                self.is_document_whole |= self.response.as_ref().is_some_and(|response| response.loader == request);
            }
            "Network.loadingFailed" => {
                self.requests.end(request, params, Instant::now());
                if self.navigating.as_deref() == Some(request) {
                    self.navigating = None;
                }
            }
            "Page.frameNavigated" if params["frame"]["id"] == self.main_frame.as_str() => self.document_arrives(params),
            "Page.lifecycleEvent"
                if params["frameId"] == self.main_frame.as_str() && params["loaderId"] == self.loader.as_str() =>
            {
                match params["name"].as_str() {
                    Some("DOMContentLoaded") => self.parsed = true,
                    Some("load") => self.load(),
                    _ => return false,
                }
            }
            // A document that leads to another application or to a download while it loads gets no `load` event.
            "Page.frameStoppedLoading"
                if params["frameId"] == self.main_frame.as_str()
                    && !self.loader.is_empty()
                    && self.navigating.is_none() =>
            {
                self.load();
            }
            "Page.javascriptDialogOpening" => self.dialogs += 1,
            "Fetch.requestPaused" => return self.document_is_wanted(params),
            _ => return false,
        }
        true
    }

    fn document_is_wanted(&mut self, params: &Value) -> bool {
        let request = params["networkId"].as_str();
        let Some(url) = self.wanted(params) else { return false };
        let Some(errand) = &self.errand else { return false };
        if url == errand.url && params["redirectedRequestId"].is_null() {
            self.own_request = request.map(str::to_owned);
        }
        let is_away = !errand.way.contains(&url);
        if is_away {
            self.led_away =
                Some(LedAway { to: url, is_redirect: request.is_some() && request == self.own_request.as_deref() });
        }
        is_away
    }

    /// What is to become of a document that is about to be asked for, or has just come.
    fn steer(&self, params: &Value) -> Reaction {
        let request = &params["requestId"];
        let is_away = |url: &Url| self.errand.as_ref().is_none_or(|errand| !errand.way.contains(url));
        if self.wanted(params).as_ref().is_some_and(is_away) {
            // The page that is shown stays: any other reason brings up an error page.
            let params = json!({ "requestId": request, "errorReason": "Aborted" });
            return Reaction { method: "Fetch.failRequest", params };
        }
        let is_redirect = params["responseStatusCode"].as_u64().is_some_and(|status| (300..400).contains(&status));
        let is_own = self.own_request.as_deref().is_some_and(|own| params["networkId"] == own);
        if is_own && is_answer(params) && !is_redirect {
            // It lets go of the document as well, before that asks for anything: for as long as documents are stopped, all else
            // that a page loads takes a detour through the browser, at a millisecond each.
            return Reaction { method: "Fetch.disable", params: json!({}) };
        }
        Reaction { method: "Fetch.continueRequest", params: json!({ "requestId": request }) }
    }

    /// Where the main frame is about to go. What frames show is part of the page, wherever it comes from.
    fn wanted(&self, params: &Value) -> Option<Url> {
        if params["frameId"] != self.main_frame.as_str() || is_answer(params) {
            return None;
        }
        Url::parse(params["request"]["url"].as_str()?).ok()
    }

    fn request_starts(&mut self, request: &str, params: &Value) {
        let kind = params["type"].as_str().unwrap_or_default();
        if kind == "Document" && params["frameId"] == self.main_frame.as_str() {
            self.navigating = Some(request.to_owned());
            self.requested = text(&params["request"]["url"]);
            self.document_bytes = 0;
            self.is_document_whole = false;
            return;
        }
        if let Some(errand) = &self.errand {
            self.requests.start(request, params, Instant::now(), &errand.unresponsive);
        }
    }

    fn load(&mut self) {
        self.loaded.get_or_insert_with(Instant::now);
        self.parsed = true;
        self.requests.load();
    }

    fn response_arrives(&mut self, request: &str, params: &Value) {
        let response = &params["response"];
        let mime = text(&response["mimeType"]);
        self.requests.answer(request, &mime);
        if params["type"] == "Document" && params["frameId"] == self.main_frame.as_str() {
            let status = response["status"].as_u64().and_then(|status| u16::try_from(status).ok()).unwrap_or(0);
            let url = text(&response["url"]);
            // The guard takes the mark from what sites send over plain HTTP; over TLS it could not, nor does it answer.
            let is_refusal = url.starts_with("http:")
                && response["headers"]
                    .as_object()
                    .is_some_and(|headers| headers.keys().any(|name| name.eq_ignore_ascii_case(REFUSAL_MARK)));
            let headers = headers(&response["headers"]);
            self.response =
                Some(DocumentResponse { loader: request.to_owned(), url, status, mime, headers, is_refusal });
            self.adopt_response();
        }
    }

    /// Gives the document that is shown its answer, whichever is heard of first.
    fn adopt_response(&mut self) {
        if let Some(response) = self.response.as_ref().filter(|response| response.loader == self.loader) {
            self.document = Some(response.clone());
        }
    }

    fn document_arrives(&mut self, params: &Value) {
        let frame = &params["frame"];
        self.loader = text(&frame["loaderId"]);
        self.url = text(&frame["url"]);
        self.unreachable = frame["unreachableUrl"].as_str().map(str::to_owned);
        self.document = None;
        self.adopt_response();
        self.parsed = false;
        self.loaded = None;
        // A document that comes late, of the previous page, does not end the way to the next.
        if self.navigating.as_ref() == Some(&self.loader) {
            self.navigating = None;
        }
        self.documents += 1;
        self.requests = Requests::default();
    }
}

/// Whether a request was stopped at its answer, not before it is sent.
fn is_answer(paused: &Value) -> bool {
    paused["responseStatusCode"].is_u64() || paused["responseErrorReason"].is_string()
}

fn headers(headers: &Value) -> Vec<(String, String)> {
    let headers = headers.as_object().into_iter().flatten();
    headers
        .filter_map(|(name, value)| Some((name.to_ascii_lowercase(), value.as_str()?)))
        .filter(|(name, value)| name.len() <= MAX_HEADER && value.len() <= MAX_HEADER)
        .take(MAX_HEADERS)
        .map(|(name, value)| (name, value.to_owned()))
        .collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
