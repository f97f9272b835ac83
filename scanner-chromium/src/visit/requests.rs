//! The requests of a document: which of them a check waits for, and for how long.
//!
//! Pages are built from what scripts fetch, so these responses are waited for, and the next request that they may lead
//! to. Other parts of a page change little of what axe-core finds, and get less time. Requests that can't end or lead
//! to nothing are not waited for at all: streams, beacons, polling, and those without a response on a page before.

use std::collections::HashMap;

use tokio::time::{Duration, Instant};

use super::{
    repetitions::Repetitions,
    unresponsive::{Asked, Sentence, Unresponsive},
};
use crate::cdp::events::{LoadingFailed, RequestWillBeSent};

/// The silence after which the network counts as quiet.
pub(super) const QUIET: Duration = Duration::from_millis(100);
/// The same while something is under way that is no longer waited for, and after a response to a script: one request
/// often leads to the next, and a response is not always drawn at once.
pub(super) const QUIET_BUSY: Duration = Duration::from_millis(500);

/// The time after the page's load for which one response to a script is waited for.
const ONE_ANSWER: Duration = Duration::from_secs(6);
/// The time for which any other part of a page is waited for.
const ONE_PART: Duration = Duration::from_secs(2);
/// The time after the page's load for which all those parts are waited for.
const ALL_PARTS: Duration = Duration::from_secs(5);

/// The number of requests that are followed at a time. A page with more is busy either way.
const MAX_IN_FLIGHT: usize = 4_000;
/// The number of addresses without a response that are named.
const MAX_NAMED: usize = 20;

/// The known requests of the document that is shown.
#[derive(Debug, Default)]
pub(super) struct Requests {
    in_flight: HashMap<String, InFlight>,
    repetitions: Repetitions,
    /// The instant at which any request last started or ended.
    last: Option<Instant>,
    /// The same for requests that a script waits for.
    last_data: Option<Instant>,
    /// True if the document has loaded: what scripts load after that, they need.
    has_loaded: bool,
    /// The addresses that were failed at once.
    failed: Vec<String>,
}

/// A request under way.
#[derive(Debug)]
struct InFlight {
    asked: Asked,
    resource: Resource,
    started: Instant,
    /// True if the head of a response has arrived.
    is_answered: bool,
    /// True if it is no longer waited for.
    is_given_up: bool,
}

/// The purpose of a request, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Resource {
    /// Data that a script requests with `fetch` or `XMLHttpRequest`.
    Data,
    Script,
    /// Style sheets and fonts: the page is not drawn without them.
    Style,
    /// Sound and video, which arrive in pieces. They are waited for as long as `load` does.
    Media,
    Other,
}

impl Resource {
    /// Returns the purpose of a kind of requests; `None` for those that show nothing and block nothing.
    fn of(kind: &str) -> Option<Self> {
        Some(match kind {
            "EventSource" | "Ping" | "Prefetch" | "Preflight" | "CSPViolationReport" => return None,
            "XHR" | "Fetch" => Self::Data,
            "Script" => Self::Script,
            "Stylesheet" | "Font" => Self::Style,
            "Media" => Self::Media,
            _ => Self::Other,
        })
    }

    /// Returns whether a page may be built from it after the load: its own scripts have ended by then.
    const fn is_data(self) -> bool {
        matches!(self, Self::Data | Self::Script)
    }
}

impl Requests {
    /// Notes a request that starts, or is redirected.
    pub(super) fn start(&mut self, sent: &RequestWillBeSent, now: Instant, unresponsive: &Unresponsive) {
        let Some(resource) = Resource::of(&sent.kind) else { return };
        if sent.redirect_response.is_some() {
            self.pass(resource, now);
            return;
        }
        let asked = Asked::of(&sent.request);
        if resource == Resource::Data && !self.repetitions.is_step(&sent.request, asked.key, now) {
            return;
        }
        let is_given_up = unresponsive.knows(&asked);
        if !is_given_up {
            self.pass(resource, now);
        }
        if self.in_flight.len() < MAX_IN_FLIGHT {
            let request = InFlight { asked, resource, started: now, is_answered: false, is_given_up };
            self.in_flight.insert(sent.request_id.clone(), request);
        }
    }

    /// Notes the head of a response.
    pub(super) fn answer(&mut self, id: &str, mime: &str) {
        if mime == "text/event-stream" {
            self.in_flight.remove(id);
        } else if let Some(request) = self.in_flight.get_mut(id) {
            request.is_answered = true;
        }
    }

