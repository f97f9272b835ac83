//! The refusals of the API: the status of each, when it comes, and the sentences that it may have. The published document has them
//! by these names; which operation has which, `openapi/operations.rs` says.

use a11ycheck_core::{
    Error,
    domain::{Ability, FieldErrors, IsoDuration, Problem},
    net,
};

use crate::ErrorBody;

/// Declares the refusals: text, name in the document, status, and an example of each sentence.
macro_rules! refusals {
    ($($(#[doc = $text:literal])+ $name:ident $status:literal [$($sample:ident: $body:expr),+ $(,)?])+) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Refusal {
            $($(#[doc = $text])+ $name,)+
        }

        impl Refusal {
            pub(crate) const ALL: &[Self] = &[$(Self::$name),+];

            pub(crate) const fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)+ }
            }

            pub(crate) const fn status(self) -> u16 {
                match self { $(Self::$name => $status,)+ }
            }

            /// Returns when the refusal comes.
            pub(crate) const fn text(self) -> &'static str {
                match self { $(Self::$name => concat!($($text),+).trim_ascii(),)+ }
            }

            /// Returns bodies of the refusal by name.
            pub(crate) fn examples(self) -> Vec<(&'static str, ErrorBody)> {
                match self { $(Self::$name => vec![$((stringify!($sample), $body)),+],)+ }
            }
        }
    };
}

refusals! {
    /// No token, or one that is unknown or deleted.
    Unauthenticated 401 [unauthenticated: of(Error::Unauthenticated)]
    /// The token lacks the ability, the team is blocked, its plan does not include the API, or its plan has ended.
    Forbidden 403 [ability: ability(), blocked: of(Error::TeamBlocked), api: of(Error::ApiNotIncluded)]
    /// As everywhere; also where the plan does not include issue exports.
    ForbiddenExport 403 [
        exports: of(Error::ExportsNotIncluded),
        ability: ability(), blocked: of(Error::TeamBlocked), api: of(Error::ApiNotIncluded),
    ]
    /// As everywhere; also where the plan does not include drafts of conformance reports.
    ForbiddenAcr 403 [
        acr: of(Error::AcrNotIncluded),
        ability: ability(), blocked: of(Error::TeamBlocked), api: of(Error::ApiNotIncluded),
    ]
    /// There is no such thing in this team, or it is older than the plan's history. Unknown paths answer the same.
    NotFound 404 [not_found: of(Error::NotFound)]
    /// There is no such site in this team, or it has no completed check.
    NothingToExport 404 [not_found: of(Error::NotFound), not_checked: of(Error::NoCompletedCheck)]
    /// The path does not have this method. Answered to every method that is not listed for a path.
    MethodNotAllowed 405 [put: ErrorBody::method_not_allowed("PUT", "GET, HEAD")]
    /// The body did not arrive within 10 seconds.
    BodyTimeout 408 [timeout: ErrorBody::plain(ErrorBody::BODY_TIMEOUT)]
    /// The check is queued, running or failed.
    NotCompleted 409 [not_completed: of(Error::NotCompleted)]
    /// The body is larger than 64 KiB.
    BodyTooLarge 413 [too_large: ErrorBody::plain(ErrorBody::BODY_TOO_LARGE)]
    /// The header `Content-Type` names another media type than JSON.
    NotJsonBody 415 [media_type: ErrorBody::plain(ErrorBody::NOT_JSON_BODY)]
    /// A field breaks its rule, or a limit of the plan is reached.
    InvalidSite 422 [
        missing: missing(), not_json: field("body", Problem::NotJson), private: private(),
        too_many: field("url", Problem::SiteLimit(3)),
    ]
    /// A check of the site is queued or running, or one was started by hand too recently.
    ScanRefused 422 [
        too_soon: field("site", Problem::ManualTooSoon(IsoDuration::hours(1))),
        active: field("site", Problem::CheckActive),
    ]
    /// `page` or `per_page` is not an integer.
    InvalidPage 422 [page: field("page", Problem::NotInteger)]
    /// `lang` is none of the seven languages.
    InvalidLang 422 [lang: field("lang", Problem::NotInList)]
    /// `lang` or `detail` is none of the values that there are.
    InvalidPdf 422 [lang: field("lang", Problem::NotInList), detail: field("detail", Problem::NotInList)]
    /// `format`, `lang` or, for a PDF, `detail` is none of the values that there are.
    InvalidFile 422 [format: field("format", Problem::NotInList), lang: field("lang", Problem::NotInList)]
    /// Too many requests within a minute: wait `Retry-After` seconds.
    TooManyRequests 429 [slow_down: ErrorBody::plain(ErrorBody::TOO_MANY)]
    /// Something broke that no client can correct.
    ServerError 500 [broken: ErrorBody::plain(ErrorBody::SERVER_ERROR)]
    /// The service can't answer right now: wait `Retry-After` seconds.
    Unavailable 503 [busy: ErrorBody::plain(ErrorBody::BUSY)]
    /// The service can't answer, or the PDF was not ready within 55 seconds: wait `Retry-After` seconds. A PDF that was
    /// refused like this is given back to both limits, and the rate headers show the number left then.
    PdfUnavailable 503 [pdf: of(Error::PdfUnavailable), busy: ErrorBody::plain(ErrorBody::BUSY)]
}

#[expect(clippy::needless_pass_by_value, reason = "the table reads better without ampersands")]
fn of(error: Error) -> ErrorBody {
    ErrorBody::from(&error)
}

fn ability() -> ErrorBody {
    of(Error::MissingAbility(Ability::Read))
}

fn field(name: &str, problem: Problem) -> ErrorBody {
    of(Error::Invalid(FieldErrors::one(name, problem)))
}

fn missing() -> ErrorBody {
    let mut fields = FieldErrors::one("url", Problem::Required);
    fields.add("report_locale", Problem::Required);
    of(Error::Invalid(fields))
}

fn private() -> ErrorBody {
    field("url", Problem::NotPublic(net::Refusal::LocalName { name: "intranet".to_owned() }.to_string()))
}
