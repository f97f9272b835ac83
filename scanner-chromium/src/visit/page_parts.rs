//! The parts of a page: the responses that it was made from, as the browser reports them, and whether it was made from
//! nothing else (decision 0062).
//!
//! A page that was made from anything that can't be asked for again alone is not remembered: its outcome may change while
//! its parts stay.

use std::{collections::HashMap, time::Duration};

use httpdate::parse_http_date;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::{
    cdp::events::{LoadingFailed, Request, RequestWillBeSent, Response},
    guard::REFUSAL_MARK,
    platform,
};

/// The greatest number of parts of a page that is remembered.
const MAX_PARTS: usize = 400;
/// The greatest number of bytes of a part, decoded.
const MAX_LENGTH: u64 = 8 * 1024 * 1024;
/// The greatest number of characters of an address, and of a validator.
const MAX_URL: usize = 2_000;
const MAX_VALIDATOR: usize = 200;
/// The number of redirects in a row that are remembered.
const MAX_REDIRECTS: u32 = 5;
/// The least age of a part at its response for which its `Last-Modified` is a strong validator (RFC 9110 §8.8.2.2).
const MODIFIED_BEFORE: Duration = Duration::from_secs(60);

/// The browser's name for the error of a request that was cancelled by the page, or because the page was left.
const ABORTED: &str = "net::ERR_ABORTED";

/// The headers of requests that a browser sets by itself, in lower case.
const USUAL_HEADERS: [&str; 17] = [
    "accept",
    "accept-encoding",
    "accept-language",
    "cache-control",
    "connection",
    "host",
    "if-modified-since",
    "if-none-match",
    "origin",
    "pragma",
    "priority",
    "purpose",
    "range",
    "referer",
    "save-data",
    "upgrade-insecure-requests",
    "user-agent",
];
/// The headers of requests that `Vary` may name without making a validator useless: our client sends them as the
/// browser does.
const SAME_HEADERS: [&str; 5] = ["accept", "accept-encoding", "accept-language", "origin", "user-agent"];
/// The headers of a document that a browser acts on, in lower case.
const ACTED_ON: [&str; 18] = [
    "accept-ch",
    "clear-site-data",
    "content-disposition",
    "content-language",
    "content-security-policy",
    "content-type",
    "cross-origin-embedder-policy",
    "cross-origin-opener-policy",
    "document-policy",
    "feature-policy",
    "link",
    "origin-agent-cluster",
    "permissions-policy",
    "referrer-policy",
    "refresh",
    "speculation-rules",
    "x-content-type-options",
    "x-frame-options",
];

/// One response that a page was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PagePart {
    /// The address, without fragment.
    pub(crate) url: String,
    pub(crate) kind: PartKind,
    /// The `Origin` with which it was requested, if any.
    pub(crate) origin: Option<String>,
    pub(crate) status: u16,
    /// The target of a redirect, as it was sent.
    pub(crate) leads_to: Option<String>,
    /// The number of bytes of its body, decoded; `None` if the browser had it from an earlier page, and for a redirect.
    pub(crate) length: Option<u64>,
    pub(crate) proof: Proof,
    /// For a document, the hash of the headers that a browser acts on.
    pub(crate) headers: Option<[u8; 32]>,
}

/// The purpose of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum PartKind {
    Document,
    Style,
    Script,
    Image,
    Font,
    /// A response that a script requested and reads (`fetch`, `XMLHttpRequest`).
    Data,
    Other,
}

/// The property of a part that proves, when its address is requested again, that it has not changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Proof {
    /// Its `ETag`.
    Tag(String),
    /// Its `Last-Modified`.
    Modified(String),
    /// Its body alone, or, for a redirect, its target.
    Body,
    /// The status says that the part does not exist. The body in its place is not used.
    Missing,
    /// No server can be reached for it. This counts only if our own client can't reach one either.
    Unreachable,
}

