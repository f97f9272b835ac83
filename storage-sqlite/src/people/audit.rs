//! The audit log, and the purge of what is over.

use a11ycheck_core::{
    domain::{AuditRecord, Invitation, NewAuditRecord, Session},
    id::TeamId,
    paging::{Page, PageRequest},
    store::{PurgedPeople, StoreError},
};
use chrono::{DateTime, Utc};
use sqlx::SqliteConnection;

use super::rows::{AuditRow, audit_columns};
use crate::{
    SqliteStore,
    db::{
        columns::paged,
        error::Failure,
        ids::{At, Id},
    },
};

/// Adds an entry to the log. Returns `false` if there is no such team.
pub(crate) async fn append(
    db: &mut SqliteConnection,
    record: NewAuditRecord,
    now: DateTime<Utc>,
) -> Result<bool, sqlx::Error> {
    let appended = sqlx::query(
        "INSERT INTO audit_records (id, team_id, person_id, actor, action, subject, address, at)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE ?2 IS NULL OR EXISTS (SELECT 1 FROM teams WHERE id = ?2)",
    )
    .bind(Id(record.id))
    .bind(record.team.map(Id))
    .bind(record.person.map(Id))
    .bind(record.actor)
    .bind(record.action.as_str().to_owned())
    .bind(record.subject)
    .bind(record.address.map(|address| address.to_string()))
    .bind(At(now))
    .execute(db)
    .await?;
    Ok(appended.rows_affected() > 0)
}

impl SqliteStore {
    pub(super) async fn audit_page(
        &self,
        team: Option<TeamId>,
        page: PageRequest,
    ) -> Result<Page<AuditRecord>, StoreError> {
        self.read(async |mut db| {
            let (limit, offset) = paged(page);
            let rows: Vec<AuditRow> = sqlx::query_as(concat!(
                "SELECT ",
                audit_columns!(),
                " FROM audit_records a WHERE a.team_id IS ?1 ORDER BY a.at DESC, a.id LIMIT ?2 OFFSET ?3",
            ))
            .bind(team.map(Id))
            .bind(limit)
            .bind(offset)
            .fetch_all(&mut *db)
            .await?;
            let total: i64 = sqlx::query_scalar("SELECT count(*) FROM audit_records WHERE team_id IS ?1")
                .bind(team.map(Id))
                .fetch_one(&mut *db)
                .await?;
            let items = rows.into_iter().map(AuditRow::record).collect::<Result<_, _>>()?;
            Ok(Page { request: page, items, total: total.unsigned_abs() })
        })
        .await
    }

    pub(super) async fn purge_what_is_over(&self, limit: u32) -> Result<PurgedPeople, StoreError> {
        self.write(async |mut tx| {
            let now = tx.now();
            let sessions = sqlx::query(
                "DELETE FROM sessions WHERE id IN
                     (SELECT id FROM sessions WHERE last_used_at <= ?1 OR created_at <= ?2 LIMIT ?3)",
            )
            .bind(At(now - Session::IDLE))
            .bind(At(now - Session::LONGEST))
            .bind(i64::from(limit))
            .execute(tx.db())
            .await?;
            let invitations = sqlx::query(
                "DELETE FROM invitations WHERE id IN (SELECT id FROM invitations WHERE created_at <= ?1 LIMIT ?2)",
            )
            .bind(At(now - Invitation::TERM))
            .bind(i64::from(limit))
            .execute(tx.db())
            .await?;
            let audit = sqlx::query(
                "DELETE FROM audit_records WHERE id IN (SELECT id FROM audit_records WHERE at <= ?1 LIMIT ?2)",
            )
            .bind(At(now - AuditRecord::TERM))
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
