//! The audit log, and the purge of what is over.

use a11ycheck_core::{
    domain::{AuditRecord, Invitation, NewAuditRecord, Session},
    id::TeamId,
    paging::{Page, PageRequest},
    store::{PurgedPeople, StoreError},
};
use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::{
    rows::{AuditRow, audit_columns},
    sessions::now,
};
use crate::{
    PostgresStore,
    db::{columns::paged, error::Failure, ids::Id},
};

/// Adds an entry to the log. Returns `false` if there is no such team.
pub(crate) async fn append(
    db: &mut PgConnection,
    record: &NewAuditRecord,
    now: DateTime<Utc>,
) -> Result<bool, sqlx::Error> {
    if let Some(team) = record.team {
        // Waits for a deletion of the team, and then finds no team, rather than a foreign key that leads nowhere.
        let found: Option<i32> = sqlx::query_scalar("SELECT 1 FROM teams WHERE id = $1 FOR KEY SHARE")
            .bind(Id(team))
            .fetch_optional(&mut *db)
            .await?;
        if found.is_none() {
            return Ok(false);
        }
    }
    sqlx::query(
        "INSERT INTO audit_records (id, team_id, person_id, actor, action, subject, address, at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(Id(record.id))
    .bind(record.team.map(Id))
    .bind(record.person.map(Id))
    .bind(&record.actor)
    .bind(record.action.as_str())
    .bind(&record.subject)
    .bind(record.address.map(|address| address.to_string()))
    .bind(now)
    .execute(db)
    .await?;
    Ok(true)
}

impl PostgresStore {
    pub(super) async fn audit_page(
        &self,
        team: Option<TeamId>,
        page: PageRequest,
    ) -> Result<Page<AuditRecord>, StoreError> {
        self.step(|| async {
            let (limit, offset) = paged(page);
            let rows: Vec<AuditRow> = sqlx::query_as(concat!(
                "SELECT ",
                audit_columns!(),
                " FROM audit_records a WHERE coalesce(a.team_id, '') = coalesce($1, '') ORDER BY a.at DESC, a.id LIMIT $2 OFFSET $3",
            ))
            .bind(team.map(Id))
            .bind(limit)
            .bind(offset)
            .fetch_all(&mut *self.session().await?)
            .await?;
            let total: i64 = sqlx::query_scalar("SELECT count(*) FROM audit_records WHERE coalesce(team_id, '') = coalesce($1, '')")
                .bind(team.map(Id))
                .fetch_one(&mut *self.session().await?)
                .await?;
            let items = rows.into_iter().map(AuditRow::record).collect::<Result<_, _>>()?;
            Ok(Page { request: page, items, total: total.unsigned_abs() })
        })
        .await
    }

    pub(super) async fn purge_what_is_over(&self, limit: u32) -> Result<PurgedPeople, StoreError> {
        self.transaction(async |mut tx| {
            let now = now(&mut tx).await?;
            let sessions = sqlx::query(
                "DELETE FROM sessions WHERE id IN
                     (SELECT id FROM sessions WHERE last_used_at <= $1 OR created_at <= $2 LIMIT $3 FOR UPDATE SKIP LOCKED)",
            )
            .bind(now - Session::IDLE)
            .bind(now - Session::LONGEST)
            .bind(i64::from(limit))
            .execute(tx.db())
            .await?;
            let invitations = sqlx::query(
                "DELETE FROM invitations WHERE id IN (SELECT id FROM invitations WHERE created_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)",
            )
            .bind(now - Invitation::TERM)
            .bind(i64::from(limit))
            .execute(tx.db())
            .await?;
            let audit = sqlx::query(
                "DELETE FROM audit_records WHERE id IN (SELECT id FROM audit_records WHERE at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)",
            )
            .bind(now - AuditRecord::TERM)
            .bind(i64::from(limit))
            .execute(tx.db())
            .await?;
            // None has more than `limit`.
            let [sessions, invitations, audit] =
                [sessions, invitations, audit].map(|done| u32::try_from(done.rows_affected()).unwrap_or(limit));
            Ok::<_, Failure<StoreError>>(PurgedPeople { sessions, invitations, audit })
        })
        .await
    }
}
