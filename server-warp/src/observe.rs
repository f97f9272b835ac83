//! Each request in one line of the log and in the metrics, under an id that the answer carries.

use std::time::Instant;

use a11ycheck_core::id::TeamId;
use hyper::{Method, Request};
use tracing::Span;
use warp::{http::HeaderValue, reply::Response};

/// Left on an answer by the door: whose request it was.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AnsweredFor(pub(crate) TeamId);

/// A request that is being answered.
pub(crate) struct Observed {
    id: HeaderValue,
    method: Method,
    path: String,
    began: Instant,
    /// Around everything that is logged of the request.
    span: Span,
}

impl Observed {
    const HEADER: &'static str = "x-request-id";

    /// Notes what is asked. The id is the client's or proxy's own where it sent a sane one. The query and the headers are
    /// not noted: they may hold what nobody should read in a log.
    pub(crate) fn begin<B>(request: &Request<B>) -> Self {
        let sent = request.headers().get(Self::HEADER).filter(|id| is_sane(id.as_bytes()));
        let id = sent.cloned().unwrap_or_else(new_id);
        Self {
            // Of the highest level, so that the id is there whatever level is logged.
            span: tracing::error_span!("http", request = id.to_str().unwrap_or_default()),
            id,
            method: request.method().clone(),
            path: request.uri().path().to_owned(),
            began: Instant::now(),
        }
    }

    /// What the request is answered within, so that each line that is logged on the way has its id.
    pub(crate) fn span(&self) -> Span {
        self.span.clone()
    }

    /// Notes the answer, and puts the id on it. Probes and scrapes come every few seconds, and their lines are for debugging.
    pub(crate) fn end(self, mut response: Response) -> Response {
        let status = response.status();
        let seconds = self.began.elapsed().as_secs_f64();
        let (method, route) = (method_label(&self.method), route(&self.path));
        metrics::counter!("a11ycheck_http_requests_total", "method" => method, "route" => route, "status" => status.as_u16().to_string())
            .increment(1);
        metrics::histogram!("a11ycheck_http_request_duration_seconds", "method" => method, "route" => route)
            .record(seconds);
        macro_rules! answered {
            ($level:ident) => {
                tracing::$level!(
                    parent: &self.span,
                    method = %self.method,
                    path = self.path,
                    status = status.as_u16(),
                    team = response.extensions().get::<AnsweredFor>().map(|team| tracing::field::display(team.0)),
                    milliseconds = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX),
                    "Answered a request"
                )
            };
        }
        if matches!(route, "/healthz" | "/readyz" | "/metrics") {
            answered!(debug)
        } else {
            answered!(info)
        }
        response.headers_mut().insert(Self::HEADER, self.id);
        response
    }
}

fn is_sane(id: &[u8]) -> bool {
    (8..=64).contains(&id.len())
        && id.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

fn new_id() -> HeaderValue {
    let id = format!("req_{:032x}", rand::random::<u128>());
    // Letters, digits and an underscore are a header value.
    HeaderValue::try_from(id).unwrap_or(HeaderValue::from_static("req_unknown"))
}

/// Methods that strangers invent share one label.
fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::DELETE => "DELETE",
        _ => "other",
    }
}

/// The path without its ids. Paths that lead nowhere share one label, so that nobody can fill the metrics with names.
fn route(path: &str) -> &'static str {
    let segments: Vec<&str> = path.trim_matches('/').split('/').collect();
    match segments.as_slice() {
        ["v1", "account"] => "/v1/account",
        ["v1", "openapi.json"] => "/v1/openapi.json",
        ["v1", "sites"] => "/v1/sites",
        ["v1", "sites", _] => "/v1/sites/{site}",
        ["v1", "sites", _, "scans"] => "/v1/sites/{site}/scans",
        ["v1", "sites", _, "export"] => "/v1/sites/{site}/export",
        ["v1", "scans", _] => "/v1/scans/{scan}",
        ["v1", "scans", _, "report"] => "/v1/scans/{scan}/report",
        ["v1", "scans", _, "pdf"] => "/v1/scans/{scan}/pdf",
        ["v1", "scans", _, "export"] => "/v1/scans/{scan}/export",
        ["v1", "scans", _, "acr"] => "/v1/scans/{scan}/acr",
        ["v1", "scans", _, "evidence", "screen"] => "/v1/scans/{scan}/evidence/screen",
        ["v1", "scans", _, "evidence", "issue", _] => "/v1/scans/{scan}/evidence/issue/{id}",
        ["healthz"] => "/healthz",
        ["readyz"] => "/readyz",
        ["metrics"] => "/metrics",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_nonsense_do_not_multiply_the_labels() {
        assert_eq!(route("/v1/sites/site_01ABC/scans"), "/v1/sites/{site}/scans");
        assert_eq!(route("/v1/scans/x/evidence/issue/12"), "/v1/scans/{scan}/evidence/issue/{id}");
        assert_eq!(route("/wp-login.php"), "other");
        assert_eq!(method_label(&Method::from_bytes(b"BREW").unwrap()), "other");
    }

    #[test]
    fn a_request_id_from_outside_is_kept_only_if_it_can_do_no_harm_in_a_log() {
        assert!(is_sane(b"0af7651916cd43dd8448eb211c80319c"));
        assert!(!is_sane(b"short") && !is_sane(b"two\nlines of log") && !is_sane(&[b'a'; 65]));
    }
}
