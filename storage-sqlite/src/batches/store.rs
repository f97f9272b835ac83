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
use sqlx::SqliteConnection;
use sqlx_macros::FromRow;

use crate::{
    SqliteStore, assignments,
    db::{
        columns::{BoxedError, from_json, json, named},
        error::{Corrupt, Failure},
        ids::{At, Id},
    },
    people::audit::append,
    reviews::{self, store::is_site},
};

#[async_trait]
impl BatchStore for SqliteStore {
    async fn judge_batch(
        &self,
        team: TeamId,
        site: SiteId,
        batch: BatchId,
        judgements: Vec<(NewJudgement, Option<JudgementId>)>,
        audit: NewAuditRecord,
    ) -> Result<Batch, JudgeError> {
        self.write(async |mut tx| {
            let now = tx.now();
            if !is_site(tx.db(), team, site).await? {
                return Err(Failure::Refused(JudgeError::NotFound));
            }
            let with_other: BTreeMap<JudgementId, JudgementId> =
                judgements.iter().filter_map(|(one, other)| Some((one.id, (*other)?))).collect();
            let new = judgements.into_iter().map(|(one, _)| one.at(team, site, now)).collect();
            let new: Vec<Judgement> = without_repeated(new);
            let made = Batch { id: batch, team, site, count: new.len() as u64, at: now };
            if new.is_empty() {
                return Ok(made);
            }
            let others: Vec<JudgementId> = with_other.values().copied().collect();
            let replaced = reviews::store::replace(tx.db(), site, &new, &others).await?;
            insert(tx.db(), &made, &BatchContent::of_judgements(&new, &replaced, &with_other)).await?;
            append(tx.db(), audit, now).await?;
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
        self.write(async |mut tx| {
            let now = tx.now();
            if !is_site(tx.db(), team, site).await? {
                return Err(Failure::Refused(AssignError::NotFound));
            }
            let new = assignments.into_iter().map(|one| one.at(team, site, now)).collect();
            let new: Vec<Assignment> = without_repeated_assignments(new);
            let made = Batch { id: batch, team, site, count: new.len() as u64, at: now };
            let replaced = assignments::store::replace(tx.db(), team, site, &new).await?;
            if let Some(content) = BatchContent::of_assignments(&new, replaced) {
                insert(tx.db(), &made, &content).await?;
                append(tx.db(), audit, now).await?;
            }
            Ok(made)
        })
        .await
    }

    async fn batch(&self, team: TeamId, batch: BatchId) -> Result<Option<Batch>, StoreError> {
        let now = self.time();
        self.read(async |mut db| {
            let row: Option<BatchRow> = sqlx::query_as(
                "SELECT id, team_id, site_id, number, at FROM batches WHERE id = ?1 AND team_id = ?2 AND at >= ?3",
            )
            .bind(Id(batch))
            .bind(Id(team))
            .bind(At(now - Batch::TERM))
            .fetch_optional(&mut *db)
            .await?;
            Ok(row.map(BatchRow::batch).transpose()?)
        })
        .await
    }

    async fn undo_batch(&self, team: TeamId, batch: BatchId, audit: NewAuditRecord) -> Result<Undone, UndoError> {
        self.write(async |mut tx| {
            let now = tx.now();
            let row: Option<(String, String, At)> = sqlx::query_as(
                "DELETE FROM batches WHERE id = ?1 AND team_id = ?2 AND at >= ?3 RETURNING site_id, content, at",
            )
            .bind(Id(batch))
            .bind(Id(team))
            .bind(At(now - Batch::TERM))
            .fetch_optional(tx.db())
            .await?;
            let (site, content, At(at)) = row.ok_or(Failure::Refused(UndoError::Gone))?;
            let corrupt = |error: BoxedError| Corrupt::new("batches", batch, error);
            let site: SiteId = site.parse().map_err(|error| Corrupt::new("batches", batch, error))?;
            let undone = match from_json(&content).map_err(corrupt)? {
                BatchContent::Judgements(made) => {
                    let present = reviews::store::listed(tx.db(), team, site, i64::MAX, 0).await?;
                    let undoing = undo_judgements(&made, &present);
                    reviews::store::remove(tx.db(), &undoing.removed).await?;
                    for judgement in &undoing.restored {
                        reviews::rows::insert(tx.db(), judgement).await?;
                    }
                    undoing.undone
                }
                BatchContent::Assignments { work, made } => {
                    let present = assignments::store::all(tx.db(), team, site).await?;
                    let undoing = undo_assignments(work, &made, at, &present);
                    assignments::store::remove(tx.db(), &undoing.removed).await?;
                    for assignment in &undoing.restored {
                        assignments::rows::insert(tx.db(), assignment).await?;
                    }
                    assignments::store::take_from_others(tx.db(), team, site).await?;
                    undoing.undone
                }
            };
            append(tx.db(), audit, now).await?;
            Ok(undone)
        })
        .await
    }

    async fn purge_batches(&self, limit: u32) -> Result<u32, StoreError> {
        self.write(async |mut tx| {
            let now = tx.now();
            let purged = sqlx::query("DELETE FROM batches WHERE id IN (SELECT id FROM batches WHERE at < ?1 LIMIT ?2)")
                .bind(At(now - Batch::TERM))
                .bind(i64::from(limit))
                .execute(tx.db())
                .await?;
            // Not more than `limit`.
            Ok(u32::try_from(purged.rows_affected()).unwrap_or(limit))
        })
        .await
    }
}

async fn insert<E>(db: &mut SqliteConnection, batch: &Batch, content: &BatchContent) -> Result<(), Failure<E>> {
    sqlx::query("INSERT INTO batches (id, team_id, site_id, number, content, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
        .bind(Id(batch.id))
        .bind(Id(batch.team))
        .bind(Id(batch.site))
        // Not more than a few thousand.
        .bind(i64::try_from(batch.count).unwrap_or(i64::MAX))
        .bind(json(content)?)
        .bind(At(batch.at))
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
    at: At,
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
            at: self.at.0,
        })
    }
}