/// The reason why a page can't be remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// A request that is no GET, or has a body.
    Method,
    /// A request with headers that scripts have set.
    Headers,
    /// A stream of any kind.
    Stream,
    /// A worker or a worklet, whose requests nobody reports.
    Worker,
    /// A part that failed for a reason other than that it does not exist, or whose status says that it is not complete.
    Failed,
    /// A part that had not arrived when the page was examined.
    Unfinished,
    /// More parts, or larger ones, or longer addresses, than are remembered.
    TooMuch,
    /// A document that replaced another one.
    LedOn,
}

/// The record of one page, from the request for its document on.
#[derive(Debug, Default)]
pub(super) struct PageParts {
    parts: Vec<PagePart>,
    under_way: HashMap<String, UnderWay>,
    obstacle: Option<Obstacle>,
}

/// A part that has not arrived.
#[derive(Debug)]
struct UnderWay {
    url: String,
    kind: PartKind,
    origin: Option<String>,
    redirects: u32,
    length: u64,
    is_cached: bool,
    head: Option<Head>,
}

/// The head of a response, as far as it counts.
#[derive(Debug)]
struct Head {
    status: u16,
    proof: Proof,
    headers: Option<[u8; 32]>,
}

impl PageParts {
    /// Notes a request that is sent, or redirected.
    pub(super) fn sent(&mut self, sent: &RequestWillBeSent) {
        if self.obstacle.is_some() {
            return;
        }
        let RequestWillBeSent { request_id, kind, request, redirect_response, .. } = sent;
        let before = self.under_way.remove(request_id);
        let redirects = match (before, redirect_response) {
            (Some(before), Some(response)) => {
                let redirects = before.redirects + 1;
                self.redirected(before, response);
                redirects
            }
            _ => 0,
        };
        match Self::asked(kind, request) {
            Ok(Some((kind, url, origin))) if redirects <= MAX_REDIRECTS => {
                let part = UnderWay { url, kind, origin, redirects, length: 0, is_cached: false, head: None };
                self.under_way.insert(request_id.clone(), part);
                if self.under_way.len() + self.parts.len() > MAX_PARTS {
                    self.meet(Obstacle::TooMuch);
                }
            }
            Ok(Some(_)) => self.meet(Obstacle::TooMuch),
            Ok(None) => {}
            Err(obstacle) => self.meet(obstacle),
        }
    }

    /// Returns the kind, address and origin of a request; `None` if the page is not made from its response.
    ///
    /// # Errors
    /// Returns the obstacle if the response can't be requested again alone.
    fn asked(kind: &str, request: &Request) -> Result<Option<(PartKind, String, Option<String>)>, Obstacle> {
        let kind = match kind {
            "Document" => PartKind::Document,
            "Stylesheet" => PartKind::Style,
            "Script" => PartKind::Script,
            "Image" => PartKind::Image,
            "Font" => PartKind::Font,
            "XHR" | "Fetch" => PartKind::Data,
            "EventSource" | "WebSocket" => return Err(Obstacle::Stream),
            // No page reads what comes back.
            "Ping" | "CSPViolationReport" | "Preflight" | "Prefetch" => return Ok(None),
            _ => PartKind::Other,
        };
        let url = request.url.split('#').next().unwrap_or_default();
        if !url.starts_with("http:") && !url.starts_with("https:") {
            // `data:` and `blob:` come from other parts.
            return Ok(None);
        }
        if request.method != "GET" || request.has_post_data {
            return Err(Obstacle::Method);
        }
        let is_usual =
            |name: &str| USUAL_HEADERS.contains(&name) || name.starts_with("sec-") || name.starts_with("x-client-data");
        if request.headers.keys().any(|name| !is_usual(&name.to_ascii_lowercase())) {
            return Err(Obstacle::Headers);
        }
        if url.len() > MAX_URL {
            return Err(Obstacle::TooMuch);
        }
        let origin = header(&request.headers, "origin").map(str::to_owned);
        Ok(Some((kind, url.to_owned(), origin)))
    }

