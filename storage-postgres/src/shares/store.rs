//! Links that show one report to whoever has them.

use a11ycheck_core::{
    domain::{NewAuditRecord, NewSharedReport, SecretHash, SharedReport, Sharing},
    id::{ScanId, ShareId, TeamId},
    store::{ShareError, ShareStore, StoreError},
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sqlx_macros::FromRow;

use crate::{
    PostgresStore,
    db::{
        columns::{BoxedError, named},
        error::{Corrupt, Failure},
        ids::Id,
    },
    people::{audit::append, sessions::now},
};

/// The columns of [`ShareRow`], of a link `r`.
macro_rules! share_columns {
    () => {
        "r.id, r.team_id, r.scan_id, r.made_by, r.created_at, r.ends_at"
    };
}

#[async_trait]
impl ShareStore for PostgresStore {
    async fn sharing(&self, team: TeamId) -> Result<Sharing, StoreError> {
        self.step(|| async {
            let mut db = self.session().await?;
            let is_on: Option<bool> = sqlx::query_scalar("SELECT shares_reports FROM teams WHERE id = $1")
                .bind(Id(team))
                .fetch_optional(&mut *db)
                .await?;
            Ok(Sharing::from_flag(is_on.unwrap_or_default()))
        })
        .await
    }

    async fn set_sharing(&self, team: TeamId, sharing: Sharing, audit: NewAuditRecord) -> Result<bool, StoreError> {
        self.transaction(async |mut tx| {
            let set = sqlx::query("UPDATE teams SET shares_reports = $2 WHERE id = $1 AND shares_reports <> $2")
                .bind(Id(team))
                .bind(sharing.is_on())
                .execute(tx.db())
                .await?;
            if set.rows_affected() == 0 {
                return Ok(false);
            }
            let now = now(&mut tx).await?;
            append(tx.db(), &audit, now).await?;
            Ok(true)
        })
        .await
    }

    async fn share_report(
        &self,
        team: TeamId,
        report: NewSharedReport,
        audit: NewAuditRecord,
    ) -> Result<SharedReport, ShareError> {
        self.transaction(async |mut tx| {
            let refused = |refusal: ShareError| Failure::Refused(refusal);
            // Locked, so that nobody else makes a link meanwhile, or deletes the team.
            let is_on: Option<bool> =
                sqlx::query_scalar("SELECT shares_reports FROM teams WHERE id = $1 FOR NO KEY UPDATE")
                    .bind(Id(team))
                    .fetch_optional(tx.db())
                    .await?;
            if !is_on.ok_or(refused(ShareError::NotFound))? {
                return Err(refused(ShareError::Off));
            }
            let now = now(&mut tx).await?;
            let valid: i64 =
                sqlx::query_scalar("SELECT count(*) FROM shared_reports WHERE team_id = $1 AND ends_at > $2")
                    .bind(Id(team))
                    .bind(now)
                    .fetch_one(tx.db())
                    .await?;
            if valid.unsigned_abs() >= SharedReport::MOST {
                return Err(refused(ShareError::TooMany));
            }
            let hash = report.hash;
            let link = report.clone().at(team, now);
            sqlx::query(
                "INSERT INTO shared_reports (id, team_id, scan_id, hash, made_by, created_at, ends_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7)",
            )
            .bind(Id(link.id))
            .bind(Id(team))
            .bind(Id(link.scan))
            .bind(hash.as_bytes().as_slice())
            .bind(&link.made_by)
            .bind(link.created_at)
            .bind(link.ends_at)
            .execute(tx.db())
            .await?;
            append(tx.db(), &audit, now).await?;
            Ok(link)
        })
        .await
    }

    async fn shared_reports(&self, team: TeamId, scan: ScanId) -> Result<Vec<SharedReport>, StoreError> {
        self.step(|| async {
            let mut db = self.session().await?;
            let rows: Vec<ShareRow> = sqlx::query_as(concat!(
                "SELECT ",
                share_columns!(),
                " FROM shared_reports r WHERE r.team_id = $1 AND r.scan_id = $2 AND r.ends_at > coalesce($3, clock_timestamp())
                 ORDER BY r.created_at DESC, r.id",
            ))
            .bind(Id(team))
            .bind(Id(scan))
            .bind(self.instant())
            .fetch_all(&mut *db)
            .await?;
            Ok(rows.into_iter().map(ShareRow::link).collect::<Result<_, _>>()?)
        })
        .await
    }

    async fn revoke_shared_report(&self, team: TeamId, id: ShareId, audit: NewAuditRecord) -> Result<bool, StoreError> {
        self.transaction(async |mut tx| {
            let now = now(&mut tx).await?;
            let revoked = sqlx::query("DELETE FROM shared_reports WHERE team_id = $1 AND id = $2 AND ends_at > $3")
                .bind(Id(team))
                .bind(Id(id))
                .bind(now)
                .execute(tx.db())
                .await?;
            if revoked.rows_affected() == 0 {
                return Ok(false);
            }
            append(tx.db(), &audit, now).await?;
            Ok(true)
        })
        .await
    }

    async fn shared_report(&self, hash: &SecretHash) -> Result<Option<SharedReport>, StoreError> {
        self.step(|| async {
            let mut db = self.session().await?;
            let row: Option<ShareRow> = sqlx::query_as(concat!(
                "SELECT ",
                share_columns!(),
                " FROM shared_reports r JOIN teams t ON t.id = r.team_id
                 WHERE r.hash = $1 AND r.ends_at > coalesce($2, clock_timestamp()) AND t.shares_reports",
            ))
            .bind(hash.as_bytes().as_slice())
            .bind(self.instant())
            .fetch_optional(&mut *db)
            .await?;
            Ok(row.map(ShareRow::link).transpose()?)
        })
        .await
    }

    async fn purge_shared_reports(&self, limit: u32) -> Result<u32, StoreError> {
        self.transaction(async |mut tx| {
            let now = now(&mut tx).await?;
            let purged = sqlx::query(
                "DELETE FROM shared_reports WHERE id IN (SELECT id FROM shared_reports WHERE ends_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)",
            )
            .bind(now)
            .bind(i64::from(limit))
            .execute(tx.db())
            .await?;
            // Not more than `limit`.
            Ok(u32::try_from(purged.rows_affected()).unwrap_or(limit))
        })
        .await
    }
}

#[derive(FromRow)]
struct ShareRow {
    id: String,
    team_id: String,
    scan_id: String,
    made_by: String,
    created_at: DateTime<Utc>,
    ends_at: DateTime<Utc>,
}

impl ShareRow {
    fn link(self) -> Result<SharedReport, Corrupt> {
        named("shared_reports", self.id.clone(), self.read())
    }

    fn read(self) -> Result<SharedReport, BoxedError> {
        Ok(SharedReport {
            id: self.id.parse()?,
            team: self.team_id.parse()?,
            scan: self.scan_id.parse()?,
            made_by: self.made_by,
            created_at: self.created_at,
            ends_at: self.ends_at,
        })
    }
}
