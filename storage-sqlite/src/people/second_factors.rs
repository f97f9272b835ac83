//! The second factors of people.

use a11ycheck_core::{
    domain::{CodePeriod, NewAuditRecord, NewSecondFactor, SecondFactor, SecretHash, TwoSteps},
    id::{PersonId, SessionId, TeamId},
    store::{DemandError, SecondFactorStore, StoreError},
};
use async_trait::async_trait;
use sqlx::SqliteConnection;

use super::{
    audit::append,
    rows::{SecondFactorRow, second_factor_columns},
    sessions,
};
use crate::{
    SqliteStore,
    db::{
        error::Failure,
        ids::{At, Id},
    },
};

#[async_trait]
impl SecondFactorStore for SqliteStore {
    async fn second_factor(&self, person: PersonId) -> Result<Option<SecondFactor>, StoreError> {
        self.read(async |mut db| find(&mut db, person).await).await
    }

    async fn enable_second_factor(
        &self,
        person: PersonId,
        factor: NewSecondFactor,
        kept: Option<SessionId>,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError> {
        self.write(async |mut tx| {
            let NewSecondFactor { secret, period, recovery } = factor;
            let now = tx.now();
            let enabled = sqlx::query(
                "INSERT INTO second_factors (person_id, secret, sealed_with, last_period, recovery, since)
                 SELECT id, ?2, ?3, ?4, ?5, ?6 FROM people WHERE id = ?1
                 ON CONFLICT (person_id) DO NOTHING",
            )
            .bind(Id(person))
            .bind(secret.to_bytes())
            .bind(Id(secret.key()))
            .bind(i64::try_from(period.number()).unwrap_or(i64::MAX))
            .bind(SecondFactor::stored_recovery(&recovery))
            .bind(At(now))
            .execute(tx.db())
            .await?;
            if enabled.rows_affected() == 0 {
                return Ok(false);
            }
            sessions::end_others(tx.db(), person, kept, now).await?;
            append(tx.db(), audit, now).await?;
            Ok(true)
        })
        .await
    }

    async fn take_code(&self, person: PersonId, period: CodePeriod) -> Result<bool, StoreError> {
        self.write(async |mut tx| {
            let Some(mut factor) = find(tx.db(), person).await? else { return Ok(false) };
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
        self.write(async |mut tx| {
            let Some(mut factor) = find(tx.db(), person).await? else { return Ok(false) };
            if !factor.take_recovery_code(&code) {
                return Ok(false);
            }
            write(tx.db(), person, &factor).await?;
            let now = tx.now();
            append(tx.db(), audit, now).await?;
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
        self.write(async |mut tx| {
            let Some(factor) = find(tx.db(), person).await? else { return Ok(false) };
            write(tx.db(), person, &SecondFactor { recovery: codes, ..factor }).await?;
            let now = tx.now();
            append(tx.db(), audit, now).await?;
            Ok(true)
        })
        .await
    }

    async fn disable_second_factor(&self, person: PersonId, audit: NewAuditRecord) -> Result<bool, StoreError> {
        self.write(async |mut tx| {
            let deleted = sqlx::query("DELETE FROM second_factors WHERE person_id = ?1")
                .bind(Id(person))
                .execute(tx.db())
                .await?;
            if deleted.rows_affected() == 0 {
                return Ok(false);
            }
            let now = tx.now();
            append(tx.db(), audit, now).await?;
            Ok(true)
        })
        .await
    }

    async fn two_steps(&self, team: TeamId) -> Result<TwoSteps, StoreError> {
        self.read(async |mut db| {
            let demands: Option<bool> = sqlx::query_scalar("SELECT demands_two_steps FROM teams WHERE id = ?1")
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
        self.write(async |mut tx| {
            let now = tx.now();
            let before: Option<bool> = sqlx::query_scalar("SELECT demands_two_steps FROM teams WHERE id = ?1")
                .bind(Id(team))
                .fetch_optional(tx.db())
                .await?;
            let Some(before) = before else { return Ok(false) };
            let has_one: bool = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM second_factors WHERE person_id = ?1)")
                .bind(Id(by))
                .fetch_one(tx.db())
                .await?;
            if two_steps.are_demanded() && !has_one {
                return Err(Failure::Refused(DemandError::NoSecondFactor));
            }
            if before == two_steps.are_demanded() {
                return Ok(false);
            }
            sqlx::query("UPDATE teams SET demands_two_steps = ?2 WHERE id = ?1")
                .bind(Id(team))
                .bind(two_steps.are_demanded())
                .execute(tx.db())
                .await?;
            append(tx.db(), audit, now).await?;
            Ok(true)
        })
        .await
    }
}

async fn find<E>(db: &mut SqliteConnection, person: PersonId) -> Result<Option<SecondFactor>, Failure<E>> {
    let row: Option<SecondFactorRow> =
        sqlx::query_as(concat!("SELECT ", second_factor_columns!(), " FROM second_factors f WHERE f.person_id = ?1",))
            .bind(Id(person))
            .fetch_optional(db)
            .await?;
    Ok(row.map(|row| row.second_factor().map(|(_, factor)| factor)).transpose()?)
}

async fn write(db: &mut SqliteConnection, person: PersonId, factor: &SecondFactor) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE second_factors SET last_period = ?2, recovery = ?3 WHERE person_id = ?1")
        .bind(Id(person))
        .bind(i64::try_from(factor.last_period.number()).unwrap_or(i64::MAX))
        .bind(SecondFactor::stored_recovery(&factor.recovery))
        .execute(db)
        .await?;
    Ok(())
}
