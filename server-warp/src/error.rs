//! From core's errors to answers: the only file with status codes of refusals.

use a11ycheck_core::{
    Error,
    domain::{FieldErrors, RateDecision},
    message::{ErrorBody, NOT_FOUND},
};
use warp::{
    http::{HeaderValue, StatusCode, header},
    reply::Response,
};

use crate::reply;

/// Why a request was not done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    /// A use-case refused it.
    #[error(transparent)]
    Core(#[from] Error),
    /// The path leads nowhere.
    #[error("there is no such path")]
    NoPath,
    /// The path knows other methods only.
    #[error("the method is not supported here")]
    Method {
        /// The method that was used.
        used: String,
        /// The methods that there are, as `Allow` lists them.
        allowed: &'static str,
    },
    /// The body is not JSON.
    #[error("the body is not JSON")]
    NotJson(#[source] serde_json::Error),
    /// The body says that it is something else than JSON.
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

/// Seconds that a client waits when the store is in trouble.
const RETRY_AFTER_TROUBLE: HeaderValue = HeaderValue::from_static("5");

/// Seconds that a client waits for a PDF that was not ready in time: it is being rendered still, and a queue that is full
/// makes room with each of its files.
const RETRY_AFTER_RENDERING: HeaderValue = HeaderValue::from_static("5");

impl Refusal {
    /// The answer: contract, "Errors".
    pub(crate) fn into_response(self) -> Response {
        let (status, body) = match &self {
            Self::Core(error) => (status_of(error), ErrorBody::from(error)),
            Self::NoPath => (StatusCode::NOT_FOUND, ErrorBody::plain(NOT_FOUND)),
            Self::Method { used, allowed } => {
                let message =
                    format!("The {used} method is not supported for this address. Supported methods: {allowed}.");
                (StatusCode::METHOD_NOT_ALLOWED, ErrorBody::plain(&message))
            }
            Self::NotJson(_) => {
                let fields = FieldErrors::one("body", a11ycheck_core::domain::Problem::NotJson);
                (StatusCode::UNPROCESSABLE_ENTITY, ErrorBody::from(&fields))
            }
            Self::MediaType => {
                let message =
                    "The body of this request must be JSON. Send it with the header Content-Type: application/json.";
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, ErrorBody::plain(message))
            }
            Self::TooLarge => {
                (StatusCode::PAYLOAD_TOO_LARGE, ErrorBody::plain("The body of this request is too large."))
            }
            Self::Incomplete => {
                (StatusCode::REQUEST_TIMEOUT, ErrorBody::plain("The body of this request did not arrive in time."))
            }
            Self::File(_) | Self::BaseUrl(_) => (StatusCode::INTERNAL_SERVER_ERROR, ErrorBody::plain("Server Error")),
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
                headers.insert(header::ALLOW, HeaderValue::from_static(allowed));
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
    match error {
        Error::Unauthenticated => StatusCode::UNAUTHORIZED,
        Error::TooManyRequests(_) => StatusCode::TOO_MANY_REQUESTS,
        Error::TeamBlocked
        | Error::ApiNotIncluded
        | Error::MissingAbility(_)
        | Error::ExportsNotIncluded
        | Error::AcrNotIncluded => StatusCode::FORBIDDEN,
        Error::NotFound | Error::NoCompletedCheck => StatusCode::NOT_FOUND,
        Error::NotCompleted => StatusCode::CONFLICT,
        Error::Invalid(_) => StatusCode::UNPROCESSABLE_ENTITY,
        Error::PdfUnavailable | Error::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
        // `Corrupt`, and what a later version of core may add: nothing that a client can mend.
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// Shows a counter on an answer: contract, "Limits".
pub(crate) fn show_rate(response: &mut Response, rate: &RateDecision, at: chrono::DateTime<chrono::Utc>) {
    let headers = response.headers_mut();
    headers.insert("x-ratelimit-limit", rate.limit.into());
    headers.insert("x-ratelimit-remaining", rate.remaining.into());
    if let Some(wait) = rate.retry_after(at) {
        headers.insert(header::RETRY_AFTER, wait.into());
        headers.insert("x-ratelimit-reset", at.timestamp().saturating_add_unsigned(wait).into());
    }
}
