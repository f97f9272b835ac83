//! Admission of requests: tokens and addresses with their counters.

use std::net::IpAddr;

use a11ycheck_core::{
    domain::{RateDecision, RateLimits, RequestClass, TokenHash},
    id::TokenId,
    store::{AdmittedToken, RateLimitStore, StoreError},
};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};

use crate::{MemoryStore, db::state::corrupt};

#[async_trait]
impl RateLimitStore for MemoryStore {
    async fn admit_token(&self, hash: &TokenHash, class: RequestClass) -> Result<Option<AdmittedToken>, StoreError> {
        self.step(|state, now| {
            let Some(id) = state.hashes.get(hash) else { return Ok(None) };
            let row = state.tokens.get(id).ok_or_else(|| corrupt(id, "its hash is known, and it is missing"))?;
            let team = state.team(row.token.team)?.ok_or_else(|| corrupt(id, "its team is missing"))?;
            let limits = team.plan.limits.per_minute();
            let token = row.token.clone();
            let mut counters = row.counters;
            let at = counters.counts_at(now);
            let rate = counters.admit(class, limits, now);
            if let Some(row) = state.tokens.get_mut(&token.id) {
                row.counters = counters;
            }
            Ok(Some(AdmittedToken { team, token, rate, at }))
        })
    }

    async fn note_token_use(&self, token: TokenId, on: NaiveDate) -> Result<(), StoreError> {
        self.step(|state, _| {
            if let Some(row) = state.tokens.get_mut(&token) {
                row.token.last_used_on = row.token.last_used_on.max(Some(on));
            }
            Ok(())
        })
    }

    async fn give_back_token(
        &self,
        token: TokenId,
        class: RequestClass,
        counted_at: DateTime<Utc>,
    ) -> Result<Option<RateDecision>, StoreError> {
        self.step(|state, now| {
            let Some(row) = state.tokens.get(&token) else { return Ok(None) };
            let team = state.team(row.token.team)?.ok_or_else(|| corrupt(token, "its team is missing"))?;
            let limits = team.plan.limits.per_minute();
            let Some(row) = state.tokens.get_mut(&token) else { return Ok(None) };
            row.counters.give_back(class, counted_at);
            Ok(Some(row.counters.left(class, limits, now)))
        })
    }

    async fn admit_address(
        &self,
        address: IpAddr,
        class: RequestClass,
        limits: RateLimits,
    ) -> Result<(RateDecision, DateTime<Utc>), StoreError> {
        self.step(|state, now| Ok(state.addresses.admit(address, class, limits, now)))
    }
}
