//! The state of a page while it loads, from the events of the browser.

use std::sync::Arc;

use serde_json::{Map, Value};
use tokio::{sync::watch, time::Instant};
use url::Url;

use super::{
    page_parts::{Obstacle, PageParts},
    requests::{Ending, Requests},
    scope::Scope,
    unresponsive::Unresponsive,
};
use crate::{
    RequestHeaders,
    cdp::{
        Event, EventSink, Reaction, SessionEnd,
        commands::{ContinueRequest, DisableFetch, ErrorReason, FailRequest, HandleJavaScriptDialog},
        events::{
            DataReceived, DialogOpening, FrameNavigated, FrameStoppedLoading, LifecycleEvent, LoadingFailed,
            LoadingFinished, NavigatedFrame, RequestPaused, RequestServedFromCache, RequestWillBeSent,
            ResponseReceived, WebSocketCreated, WebSocketFrameSent, WebTransportCreated, WindowOpen,
        },
    },
    guard::REFUSAL_MARK,
    probes::Media,
};

/// The number of headers of a response that are kept, and the greatest length of their names and values.
const MAX_HEADERS: usize = 100;
const MAX_HEADER: usize = 2_000;

/// A sink that keeps [`PageState`] up to date.
#[derive(Debug)]
pub(super) struct PageEvents(watch::Sender<PageState>);

/// The state of the page in the tab, as of the latest event.
#[derive(Debug, Default)]
pub(super) struct PageState {
    main_frame: String,
    /// The navigation in progress; `None` at rest.
    navigation: Option<Navigation>,
    /// The request of the navigation, redirects included.
    own_request: Option<String>,
    /// True if it had a response other than a redirect.
    own_has_come: bool,
    /// True if what is paused from here on only gets its headers.
    is_released: bool,
    /// The address outside of the navigation's way to which the main frame tried to go. It was not shown.
    pub(super) led_away: Option<LedAway>,
    /// The id of the document that is shown; its request has the same id.
    pub(super) loader: String,
    /// The address of the document that is shown, without fragment.
    pub(super) url: String,
    /// The address that failed, if the browser shows its own error page instead.
    pub(super) unreachable: Option<String>,
    /// True if the document was parsed to its end, and its own scripts have run.
    pub(super) parsed: bool,
    /// The instant at which its `load` event fired, or the browser stopped loading it without one.
    pub(super) loaded: Option<Instant>,
    /// The latest address that the main frame requested, redirects included.
    pub(super) requested: String,
    /// The request of a document that will replace the one that is shown.
    pub(super) navigating: Option<String>,
    /// The latest response to a request of the main frame; not always that of the document that is shown.
    pub(super) response: Option<DocumentResponse>,
    /// The response that became the document that is shown.
    pub(super) document: Option<DocumentResponse>,
    /// The number of documents that the main frame has shown.
    pub(super) documents: u32,
    /// The number of dialogs that the page has opened.
    pub(super) dialogs: u32,
    /// The requests of the document.
    pub(super) requests: Requests,
    /// The state of pressing the page's controls.
    presses: Presses,
    /// The responses that the page was made from, from the request for its document on.
    pub(super) parts: PageParts,
    /// The fact whether it has received a response for a media player.
    pub(super) media: Media,
    /// The bytes of all responses, decoded.
    pub(super) bytes: u64,
    /// The bytes of the document, decoded.
    pub(super) document_bytes: u64,
    /// True if all of the document has arrived.
    pub(super) is_document_whole: bool,
    /// The reason why there will be no more events.
    pub(super) end: Option<SessionEnd>,
}

/// The state of pressing a page's controls (decision 0063).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Presses {
    /// No controls are pressed, so the page may do what it likes.
    #[default]
    Unwatched,
    /// Controls are pressed, and the page has done no more than open something so far.
    Watched,
    /// The page has requested a document, or tried to send something, to open a window or to ask a question.
    Left,
}

