//! The browser's own network stack, for sites that the crawler's client can't speak to.
//!
//! A blank tab navigates to the address, and the response is taken from the browser before it becomes a document:
//! nothing of it is shown and no script of it runs.

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use reqwest::{
    StatusCode,
    header::{HeaderMap, HeaderName, HeaderValue},
};
use tokio::{
    sync::{
        Mutex,
        mpsc::{self, error::TrySendError},
    },
    time::Instant,
};
use url::Url;

use super::answer::{Answer, FetchError, TIME};
use crate::{
    RequestHeaders,
    browser::{BrowserPool, Tab, TabSettings, Viewport},
    cdp::{
        CdpError, Command as _, Event, EventSink, Reaction, SessionEnd,
        commands::{
            CloseStream, ContinueRequest, EnableFetch, ErrorReason, FailRequest, Navigate, ReadStream, RequestPattern,
            RequestStage, SetUserAgent, StreamChunk, TakeResponseBodyAsStream,
        },
        events::{Header, RequestPaused},
    },
    guard::Guard,
    permits::Permits,
};

/// The number of responses that may wait to be read. One is requested at a time; a redirect that the browser makes by
/// itself is a second.
const PAUSED: usize = 16;
/// The number of bytes that are read at a time.
const CHUNK: usize = 64 * 1024;

/// A blank tab, opened when it is first needed.
#[derive(Debug)]
pub(super) struct BrowserClient<'a> {
    browsers: &'a BrowserPool,
    permits: &'a Permits,
    headers: Option<Arc<RequestHeaders>>,
    tab: Mutex<Option<BlankTab>>,
}

#[derive(Debug)]
struct BlankTab {
    tab: Tab,
    paused: mpsc::Receiver<RequestPaused>,
}

impl<'a> BrowserClient<'a> {
    pub(super) fn new(browsers: &'a BrowserPool, permits: &'a Permits, headers: Option<Arc<RequestHeaders>>) -> Self {
        Self { browsers, permits, headers, tab: Mutex::default() }
    }

    /// Requests one address and reads up to `max_bytes` of the response; follows no redirect. The time that it takes to
    /// open the tab on a busy machine does not count against the site: `deadline` is extended by it.
    pub(super) async fn ask(
        &self,
        url: &Url,
        max_bytes: usize,
        guard: &Guard,
        deadline: &mut Instant,
    ) -> Result<Answer, FetchError> {
        let before = Instant::now();
        // An open page, even a blank one, counts towards those that may be open.
        let _permit = self.permits.tab().await;
        let mut kept = self.tab.lock().await;
        let mut blank = match kept.take() {
            Some(blank) if blank.tab.browser().is_alive() => blank,
            _ => BlankTab::open(self.browsers, guard, self.headers.clone()).await?,
        };
        *deadline += before.elapsed();
        let answer = blank.ask(url, max_bytes, *deadline).await;
        // After any other error the state of the tab is not known, so it is closed.
        if matches!(answer, Ok(_) | Err(FetchError::Browser(_))) {
            *kept = Some(blank);
        }
        answer
    }
}