    /// Notes the end of a request, successful or not.
    pub(super) fn end(&mut self, id: &str, ending: Ending, now: Instant) {
        let Some(request) = self.in_flight.remove(id) else { return };
        self.repetitions.end(request.asked.key, now);
        if ending == Ending::Blocked && self.failed.len() < MAX_NAMED {
            self.failed.push(request.asked.url);
        }
        if !request.is_given_up {
            self.pass(request.resource, now);
        }
    }

    /// Notes the document's load.
    pub(super) const fn load(&mut self) {
        self.has_loaded = true;
    }

    /// Returns the first instant at which the network will have been quiet for long enough if nothing happens until
    /// then. The document has loaded at `origin`, and is waited for until `limit`. After a response to a script,
    /// silence has to last for `after_data`.
    pub(super) fn quiet_from(&self, origin: Instant, limit: Instant, after_data: Duration) -> Instant {
        let parts =
            self.waited_for().filter(|request| !request.resource.is_data() && request.resource != Resource::Media);
        let parts: Vec<_> = parts.map(|request| request.started + ONE_PART).collect();
        let is_idle = self.in_flight.values().all(|request| request.resource == Resource::Media);
        let window = if is_idle { QUIET } else { QUIET_BUSY };
        let last = self.last.map(|last| last + window);
        let parts = parts.into_iter().chain(last).max().map(|instant| instant.min(origin + ALL_PARTS));
        parts.into_iter().chain([self.data_quiet_from(origin, after_data).min(limit)]).max().unwrap_or(origin)
    }

    /// Returns whether scripts wait for a response, or got one a moment ago.
    pub(super) fn is_busy(&self, origin: Instant, now: Instant) -> bool {
        self.data_quiet_from(origin, QUIET_BUSY) > now
    }

    /// Returns whether scripts have requested anything.
    pub(super) const fn is_scripted(&self) -> bool {
        self.last_data.is_some()
    }

    /// Returns the instant since which all that keeps the document from loading is known to have no response.
    pub(super) fn held_up_since(&self) -> Option<Instant> {
        let blocking = || self.in_flight.values().filter(|request| request.resource != Resource::Data);
        let since = blocking().map(|request| request.started).max()?;
        blocking().all(|request| request.is_given_up).then(|| self.last.map_or(since, |last| last.max(since)))
    }

    /// Gives up the requests that started before `instant` and have not ended, because the document's time to load is
    /// up. Returns those that hold it up; on other pages of the scan they fail at once.
    pub(super) fn give_up_loading(
        &mut self,
        instant: Instant,
        document: Document,
        known: &Unresponsive,
    ) -> Option<HoldUp> {
        let late = |request: &InFlight| request.started <= instant && !request.is_given_up;
        let holds_up = |request: &InFlight| matches!(request.resource, Resource::Script | Resource::Style);
        let is_held_up = self.in_flight.values().any(|request| late(request) && holds_up(request));
        // If nothing else does, a synchronous request of a script keeps a document from going on.
        let by_data = document == Document::Stuck && !is_held_up;
        let mut hold_up: Option<HoldUp> = None;
        for request in self.in_flight.values_mut().filter(|request| late(request)) {
            request.is_given_up = true;
            let fails = holds_up(request) || by_data && request.resource == Resource::Data;
            let is_new = known.note(&request.asked, if fails { Sentence::Failed } else { Sentence::NotWaitedFor });
            if fails {
                let HoldUp { url, is_news } =
                    hold_up.take().unwrap_or_else(|| HoldUp { url: request.asked.url.clone(), is_news: false });
                let url = url.min(request.asked.url.clone());
                hold_up = Some(HoldUp { url, is_news: is_news || is_new });
            }
        }
        hold_up
    }

    /// Gives up the responses to scripts that have been waited for long enough.
    pub(super) fn give_up_answers(&mut self, origin: Instant, now: Instant, known: &Unresponsive) {
        let waited_for =
            self.in_flight.values_mut().filter(|request| !request.is_given_up && request.resource.is_data());
        for request in waited_for.filter(|request| request.started.max(origin) + ONE_ANSWER <= now) {
            request.is_given_up = true;
            known.note(&request.asked, Sentence::NotWaitedFor);
        }
    }

    /// Returns the addresses of requests without a response that were given up or failed at once, in alphabetical
    /// order.
    pub(super) fn unanswered(&self) -> Vec<&str> {
        // A response to a script, or of sound or video, that has begun may be a stream.
        let streams =
            |request: &InFlight| request.is_answered && matches!(request.resource, Resource::Data | Resource::Media);
        let silent = self.in_flight.values().filter(|request| request.is_given_up && !streams(request));
        let silent = silent.map(|request| request.asked.url.as_str());
        let mut addresses: Vec<&str> = silent.chain(self.failed.iter().map(String::as_str)).collect();
        addresses.sort_unstable();
        addresses.dedup();
        addresses.truncate(MAX_NAMED);
        addresses
    }

