//! Admission of requests: tokens and addresses with their counters.

use std::net::IpAddr;

use a11ycheck_core::{
    domain::{RateCounters, RateDecision, RateLimits, RateWindow, RequestClass, TokenHash},
    id::TokenId,
    store::{AdmittedToken, RateLimitStore, StoreError},
};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use sqlx_macros::FromRow;

use crate::{
    PostgresStore,
    db::{
        columns::{BoxedError, count},
        error::{Corrupt, Failure},
        ids::Id,
    },
    teams::rows::{TeamRow, TokenRow, team_columns, token_columns},
    twins,
};

#[async_trait]
impl RateLimitStore for PostgresStore {
    async fn admit_token(&self, hash: &TokenHash, class: RequestClass) -> Result<Option<AdmittedToken>, StoreError> {
        self.step(|| async {
            let row = match self.counted_together(*hash, class).await? {
                Some(row) => Some(row),
                None => self.counted(hash, class).await?,
            };
            let Some(AdmittedRow { counters, token, team }) = row else { return Ok(None) };
            let team = team.team()?;
            let limits = team.plan.limits.per_minute();
            let at = counters.counted_at;
            Ok(Some(AdmittedToken { rate: counters.decision(class, limits)?, token: token.token()?, team, at }))
        })
        .await
    }

    async fn note_token_use(&self, token: TokenId, on: NaiveDate) -> Result<(), StoreError> {
        self.step(|| async {
            sqlx::query(
                "UPDATE tokens SET last_used_on = $2 WHERE id = $1 AND (last_used_on IS NULL OR last_used_on < $2)",
            )
            .bind(Id(token))
            .bind(on)
            .execute(&mut *self.session().await?)
            .await?;
            Ok::<_, Failure<StoreError>>(())
        })
        .await
    }

