//! Batches.

use std::collections::BTreeMap;

use a11ycheck_core::{
    domain::{
        Assignment, Batch, BatchContent, Judgement, NewAssignment, NewAuditRecord, NewJudgement, Undone,
        undo_assignments, undo_judgements, without_repeated, without_repeated_assignments,
    },
    id::{BatchId, JudgementId, SiteId, TeamId},
    store::{AssignError, BatchStore, JudgeError, StoreError, UndoError},
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sqlx::{PgConnection, types::Json};
use sqlx_macros::FromRow;

use crate::{
    PostgresStore, assignments,
    db::{
        columns::{BoxedError, named},
        error::{Corrupt, Failure},
        ids::Id,
    },
    people::{audit::append, sessions::now},
    reviews::{self, store::lock_site},
};

#[async_trait]
impl BatchStore for PostgresStore {
    async fn judge_batch(
        &self,
        team: TeamId,
        site: SiteId,
        batch: BatchId,
        judgements: Vec<(NewJudgement, Option<JudgementId>)>,
        audit: NewAuditRecord,
    ) -> Result<Batch, JudgeError> {
        self.transaction(async |mut tx| {
            if !lock_site(tx.db(), team, site).await? {
                return Err(Failure::Refused(JudgeError::NotFound));
            }
            let now = now(&mut tx).await?;
            let with_other: BTreeMap<JudgementId, JudgementId> =
                judgements.iter().filter_map(|(one, other)| Some((one.id, (*other)?))).collect();
            let new = judgements.iter().map(|(one, _)| one.clone().at(team, site, now)).collect();
            let new: Vec<Judgement> = without_repeated(new);
            let made = Batch { id: batch, team, site, count: new.len() as u64, at: now };
            if new.is_empty() {
                return Ok(made);
            }
            let others: Vec<JudgementId> = with_other.values().copied().collect();
            let replaced = reviews::store::replace(tx.db(), site, &new, &others).await?;
            insert(tx.db(), &made, &BatchContent::of_judgements(&new, &replaced, &with_other)).await?;
            append(tx.db(), &audit, now).await?;
            Ok(made)
        })
        .await
    }

    async fn assign_batch(
        &self,
        team: TeamId,
        site: SiteId,
        batch: BatchId,
        assignments: Vec<NewAssignment>,
        audit: NewAuditRecord,
    ) -> Result<Batch, AssignError> {
        self.transaction(async |mut tx| {
            if !lock_site(tx.db(), team, site).await? {
                return Err(Failure::Refused(AssignError::NotFound));
            }
            let now = now(&mut tx).await?;
            let new = assignments.iter().map(|one| one.clone().at(team, site, now)).collect();
            let new: Vec<Assignment> = without_repeated_assignments(new);
            let made = Batch { id: batch, team, site, count: new.len() as u64, at: now };
            let replaced = assignments::store::replace(tx.db(), team, site, &new).await?;
            if let Some(content) = BatchContent::of_assignments(&new, replaced) {
                insert(tx.db(), &made, &content).await?;
                append(tx.db(), &audit, now).await?;
            }
            Ok(made)
        })
        .await
    }

    async fn batch(&self, team: TeamId, batch: BatchId) -> Result<Option<Batch>, StoreError> {
        self.step(|| async {
            let row: Option<BatchRow> = sqlx::query_as(
                "SELECT id, team_id, site_id, number, at FROM batches
                 WHERE id = $1 AND team_id = $2 AND at >= coalesce($3, clock_timestamp()) - $4",
            )
            .bind(Id(batch))
            .bind(Id(team))
            .bind(self.instant())
            .bind(Batch::TERM)
            .fetch_optional(&mut *self.session().await?)
            .await?;
            Ok(row.map(BatchRow::batch).transpose()?)
        })
        .await
    }

    async fn undo_batch(&self, team: TeamId, batch: BatchId, audit: NewAuditRecord) -> Result<Undone, UndoError> {
        self.transaction(async |mut tx| {
            let gone = || Failure::Refused(UndoError::Gone);
            let site: Option<String> = sqlx::query_scalar("SELECT site_id FROM batches WHERE id = $1 AND team_id = $2")
                .bind(Id(batch))
                .bind(Id(team))
                .fetch_optional(tx.db())
                .await?;
            let site = site.ok_or_else(gone)?;
            let site: SiteId = site.parse().map_err(|error| Corrupt::new("batches", batch, error))?;
            // Every step about the site takes this lock: nothing is decided about it meanwhile, and a second undo then
            // finds no batch.
            if !lock_site(tx.db(), team, site).await? {
                return Err(gone());
            }
            let now = now(&mut tx).await?;
            let row: Option<(Json<BatchContent>, DateTime<Utc>)> =
                sqlx::query_as("DELETE FROM batches WHERE id = $1 AND at >= $2 RETURNING content, at")
                    .bind(Id(batch))
                    .bind(now - Batch::TERM)
                    .fetch_optional(tx.db())
                    .await?;
            let (Json(content), at) = row.ok_or_else(gone)?;
            let undone = match &content {
                BatchContent::Judgements(made) => {
                    let present = reviews::store::all(tx.db(), team, site).await?;
                    let undoing = undo_judgements(made, &present);
                    reviews::store::remove(tx.db(), &undoing.removed).await?;
                    reviews::store::insert(tx.db(), &undoing.restored).await?;
                    undoing.undone
                }
                BatchContent::Assignments { work, made } => {
                    let present = assignments::store::all(tx.db(), team, site).await?;
                    let undoing = undo_assignments(*work, made, at, &present);
                    assignments::store::remove(tx.db(), &undoing.removed).await?;
                    assignments::store::insert(tx.db(), &undoing.restored).await?;
                    assignments::store::take_from_others(tx.db(), team, site).await?;
                    undoing.undone
                }
            };
            append(tx.db(), &audit, now).await?;
            Ok(undone)
        })
        .await
    }

    async fn purge_batches(&self, limit: u32) -> Result<u32, StoreError> {
        self.transaction(async |mut tx| {
            let now = now(&mut tx).await?;
            let purged = sqlx::query(
                "DELETE FROM batches WHERE id IN (SELECT id FROM batches WHERE at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)",
            )
            .bind(now - Batch::TERM)
            .bind(i64::from(limit))
            .execute(tx.db())
            .await?;
            // Not more than `limit`.
            Ok(u32::try_from(purged.rows_affected()).unwrap_or(limit))
        })
        .await
    }
}

async fn insert<E>(db: &mut PgConnection, batch: &Batch, content: &BatchContent) -> Result<(), Failure<E>> {
    sqlx::query("INSERT INTO batches (id, team_id, site_id, number, content, at) VALUES ($1, $2, $3, $4, $5, $6)")
        .bind(Id(batch.id))
        .bind(Id(batch.team))
        .bind(Id(batch.site))
        // Not more than a few thousand.
        .bind(i64::try_from(batch.count).unwrap_or(i64::MAX))
        .bind(Json(content))
        .bind(batch.at)
        .execute(db)
        .await?;
    Ok(())
}

#[derive(FromRow)]
struct BatchRow {
    id: String,
    team_id: String,
    site_id: String,
    number: i64,
    at: DateTime<Utc>,
}

impl BatchRow {
    fn batch(self) -> Result<Batch, Corrupt> {
        named("batches", self.id.clone(), self.read())
    }

    fn read(self) -> Result<Batch, BoxedError> {
        Ok(Batch {
            id: self.id.parse()?,
            team: self.team_id.parse()?,
            site: self.site_id.parse()?,
            count: self.number.unsigned_abs(),
            at: self.at,
        })
    }
}
