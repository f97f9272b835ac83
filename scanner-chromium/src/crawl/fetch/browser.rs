//! The browser's own network stack, for sites that the crawler's client can't speak to.
//!
//! A tab that stays blank is sent to the address, and the answer is taken from the browser before it becomes a document:
//! nothing of it is shown and no script of it runs.

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use reqwest::{
    StatusCode,
    header::{HeaderMap, HeaderName, HeaderValue},
};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{
    sync::{Mutex, mpsc},
    time::Instant,
};
use url::Url;

use super::answer::{Answer, FetchError, TIME};
use crate::{
    browser::{BrowserPool, Tab, TabSettings},
    cdp::{CdpError, EventSink, Reaction, SessionEnd},
    guard::Guard,
    permits::Permits,
};

/// Answers that wait to be looked at. One at a time is asked for; a redirect that the browser makes by itself is a second.
const PAUSED: usize = 16;
/// Bytes that are read at a time.
const CHUNK: usize = 64 * 1024;

/// A blank tab, opened at the first need.
#[derive(Debug)]
pub(super) struct BrowserClient<'a> {
    browsers: &'a BrowserPool,
    permits: &'a Permits,
    tab: Mutex<Option<BlankTab>>,
}

#[derive(Debug)]
struct BlankTab {
    tab: Tab,
    paused: mpsc::Receiver<Value>,
}

impl<'a> BrowserClient<'a> {
    pub(super) fn new(browsers: &'a BrowserPool, permits: &'a Permits) -> Self {
        Self { browsers, permits, tab: Mutex::default() }
    }

    /// Asks for one address and reads up to `max_bytes` of the answer; follows no redirect. What it takes to open the tab, on
    /// a busy machine, is not the site's time: `deadline` is put off by it.
    pub(super) async fn ask(
        &self,
        url: &Url,
        max_bytes: usize,
        guard: &Guard,
        deadline: &mut Instant,
    ) -> Result<Answer, FetchError> {
        let before = Instant::now();
        // A page that is open somewhere, even a blank one, counts among those that may be.
        let _permit = self.permits.tab().await;
        let mut kept = self.tab.lock().await;
        let mut blank = match kept.take() {
            Some(blank) if blank.tab.browser().is_alive() => blank,
            _ => BlankTab::open(self.browsers, guard).await?,
        };
        *deadline += before.elapsed();
        let answer = blank.ask(url, max_bytes, *deadline).await;
        // After any other error nobody knows what the tab is busy with; it is closed.
        if matches!(answer, Ok(_) | Err(FetchError::Browser(_))) {
            *kept = Some(blank);
        }
        answer
    }
}