    fn redirected(&mut self, part: UnderWay, response: &Response) {
        // The browser knows by itself that the site wants HTTPS: nothing was sent.
        if header(&response.headers, "non-authoritative-reason").is_some() {
            return;
        }
        let target = header(&response.headers, "location").filter(|target| target.len() <= MAX_URL);
        let status = u16::try_from(response.status).unwrap_or(0);
        let (Some(target), 301 | 302 | 303 | 307 | 308) = (target, status) else {
            return self.meet(Obstacle::Failed);
        };
        let UnderWay { url, kind, origin, .. } = part;
        let leads_to = Some(target.to_owned());
        self.parts.push(PagePart {
            url,
            kind,
            origin,
            status,
            leads_to,
            length: None,
            proof: Proof::Body,
            headers: None,
        });
    }

    /// Notes the head of a response.
    pub(super) fn answered(&mut self, id: &str, response: &Response) {
        let Some(part) = self.under_way.get_mut(id) else { return };
        let status = u16::try_from(response.status).unwrap_or(0);
        if response.mime_type == "text/event-stream" {
            return self.meet(Obstacle::Stream);
        }
        // Only the guard can have set this header: it removes the header from responses of sites.
        let is_refused = part.url.starts_with("http:") && header(&response.headers, REFUSAL_MARK).is_some();
        if is_refused && part.kind != PartKind::Document {
            part.head = Some(Head { status: 0, proof: Proof::Unreachable, headers: None });
            return;
        }
        // The browser had the part from an earlier page, and the site has confirmed it.
        let is_confirmed = status == 304;
        let status = if is_confirmed { 200 } else { status };
        let is_missing = matches!(status, 404 | 410) && is_nothing(part.kind, &response.mime_type);
        if !is_missing && !matches!(status, 200 | 203 | 204) {
            return self.meet(Obstacle::Failed);
        }
        let is_document = part.kind == PartKind::Document;
        let proof = match part.kind {
            _ if is_missing => Proof::Missing,
            // A response without a body (304) need not repeat headers that have changed, which matter for documents.
            // Most responses to scripts are made for each request.
            PartKind::Document | PartKind::Data => Proof::Body,
            PartKind::Style | PartKind::Script | PartKind::Image | PartKind::Font | PartKind::Other => {
                proof(&response.headers)
            }
        };
        let headers = is_document.then(|| hash_of_headers(texts(&response.headers)));
        part.is_cached |= response.from_disk_cache || is_confirmed;
        part.head = Some(Head { status, proof, headers });
    }

    /// Notes that the browser has the response from an earlier page.
    pub(super) fn cached(&mut self, id: &str) {
        if let Some(part) = self.under_way.get_mut(id) {
            part.is_cached = true;
        }
    }

    /// Notes bytes of a body, decoded.
    pub(super) fn received(&mut self, id: &str, bytes: u64) {
        let Some(part) = self.under_way.get_mut(id) else { return };
        part.length = part.length.saturating_add(bytes);
        if part.length > MAX_LENGTH {
            self.meet(Obstacle::TooMuch);
        }
    }

    /// Notes the end of a response.
    pub(super) fn finished(&mut self, id: &str) {
        let Some(UnderWay { url, kind, origin, length, is_cached, head, .. }) = self.under_way.remove(id) else {
            return;
        };
        let length = (!is_cached).then_some(length);
        let Some(Head { status, proof, headers }) = head else { return self.meet(Obstacle::Failed) };
        self.parts.push(PagePart { url, kind, origin, status, leads_to: None, length, proof, headers });
    }

    /// Notes that no response, or no more of it, will arrive.
    pub(super) fn failed(&mut self, failed: &LoadingFailed) {
        let Some(UnderWay { url, kind, origin, head, .. }) = self.under_way.remove(&failed.request_id) else { return };
        let is_blocked = failed.blocked_reason.is_some();
        let may_be_unreachable = !is_blocked && failed.error_text != ABORTED;
        let (status, proof) = match head {
            // The browser does not read the body that is sent in place of a part.
            Some(Head { status, proof: proof @ (Proof::Missing | Proof::Unreachable), .. }) => (status, proof),
            // Our own client finds out whether it is unreachable.
            None if may_be_unreachable => (0, Proof::Unreachable),
            // A request that the page's own policy forbids is never sent, and the policy is among the page's other
            // parts.
            _ if matches!(failed.blocked_reason.as_deref(), Some("csp" | "mixed-content")) => return,
            _ => return self.meet(Obstacle::Failed),
        };
        self.parts.push(PagePart { url, kind, origin, status, leads_to: None, length: None, proof, headers: None });
    }

