//! Assessments.

use a11ycheck_core::{
    domain::{Assessment, AssessmentChanges, NewAuditRecord},
    id::{SiteId, TeamId},
    store::{AssessmentStore, StoreError},
};
use async_trait::async_trait;

use super::rows::{AssessmentRow, assessment_columns, insert};
use crate::{
    SqliteStore,
    db::{columns::json, ids::Id},
    people::audit::append,
    reviews::store::is_site,
};

#[async_trait]
impl AssessmentStore for SqliteStore {
    async fn change_assessments(
        &self,
        team: TeamId,
        site: SiteId,
        changes: &AssessmentChanges,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError> {
        self.write(async |mut tx| {
            let now = tx.now();
            if !is_site(tx.db(), team, site).await? {
                return Ok(false);
            }
            if changes.is_empty() {
                return Ok(true);
            }
            let gone: Vec<String> = changes.criteria().iter().map(ToString::to_string).collect();
            sqlx::query(
                "DELETE FROM assessments WHERE site_id = ?1 AND criterion IN (SELECT value FROM json_each(?2))",
            )
            .bind(Id(site))
            .bind(json(&gone)?)
            .execute(tx.db())
            .await?;
            for assessment in changes.made_at(team, site, now) {
                insert(tx.db(), &assessment).await?;
            }
            append(tx.db(), audit, now).await?;
            Ok(true)
        })
        .await
    }

    async fn assessments(&self, team: TeamId, site: SiteId) -> Result<Vec<Assessment>, StoreError> {
        self.read(async |mut db| {
            let rows: Vec<AssessmentRow> = sqlx::query_as(concat!(
                "SELECT ",
                assessment_columns!(),
                " FROM assessments c WHERE c.site_id = ?1 AND c.team_id = ?2",
            ))
            .bind(Id(site))
            .bind(Id(team))
            .fetch_all(&mut *db)
            .await?;
            let mut assessments: Vec<Assessment> =
                rows.into_iter().map(AssessmentRow::assessment).collect::<Result<_, _>>()?;
            assessments.sort_unstable_by(|one, other| one.criterion.cmp(&other.criterion));
            Ok(assessments)
        })
        .await
    }
}
