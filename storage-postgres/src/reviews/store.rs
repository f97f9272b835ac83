//! Judgements.

use a11ycheck_core::{
    domain::{Judgement, NewAuditRecord, NewJudgement, without_repeated},
    id::{JudgementId, SiteId, TeamId},
    paging::{Page, PageRequest},
    store::{JudgeError, ReviewStore, StoreError},
};
use async_trait::async_trait;
use sqlx::{PgConnection, QueryBuilder, types::Json};

use super::rows::{JudgementRow, judgement_columns};
use crate::{
    PostgresStore,
    db::{columns::paged, error::Failure, ids::Id},
    people::{audit::append, sessions::now},
};

#[async_trait]
impl ReviewStore for PostgresStore {
    async fn put_judgement(
        &self,
        team: TeamId,
        site: SiteId,
        judgement: NewJudgement,
        instead_of: Option<JudgementId>,
        audit: NewAuditRecord,
    ) -> Result<Judgement, JudgeError> {
        self.transaction(async |mut tx| {
            if !lock_site(tx.db(), team, site).await? {
                return Err(Failure::Refused(JudgeError::NotFound));
            }
            let now = now(&mut tx).await?;
            let judgement = judgement.clone().at(team, site, now);
            let subject = judgement.subject();
            sqlx::query("DELETE FROM judgements WHERE site_id = $1 AND (subject = $2 OR id = $3)")
                .bind(Id(site))
                .bind(subject.as_str())
                .bind(instead_of.map(Id))
                .execute(tx.db())
                .await?;
            let others: i64 = sqlx::query_scalar("SELECT count(*) FROM judgements WHERE site_id = $1")
                .bind(Id(site))
                .fetch_one(tx.db())
                .await?;
            if others.unsigned_abs() >= Judgement::MOST {
                return Err(Failure::Refused(JudgeError::TooMany));
            }
            insert(tx.db(), std::slice::from_ref(&judgement)).await?;
            append(tx.db(), &audit, now).await?;
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
        self.transaction(async |mut tx| {
            if !lock_site(tx.db(), team, site).await? {
                return Err(Failure::Refused(JudgeError::NotFound));
            }
            let now = now(&mut tx).await?;
            let new = without_repeated(judgements.iter().cloned().map(|one| one.at(team, site, now)).collect());
            if new.is_empty() {
                return Ok(new);
            }
            replace(tx.db(), site, &new, &[]).await?;
            append(tx.db(), &audit, now).await?;
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
        self.transaction(async |mut tx| {
            if !lock_site(tx.db(), team, site).await? {
                return Ok(false);
            }
            let now = now(&mut tx).await?;
            let removed = sqlx::query("DELETE FROM judgements WHERE id = $1 AND site_id = $2")
                .bind(Id(judgement))
                .bind(Id(site))
                .execute(tx.db())
                .await?;
            if removed.rows_affected() == 0 {
                return Ok(false);
            }
            append(tx.db(), &audit, now).await?;
            Ok(true)
        })
        .await
    }

    async fn judgements(&self, team: TeamId, site: SiteId, page: PageRequest) -> Result<Page<Judgement>, StoreError> {
        self.step(|| async {
            let (limit, offset) = paged(page);
            let mut session = self.session().await?;
            let items = listed(&mut session, team, site, Some(limit), offset).await?;
            let total: i64 = sqlx::query_scalar("SELECT count(*) FROM judgements WHERE site_id = $1 AND team_id = $2")
                .bind(Id(site))
                .bind(Id(team))
                .fetch_one(&mut *session)
                .await?;
            Ok(Page { request: page, items, total: total.unsigned_abs() })
        })
        .await
    }

    async fn all_judgements(&self, team: TeamId, site: SiteId) -> Result<Vec<Judgement>, StoreError> {
        self.step(|| async { listed(&mut *self.session().await?, team, site, None, 0).await }).await
    }
}

/// Keeps judgements about a site, in place of those with the same subjects, and of others that are named; returns those whose place they
/// take.
pub(crate) async fn replace(
    db: &mut PgConnection,
    site: SiteId,
    new: &[Judgement],
    others: &[JudgementId],
) -> Result<Vec<Judgement>, Failure<JudgeError>> {
    let subjects: Vec<String> = new.iter().map(|one| one.subject().as_str().to_owned()).collect();
    let replaced: Vec<JudgementRow> = sqlx::query_as(concat!(
        "DELETE FROM judgements j WHERE j.site_id = $1 AND (j.subject = ANY ($2) OR j.id = ANY ($3)) RETURNING ",
        judgement_columns!(),
    ))
    .bind(Id(site))
    .bind(&subjects)
    .bind(others.iter().copied().map(Id).collect::<Vec<_>>())
    .fetch_all(&mut *db)
    .await?;
    let kept: i64 = sqlx::query_scalar("SELECT count(*) FROM judgements WHERE site_id = $1")
        .bind(Id(site))
        .fetch_one(&mut *db)
        .await?;
    if kept.unsigned_abs() + new.len() as u64 > Judgement::MOST {
        return Err(Failure::Refused(JudgeError::TooMany));
    }
    insert(db, new).await?;
    Ok(replaced.into_iter().map(JudgementRow::judgement).collect::<Result<_, _>>()?)
}

/// Removes judgements.
pub(crate) async fn remove(db: &mut PgConnection, judgements: &[JudgementId]) -> Result<(), sqlx::Error> {
    sqlx::query("DELETE FROM judgements WHERE id = ANY ($1)")
        .bind(judgements.iter().copied().map(Id).collect::<Vec<_>>())
        .execute(db)
        .await?;
    Ok(())
}

/// Returns all judgements of a site.
pub(crate) async fn all<E>(db: &mut PgConnection, team: TeamId, site: SiteId) -> Result<Vec<Judgement>, Failure<E>> {
    listed(db, team, site, None, 0).await
}

/// The rows of one statement: far fewer parameters than a statement may have.
const ROWS: usize = 500;

/// Stores judgements whose subjects no others of their site have.
pub(crate) async fn insert<E>(db: &mut PgConnection, judgements: &[Judgement]) -> Result<(), Failure<E>> {
    for rows in judgements.chunks(ROWS) {
        let mut statement = QueryBuilder::new(
            "INSERT INTO judgements
                 (id, team_id, site_id, subject, element, reach, verdict, note, until, person_id, author, at) ",
        );
        statement.push_values(rows, |mut row, judgement| {
            row.push_bind(Id(judgement.id))
                .push_bind(Id(judgement.team))
                .push_bind(Id(judgement.site))
                .push_bind(judgement.subject().as_str().to_owned())
                .push_bind(Json(&judgement.element))
                .push_bind(judgement.reach.to_string())
                .push_bind(judgement.verdict.to_string())
                .push_bind(&judgement.note)
                .push_bind(judgement.until)
                .push_bind(judgement.person.map(Id))
                .push_bind(&judgement.author)
                .push_bind(judgement.at);
        });
        statement.build().persistent(false).execute(&mut *db).await?;
    }
    Ok(())
}

/// Locks a site of a team, so that nobody else judges its elements or deletes it: first the team, as all steps do, which the entry of
/// the audit log refers to. Returns `false` if there is none.
pub(crate) async fn lock_site(db: &mut PgConnection, team: TeamId, site: SiteId) -> Result<bool, sqlx::Error> {
    let team_is_there =
        sqlx::query("SELECT FROM teams WHERE id = $1 FOR KEY SHARE").bind(Id(team)).fetch_optional(&mut *db).await?;
    if team_is_there.is_none() {
        return Ok(false);
    }
    let found = sqlx::query("SELECT FROM sites WHERE team_id = $1 AND id = $2 FOR NO KEY UPDATE")
        .bind(Id(team))
        .bind(Id(site))
        .fetch_optional(db)
        .await?;
    Ok(found.is_some())
}

/// Returns judgements in the order of the list; all of them without a limit.
async fn listed<E>(
    db: &mut PgConnection,
    team: TeamId,
    site: SiteId,
    limit: Option<i64>,
    offset: i64,
) -> Result<Vec<Judgement>, Failure<E>> {
    let rows: Vec<JudgementRow> = sqlx::query_as(concat!(
        "SELECT ",
        judgement_columns!(),
        " FROM judgements j WHERE j.site_id = $1 AND j.team_id = $2 ORDER BY j.at DESC, j.id LIMIT $3 OFFSET $4",
    ))
    .bind(Id(site))
    .bind(Id(team))
    .bind(limit)
    .bind(offset)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(JudgementRow::judgement).collect::<Result<_, _>>()?)
}
