//! Each request in one line of the log and in the metrics, under an id that the response carries.

use std::{borrow::Cow, time::Instant};

use a11ycheck_account_web::path_of;
use a11ycheck_api_v1::routes::find;
use a11ycheck_core::id::TeamId;
use hyper::{Method, Request};
use tracing::Span;
use warp::{http::HeaderValue, reply::Response};

/// A mark that admission leaves on a response: the team of the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AnsweredFor(pub(crate) TeamId);

/// A request that is being handled.
pub(crate) struct Observed {
    id: HeaderValue,
    method: Method,
    path: String,
    began: Instant,
    /// The span around everything that is logged about the request.
    span: Span,
}

impl Observed {
    const HEADER: &'static str = "x-request-id";

    /// Records the request. The id is the client's or proxy's own if it sent a sane one. The query and the headers are
    /// not recorded: they may contain what nobody should read in a log.
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

    /// Returns the span in which the request is handled, so that each line that is logged meanwhile has its id.
    pub(crate) fn span(&self) -> Span {
        self.span.clone()
    }

    /// Logs and counts the response, and puts the id on it. Probes and scrapes come every few seconds, and their lines
    /// are for debugging.
    pub(crate) fn end(self, mut response: Response) -> Response {
        let status = response.status();
        let seconds = self.began.elapsed().as_secs_f64();
        let (method, route) = (method_label(&self.method), route(&self.path));
        metrics::counter!("a11ycheck_http_requests_total", "method" => method, "route" => route.clone(), "status" => status.as_u16().to_string())
            .increment(1);
        metrics::histogram!("a11ycheck_http_request_duration_seconds", "method" => method, "route" => route.clone())
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
        if matches!(&*route, "/healthz" | "/readyz" | "/metrics") {
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

/// Returns the label of a method. Methods that clients invent share one label.
fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::DELETE => "DELETE",
        _ => "other",
    }
}

/// Returns the path without its ids. Paths that do not exist share one label, so that nobody can fill the metrics with
/// names.
fn route(path: &str) -> Cow<'static, str> {
    match path {
        "/healthz" => Cow::Borrowed("/healthz"),
        "/readyz" => Cow::Borrowed("/readyz"),
        "/metrics" => Cow::Borrowed("/metrics"),
        _ => {
            let of_api = path.strip_prefix("/v1").and_then(find).map(|found| format!("/v1{}", found.template()));
            let of_pages = || path.strip_prefix("/app").and_then(path_of).map(|path| format!("/app{path}"));
            of_api.or_else(of_pages).map_or(Cow::Borrowed("other"), Cow::Owned)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_nonsense_do_not_multiply_the_labels() {
        assert_eq!(route("/v1/sites/site_01ABC/scans"), "/v1/sites/{site}/scans");
        assert_eq!(route("/v1/scans/x/evidence/issue/12"), "/v1/scans/{scan}/evidence/issue/{id}");
        assert_eq!(route("/app/teams/team_01ABC/sites"), "/app/teams/{team}/sites");
        assert_eq!((route("/wp-login.php"), route("/app/wp-login.php")), ("other".into(), "other".into()));
        assert_eq!(method_label(&Method::from_bytes(b"BREW").unwrap()), "other");
    }

    #[test]
    fn a_request_id_from_outside_is_kept_only_if_it_can_do_no_harm_in_a_log() {
        assert!(is_sane(b"0af7651916cd43dd8448eb211c80319c"));
        assert!(!is_sane(b"short") && !is_sane(b"two\nlines of log") && !is_sane(&[b'a'; 65]));
    }
}
