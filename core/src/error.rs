//! Every way in which a use-case can refuse: facts, no status codes, no wording for clients.

use crate::{
    domain::{Ability, FieldErrors, RateDecision},
    store::StoreError,
};

/// Why a use-case did not do what it was asked to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No token, or one that is unknown or deleted.
    #[error("no valid token")]
    Unauthenticated,
    /// The counters of the token or the address are used up.
    #[error("too many requests")]
    TooManyRequests(RateDecision),
    /// The operator blocked the team.
    #[error("the team is blocked")]
    TeamBlocked,
    /// The team's plan does not include the API.
    #[error("the plan does not include the API")]
    ApiNotIncluded,
    /// The token lacks this ability.
    #[error("the token lacks an ability")]
    MissingAbility(Ability),
    /// There is no such thing in this team, or it is older than the plan's history.
    #[error("not found")]
    NotFound,
    /// The site has no check that completed.
    #[error("the site has no completed check")]
    NoCompletedCheck,
    /// The team's plan does not include issue exports.
    #[error("the plan does not include issue exports")]
    ExportsNotIncluded,
    /// The team's plan does not include drafts of conformance reports.
    #[error("the plan does not include drafts of conformance reports")]
    AcrNotIncluded,
    /// The check is queued, running or failed.
    #[error("the check is not completed")]
    NotCompleted,
    /// The PDF can't be had right now: others are being rendered, or it could not be.
    #[error("the PDF is not available now")]
    PdfUnavailable,
    /// The service has no key to seal a secret with.
    #[error("the service has no sealing key, which it takes to keep a secret")]
    NoSealingKey,
    /// What was sent does not hold up, or a limit of the plan stands against it.
    #[error("the request is not valid")]
    Invalid(FieldErrors),
    /// The store could not do it now.
    #[error("the store is not available")]
    Unavailable(#[source] StoreError),
    /// The store holds something that it should not.
    #[error("stored data is not valid")]
    Corrupt(#[source] StoreError),
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        match error {
            // A use-case that is asked again makes another id.
            StoreError::Unavailable(_) | StoreError::Taken(_) => Self::Unavailable(error),
            StoreError::Corrupt { .. } => Self::Corrupt(error),
        }
    }
}