    fn waited_for(&self) -> impl Iterator<Item = &InFlight> {
        self.in_flight.values().filter(|request| !request.is_given_up)
    }

    fn data_quiet_from(&self, origin: Instant, after_data: Duration) -> Instant {
        let data = self.waited_for().filter(|request| request.resource.is_data());
        let answers = data.map(|request| request.started.max(origin) + ONE_ANSWER);
        answers.chain(self.last_data.map(|last| last + after_data)).max().unwrap_or(origin)
    }

    fn pass(&mut self, resource: Resource, now: Instant) {
        self.last = Some(now);
        if resource == Resource::Data || self.has_loaded && resource == Resource::Script {
            self.last_data = Some(now);
        }
    }
}

/// The end of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// It ended by itself, with a response or without one.
    Own,
    /// The tab failed it at once, as configured by `Network.setBlockedURLs`.
    Blocked,
}

impl Ending {
    /// Returns the ending of a request that failed.
    pub(super) fn of(failed: &LoadingFailed) -> Self {
        if failed.blocked_reason.as_deref() == Some("inspector") { Self::Blocked } else { Self::Own }
    }
}

/// The state of a document when its time to load is up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Document {
    /// It is complete; parts of the page are missing.
    Parsed,
    /// The browser does not go on with it.
    Stuck,
}

