//! Admission of requests: tokens and addresses with their counters.

use std::net::IpAddr;

use a11ycheck_core::{
    domain::{RateDecision, RateLimits, RequestClass, TokenHash},
    id::TokenId,
    store::{AdmittedToken, RateLimitStore, StoreError},
};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use sqlx_macros::FromRow;

use crate::{
    SqliteStore,
    db::ids::Id,
    teams::{
        counters::Key,
        rows::{TeamRow, TokenRow, team_columns, token_columns},
    },
};

/// Tokens with their teams and plans. A condition on a token `k` follows.
macro_rules! known_tokens {
    ($condition:literal) => {
        concat!(
            "SELECT ",
            token_columns!(),
            ", ",
            team_columns!(),
            " FROM tokens k JOIN teams t ON t.id = k.team_id JOIN plans p ON p.code = t.plan_code WHERE ",
            $condition,
        )
    };
}

#[async_trait]
impl RateLimitStore for SqliteStore {
    async fn admit_token(&self, hash: &TokenHash, class: RequestClass) -> Result<Option<AdmittedToken>, StoreError> {
        self.read(async |mut db| {
            let row: Option<KnownRow> = sqlx::query_as(known_tokens!("k.hash = ?1"))
                .bind(hash.as_bytes().as_slice())
                .fetch_optional(&mut *db)
                .await?;
            let Some(KnownRow { token, team }) = row else { return Ok(None) };
            let (token, team) = (token.token()?, team.team()?);
            let limits = team.plan.limits.per_minute();
            let (rate, at) = self.counters().admit(Key::Token(token.id), class, limits, || self.time());
            Ok(Some(AdmittedToken { team, token, rate, at }))
        })
        .await
    }

    async fn note_token_use(&self, token: TokenId, on: NaiveDate) -> Result<(), StoreError> {
        self.write(async |mut tx| {
            sqlx::query(
                "UPDATE tokens SET last_used_on = ?2 WHERE id = ?1 AND (last_used_on IS NULL OR last_used_on < ?2)",
            )
            .bind(Id(token))
            .bind(on.to_string())
            .execute(tx.db())
            .await?;
            Ok(())
        })
        .await
    }

    async fn give_back_token(
        &self,
        token: TokenId,
        class: RequestClass,
        counted_at: DateTime<Utc>,
    ) -> Result<Option<RateDecision>, StoreError> {
        self.read(async |mut db| {
            let row: Option<KnownRow> =
                sqlx::query_as(known_tokens!("k.id = ?1")).bind(Id(token)).fetch_optional(&mut *db).await?;
            let Some(KnownRow { team, .. }) = row else { return Ok(None) };
            let limits = team.team()?.plan.limits.per_minute();
            let left = self.counters().give_back(Key::Token(token), class, limits, counted_at, || self.time());
            Ok(Some(left))
        })
        .await
    }

    async fn admit_address(
        &self,
        address: IpAddr,
        class: RequestClass,
        limits: RateLimits,
    ) -> Result<(RateDecision, DateTime<Utc>), StoreError> {
        Ok(self.counters().admit(Key::Address(address), class, limits, || self.time()))
    }
}

#[derive(FromRow)]
struct KnownRow {
    #[sqlx(flatten)]
    token: TokenRow,
    #[sqlx(flatten)]
    team: TeamRow,
}
