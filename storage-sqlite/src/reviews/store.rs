//! Judgements.

use a11ycheck_core::{
    domain::{Judgement, NewAuditRecord, NewJudgement, without_repeated},
    id::{JudgementId, SiteId, TeamId},
    paging::{Page, PageRequest},
    store::{JudgeError, ReviewStore, StoreError},
};
use async_trait::async_trait;
use sqlx::SqliteConnection;

use super::rows::{JudgementRow, insert, judgement_columns};
use crate::{
    SqliteStore,
    db::{
        columns::{json, paged},
        error::Failure,
        ids::Id,
    },
    people::audit::append,
};

#[async_trait]
impl ReviewStore for SqliteStore {
    async fn put_judgement(
        &self,
        team: TeamId,
        site: SiteId,
        judgement: NewJudgement,
        instead_of: Option<JudgementId>,
        audit: NewAuditRecord,
    ) -> Result<Judgement, JudgeError> {
        self.write(async |mut tx| {
            let now = tx.now();
            if !is_site(tx.db(), team, site).await? {
                return Err(Failure::Refused(JudgeError::NotFound));
            }
            let judgement = judgement.at(team, site, now);
            sqlx::query("DELETE FROM judgements WHERE site_id = ?1 AND (subject = ?2 OR id = ?3)")
                .bind(Id(site))
                .bind(judgement.subject().as_str().to_owned())
                .bind(instead_of.map(Id))
                .execute(tx.db())
                .await?;
            let others: i64 = sqlx::query_scalar("SELECT count(*) FROM judgements WHERE site_id = ?1")
                .bind(Id(site))
                .fetch_one(tx.db())
                .await?;
            if others.unsigned_abs() >= Judgement::MOST {
                return Err(Failure::Refused(JudgeError::TooMany));
            }
            insert(tx.db(), &judgement).await?;
            append(tx.db(), audit, now).await?;
            Ok(judgement)
        })
        .await
    }

    async fn put_judgements(
        &self,
        team: TeamId,
        site: SiteId,
        judgements: Vec<NewJudgement>,
        audit: NewAuditRecord,
    ) -> Result<Vec<Judgement>, JudgeError> {
        self.write(async |mut tx| {
            let now = tx.now();
            if !is_site(tx.db(), team, site).await? {
                return Err(Failure::Refused(JudgeError::NotFound));
            }
            let new = without_repeated(judgements.into_iter().map(|one| one.at(team, site, now)).collect());
            if new.is_empty() {
                return Ok(new);
            }
            replace(tx.db(), site, &new, &[]).await?;
            append(tx.db(), audit, now).await?;
            Ok(new)
        })
        .await
    }

    async fn remove_judgement(
        &self,
        team: TeamId,
        site: SiteId,
        judgement: JudgementId,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError> {
        self.write(async |mut tx| {
            let now = tx.now();
            let removed = sqlx::query("DELETE FROM judgements WHERE id = ?1 AND site_id = ?2 AND team_id = ?3")
                .bind(Id(judgement))
                .bind(Id(site))
                .bind(Id(team))
                .execute(tx.db())
                .await?;
            if removed.rows_affected() == 0 {
                return Ok(false);
            }
            append(tx.db(), audit, now).await?;
            Ok(true)
        })
        .await
    }

    async fn judgements(&self, team: TeamId, site: SiteId, page: PageRequest) -> Result<Page<Judgement>, StoreError> {
        self.read(async |mut db| {
            let (limit, offset) = paged(page);
            let items = listed(&mut db, team, site, limit, offset).await?;
            let total: i64 = sqlx::query_scalar("SELECT count(*) FROM judgements WHERE site_id = ?1 AND team_id = ?2")
                .bind(Id(site))
                .bind(Id(team))
                .fetch_one(&mut *db)
                .await?;
            Ok(Page { request: page, items, total: total.unsigned_abs() })
        })
        .await
    }

    async fn all_judgements(&self, team: TeamId, site: SiteId) -> Result<Vec<Judgement>, StoreError> {
        self.read(async |mut db| listed(&mut db, team, site, i64::MAX, 0).await).await
    }
}

/// Keeps judgements about a site, in place of those with the same subjects, and of others that are named; returns those whose place they
/// take.
pub(crate) async fn replace(
    db: &mut SqliteConnection,
    site: SiteId,
    new: &[Judgement],
    others: &[JudgementId],
) -> Result<Vec<Judgement>, Failure<JudgeError>> {
    let subjects: Vec<String> = new.iter().map(|one| one.subject().as_str().to_owned()).collect();
    let others: Vec<String> = others.iter().map(ToString::to_string).collect();
    let replaced: Vec<JudgementRow> = sqlx::query_as(concat!(
        "SELECT ",
        judgement_columns!(),
        " FROM judgements j WHERE j.site_id = ?1
         AND (j.subject IN (SELECT value FROM json_each(?2)) OR j.id IN (SELECT value FROM json_each(?3)))",
    ))
    .bind(Id(site))
    .bind(json(&subjects)?)
    .bind(json(&others)?)
    .fetch_all(&mut *db)
    .await?;
    let replaced: Vec<Judgement> = replaced.into_iter().map(JudgementRow::judgement).collect::<Result<_, _>>()?;
    let gone: Vec<JudgementId> = replaced.iter().map(|judgement| judgement.id).collect();
    remove(db, &gone).await?;
    let kept: i64 = sqlx::query_scalar("SELECT count(*) FROM judgements WHERE site_id = ?1")
        .bind(Id(site))
        .fetch_one(&mut *db)
        .await?;
    if kept.unsigned_abs() + new.len() as u64 > Judgement::MOST {
        return Err(Failure::Refused(JudgeError::TooMany));
    }
    for judgement in new {
        insert(db, judgement).await?;
    }
    Ok(replaced)
}

/// Removes judgements.
pub(crate) async fn remove<E>(db: &mut SqliteConnection, judgements: &[JudgementId]) -> Result<(), Failure<E>> {
    let ids: Vec<String> = judgements.iter().map(ToString::to_string).collect();
    sqlx::query("DELETE FROM judgements WHERE id IN (SELECT value FROM json_each(?1))")
        .bind(json(&ids)?)
        .execute(db)
        .await?;
    Ok(())
}

pub(crate) async fn is_site(db: &mut SqliteConnection, team: TeamId, site: SiteId) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM sites WHERE team_id = ?1 AND id = ?2)")
        .bind(Id(team))
        .bind(Id(site))
        .fetch_one(db)
        .await
}

pub(crate) async fn listed<E>(
    db: &mut SqliteConnection,
    team: TeamId,
    site: SiteId,
    limit: i64,
    offset: i64,
) -> Result<Vec<Judgement>, Failure<E>> {
    let rows: Vec<JudgementRow> = sqlx::query_as(concat!(
        "SELECT ",
        judgement_columns!(),
        " FROM judgements j WHERE j.site_id = ?1 AND j.team_id = ?2 ORDER BY j.at DESC, j.id LIMIT ?3 OFFSET ?4",
    ))
    .bind(Id(site))
    .bind(Id(team))
    .bind(limit)
    .bind(offset)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(JudgementRow::judgement).collect::<Result<_, _>>()?)
}