/// The requests that hold up a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HoldUp {
    /// One of their addresses.
    pub(super) url: String,
    /// True if any of them was not known to have no response.
    pub(super) is_news: bool,
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const FOREVER: Duration = Duration::from_secs(1_000);

    /// The requests of a page that loads when it begins, with times in milliseconds from there.
    struct Page {
        requests: Requests,
        origin: Instant,
        known: Unresponsive,
    }

    impl Page {
        fn new() -> Self {
            let mut requests = Requests::default();
            requests.load();
            Self { requests, origin: Instant::now(), known: Unresponsive::default() }
        }

        fn at(&self, millis: u64) -> Instant {
            self.origin + Duration::from_millis(millis)
        }

        fn start(&mut self, id: &str, kind: &str, url: &str, at: u64) {
            self.ask(id, json!({ "type": kind, "request": { "method": "GET", "url": url } }), at);
        }

        fn post(&mut self, id: &str, body: &str, at: u64) {
            let request = json!({ "method": "POST", "url": "/graphql", "hasPostData": true, "postData": body });
            self.ask(id, json!({ "type": "Fetch", "request": request }), at);
        }

        fn ask(&mut self, id: &str, params: Value, at: u64) {
            let sent = RequestWillBeSent { request_id: id.to_owned(), ..serde_json::from_value(params).unwrap() };
            self.requests.start(&sent, self.at(at), &self.known);
        }

        fn end(&mut self, id: &str, at: u64) {
            self.requests.end(id, Ending::Own, self.at(at));
        }

        /// Returns the millisecond from which the page counts as quiet.
        fn quiet(&self) -> u128 {
            let instant = self.requests.quiet_from(self.origin, self.origin + FOREVER, QUIET_BUSY);
            instant.duration_since(self.origin).as_millis()
        }
    }

    #[test]
    fn silence_counts_from_the_end_of_an_answer_and_each_answer_has_six_seconds() {
        let mut page = Page::new();
        page.start("1", "Fetch", "/a", 100);
        assert_eq!(page.quiet(), 6_100);
        page.end("1", 2_000);
        assert_eq!(page.quiet(), 2_500);
        page.start("2", "XHR", "/b", 2_010);
        assert_eq!(page.quiet(), 8_010);
        page.start("3", "Image", "/c.png", 2_020);
        page.end("2", 2_100);
        assert_eq!(page.quiet(), 4_020, "an image has two seconds");
    }

    #[test]
    fn a_limit_ends_all_waiting_and_parts_that_are_no_data_have_their_own() {
        let mut page = Page::new();
        page.start("1", "Image", "/a.png", 4_900);
        assert_eq!(page.quiet(), 5_000);
        page.start("2", "Fetch", "/a", 8_000);
        let limit = page.at(12_000);
        assert_eq!(page.requests.quiet_from(page.origin, limit, QUIET_BUSY), limit);
        assert!(page.requests.is_busy(page.origin, limit));
    }

    #[test]
    fn streams_beacons_and_polling_are_not_waited_for() {
        let mut page = Page::new();
        page.start("1", "EventSource", "/events", 0);
        page.start("2", "Ping", "/beacon", 0);
        page.start("3", "Fetch", "/events", 0);
        page.requests.answer("3", "text/event-stream");
        assert!(page.quiet() <= 500);
        page.start("4", "Fetch", "/poll?_=1763800000001&x=1", 100);
        page.end("4", 200);
        for (id, at) in [("5", 1_200), ("6", 1_300)] {
            page.start(id, "Fetch", &format!("/poll?_=17638000{at:05}&x=1"), at);
        }
        assert_eq!(page.quiet(), 700, "that of the first");
        page.start("7", "Fetch", "/poll?_=1763800000001&x=2", 1_400);
        assert_eq!(page.quiet(), 7_400, "another one");
    }

    #[test]
    fn steps_that_ask_the_same_follow_at_once_and_are_few() {
        let mut page = Page::new();
        for step in 0..10 {
            page.start(&step.to_string(), "Fetch", "/next", 1_000 * step);
            page.end(&step.to_string(), 1_000 * step + 990);
        }
        assert_eq!(page.quiet(), 3_990 + 500, "after the fourth it polls");
    }

    #[test]
    fn calls_of_one_address_with_different_bodies_are_different_requests() {
        let mut page = Page::new();
        page.post("1", "{a}", 0);
        page.end("1", 900);
        page.post("2", "{b}", 2_000);
        assert_eq!(page.quiet(), 8_000);
        page.end("2", 2_100);
        page.post("3", "{a}", 4_000);
        assert_eq!(page.quiet(), 2_600, "that was asked before");
        for body in 0..50 {
            page.post(&format!("b{body}"), &body.to_string(), 5_000 + body);
            page.end(&format!("b{body}"), 5_000 + body);
        }
        assert_eq!(page.quiet(), 5_007 + 500, "ten of them are calls, and more are a stream of calls");
    }

    #[test]
    fn what_had_no_answer_is_named_and_not_waited_for_again() {
        let mut page = Page::new();
        page.start("1", "Fetch", "/slow", 0);
        page.start("2", "Fetch", "/stream", 0);
        page.requests.answer("2", "text/plain");
        page.requests.give_up_answers(page.origin, page.at(6_000), &page.known);
        assert_eq!(page.requests.unanswered(), ["/slow"]);
        assert!(page.quiet() <= 500);
        let known = std::mem::take(&mut page.known);
        let mut next = Page { known, ..Page::new() };
        next.start("1", "Fetch", "/slow", 0);
        next.start("2", "Fetch", "/other", 0);
        next.end("2", 10);
        assert_eq!(next.quiet(), 510);
        assert_eq!(next.requests.unanswered(), ["/slow"]);
    }

    #[test]
    fn a_document_that_all_but_what_hangs_has_reached_is_held_up_by_that_alone() {
        let mut page = Page::new();
        page.start("1", "Image", "/pixel.gif", 0);
        page.start("2", "Script", "/a.js", 100);
        assert_eq!(page.requests.held_up_since(), None);
        let hold_up = page.requests.give_up_loading(page.at(50), Document::Parsed, &page.known);
        assert_eq!(hold_up, None, "an image keeps no page from being drawn");
        page.end("2", 300);
        assert_eq!(page.requests.held_up_since(), Some(page.at(300)));
        assert_eq!(page.requests.unanswered(), ["/pixel.gif"]);
        assert!(page.known.blocked().is_empty());
    }

    #[test]
    fn a_script_that_a_document_waits_for_is_failed_from_then_on_and_named_where_it_is() {
        let mut page = Page::new();
        page.start("1", "Fetch", "/data", 0);
        page.start("2", "Script", "/t.js", 0);
        let hold_up = page.requests.give_up_loading(page.at(0), Document::Stuck, &page.known);
        assert_eq!(hold_up, Some(HoldUp { url: "/t.js".to_owned(), is_news: true }));
        assert_eq!(page.known.blocked(), ["/t.js"]);
        let mut next = Page { known: std::mem::take(&mut page.known), ..Page::new() };
        next.start("1", "Script", "/t.js", 0);
        let failed = LoadingFailed { blocked_reason: Some("inspector".to_owned()), ..LoadingFailed::default() };
        next.requests.end("1", Ending::of(&failed), next.at(1));
        assert_eq!(next.requests.unanswered(), ["/t.js"]);

        let mut page = Page::new();
        page.start("1", "XHR", "/synchronous", 0);
        assert!(page.requests.give_up_loading(page.at(0), Document::Stuck, &page.known).is_some());
        assert_eq!(page.known.blocked(), ["/synchronous"]);
    }
}
