//! An API client that a test reads like a sentence.

use reqwest::{Method, header::HeaderMap};
use serde_json::Value;

use crate::{OpenApi, http};

/// A client of the API as one kind of caller. It compares every response with the OpenAPI document.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    base_url: String,
    token: Option<String>,
}

/// A response of the API.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body as JSON; null if it is not JSON, or there is none.
    pub body: Value,
    /// The body as it came.
    pub bytes: Vec<u8>,
}

impl Client {
    /// Creates a caller with this token, or with none.
    pub fn new(base_url: &str, token: Option<&str>) -> Self {
        Self { http: http().build().unwrap(), base_url: base_url.to_owned(), token: token.map(str::to_owned) }
    }

    /// Sends GET.
    pub async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, None).await
    }

    /// Sends POST with a JSON body.
    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Method::POST, path, Some(body.to_string())).await
    }

    /// Sends POST without a body.
    pub async fn post_empty(&self, path: &str) -> Answer {
        self.send(Method::POST, path, None).await
    }

    /// Sends DELETE.
    pub async fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, None).await
    }

    /// Sends any method, with any JSON text. `path` is below the base address, or a whole address as links are.
    pub async fn send(&self, method: Method, path: &str, body: Option<String>) -> Answer {
        self.send_as("application/json", method, path, body).await
    }

    /// Sends a body of any media type.
    ///
    /// # Panics
    /// If the OpenAPI document does not describe such a response.
    pub async fn send_as(&self, media_type: &str, method: Method, path: &str, body: Option<String>) -> Answer {
        let path = path.strip_prefix(&self.base_url).unwrap_or(path);
        let mut request = self.http.request(method.clone(), format!("{}{path}", self.base_url));
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        if let Some(body) = body {
            request = request.header("content-type", media_type).body(body);
        }
        let response = request.send().await.expect("the server answers");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = response.bytes().await.expect("the answer arrives whole").to_vec();
        let mut answer = Answer { status, headers, body: Value::Null, bytes };
        if answer.media_type() == "application/json" && !answer.bytes.is_empty() {
            answer.body = serde_json::from_slice(&answer.bytes).expect("the answer is JSON");
        }
        if let Err(difference) = OpenApi::document().judge(&method, path, &answer) {
            panic!("{method} {path} answers {status} {}, but in the OpenAPI document {difference}", answer.body);
        }
        answer
    }
}

impl Answer {
    /// Returns the status, and the body's `message`.
    pub fn refusal(&self) -> (u16, &str) {
        (self.status, self.body["message"].as_str().unwrap_or_default())
    }

    /// Returns a header as text; empty if it is missing.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// Returns the media type of the body without its parameters; empty if there is none.
    pub fn media_type(&self) -> &str {
        self.header("content-type").split(';').next().unwrap_or_default().trim()
    }

    /// Returns the body's `data`, of a response with this status.
    ///
    /// # Panics
    /// If the status is another one.
    pub fn data(&self, status: u16) -> &Value {
        assert_eq!(self.status, status, "{}", self.body);
        &self.body["data"]
    }
}
