//! The second factors of people.

use a11ycheck_core::{
    domain::{CodePeriod, NewAuditRecord, NewSecondFactor, SecondFactor, SecretHash, TwoSteps},
    id::{PersonId, SessionId, TeamId},
    store::{DemandError, SecondFactorStore, StoreError},
};
use async_trait::async_trait;
use sqlx::PgConnection;

use super::{
    audit::append,
    rows::{SecondFactorRow, second_factor_columns},
    sessions::{self, now},
};
use crate::{
    PostgresStore,
    db::{error::Failure, ids::Id},
};

#[async_trait]
impl SecondFactorStore for PostgresStore {
    async fn second_factor(&self, person: PersonId) -> Result<Option<SecondFactor>, StoreError> {
        self.step(|| async { find(&mut *self.session().await?, person).await }).await
    }

    async fn enable_second_factor(
        &self,
        person: PersonId,
        factor: NewSecondFactor,
        kept: Option<SessionId>,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError> {
        let NewSecondFactor { secret, period, recovery } = &factor;
        self.transaction(async |mut tx| {
            let now = now(&mut tx).await?;
            let enabled = sqlx::query(
                "INSERT INTO second_factors (person_id, secret, sealed_with, last_period, recovery, since)
                 SELECT id, $2, $3, $4, $5, $6 FROM people WHERE id = $1
                 ON CONFLICT (person_id) DO NOTHING",
            )
            .bind(Id(person))
            .bind(secret.to_bytes())
            .bind(Id(secret.key()))
            .bind(i64::try_from(period.number()).unwrap_or(i64::MAX))
            .bind(SecondFactor::stored_recovery(recovery))
            .bind(now)
            .execute(tx.db())
            .await?;
            if enabled.rows_affected() == 0 {
                return Ok(false);
            }
            sessions::end_others(tx.db(), person, kept, now).await?;
            append(tx.db(), &audit, now).await?;
            Ok(true)
        })
        .await
    }

    async fn take_code(&self, person: PersonId, period: CodePeriod) -> Result<bool, StoreError> {
        self.transaction(async |mut tx| {
            let Some(mut factor) = lock(tx.db(), person).await? else { return Ok(false) };
            let is_taken = factor.take_code(period);
            if is_taken {
                write(tx.db(), person, &factor).await?;
            }
            Ok(is_taken)
        })
        .await
    }

    async fn take_recovery_code(
        &self,
        person: PersonId,
        code: SecretHash,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError> {
        self.transaction(async |mut tx| {
            let Some(mut factor) = lock(tx.db(), person).await? else { return Ok(false) };
            if !factor.take_recovery_code(&code) {
                return Ok(false);
            }
            write(tx.db(), person, &factor).await?;
            let now = now(&mut tx).await?;
            append(tx.db(), &audit, now).await?;
            Ok(true)
        })
        .await
    }

    async fn replace_recovery_codes(
        &self,
        person: PersonId,
        codes: Vec<SecretHash>,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError> {
        self.transaction(async |mut tx| {
            let Some(factor) = lock(tx.db(), person).await? else { return Ok(false) };
            write(tx.db(), person, &SecondFactor { recovery: codes.clone(), ..factor }).await?;
            let now = now(&mut tx).await?;
            append(tx.db(), &audit, now).await?;
            Ok(true)
        })
        .await
    }

    async fn disable_second_factor(&self, person: PersonId, audit: NewAuditRecord) -> Result<bool, StoreError> {
        self.transaction(async |mut tx| {
            let deleted = sqlx::query("DELETE FROM second_factors WHERE person_id = $1")
                .bind(Id(person))
                .execute(tx.db())
                .await?;
            if deleted.rows_affected() == 0 {
                return Ok(false);
            }
            let now = now(&mut tx).await?;
            append(tx.db(), &audit, now).await?;
            Ok(true)
        })
        .await
    }

    async fn two_steps(&self, team: TeamId) -> Result<TwoSteps, StoreError> {
        self.step(|| async {
            let mut db = self.session().await?;
            let demands: Option<bool> = sqlx::query_scalar("SELECT demands_two_steps FROM teams WHERE id = $1")
                .bind(Id(team))
                .fetch_optional(&mut *db)
                .await?;
            Ok(TwoSteps::from_flag(demands.unwrap_or_default()))
        })
        .await
    }

    async fn set_two_steps(
        &self,
        team: TeamId,
        two_steps: TwoSteps,
        by: PersonId,
        audit: NewAuditRecord,
    ) -> Result<bool, DemandError> {
        self.transaction(async |mut tx| {
            let before: Option<bool> =
                sqlx::query_scalar("SELECT demands_two_steps FROM teams WHERE id = $1 FOR NO KEY UPDATE")
                    .bind(Id(team))
                    .fetch_optional(tx.db())
                    .await?;
            let Some(before) = before else { return Ok(false) };
            // Locked, so that it is not switched off meanwhile.
            let own = sqlx::query("SELECT FROM second_factors WHERE person_id = $1 FOR SHARE")
                .bind(Id(by))
                .fetch_optional(tx.db())
                .await?;
            if two_steps.are_demanded() && own.is_none() {
                return Err(Failure::Refused(DemandError::NoSecondFactor));
            }
            if before == two_steps.are_demanded() {
                return Ok(false);
            }
            sqlx::query("UPDATE teams SET demands_two_steps = $2 WHERE id = $1")
                .bind(Id(team))
                .bind(two_steps.are_demanded())
                .execute(tx.db())
                .await?;
            let now = now(&mut tx).await?;
            append(tx.db(), &audit, now).await?;
            Ok(true)
        })
        .await
    }
}

async fn find<E>(db: &mut PgConnection, person: PersonId) -> Result<Option<SecondFactor>, Failure<E>> {
    let row: Option<SecondFactorRow> =
        sqlx::query_as(concat!("SELECT ", second_factor_columns!(), " FROM second_factors f WHERE f.person_id = $1",))
            .bind(Id(person))
            .fetch_optional(db)
            .await?;
    Ok(row.map(|row| row.second_factor().map(|(_, factor)| factor)).transpose()?)
}

/// Returns the second factor, which nobody else changes until the transaction ends.
async fn lock<E>(db: &mut PgConnection, person: PersonId) -> Result<Option<SecondFactor>, Failure<E>> {
    sqlx::query("SELECT FROM second_factors WHERE person_id = $1 FOR UPDATE")
        .bind(Id(person))
        .execute(&mut *db)
        .await?;
    find(db, person).await
}

async fn write(db: &mut PgConnection, person: PersonId, factor: &SecondFactor) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE second_factors SET last_period = $2, recovery = $3 WHERE person_id = $1")
        .bind(Id(person))
        .bind(i64::try_from(factor.last_period.number()).unwrap_or(i64::MAX))
        .bind(SecondFactor::stored_recovery(&factor.recovery))
        .execute(db)
        .await?;
    Ok(())
}