/// The document that the main frame is asked to load.
#[derive(Debug)]
pub(super) struct Navigation {
    url: Url,
    /// The addresses through which it may get there.
    way: Arc<dyn Scope>,
    /// The requests without a response on other pages.
    unresponsive: Arc<Unresponsive>,
    /// The headers that requests to one site have in addition. Where there are any, every request is paused before it is sent, for as
    /// long as the page is open.
    headers: Option<Arc<RequestHeaders>>,
}

impl Navigation {
    pub(super) fn new(mut url: Url, way: Arc<dyn Scope>, unresponsive: Arc<Unresponsive>) -> Self {
        // The fragment is not part of requests.
        url.set_fragment(None);
        Self { url, way, unresponsive, headers: None }
    }

    pub(super) fn with_headers(self, headers: Option<Arc<RequestHeaders>>) -> Self {
        Self { headers, ..self }
    }
}

/// The address to which the main frame tried to go.
#[derive(Debug)]
pub(super) struct LedAway {
    pub(super) to: Url,
    /// True if the site's response to the request redirected there; false if a page did it.
    pub(super) is_redirect: bool,
}

/// The head of a response that became a document, or was meant to.
#[derive(Debug, Clone)]
pub(super) struct DocumentResponse {
    pub(super) loader: String,
    pub(super) url: String,
    pub(super) status: u16,
    pub(super) mime: String,
    /// The headers, with names in lower case; at most [`MAX_HEADERS`], without the longest.
    pub(super) headers: Vec<(String, String)>,
    /// True if the response is the guard's own, in place of the site's.
    pub(super) is_refusal: bool,
}

impl DocumentResponse {
    /// Returns the value of a header, by its name in lower case.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl PageEvents {
    pub(super) fn new() -> Self {
        Self(watch::Sender::default())
    }

    /// Discards the state of the previous page, for the next navigation. Without one, the main frame is expected to
    /// request nothing.
    pub(super) fn reset(&self, main_frame: &str, navigation: Option<Navigation>) {
        self.0.send_modify(|state| {
            *state =
                PageState { main_frame: main_frame.to_owned(), navigation, end: state.end, ..PageState::default() };
        });
    }

    /// Waits until `condition` holds; returns at once if it already does.
    pub(super) async fn until(&self, condition: impl FnMut(&PageState) -> bool) {
        // The borrow of the state must not outlive this line: it would block the task that delivers the events. An
        // error would mean that the sender was dropped, but `self` holds it.
        drop(self.0.subscribe().wait_for(condition).await);
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<PageState> {
        self.0.subscribe()
    }

    /// Gives up requests that have been waited for long enough; `give_up` decides which.
    pub(super) fn give_up<T: Default>(&self, give_up: impl FnOnce(&mut Requests, &Unresponsive) -> T) -> T {
        let mut outcome = T::default();
        self.0.send_modify(|state| {
            if let Some(navigation) = &state.navigation {
                outcome = give_up(&mut state.requests, &navigation.unresponsive);
            }
        });
        outcome
    }

    /// Refuses, until the next page, each document that the page requests and each request whose method is neither
    /// `GET` nor `HEAD`, and notes it for [`PageState::has_left`].
    pub(super) fn watch_presses(&self) {
        self.0.send_modify(|state| state.presses = Presses::Watched);
    }

    /// Returns the headers of the document that is shown.
    pub(super) fn headers(&self) -> Vec<(String, String)> {
        self.peek(|state| state.document.as_ref().map(|document| document.headers.clone())).unwrap_or_default()
    }

    /// Reads a value from the present state.
    pub(super) fn peek<T>(&self, look: impl FnOnce(&PageState) -> T) -> T {
        look(&self.0.borrow())
    }
}

impl EventSink for PageEvents {
    fn event(&self, event: Event<'_>) -> Option<Reaction> {
        if self.peek(|state| state.is_more_than_opening(event)) {
            self.0.send_modify(|state| state.presses = Presses::Left);
            if let Some(paused) = event.read::<RequestPaused>() {
                let request_id = &paused.request_id;
                return Some(Reaction::with(FailRequest { request_id, error_reason: ErrorReason::Aborted }));
            }
        }
        if let Some(DialogOpening { kind }) = event.read() {
            self.0.send_modify(|state| state.dialogs += 1);
            // Leaving a page is always right; every other dialog is dismissed.
            return Some(Reaction::with(HandleJavaScriptDialog { accept: kind == "beforeunload" }));
        }
        if let Some(paused) = event.read::<RequestPaused>() {
            if paused.resource_type != "Document" {
                return Some(self.peek(|state| state.go_on(&paused)));
            }
            self.0.send_if_modified(|state| state.document_is_wanted(&paused));
            return Some(self.peek(|state| state.steer(&paused)));
        }
        self.0.send_if_modified(|state| state.apply(event));
        None
    }