    /// Notes something that keeps the page from being remembered. The first such thing counts.
    pub(super) fn meet(&mut self, obstacle: Obstacle) {
        self.obstacle.get_or_insert(obstacle);
        self.parts.clear();
        self.under_way.clear();
    }

    /// Returns the parts of the page, in the order in which they arrived, or the reason why it can't be remembered.
    pub(super) fn close(&self) -> Result<Vec<PagePart>, Obstacle> {
        match self.obstacle {
            Some(obstacle) => Err(obstacle),
            None if !self.under_way.is_empty() => Err(Obstacle::Unfinished),
            None => Ok(self.parts.clone()),
        }
    }
}

/// Returns whether a browser ignores the body of a response whose status is 404 or 410. It shows pictures whatever
/// their status is, so a picture is ignored only if the body is a text. Other parts are never ignored, since a script
/// or a frame may read the body.
fn is_nothing(kind: PartKind, mime_type: &str) -> bool {
    match kind {
        PartKind::Style | PartKind::Script | PartKind::Font => true,
        PartKind::Image => mime_type.starts_with("text/") || mime_type == "application/json",
        PartKind::Document | PartKind::Data | PartKind::Other => false,
    }
}

/// Returns the proof with which a response with these headers is recognised: its validator, or its body if it has none
/// that can be used.
fn proof(headers: &Map<String, Value>) -> Proof {
    let is_kept =
        header(headers, "cache-control").is_none_or(|control| !control.to_ascii_lowercase().contains("no-store"));
    let varies = header(headers, "vary").unwrap_or_default();
    let names = varies.split([',', '\n']).map(|name| name.trim().to_ascii_lowercase()).filter(|name| !name.is_empty());
    let mut others = names.filter(|name| !SAME_HEADERS.contains(&name.as_str()) && !name.starts_with("sec-fetch-"));
    if !is_kept || others.next().is_some() {
        return Proof::Body;
    }
    let short = |name: &str| header(headers, name).filter(|value| !value.is_empty() && value.len() <= MAX_VALIDATOR);
    if let Some(tag) = short("etag") {
        return Proof::Tag(tag.to_owned());
    }
    let instant = |text: &str| parse_http_date(text).ok();
    match (short("last-modified"), short("date").and_then(instant)) {
        (Some(modified), Some(date)) if instant(modified).is_some_and(|instant| instant + MODIFIED_BEFORE <= date) => {
            Proof::Modified(modified.to_owned())
        }
        _ => Proof::Body,
    }
}

/// Returns the hash of a document's headers, as far as a browser acts on them or platforms are recognised by them. The
/// names may be in any case and order.
pub(crate) fn hash_of_headers<'a>(headers: impl Iterator<Item = (&'a str, &'a str)>) -> [u8; 32] {
    let counts = |name: &str| ACTED_ON.contains(&name) || platform::reads_header(name);
    let named = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.trim()));
    let mut counted: Vec<(String, &str)> = named.filter(|(name, _)| counts(name)).collect();
    counted.sort_unstable();
    let mut hasher = Sha256::new();
    for (name, value) in counted {
        // Several headers of one name are joined by browsers with line breaks, and by others with commas.
        hasher.update(format!("{name}: {}\n", value.replace('\n', ", ")));
    }
    hasher.finalize().into()
}

fn texts(headers: &Map<String, Value>) -> impl Iterator<Item = (&str, &str)> {
    headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
}

