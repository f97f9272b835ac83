//! An API client that a test reads like a sentence.

use reqwest::{Method, header::HeaderMap};
use serde_json::Value;

/// Speaks to the API as one kind of caller.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    base_url: String,
    token: Option<String>,
}

/// What the API said.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body as JSON; null where there is none.
    pub body: Value,
}

impl Client {
    /// A caller with this token, or with none.
    pub fn new(base_url: &str, token: Option<&str>) -> Self {
        // reqwest asks for a TLS provider even where no TLS is spoken; one that is installed already is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Self { http: reqwest::Client::new(), base_url: base_url.to_owned(), token: token.map(str::to_owned) }
    }

    /// GET
    pub async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, None).await
    }

    /// POST with a JSON body.
    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Method::POST, path, Some(body.to_string())).await
    }

    /// POST without a body.
    pub async fn post_empty(&self, path: &str) -> Answer {
        self.send(Method::POST, path, None).await
    }

    /// DELETE
    pub async fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, None).await
    }

    /// Any method, any JSON text. `path` is below the base address, or a whole address as links are.
    pub async fn send(&self, method: Method, path: &str, body: Option<String>) -> Answer {
        let url = if path.starts_with("http") { path.to_owned() } else { format!("{}{path}", self.base_url) };
        let mut request = self.http.request(method, url);
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body);
        }
        let response = request.send().await.expect("the server answers");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await.expect("the answer arrives whole");
        let body = if text.is_empty() { Value::Null } else { serde_json::from_str(&text).expect("the answer is JSON") };
        Answer { status, headers, body }
    }
}

impl Answer {
    /// The status, and the body's `message`.
    pub fn refusal(&self) -> (u16, &str) {
        (self.status, self.body["message"].as_str().unwrap_or_default())
    }

    /// A header as text; empty where it is missing.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The body's `data`, of an answer with this status.
    ///
    /// # Panics
    /// When the status is another one.
    pub fn data(&self, status: u16) -> &Value {
        assert_eq!(self.status, status, "{}", self.body);
        &self.body["data"]
    }
}