    fn ended(&self, end: SessionEnd) {
        self.0.send_modify(|state| state.end = Some(end));
    }
}

impl PageState {
    /// Applies an event, and returns whether anything has changed that may be waited for.
    fn apply(&mut self, event: Event<'_>) -> bool {
        if let Some(sent) = event.read() {
            self.request_starts(&sent);
        } else if let Some(received) = event.read() {
            self.response_arrives(received);
        } else if let Some(DataReceived { request_id, data_length }) = event.read() {
            self.bytes += data_length;
            self.parts.received(&request_id, data_length);
            if self.is_of_response(&request_id) {
                self.document_bytes += data_length;
            }
        } else if let Some(LoadingFinished { request_id }) = event.read() {
            self.requests.end(&request_id, Ending::Own, Instant::now());
            self.parts.finished(&request_id);
            self.is_document_whole |= self.is_of_response(&request_id);
        } else if let Some(failed) = event.read::<LoadingFailed>() {
            self.requests.end(&failed.request_id, Ending::of(&failed), Instant::now());
            self.parts.failed(&failed);
            if self.navigating.as_ref() == Some(&failed.request_id) {
                self.navigating = None;
            }
        } else if let Some(FrameNavigated { frame }) = event.read() {
            return self.document_arrives(frame);
        } else if let Some(LifecycleEvent { frame_id, loader_id, name }) = event.read() {
            if frame_id != self.main_frame || loader_id != self.loader {
                return false;
            }
            match name.as_str() {
                "DOMContentLoaded" => self.parsed = true,
                "load" => self.load(),
                _ => return false,
            }
        } else if let Some(FrameStoppedLoading { frame_id }) = event.read() {
            // A document that leads to another application or to a download while it loads gets no `load` event.
            if frame_id != self.main_frame || self.loader.is_empty() || self.navigating.is_some() {
                return false;
            }
            self.load();
        } else if let Some(RequestServedFromCache { request_id }) = event.read() {
            self.parts.cached(&request_id);
            return false;
        } else if event.read::<WebSocketCreated>().is_some() || event.read::<WebTransportCreated>().is_some() {
            if self.documents > 0 {
                self.parts.meet(Obstacle::Stream);
            }
            return false;
        } else {
            return false;
        }
        true
    }

    /// Returns whether pressing a control has done more than open something.
    pub(super) fn has_left(&self) -> bool {
        self.presses == Presses::Left
    }

    /// Returns whether an event says that pressing a control does more than open something: it asks for a document, sends something, opens a
    /// window or asks a question.
    fn is_more_than_opening(&self, event: Event<'_>) -> bool {
        if self.presses == Presses::Unwatched {
            return false;
        }
        if let Some(paused) = event.read::<RequestPaused>() {
            let is_question = matches!(paused.request.method.as_str(), "GET" | "HEAD");
            return paused.resource_type == "Document" || !is_question;
        }
        let is_window = event.read::<WindowOpen>().is_some();
        is_window || event.read::<WebSocketFrameSent>().is_some() || event.read::<DialogOpening>().is_some()
    }