    async fn give_back_token(
        &self,
        token: TokenId,
        class: RequestClass,
        counted_at: DateTime<Utc>,
    ) -> Result<Option<RateDecision>, StoreError> {
        self.step(|| async {
            // On a row that no other request can change meanwhile. If there is none, nothing is counted.
            let row: Option<LeftRow> = sqlx::query_as(concat!(
                "WITH asked AS MATERIALIZED (
                     SELECT
                         k.id AS key,
                         (p.document #>> '{limits,requests_per_minute}')::bigint AS general_limit,
                         (p.document #>> '{limits,files_per_minute}')::bigint AS files_limit,
                         coalesce($3, clock_timestamp()) AS at
                     FROM tokens k JOIN teams t ON t.id = k.team_id JOIN plans p ON p.code = t.plan_code
                     WHERE k.id = $4
                 ), given AS (
                     UPDATE request_counters AS c SET
                         ",
                twins::given_back!("$1", "$2", "$5"),
                "
                     FROM asked WHERE c.key = asked.key
                     RETURNING c.*
                 )
                 SELECT
                     asked.general_limit, asked.files_limit, asked.at,
                     given.general_started_at, coalesce(given.general_used, 0) AS general_used,
                     given.files_started_at, coalesce(given.files_used, 0) AS files_used
                 FROM asked LEFT JOIN given ON given.key = asked.key",
            ))
            .bind(class == RequestClass::File)
            .bind(RateWindow::LENGTH)
            .bind(self.instant())
            .bind(Id(token))
            .bind(counted_at)
            .fetch_optional(&mut *self.session().await?)
            .await?;
            let left = |row: LeftRow| row.left(class).map_err(|source| Corrupt::new("request_counters", token, source));
            Ok(row.map(left).transpose()?)
        })
        .await
    }

    async fn admit_address(
        &self,
        address: IpAddr,
        class: RequestClass,
        limits: RateLimits,
    ) -> Result<(RateDecision, DateTime<Utc>), StoreError> {
        let (begins, decision, at) = self
            .step(|| async {
                let counters: CountersRow = sqlx::query_as(concat!(
                    twins::counted!(
                        "SELECT
                             $4::text AS key,
                             $5::bigint AS general_limit,
                             $6::bigint AS files_limit,
                             coalesce($3, clock_timestamp()) AS at"
                    ),
                    " SELECT * FROM counted",
                ))
                .bind(class == RequestClass::File)
                .bind(RateWindow::LENGTH)
                .bind(self.instant())
                .bind(address.to_string())
                .bind(i64::from(limits.general))
                .bind(i64::from(limits.files))
                .fetch_one(&mut *self.session().await?)
                .await?;
                let (begins, at) = (counters.general_used <= 1, counters.counted_at);
                Ok::<_, Failure<StoreError>>((begins, counters.decision(class, limits)?, at))
            })
            .await?;
        if begins {
            self.forget_counters().await?;
        }
        Ok((decision, at))
    }
}

impl PostgresStore {
    /// Counts a request of a token up to the response, whatever that is. `None` if there is no such token.
    async fn counted(&self, hash: &TokenHash, class: RequestClass) -> Result<Option<AdmittedRow>, sqlx::Error> {
        let mut session = self.session().await?;
        let row = sqlx::query_as(concat!(
            twins::counted!(
                "SELECT
                     k.id AS key,
                     (p.document #>> '{limits,requests_per_minute}')::bigint AS general_limit,
                     (p.document #>> '{limits,files_per_minute}')::bigint AS files_limit,
                     coalesce($3, clock_timestamp()) AS at
                 FROM tokens k JOIN teams t ON t.id = k.team_id JOIN plans p ON p.code = t.plan_code
                 WHERE k.hash = $4"
            ),
            " SELECT counted.*, ",
            token_columns!(),
            ", ",
            team_columns!(),
            " FROM counted
              JOIN tokens k ON k.id = counted.key
              JOIN teams t ON t.id = k.team_id
              JOIN plans p ON p.code = t.plan_code",
        ))
        .bind(class == RequestClass::File)
        .bind(RateWindow::LENGTH)
        .bind(self.instant())
        .bind(hash.as_bytes().as_slice())
        .fetch_optional(&mut *session)
        .await?;
        session.leave_ready();
        Ok(row)
    }

    /// Deletes counters whose windows have ended: more of them than began, so that there are never many. They have ended by the present
    /// instant: that of a request is the one of its window where another node's clock is ahead.
    async fn forget_counters(&self) -> Result<(), StoreError> {
        const BATCH: i64 = 8;
        self.step(|| async {
            // Not in the statement that counts: that one may wait for another request, and must then hold nothing that the
            // other could wait for.
            sqlx::query(
                // An array, so that each is found by its key: with `IN`, the whole table may be read. The instant is selected, since what ends is not
                // found through an index by a clock that may say something else for each row.
                "DELETE FROM request_counters WHERE key = ANY (ARRAY(
                     SELECT key FROM request_counters WHERE ends_at <= (SELECT coalesce($1, clock_timestamp()))
                     ORDER BY ends_at LIMIT $2 FOR UPDATE SKIP LOCKED
                 ))",
            )
            .bind(self.instant())
            .bind(BATCH)
            .execute(&mut *self.session().await?)
            .await?;
            Ok(())
        })
        .await
    }
}

/// A token with its team, and the counters after the request.
#[derive(FromRow)]
pub(super) struct AdmittedRow {
    #[sqlx(flatten)]
    counters: CountersRow,
    #[sqlx(flatten)]
    token: TokenRow,
    #[sqlx(flatten)]
    team: TeamRow,
}

impl AdmittedRow {
    /// Returns the row as it was before `later` further requests of the class were counted in the same windows.
    pub(super) fn before_later(mut self, later: i64, class: RequestClass) -> Self {
        self.counters.general_used -= later;
        self.counters.files_used -= if class == RequestClass::File { later } else { 0 };
        self
    }
}

/// The counters after the request.
#[derive(FromRow)]
struct CountersRow {
    key: String,
    general_started_at: Option<DateTime<Utc>>,
    general_used: i64,
    files_started_at: Option<DateTime<Utc>>,
    files_used: i64,
    counted_at: DateTime<Utc>,
    admitted: bool,
}

impl CountersRow {
    /// Returns the domain's decision on this request: the counters are set back to what they were before it, and the
    /// domain is asked again. The two decisions must agree.
    fn decision(self, class: RequestClass, limits: RateLimits) -> Result<RateDecision, Corrupt> {
        let (key, at, admitted) = (self.key.clone(), self.counted_at, self.admitted);
        let mut before = self.before(class).map_err(|source| Corrupt::new("request_counters", &key, source))?;
        let decision = before.admit(class, limits, at);
        if decision.is_admitted() == admitted {
            Ok(decision)
        } else {
            Err(Corrupt::new("request_counters", &key, "the domain decides otherwise"))
        }
    }

    fn before(self, class: RequestClass) -> Result<RateCounters, BoxedError> {
        let counted_in_files = self.admitted && class == RequestClass::File;
        Ok(RateCounters {
            general: window(self.general_started_at, self.general_used - i64::from(self.admitted))?,
            files: window(self.files_started_at, self.files_used - i64::from(counted_in_files))?,
        })
    }
}

/// The counters after a request was given back, and the plan's limits.
#[derive(FromRow)]
struct LeftRow {
    general_limit: i64,
    files_limit: i64,
    at: DateTime<Utc>,
    general_started_at: Option<DateTime<Utc>>,
    general_used: i64,
    files_started_at: Option<DateTime<Utc>>,
    files_used: i64,
}

impl LeftRow {
    fn left(self, class: RequestClass) -> Result<RateDecision, BoxedError> {
        let limits = RateLimits::new(count(self.general_limit)?, count(self.files_limit)?);
        let counters = RateCounters {
            general: window(self.general_started_at, self.general_used)?,
            files: window(self.files_started_at, self.files_used)?,
        };
        Ok(counters.left(class, limits, self.at))
    }
}

fn window(started_at: Option<DateTime<Utc>>, used: i64) -> Result<Option<RateWindow>, BoxedError> {
    let window = |started_at| Ok(RateWindow { started_at, used: count(used)? });
    started_at.map(window).transpose()
}