impl BlankTab {
    async fn open(browsers: &BrowserPool, guard: &Guard) -> Result<Self, FetchError> {
        let browser = browsers.replacement().await.map_err(|error| FetchError::NoBrowser(Box::new(error)))?;
        let user_agent = browsers.settings().agent.of_crawler();
        let settings = TabSettings { proxy: guard.address() };
        let (found, paused) = mpsc::channel(PAUSED);
        // A task of its own, so that the tab is closed again even if the caller stops waiting half-way.
        let opening = tokio::spawn(async move {
            let tab = Tab::open(browser, &settings, Arc::new(Answers(found))).await?;
            let deadline = Instant::now() + TIME;
            let agent = json!({ "userAgent": user_agent });
            tab.session().run("Emulation.setUserAgentOverride", agent, deadline).await?;
            let patterns = json!({ "patterns": [{ "requestStage": "Response" }] });
            tab.session().run("Fetch.enable", patterns, deadline).await?;
            Ok::<_, FetchError>(tab)
        });
        // The task neither panics nor is aborted, unless the runtime ends, and then nobody waits here.
        let tab = opening.await.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))?;
        Ok(Self { tab, paused })
    }

    async fn ask(&mut self, url: &Url, max_bytes: usize, deadline: Instant) -> Result<Answer, FetchError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Navigated {
            error_text: Option<String>,
        }
        while self.paused.try_recv().is_ok() {}
        let session = self.tab.session();
        let navigate = session.call::<Navigated>("Page.navigate", json!({ "url": url.as_str() }), deadline);
        tokio::pin!(navigate);
        let paused = tokio::select! {
            paused = self.paused.recv() => paused.ok_or(FetchError::TabLost)?,
            navigated = &mut navigate => {
                let error = navigated.map_err(of_session)?.error_text;
                return Err(FetchError::Browser(error.unwrap_or_default()));
            }
        };
        let request = &paused["requestId"];
        if paused["responseErrorReason"].is_string() {
            session
                .run("Fetch.continueRequest", json!({ "requestId": request }), deadline)
                .await
                .map_err(of_session)?;
            let error = navigate.await.map_err(of_session)?.error_text;
            return Err(FetchError::Browser(error.unwrap_or_default()));
        }
        // It is taken away from the browser in any case, which is told that nothing came.
        let read = async {
            let mut answer = head(url, &paused);
            if answer.redirect().is_none() {
                answer.body = self.body(request, max_bytes, deadline).await?;
            }
            Ok::<_, CdpError>(answer)
        };
        let answer = read.await;
        let aborted = json!({ "requestId": request, "errorReason": "Aborted" });
        session.run("Fetch.failRequest", aborted, deadline).await.map_err(of_session)?;
        navigate.await.map_err(of_session)?;
        answer.map_err(of_session)
    }

    /// The beginning of a body, as it is after `Content-Encoding`.
    async fn body(&self, request: &Value, max_bytes: usize, deadline: Instant) -> Result<Vec<u8>, CdpError> {
        #[derive(Deserialize)]
        struct Taken {
            stream: String,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Chunk {
            data: String,
            #[serde(default)]
            base64_encoded: bool,
            eof: bool,
        }
        let session = self.tab.session();
        let take = json!({ "requestId": request });
        let Taken { stream } = session.call("Fetch.takeResponseBodyAsStream", take, deadline).await?;
        let mut body = Vec::new();
        while body.len() < max_bytes {
            let size = CHUNK.min(max_bytes - body.len());
            let read = json!({ "handle": stream, "size": size });
            let Chunk { data, base64_encoded, eof } = session.call("IO.read", read, deadline).await?;
            // The browser encodes what is not text. A robots.txt that can't be read must not pass for an empty one.
            let bytes = if base64_encoded {
                STANDARD
                    .decode(&data)
                    .map_err(|error| CdpError::Shape { method: "IO.read", source: serde::de::Error::custom(error) })?
            } else {
                data.into_bytes()
            };
            body.extend_from_slice(&bytes[..bytes.len().min(max_bytes - body.len())]);
            if eof {
                break;
            }
        }
        session.run("IO.close", json!({ "handle": stream }), deadline).await?;
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

fn head(url: &Url, paused: &Value) -> Answer {
    let status = paused["responseStatusCode"].as_u64().and_then(|status| u16::try_from(status).ok());
    let status = status.and_then(|status| StatusCode::from_u16(status).ok()).unwrap_or(StatusCode::BAD_GATEWAY);
    let mut headers = HeaderMap::new();
    for header in paused["responseHeaders"].as_array().into_iter().flatten() {
        let name = header["name"].as_str().and_then(|name| HeaderName::try_from(name).ok());
        let value = header["value"].as_str().and_then(|value| HeaderValue::try_from(value).ok());
        if let (Some(name), Some(value)) = (name, value) {
            headers.append(name, value);
        }
    }
    Answer { url: url.clone(), status, headers, body: Vec::new() }
}

/// Passes on each answer that the browser has stopped at.
struct Answers(mpsc::Sender<Value>);

impl EventSink for Answers {
    fn event(&self, method: &str, params: &Value) -> Option<Reaction> {
        if method != "Fetch.requestPaused" {
            return None;
        }
        match self.0.try_send(params.clone()) {
            Ok(()) => None,
            // Nobody asked for so many.
            Err(_) => {
                let params = json!({ "requestId": params["requestId"], "errorReason": "Aborted" });
                Some(Reaction { method: "Fetch.failRequest", params })
            }
        }
    }

    fn ended(&self, _: SessionEnd) {}
}