    fn document_is_wanted(&mut self, paused: &RequestPaused) -> bool {
        let Some(navigation) = &self.navigation else { return false };
        let url = Url::parse(&paused.request.url);
        let is_first = paused.redirected_request_id.is_none() && !is_answer(paused);
        if paused.frame_id == self.main_frame && is_first && url.is_ok_and(|url| url == navigation.url) {
            self.own_request.clone_from(&paused.network_id);
        }
        let has_own_come = self.is_own(paused) && is_final_answer(paused);
        self.own_has_come |= has_own_come;
        self.is_released |= has_own_come && navigation.headers.is_some() && !navigation.way.judges_every_document();
        let Some(to) = self.leads_away(paused) else { return false };
        self.led_away = Some(LedAway { to, is_redirect: self.is_own(paused) });
        true
    }

    /// Returns the reaction to a document that is about to be requested, or whose response has arrived.
    fn steer(&self, paused: &RequestPaused) -> Reaction {
        let request_id = paused.request_id.as_str();
        if self.leads_away(paused).is_some() {
            // The page that is shown stays: any other reason would bring up an error page.
            return Reaction::with(FailRequest { request_id, error_reason: ErrorReason::Aborted });
        }
        let stays = |navigation: &Navigation| navigation.way.judges_every_document() || navigation.headers.is_some();
        let is_judged_on = self.navigation.as_ref().is_some_and(stays);
        if self.is_own(paused) && is_final_answer(paused) && !is_judged_on {
            // This also releases the document, before it requests anything: while documents are paused, everything else
            // that a page loads takes a detour through the browser, at a millisecond each.
            return Reaction::with(DisableFetch {});
        }
        self.go_on(paused)
    }

    /// Returns the reaction that lets a request go on, with the headers of its site.
    fn go_on(&self, paused: &RequestPaused) -> Reaction {
        let headers = self.navigation.as_ref().and_then(|navigation| navigation.headers.as_ref());
        let headers = headers.filter(|_| !is_answer(paused)).and_then(|headers| headers.instead(&paused.request));
        Reaction::with(ContinueRequest { request_id: &paused.request_id, headers: headers.as_deref() })
    }

    /// Returns the address off the way of the visit to which the main frame would go. What frames show is part of the
    /// page, wherever it comes from.
    ///
    /// Until the document has arrived, this is decided before an address is requested. After that it is decided by the
    /// response, since a page may offer a file from anywhere.
    fn leads_away(&self, paused: &RequestPaused) -> Option<Url> {
        if paused.frame_id != self.main_frame || self.is_released {
            return None;
        }
        let url = Url::parse(&paused.request.url).ok()?;
        if is_answer(paused) && (!self.own_has_come || self.is_own(paused) || !may_be_shown(paused)) {
            return None;
        }
        // The scope is asked each time, so that the guard knows every host of the site before a connection to it.
        let is_away = self.navigation.as_ref().is_none_or(|navigation| !navigation.way.contains(&url));
        (is_away && (is_answer(paused) || !self.own_has_come)).then_some(url)
    }

    fn is_own(&self, paused: &RequestPaused) -> bool {
        self.own_request.is_some() && paused.network_id == self.own_request
    }

    /// Returns whether the visit may not end at `url`.
    pub(super) fn is_off_the_way(&self, url: &Url) -> bool {
        self.navigation.as_ref().is_some_and(|navigation| !navigation.way.contains(url))
    }

    fn request_starts(&mut self, sent: &RequestWillBeSent) {
        // Until the document is there, anything else is of the page before, which is still open.
        if self.documents > 0 || sent.kind == "Document" && sent.frame_id == self.main_frame {
            self.parts.sent(sent);
        }
        if sent.kind == "Document" && sent.frame_id == self.main_frame {
            self.navigating = Some(sent.request_id.clone());
            self.requested.clone_from(&sent.request.url);
            self.document_bytes = 0;
            self.is_document_whole = false;
            return;
        }
        if let Some(navigation) = &self.navigation {
            self.requests.start(sent, Instant::now(), &navigation.unresponsive);
        }
    }

