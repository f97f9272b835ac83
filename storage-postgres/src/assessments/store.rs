//! Assessments.

use a11ycheck_core::{
    domain::{Assessment, AssessmentChanges, NewAuditRecord},
    id::{SiteId, TeamId},
    store::{AssessmentStore, StoreError},
};
use async_trait::async_trait;

use super::rows::{AssessmentRow, assessment_columns, insert};
use crate::{
    PostgresStore,
    db::ids::Id,
    people::{audit::append, sessions::now},
    reviews::store::lock_site,
};

#[async_trait]
impl AssessmentStore for PostgresStore {
    async fn change_assessments(
        &self,
        team: TeamId,
        site: SiteId,
        changes: &AssessmentChanges,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError> {
        self.transaction(async |mut tx| {
            // Locked, so that of two steps at once each sees what the other has made.
            if !lock_site(tx.db(), team, site).await? {
                return Ok(false);
            }
            if changes.is_empty() {
                return Ok(true);
            }
            let now = now(&mut tx).await?;
            let gone: Vec<String> = changes.criteria().iter().map(ToString::to_string).collect();
            sqlx::query("DELETE FROM assessments WHERE site_id = $1 AND criterion = ANY ($2)")
                .bind(Id(site))
                .bind(&gone)
                .execute(tx.db())
                .await?;
            insert(tx.db(), &changes.made_at(team, site, now)).await?;
            append(tx.db(), &audit, now).await?;
            Ok(true)
        })
        .await
    }

    async fn assessments(&self, team: TeamId, site: SiteId) -> Result<Vec<Assessment>, StoreError> {
        self.step(|| async {
            let mut session = self.session().await?;
            let rows: Vec<AssessmentRow> = sqlx::query_as(concat!(
                "SELECT ",
                assessment_columns!(),
                " FROM assessments c WHERE c.site_id = $1 AND c.team_id = $2",
            ))
            .bind(Id(site))
            .bind(Id(team))
            .fetch_all(&mut *session)
            .await?;
            let mut assessments: Vec<Assessment> =
                rows.into_iter().map(AssessmentRow::assessment).collect::<Result<_, _>>()?;
            assessments.sort_unstable_by(|one, other| one.criterion.cmp(&other.criterion));
            Ok(assessments)
        })
        .await
    }
}