impl BlankTab {
    async fn open(
        browsers: &BrowserPool,
        guard: &Guard,
        headers: Option<Arc<RequestHeaders>>,
    ) -> Result<Self, FetchError> {
        let browser = browsers.replacement().await.map_err(|error| FetchError::NoBrowser(Box::new(error)))?;
        let user_agent = browsers.settings().agent.of_crawler();
        let settings = TabSettings { proxy: guard.address(), viewport: Viewport::DESKTOP };
        let (found, paused) = mpsc::channel(PAUSED);
        let has_headers = headers.is_some();
        // A separate task, so that the tab is closed again even if the caller stops waiting half-way.
        let opening = tokio::spawn(async move {
            let tab = Tab::open(browser, &settings, Arc::new(Answers { found, headers })).await?;
            let deadline = Instant::now() + TIME;
            let agent = SetUserAgent { user_agent: &user_agent, accept_language: None };
            tab.session().call(agent, deadline).await?;
            let patterns = [RequestStage::Response, RequestStage::Request]
                .map(|request_stage| RequestPattern { resource_type: None, request_stage });
            let patterns = if has_headers { &patterns[..] } else { &patterns[..1] };
            tab.session().call(EnableFetch { patterns }, deadline).await?;
            Ok::<_, FetchError>(tab)
        });
        // The task neither panics nor is aborted, unless the runtime ends, and then nothing waits here.
        let tab = opening.await.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))?;
        Ok(Self { tab, paused })
    }

    async fn ask(&mut self, url: &Url, max_bytes: usize, deadline: Instant) -> Result<Answer, FetchError> {
        while self.paused.try_recv().is_ok() {}
        let session = self.tab.session();
        let navigate = session.call(Navigate { url: url.as_str() }, deadline);
        tokio::pin!(navigate);
        let paused = tokio::select! {
            paused = self.paused.recv() => paused.ok_or(FetchError::TabLost)?,
            navigated = &mut navigate => {
                let error = navigated.map_err(of_session)?.error_text;
                return Err(FetchError::Browser(error.unwrap_or_default()));
            }
        };
        let request_id = paused.request_id.as_str();
        if paused.response_error_reason.is_some() {
            session.call(ContinueRequest { request_id, headers: None }, deadline).await.map_err(of_session)?;
            let error = navigate.await.map_err(of_session)?.error_text;
            return Err(FetchError::Browser(error.unwrap_or_default()));
        }
        // The response is taken from the browser in any case; to the browser, the request has failed.
        let read = async {
            let mut answer = head(url, &paused);
            if answer.redirect().is_none() {
                answer.body = self.body(request_id, max_bytes, deadline).await?;
            }
            Ok::<_, CdpError>(answer)
        };
        let answer = read.await;
        let abort = FailRequest { request_id, error_reason: ErrorReason::Aborted };
        session.call(abort, deadline).await.map_err(of_session)?;
        navigate.await.map_err(of_session)?;
        answer.map_err(of_session)
    }

    /// Reads the beginning of a body, with `Content-Encoding` already decoded.
    async fn body(&self, request_id: &str, max_bytes: usize, deadline: Instant) -> Result<Vec<u8>, CdpError> {
        let session = self.tab.session();
        let stream = session.call(TakeResponseBodyAsStream { request_id }, deadline).await?.stream;
        let mut body = Vec::new();
        while body.len() < max_bytes {
            let size = CHUNK.min(max_bytes - body.len());
            let read = ReadStream { handle: &stream, size };
            let StreamChunk { data, base64_encoded, eof } = session.call(read, deadline).await?;
            // The browser encodes what is not text. A robots.txt that can't be read must not pass for an empty one.
            let bytes = if base64_encoded {
                STANDARD.decode(&data).map_err(|error| CdpError::Shape {
                    method: ReadStream::METHOD,
                    source: serde::de::Error::custom(error),
                })?
            } else {
                data.into_bytes()
            };
            body.extend_from_slice(&bytes[..bytes.len().min(max_bytes - body.len())]);
            if eof {
                break;
            }
        }
        session.call(CloseStream { handle: &stream }, deadline).await?;
        Ok(body)
    }
}

fn of_session(error: CdpError) -> FetchError {
    match error {
        CdpError::TimedOut { .. } => FetchError::TimedOut,
        CdpError::Ended { .. } => FetchError::TabLost,
        error => FetchError::Protocol(error),
    }
}

fn head(url: &Url, paused: &RequestPaused) -> Answer {
    let status = paused.response_status_code.and_then(|status| u16::try_from(status).ok());
    let status = status.and_then(|status| StatusCode::from_u16(status).ok()).unwrap_or(StatusCode::BAD_GATEWAY);
    let mut headers = HeaderMap::new();
    for Header { name, value } in &paused.response_headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            headers.append(name, value);
        }
    }
    Answer { url: url.clone(), status, headers, body: Vec::new() }
}

/// A sink that forwards each response at which the browser has paused.
struct Answers {
    found: mpsc::Sender<RequestPaused>,
    /// The headers of requests, which are paused before they are sent if there are any.
    headers: Option<Arc<RequestHeaders>>,
}

impl EventSink for Answers {
    fn event(&self, event: Event<'_>) -> Option<Reaction> {
        let paused: RequestPaused = event.read()?;
        if paused.response_status_code.is_none() && paused.response_error_reason.is_none() {
            let headers = self.headers.as_ref().and_then(|headers| headers.instead(&paused.request));
            let go_on = ContinueRequest { request_id: &paused.request_id, headers: headers.as_deref() };
            return Some(Reaction::with(go_on));
        }
        let (TrySendError::Full(paused) | TrySendError::Closed(paused)) = self.found.try_send(paused).err()?;
        // These were not requested.
        let abort = FailRequest { request_id: &paused.request_id, error_reason: ErrorReason::Aborted };
        Some(Reaction::with(abort))
    }

    fn ended(&self, _: SessionEnd) {}
}