/// Returns the value of a header, by its name in lower case.
fn header<'a>(headers: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    texts(headers).find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PAGE: &str = "https://a.example/";

    /// The record of a page whose document has arrived.
    struct Page(PageParts);

    impl Page {
        fn new() -> Self {
            let mut page = Self(PageParts::default());
            page.ask("doc", "Document", json!({ "url": PAGE }));
            page.answer("doc", json!({ "content-type": "text/html", "etag": "\"1\"" }), 10);
            page
        }

        fn ask(&mut self, id: &str, kind: &str, request: Value) {
            self.send(id, kind, request, None);
        }

        fn send(&mut self, id: &str, kind: &str, mut request: Value, redirect: Option<Value>) {
            let fields = request.as_object_mut().unwrap();
            fields.entry("method").or_insert(json!("GET"));
            let sent = json!({ "requestId": id, "type": kind, "request": request, "redirectResponse": redirect });
            self.0.sent(&serde_json::from_value(sent).unwrap());
        }

        fn head(&mut self, id: &str, status: i64, headers: Value) {
            let response = json!({ "status": status, "headers": headers });
            self.0.answered(id, &serde_json::from_value(response).unwrap());
        }

        fn answer(&mut self, id: &str, headers: Value, bytes: u64) {
            self.head(id, 200, headers);
            self.0.received(id, bytes);
            self.0.finished(id);
        }

        /// Returns the obstacle after a request like this, answered with these headers.
        fn with(kind: &str, request: Value, headers: Value) -> Result<Vec<PagePart>, Obstacle> {
            let mut page = Self::new();
            page.ask("1", kind, request);
            page.answer("1", headers, 5);
            page.0.close()
        }
    }

    fn proof_of(headers: Value) -> Proof {
        let parts = Page::with("Script", json!({ "url": "https://a.example/a.js" }), headers).unwrap();
        parts[1].proof.clone()
    }

    #[test]
    fn the_parts_of_a_page_are_those_that_arrived_with_what_tells_them_from_later_ones() {
        let mut page = Page::new();
        let font = json!({ "url": "https://b.example/f.woff2#x", "headers": { "Origin": "https://a.example" } });
        page.ask("1", "Font", font);
        page.ask("2", "Image", json!({ "url": "data:image/png;base64,AA" }));
        page.answer("1", json!({ "ETag": "W/\"2\"" }), 7);
        let parts = page.0.close().unwrap();
        assert_eq!(parts.len(), 2);
        assert_eq!((parts[0].url.as_str(), parts[0].kind, &parts[0].proof), (PAGE, PartKind::Document, &Proof::Body));
        assert!(parts[0].headers.is_some() && parts[1].headers.is_none());
        assert_eq!((parts[1].url.as_str(), parts[1].length), ("https://b.example/f.woff2", Some(7)));
        assert_eq!(parts[1].origin.as_deref(), Some("https://a.example"));
        assert_eq!(parts[1].proof, Proof::Tag("W/\"2\"".to_owned()));
    }

    #[test]
    fn a_redirect_is_a_part_of_its_own() {
        let mut page = Page::new();
        page.ask("1", "Script", json!({ "url": "https://a.example/a.js" }));
        let moved = json!({ "status": 302, "headers": { "Location": "/b.js" } });
        page.send("1", "Script", json!({ "url": "https://a.example/b.js" }), Some(moved));
        page.answer("1", json!({}), 5);
        let parts = page.0.close().unwrap();
        let shown: Vec<_> = parts[1..].iter().map(|part| (part.status, part.leads_to.as_deref())).collect();
        assert_eq!(shown, [(302, Some("/b.js")), (200, None)]);
        let mut page = Page::new();
        page.ask("1", "Script", json!({ "url": "http://a.example/a.js" }));
        let of_browser = json!({ "status": 307, "headers": { "Non-Authoritative-Reason": "HSTS", "Location": "x" } });
        page.send("1", "Script", json!({ "url": "https://a.example/a.js" }), Some(of_browser));
        page.answer("1", json!({}), 5);
        assert_eq!(page.0.close().unwrap().len(), 2, "nothing was sent for it");
        let mut page = Page::new();
        page.ask("1", "Script", json!({ "url": "https://a.example/0" }));
        for step in 1..=MAX_REDIRECTS + 1 {
            let moved = json!({ "status": 302, "headers": { "location": "next" } });
            page.send("1", "Script", json!({ "url": format!("https://a.example/{step}") }), Some(moved));
        }
        assert_eq!(page.0.close(), Err(Obstacle::TooMuch));
    }

    #[test]
    fn what_can_not_be_asked_for_again_alone_keeps_a_page_from_being_remembered() {
        let url = "https://a.example/x";
        let none = || json!({});
        for (kind, request, headers, obstacle) in [
            ("Fetch", json!({ "url": url, "method": "POST" }), none(), Obstacle::Method),
            ("Fetch", json!({ "url": url, "method": "HEAD" }), none(), Obstacle::Method),
            ("Fetch", json!({ "url": url, "headers": { "RSC": "1" } }), none(), Obstacle::Headers),
            ("XHR", json!({ "url": url, "headers": { "Authorization": "x" } }), none(), Obstacle::Headers),
            ("EventSource", json!({ "url": url }), none(), Obstacle::Stream),
            ("Image", json!({ "url": format!("{url}?{}", "a".repeat(MAX_URL)) }), none(), Obstacle::TooMuch),
        ] {
            assert_eq!(Page::with(kind, request.clone(), headers), Err(obstacle), "{kind} {request}");
        }
        for kind in ["Ping", "CSPViolationReport", "Preflight"] {
            let parts = Page::with(kind, json!({ "url": url, "method": "POST", "hasPostData": true }), none());
            assert_eq!(parts.map(|parts| parts.len()), Ok(1), "{kind}");
        }
    }

    #[test]
    fn a_part_that_failed_is_not_whole_or_not_there_keeps_a_page_from_being_remembered() {
        let image = || json!({ "url": "https://a.example/x.png" });
        for status in [206, 404, 500, 99_999] {
            let mut page = Page::new();
            page.ask("1", "Image", image());
            page.head("1", status, json!({}));
            page.0.finished("1");
            assert_eq!(page.0.close(), Err(Obstacle::Failed), "{status}");
        }
        let mut page = Page::new();
        page.ask("1", "Image", image());
        assert_eq!(page.0.close(), Err(Obstacle::Unfinished));
        page.0.received("1", MAX_LENGTH);
        assert_eq!(page.0.close(), Err(Obstacle::Unfinished));
        page.0.received("1", 1);
        assert_eq!(page.0.close(), Err(Obstacle::TooMuch));
        for (reason, expected) in
            [(None, Err(Obstacle::Failed)), (Some("csp"), Ok(1)), (Some("inspector"), Err(Obstacle::Failed))]
        {
            let mut page = Page::new();
            page.ask("1", "Image", image());
            let failed = json!({ "requestId": "1", "blockedReason": reason, "errorText": ABORTED });
            page.0.failed(&serde_json::from_value(failed).unwrap());
            assert_eq!(page.0.close().map(|parts| parts.len()), expected, "{reason:?}");
        }
        let mut page = Page::new();
        for number in 0..MAX_PARTS {
            page.ask(&number.to_string(), "Image", image());
        }
        assert_eq!(page.0.close(), Err(Obstacle::TooMuch));
    }

    #[test]
    fn a_part_that_is_not_there_or_not_reached_is_remembered_as_that_where_nothing_comes_in_its_place() {
        let after = |kind: &str, status: i64, mime_type: &str| {
            let mut page = Page::new();
            page.ask("1", kind, json!({ "url": "https://a.example/x" }));
            let response = json!({ "status": status, "headers": { "etag": "\"1\"" }, "mimeType": mime_type });
            page.0.answered("1", &serde_json::from_value(response).unwrap());
            page.0.received("1", 5);
            page.0.finished("1");
            page.0.close().map(|parts| (parts[1].status, parts[1].proof.clone()))
        };
        for kind in ["Stylesheet", "Script", "Font", "Image"] {
            assert_eq!(after(kind, 404, "text/html"), Ok((404, Proof::Missing)), "{kind}");
        }
        for (kind, status, mime_type) in [
            ("Image", 404, "image/png"),
            ("Fetch", 404, "application/json"),
            ("Document", 404, "text/html"),
            ("Script", 500, "text/html"),
            ("Script", 403, "text/html"),
        ] {
            assert_eq!(after(kind, status, mime_type), Err(Obstacle::Failed), "{kind} {status}");
        }
        let failed = |kind: &str, error: &str, has_head: bool| {
            let mut page = Page::new();
            page.ask("1", kind, json!({ "url": "https://b.example/x" }));
            if has_head {
                page.head("1", 200, json!({}));
            }
            page.0.failed(&serde_json::from_value(json!({ "requestId": "1", "errorText": error })).unwrap());
            page.0.close().map(|parts| (parts[1].status, parts[1].proof.clone()))
        };
        let gone = "net::ERR_NAME_NOT_RESOLVED";
        assert_eq!(failed("Font", gone, false), Ok((0, Proof::Unreachable)));
        assert_eq!(failed("Font", gone, true), Err(Obstacle::Failed), "it broke off");
        assert_eq!(failed("Document", gone, false), Ok((0, Proof::Unreachable)), "a frame that shows nothing");
        assert_eq!(failed("Document", gone, true), Err(Obstacle::Failed), "a frame that shows a part of something");
        assert_eq!(failed("Font", ABORTED, false), Err(Obstacle::Failed), "the page has stopped it");
        let mut page = Page::new();
        page.ask("1", "Image", json!({ "url": "http://b.example/x" }));
        page.head("1", 403, json!({ REFUSAL_MARK: "1" }));
        page.0.failed(&serde_json::from_value(json!({ "requestId": "1", "errorText": ABORTED })).unwrap());
        let parts = page.0.close().unwrap();
        assert_eq!((parts[1].status, &parts[1].proof), (0, &Proof::Unreachable), "the guard refuses it");
    }

    #[test]
    fn a_validator_counts_where_nothing_says_that_the_response_is_of_its_request_alone() {
        let tag = Proof::Tag("\"1\"".to_owned());
        assert_eq!(proof_of(json!({ "etag": "\"1\"", "vary": "Accept-Encoding, Origin,Sec-Fetch-Dest" })), tag);
        assert_eq!(proof_of(json!({ "etag": "\"1\"", "cache-control": "public, no-cache" })), tag);
        for of_one in [
            json!({ "etag": "\"1\"", "vary": "Accept-Encoding, Cookie" }),
            json!({ "etag": "\"1\"", "vary": "*" }),
            json!({ "etag": "\"1\"", "cache-control": "private, No-Store" }),
            json!({ "etag": "x".repeat(MAX_VALIDATOR + 1) }),
            json!({}),
        ] {
            assert_eq!(proof_of(of_one.clone()), Proof::Body, "{of_one}");
        }
        let modified = "Sun, 06 Nov 1994 08:49:37 GMT";
        let dated = |date: &str| proof_of(json!({ "last-modified": modified, "date": date }));
        assert_eq!(dated("Sun, 06 Nov 1994 08:50:37 GMT"), Proof::Modified(modified.to_owned()));
        assert_eq!(dated("Sun, 06 Nov 1994 08:50:36 GMT"), Proof::Body, "it may change within the second");
        assert_eq!(dated("today"), Proof::Body);
    }

    #[test]
    fn headers_that_a_browser_acts_on_make_another_document_and_others_do_not() {
        let hash = |headers: &[(&'static str, &'static str)]| hash_of_headers(headers.iter().copied());
        let usual = hash(&[("Content-Type", "text/html"), ("Date", "now"), ("ETag", "\"1\"")]);
        assert_eq!(usual, hash(&[("x-request-id", "7"), ("content-type", "text/html ")]));
        for other in ["Content-Security-Policy", "Refresh", "Link", "X-Shopid"] {
            assert_ne!(usual, hash(&[("Content-Type", "text/html"), (other, "x")]), "{other}");
        }
        let both = [("link", "a"), ("link", "b")];
        assert_ne!(hash(&both), hash(&both[..1]));
    }
}
