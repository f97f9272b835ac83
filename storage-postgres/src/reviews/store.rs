//! Judgements.

use a11ycheck_core::{
    domain::{Judgement, NewAuditRecord, NewJudgement, without_repeated},
    id::{JudgementId, SiteId, TeamId},
    paging::{Page, PageRequest},
    store::{JudgeError, ReviewStore, StoreError},
};
use async_trait::async_trait;
use sqlx::{PgConnection, types::Json};

use super::rows::{JudgementRow, judgement_columns};
use crate::{
    PostgresStore,
    db::{
        columns::{paged, stored_word},
        error::Failure,
        ids::Id,
    },
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
            insert(tx.db(), &judgement).await?;
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
            let subjects: Vec<String> = new.iter().map(|one| one.subject().as_str().to_owned()).collect();
            sqlx::query("DELETE FROM judgements WHERE site_id = $1 AND subject = ANY ($2)")
                .bind(Id(site))
                .bind(&subjects)
                .execute(tx.db())
                .await?;
            let others: i64 = sqlx::query_scalar("SELECT count(*) FROM judgements WHERE site_id = $1")
                .bind(Id(site))
                .fetch_one(tx.db())
                .await?;
            if others.unsigned_abs() + new.len() as u64 > Judgement::MOST {
                return Err(Failure::Refused(JudgeError::TooMany));
            }
            for judgement in &new {
                insert(tx.db(), judgement).await?;
            }
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

/// Stores a judgement whose subject no other of its site has.
async fn insert<E>(db: &mut PgConnection, judgement: &Judgement) -> Result<(), Failure<E>> {
    sqlx::query(
        "INSERT INTO judgements
             (id, team_id, site_id, subject, element, reach, verdict, note, until, person_id, author, at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
    )
    .bind(Id(judgement.id))
    .bind(Id(judgement.team))
    .bind(Id(judgement.site))
    .bind(judgement.subject().as_str().to_owned())
    .bind(Json(&judgement.element))
    .bind(stored_word(judgement.reach)?)
    .bind(stored_word(judgement.verdict)?)
    .bind(&judgement.note)
    .bind(judgement.until)
    .bind(judgement.person.map(Id))
    .bind(&judgement.author)
    .bind(judgement.at)
    .execute(db)
    .await?;
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
async fn listed(
    db: &mut PgConnection,
    team: TeamId,
    site: SiteId,
    limit: Option<i64>,
    offset: i64,
) -> Result<Vec<Judgement>, Failure<StoreError>> {
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
