//! Pages about errors.

use a11ycheck_core::{Error, error::ErrorKind};
use askama::Template;
use http::StatusCode;

use super::context::Context;
use crate::{
    passwords::HashError,
    response::Response,
    shell::{Section, Shell},
};

/// The reason why there is no page.
#[derive(Debug, thiserror::Error)]
pub(super) enum PageError {
    /// There is no such page, for this person.
    #[error("there is no such page")]
    NotFound,
    /// The request may come from another site.
    #[error("the request does not come from a page of the interface")]
    Forged,
    /// A use-case refused or failed.
    #[error(transparent)]
    Core(#[from] Error),
    /// A password could not be hashed.
    #[error(transparent)]
    Hash(#[from] HashError),
    /// A page could not be written.
    #[error("a page could not be written")]
    Template(#[from] askama::Error),
    /// A file could not be made.
    #[error("a file could not be made")]
    File(#[from] std::io::Error),
}

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage<'a> {
    shell: Shell,
    text: &'a str,
}

impl PageError {
    fn status(&self) -> StatusCode {
        match self {
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Forged => StatusCode::FORBIDDEN,
            Self::Core(error) => match error.kind() {
                ErrorKind::Unauthenticated | ErrorKind::Forbidden => StatusCode::FORBIDDEN,
                ErrorKind::NotFound => StatusCode::NOT_FOUND,
                ErrorKind::Conflict => StatusCode::CONFLICT,
                ErrorKind::Invalid => StatusCode::UNPROCESSABLE_ENTITY,
                ErrorKind::TooMany => StatusCode::TOO_MANY_REQUESTS,
                ErrorKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
                _ => StatusCode::INTERNAL_SERVER_ERROR,
            },
            Self::Hash(_) | Self::Template(_) | Self::File(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    pub(super) fn into_response(self, context: &Context<'_>) -> Response {
        let (status, words) = (self.status(), &context.words().errors);
        if status.is_server_error() {
            tracing::error!(
                error = &self as &dyn std::error::Error,
                status = status.as_u16(),
                "Could not answer a request"
            );
        }
        let (title, text) = match (&self, status) {
            (Self::Forged, _) => (&words.forged_title, &words.forged_text),
            (Self::Core(Error::TeamBlocked), _) => (&words.blocked_title, &words.blocked_text),
            (_, StatusCode::NOT_FOUND) => (&words.not_found_title, &words.not_found_text),
            (_, StatusCode::FORBIDDEN | StatusCode::CONFLICT | StatusCode::UNPROCESSABLE_ENTITY) => {
                (&words.forbidden_title, &words.forbidden_text)
            }
            (_, StatusCode::TOO_MANY_REQUESTS) => (&words.too_many_title, &words.too_many_text),
            (_, StatusCode::SERVICE_UNAVAILABLE) => (&words.unavailable_title, &words.unavailable_text),
            _ => (&words.server_title, &words.server_text),
        };
        let shell = context.shell(Section::Outside, title);
        // A template of ours that has been rendered in tests; if it ever fails, the status still says what happened.
        let html = ErrorPage { shell, text }.render().unwrap_or_default();
        Response::page(status, html)
    }
}