    fn load(&mut self) {
        self.loaded.get_or_insert_with(Instant::now);
        self.parsed = true;
        self.requests.load();
    }

    fn response_arrives(&mut self, received: ResponseReceived) {
        let ResponseReceived { request_id, kind, frame_id, response } = received;
        self.requests.answer(&request_id, &response.mime_type);
        self.parts.answered(&request_id, &response);
        if kind == "Media" {
            self.media = Media::Received;
        }
        if kind == "Document" && frame_id == self.main_frame {
            // The guard removes the mark from what sites send over plain HTTP; over TLS it could not, but it does not
            // respond there either.
            let is_refusal = response.url.starts_with("http:")
                && response.headers.keys().any(|name| name.eq_ignore_ascii_case(REFUSAL_MARK));
            self.response = Some(DocumentResponse {
                loader: request_id,
                status: u16::try_from(response.status).unwrap_or(0),
                mime: response.mime_type,
                headers: headers(&response.headers),
                url: response.url,
                is_refusal,
            });
            self.adopt_response();
        }
    }

    /// Returns whether a request is that of the latest response to the main frame.
    fn is_of_response(&self, request: &str) -> bool {
        self.response.as_ref().is_some_and(|response| response.loader == request)
    }

    /// Assigns its response to the document that is shown, whichever becomes known first.
    fn adopt_response(&mut self) {
        if let Some(response) = self.response.as_ref().filter(|response| response.loader == self.loader) {
            self.document = Some(response.clone());
        }
    }

    fn document_arrives(&mut self, frame: NavigatedFrame) -> bool {
        if frame.id != self.main_frame {
            return false;
        }
        self.loader = frame.loader_id;
        self.url = frame.url;
        self.unreachable = frame.unreachable_url;
        self.document = None;
        self.adopt_response();
        self.parsed = false;
        self.loaded = None;
        // A late document, of the previous page, does not end the navigation to the next.
        if self.navigating.as_ref() == Some(&self.loader) {
            self.navigating = None;
        }
        self.documents += 1;
        if self.documents > 1 {
            self.parts.meet(Obstacle::LedOn);
        }
        self.requests = Requests::default();
        true
    }
}

/// Returns whether a request was paused at its response, not before it is sent.
const fn is_answer(paused: &RequestPaused) -> bool {
    paused.response_status_code.is_some() || paused.response_error_reason.is_some()
}

/// Returns whether it was paused at a response other than a redirect.
fn is_final_answer(paused: &RequestPaused) -> bool {
    is_answer(paused) && !paused.response_status_code.is_some_and(|status| (300..400).contains(&status))
}

/// Returns whether the browser may show the response as a document that runs scripts. Any other is a file, which it
/// stores or which runs none.
fn may_be_shown(paused: &RequestPaused) -> bool {
    let header = |name: &str| {
        let found = paused.response_headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
        found.map(|header| header.value.trim().to_ascii_lowercase()).unwrap_or_default()
    };
    let kind = header("content-type");
    // Without a type the browser guesses one.
    let runs_scripts = kind.is_empty() || ["html", "xml", "multipart"].iter().any(|part| kind.contains(part));
    is_final_answer(paused) && runs_scripts && !header("content-disposition").starts_with("attachment")
}

fn headers(headers: &Map<String, Value>) -> Vec<(String, String)> {
    headers
        .iter()
        .filter_map(|(name, value)| Some((name.to_ascii_lowercase(), value.as_str()?)))
        .filter(|(name, value)| name.len() <= MAX_HEADER && value.len() <= MAX_HEADER)
        .take(MAX_HEADERS)
        .map(|(name, value)| (name, value.to_owned()))
        .collect()
}
