//! The recognition of tokens, and the counting of requests.

use std::net::IpAddr;

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};

use super::StoreError;
use crate::{
    domain::{ApiToken, RateDecision, RateLimits, RequestClass, Team, TokenHash},
    id::TokenId,
};

/// A request whose token is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdmittedToken {
    /// The team that owns the token, with its plan.
    pub team: Team,
    /// The token.
    pub token: ApiToken,
    /// The decision of the token's counters on this request. The limits are the plan's.
    pub rate: RateDecision,
    /// The instant at which the request counts, which [`give_back_token`](RateLimitStore::give_back_token) needs. It is
    /// not before the beginning of a window of the counters, see
    /// [`RateCounters::counts_at`](crate::domain::RateCounters::counts_at).
    pub at: DateTime<Utc>,
}

/// Recognises tokens and counts requests.
#[async_trait]
pub trait RateLimitStore {
    /// Looks a token up and counts the request against it, as [`RateCounters::admit`](crate::domain::RateCounters::admit)
    /// does. Returns `None` for an unknown token: nothing is then counted.
    ///
    /// The result shows whether the team is blocked and whether its plan has the API, but this is not judged here: such a
    /// request counts.
    ///
    /// # Concurrency
    /// Of any number of requests at once, exactly as many are admitted as the limit allows.
    async fn admit_token(&self, hash: &TokenHash, class: RequestClass) -> Result<Option<AdmittedToken>, StoreError>;

    /// Notes that a token was used on a day, in UTC; an unknown token, and a day that is not later than the noted one, change nothing.
    /// [`admit_token`](Self::admit_token) returns the noted day, so that a caller needs this once a day.
    async fn note_token_use(&self, token: TokenId, on: NaiveDate) -> Result<(), StoreError>;

    /// Gives back a request of this class that [`admit_token`](Self::admit_token) admitted at `counted_at`, as
    /// [`RateCounters::give_back`](crate::domain::RateCounters::give_back) does. Returns the requests of the class that are
    /// then left under the plan's limits; `None` for an unknown token.
    ///
    /// # Atomicity
    /// The request is given back to all counters of its class whose window still lasts or, after a crash, to none.
    ///
    /// # Concurrency
    /// Among any number of requests at once, on any number of nodes, each call gives back exactly one.
    async fn give_back_token(
        &self,
        token: TokenId,
        class: RequestClass,
        counted_at: DateTime<Utc>,
    ) -> Result<Option<RateDecision>, StoreError>;

    /// Counts a request that has no valid token against the address it came from, in the same way, under `limits`. Counters
    /// of addresses whose window has ended are purged.
    async fn admit_address(
        &self,
        address: IpAddr,
        class: RequestClass,
        limits: RateLimits,
    ) -> Result<(RateDecision, DateTime<Utc>), StoreError>;
}
