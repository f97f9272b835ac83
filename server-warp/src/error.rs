//! From core's errors to responses: the status code of every [`Refusal`].

use a11ycheck_api_v1::ErrorBody;
use a11ycheck_core::{
    Error,
    domain::{FieldErrors, RateDecision},
    error::ErrorKind,
};
use warp::{
    http::{HeaderValue, StatusCode, header},
    reply::Response,
};

use crate::reply;

/// The reason why a request was not carried out.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    /// A use-case refused it.
    #[error(transparent)]
    Core(#[from] Error),
    /// The path does not exist.
    #[error("there is no such path")]
    NoPath,
    /// The path supports other methods only.
    #[error("the method is not supported here")]
    Method {
        /// The method that was used.
        used: String,
        /// The supported methods, as `Allow` lists them.
        allowed: String,
    },
    /// The body is not JSON.
    #[error("the body is not JSON")]
    NotJson(#[source] serde_json::Error),
    /// The body claims to be something other than JSON.
    #[error("the body is of another media type than JSON")]
    MediaType,
    /// The body is too large.
    #[error("the body is too large")]
    TooLarge,
    /// The body did not arrive in time, or broke off.
    #[error("the body did not arrive")]
    Incomplete,
    /// A file could not be made.
    #[error("the file could not be made")]
    File(#[source] std::io::Error),
    /// The configured base address can't carry a query.
    #[error("the base address can't be used in links")]
    BaseUrl(#[source] url::ParseError),
}

/// The number of seconds that a client waits when the store fails.
const RETRY_AFTER_TROUBLE: HeaderValue = HeaderValue::from_static("5");

/// The number of seconds that a client waits for a PDF that was not ready in time: it is still being rendered, and a
/// queue that is full makes room with each of its files.
const RETRY_AFTER_RENDERING: HeaderValue = HeaderValue::from_static("5");

impl Refusal {
    /// Returns the response: contract §12.
    pub(crate) fn into_response(self) -> Response {
        let (status, body) = match &self {
            Self::Core(error) => (status_of(error), ErrorBody::from(error)),
            Self::NoPath => (StatusCode::NOT_FOUND, ErrorBody::plain(ErrorBody::NOT_FOUND)),
            Self::Method { used, allowed } => {
                (StatusCode::METHOD_NOT_ALLOWED, ErrorBody::method_not_allowed(used, allowed))
            }
            Self::NotJson(_) => {
                let fields = FieldErrors::one("body", a11ycheck_core::domain::Problem::NotJson);
                (StatusCode::UNPROCESSABLE_ENTITY, ErrorBody::from(&fields))
            }
            Self::MediaType => (StatusCode::UNSUPPORTED_MEDIA_TYPE, ErrorBody::plain(ErrorBody::NOT_JSON_BODY)),
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, ErrorBody::plain(ErrorBody::BODY_TOO_LARGE)),
            Self::Incomplete => (StatusCode::REQUEST_TIMEOUT, ErrorBody::plain(ErrorBody::BODY_TIMEOUT)),
            Self::File(_) | Self::BaseUrl(_) => {
                (StatusCode::INTERNAL_SERVER_ERROR, ErrorBody::plain(ErrorBody::SERVER_ERROR))
            }
        };
        if status.is_server_error() {
            tracing::error!(
                error = &self as &dyn std::error::Error,
                status = status.as_u16(),
                "Could not answer a request"
            );
        }
        let mut response = reply::json(status, &body);
        let headers = response.headers_mut();
        match &self {
            Self::Method { allowed, .. } => {
                // Names of methods, commas and spaces: nothing that a header can't hold.
                headers.extend(HeaderValue::try_from(allowed).ok().map(|allowed| (header::ALLOW, allowed)));
            }
            Self::Core(Error::Unauthenticated) => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            Self::Core(Error::PdfUnavailable) => {
                headers.insert(header::RETRY_AFTER, RETRY_AFTER_RENDERING);
            }
            Self::Core(Error::Unavailable(_)) => {
                headers.insert(header::RETRY_AFTER, RETRY_AFTER_TROUBLE);
            }
            _ => {}
        }
        response
    }
}

fn status_of(error: &Error) -> StatusCode {
    match error.kind() {
        ErrorKind::Unauthenticated => StatusCode::UNAUTHORIZED,
        ErrorKind::Forbidden => StatusCode::FORBIDDEN,
        ErrorKind::NotFound => StatusCode::NOT_FOUND,
        ErrorKind::Conflict => StatusCode::CONFLICT,
        ErrorKind::Invalid => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorKind::TooMany => StatusCode::TOO_MANY_REQUESTS,
        ErrorKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        // `Internal`, and kinds that a later version of core may add: nothing that a client can correct.
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// Shows a counter on a response: contract §14.
pub(crate) fn show_rate(response: &mut Response, rate: &RateDecision, at: chrono::DateTime<chrono::Utc>) {
    let headers = response.headers_mut();
    headers.insert("x-ratelimit-limit", rate.limit.into());
    headers.insert("x-ratelimit-remaining", rate.remaining.into());
    if let Some(wait) = rate.retry_after(at) {
        headers.insert(header::RETRY_AFTER, wait.into());
        headers.insert("x-ratelimit-reset", at.timestamp().saturating_add_unsigned(wait).into());
    }
}
