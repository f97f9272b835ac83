//! Plans, teams and their tokens.

use a11ycheck_core::{
    domain::{
        ApiToken, BrandName, ExternalKey, HeadText, Logo, NewTeam, NewToken, Plan, PlanCode, ShortenedHistory,
        Standing, Subscription, Team, TeamBrand, brought_forward, purge_hold,
    },
    id::{SiteId, TeamId, TokenId},
    paging::{Page, PageRequest},
    store::{DeletePlanError, StoreError, TeamStore, UnknownPlan},
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sqlx::{PgConnection, types::Json};

use crate::{
    PostgresStore,
    db::{
        columns::{paged, stored_word},
        error::{Corrupt, Failure},
        ids::Id,
    },
    scans::{
        queue::move_next_scans,
        retention::{hold_team, look_at_team},
    },
    teams::{
        plans::{self, history_months},
        rows::{BrandRow, PlanDocument, TeamRow, TokenRow, read_plan, team_columns, token_columns},
    },
    twins,
};

#[async_trait]
impl TeamStore for PostgresStore {
    async fn seed_plans(&self, plans: &[Plan]) -> Result<bool, StoreError> {
        self.transaction(async |mut tx| plans::seed(tx.db(), plans).await).await
    }

    async fn add_missing_plans(&self, plans: &[Plan]) -> Result<Vec<Plan>, StoreError> {
        self.transaction(async |mut tx| plans::add_missing(tx.db(), plans).await).await
    }

    async fn put_plans(&self, plans: &[Plan]) -> Result<Vec<ShortenedHistory>, StoreError> {
        self.transaction(async |mut tx| plans::put(&mut tx, plans).await).await
    }

    async fn delete_plan(&self, code: &PlanCode) -> Result<bool, DeletePlanError> {
        self.transaction(async |mut tx| plans::delete(tx.db(), code).await).await
    }

    async fn plans(&self) -> Result<Vec<Plan>, StoreError> {
        self.step(|| async {
            let documents: Vec<PlanDocument> = sqlx::query_scalar("SELECT document FROM plans ORDER BY code")
                .fetch_all(&mut *self.session().await?)
                .await?;
            Ok(documents.into_iter().map(read_plan).collect::<Result<_, _>>()?)
        })
        .await
    }

    async fn create_team(&self, team: NewTeam) -> Result<Team, UnknownPlan> {
        self.step(|| async {
            let created = create(&mut *self.session().await?, &team, None, self.instant()).await?;
            let row = created.ok_or_else(|| Failure::Refused(UnknownPlan::Unknown(team.plan.clone())))?;
            Ok(row.team()?)
        })
        .await
    }

    async fn team_for(&self, key: &ExternalKey, team: NewTeam) -> Result<Team, UnknownPlan> {
        self.step(|| async {
            let mut session = self.session().await?;
            loop {
                if let Some(row) = find(&mut session, key).await? {
                    return Ok(row.team()?);
                }
                if let Some(row) = create(&mut session, &team, Some(key), self.instant()).await? {
                    return Ok(row.team()?);
                }
                // There is no such plan, or another caller was faster, whose team is found next.
                let is_plan: bool = sqlx::query_scalar("SELECT EXISTS (SELECT FROM plans WHERE code = $1)")
                    .bind(team.plan.as_str())
                    .fetch_one(&mut *session)
                    .await?;
                if !is_plan {
                    return Err(Failure::Refused(UnknownPlan::Unknown(team.plan.clone())));
                }
            }
        })
        .await
    }

    async fn team(&self, id: TeamId) -> Result<Option<Team>, StoreError> {
        self.step(|| async {
            let mut session = self.session().await?;
            let row: Option<TeamRow> = sqlx::query_as(concat!(
                "SELECT ",
                team_columns!(),
                " FROM teams t JOIN plans p ON p.code = t.plan_code WHERE t.id = $1",
            ))
            .bind(Id(id))
            .fetch_optional(&mut *session)
            .await?;
            session.leave_ready();
            Ok(row.map(TeamRow::team).transpose()?)
        })
        .await
    }

    async fn teams(&self, page: PageRequest) -> Result<Page<Team>, StoreError> {
        self.step(|| async {
            let (limit, offset) = paged(page);
            let rows: Vec<TeamRow> = sqlx::query_as(concat!(
                "SELECT ",
                team_columns!(),
                " FROM teams t JOIN plans p ON p.code = t.plan_code ORDER BY t.created_at, t.id LIMIT $1 OFFSET $2",
            ))
            .bind(limit)
            .bind(offset)
            .fetch_all(&mut *self.session().await?)
            .await?;
            let total: i64 =
                sqlx::query_scalar("SELECT count(*) FROM teams").fetch_one(&mut *self.session().await?).await?;
            let items = rows.into_iter().map(TeamRow::team).collect::<Result<_, _>>()?;
            Ok(Page { request: page, items, total: total.unsigned_abs() })
        })
        .await
    }

    async fn set_standing(&self, id: TeamId, standing: Standing) -> Result<bool, StoreError> {
        self.step(|| async {
            let changed = sqlx::query("UPDATE teams SET standing = $2 WHERE id = $1")
                .bind(Id(id))
                .bind(stored_word(standing)?)
                .execute(&mut *self.session().await?)
                .await?;
            Ok(changed.rows_affected() > 0)
        })
        .await
    }

    async fn delete_team(&self, id: TeamId) -> Result<bool, StoreError> {
        self.delete_whole_team(id).await
    }

    async fn change_plan(&self, id: TeamId, plan: &PlanCode, subscription: Subscription) -> Result<bool, UnknownPlan> {
        self.transaction(async |mut tx| {
            // Shared with other steps that put teams on it; neither replaced nor deleted until this step has ended.
            let document: Option<PlanDocument> =
                sqlx::query_scalar("SELECT document FROM plans WHERE code = $1 FOR SHARE")
                    .bind(plan.as_str())
                    .fetch_optional(tx.db())
                    .await?;
            let Some(Json(document)) = document else {
                return Err(Failure::Refused(UnknownPlan::Unknown(plan.clone())));
            };
            let before: Option<(String, DateTime<Utc>)> = sqlx::query_as(
                "SELECT plan_code, coalesce($2, clock_timestamp()) FROM teams WHERE id = $1 FOR NO KEY UPDATE",
            )
            .bind(Id(id))
            .bind(tx.instant())
            .fetch_optional(tx.db())
            .await?;
            let Some((code_before, now)) = before else { return Ok(false) };
            let Json(document_before): PlanDocument = sqlx::query_scalar(
                "WITH changed AS (
                     UPDATE teams SET plan_code = $2, status = $3, ends_at = $4, trial_ends_at = $5 WHERE id = $1
                 )
                 SELECT document FROM plans WHERE code = $6",
            )
            .bind(Id(id))
            .bind(plan.as_str())
            .bind(subscription.status.as_str())
            .bind(subscription.ends_at)
            .bind(subscription.trial_ends_at)
            .bind(code_before)
            .fetch_one(tx.db())
            .await?;
            let (months_before, months) = (history_months(&document_before), history_months(&document));
            let frequency = read_plan(Json(document))?.limits.check_frequency;
            let planned: Vec<(String, DateTime<Utc>)> =
                sqlx::query_as("SELECT id, next_scan_at FROM sites WHERE team_id = $1 ORDER BY id FOR NO KEY UPDATE")
                    .bind(Id(id))
                    .fetch_all(tx.db())
                    .await?;
            let (mut ids, mut nexts) = (Vec::new(), Vec::new());
            for (site_id, planned) in planned {
                let site: SiteId = site_id.parse().map_err(|error| Corrupt::new("sites", &site_id, Box::new(error)))?;
                let next = brought_forward(site, frequency, planned, now);
                if next != planned {
                    ids.push(site_id);
                    nexts.push(next);
                }
            }
            move_next_scans(tx.db(), ids, nexts).await?;
            // An earlier hold is in the row, which keeps the later of the two.
            match purge_hold(months_before, months, None, now) {
                Some(until) => hold_team(tx.db(), id, until).await?,
                None => look_at_team(tx.db(), id).await?,
            }
            Ok(true)
        })
        .await
    }

    async fn purge_held_until(&self, team: TeamId) -> Result<Option<DateTime<Utc>>, StoreError> {
        self.step(|| async {
            let until = sqlx::query_scalar(concat!(
                "SELECT held_until FROM retention WHERE team_id = $1 AND ",
                twins::is_held!("held_until", "coalesce($2, clock_timestamp())"),
            ))
            .bind(Id(team))
            .bind(self.instant())
            .fetch_optional(&mut *self.session().await?)
            .await?;
            Ok(until)
        })
        .await
    }

    async fn brand(&self, team: TeamId) -> Result<TeamBrand, StoreError> {
        self.step(|| async {
            let row: Option<BrandRow> = sqlx::query_as(
                "SELECT team_id, name, colour, logo, product_version, contact, evaluator
                     FROM brands WHERE team_id = $1",
            )
            .bind(Id(team))
            .fetch_optional(&mut *self.session().await?)
            .await?;
            Ok(row.map(BrandRow::brand).transpose()?.unwrap_or_default())
        })
        .await
    }

    async fn set_brand(&self, team: TeamId, brand: TeamBrand) -> Result<bool, StoreError> {
        self.step(|| async {
            let set = sqlx::query(
                "INSERT INTO brands (team_id, name, colour, logo, product_version, contact, evaluator)
                 SELECT id, $2, $3, $4, $5, $6, $7 FROM teams WHERE id = $1 FOR KEY SHARE
                 ON CONFLICT (team_id) DO UPDATE
                 SET name = excluded.name, colour = excluded.colour, logo = excluded.logo,
                     product_version = excluded.product_version, contact = excluded.contact,
                     evaluator = excluded.evaluator",
            )
            .bind(Id(team))
            .bind(brand.name.as_ref().map(BrandName::as_str))
            .bind(brand.colour.map(|colour| colour.to_string()))
            .bind(brand.logo.as_ref().map(Logo::bytes))
            .bind(brand.draft.product_version.as_ref().map(HeadText::as_str))
            .bind(brand.draft.contact.as_ref().map(HeadText::as_str))
            .bind(brand.draft.evaluator.as_ref().map(HeadText::as_str))
            .execute(&mut *self.session().await?)
            .await?;
            Ok(set.rows_affected() > 0)
        })
        .await
    }

    async fn create_token(&self, team: TeamId, token: NewToken) -> Result<Option<ApiToken>, StoreError> {
        self.step(|| async {
            let abilities: Vec<String> = token.abilities.iter().map(stored_word).collect::<Result<_, _>>()?;
            // Waits for a deletion of the team, and then finds no team, rather than a foreign key that leads nowhere.
            let row: Option<TokenRow> = sqlx::query_as(concat!(
                "WITH k AS (
                     INSERT INTO tokens (id, team_id, name, abilities, hash, created_at, created_by)
                     SELECT $2, id, $3, $4, $5, coalesce($6, clock_timestamp()), $7 FROM teams WHERE id = $1
                     FOR KEY SHARE
                     RETURNING *
                 )
                 SELECT ",
                token_columns!(),
                " FROM k",
            ))
            .bind(Id(team))
            .bind(Id(token.id))
            .bind(&token.name)
            .bind(&abilities)
            .bind(token.hash.as_bytes().as_slice())
            .bind(self.instant())
            .bind(&token.created_by)
            .fetch_optional(&mut *self.session().await?)
            .await?;
            Ok(row.map(TokenRow::token).transpose()?)
        })
        .await
    }

    async fn tokens(&self, team: TeamId) -> Result<Vec<ApiToken>, StoreError> {
        self.step(|| async {
            let rows: Vec<TokenRow> = sqlx::query_as(concat!(
                "SELECT ",
                token_columns!(),
                " FROM tokens k WHERE k.team_id = $1 ORDER BY k.created_at, k.id",
            ))
            .bind(Id(team))
            .fetch_all(&mut *self.session().await?)
            .await?;
            Ok(rows.into_iter().map(TokenRow::token).collect::<Result<_, _>>()?)
        })
        .await
    }

    async fn delete_token(&self, team: TeamId, id: TokenId) -> Result<bool, StoreError> {
        self.step(|| async {
            let deleted = sqlx::query("DELETE FROM tokens WHERE team_id = $1 AND id = $2")
                .bind(Id(team))
                .bind(Id(id))
                .execute(&mut *self.session().await?)
                .await?;
            Ok(deleted.rows_affected() > 0)
        })
        .await
    }
}

async fn find(db: &mut PgConnection, key: &ExternalKey) -> Result<Option<TeamRow>, sqlx::Error> {
    sqlx::query_as(concat!(
        "SELECT ",
        team_columns!(),
        " FROM teams t JOIN plans p ON p.code = t.plan_code WHERE t.external_key = $1",
    ))
    .bind(key.as_str())
    .fetch_optional(db)
    .await
}

/// Creates a team; returns `None` if there is no such plan, or another team has the key.
async fn create(
    db: &mut PgConnection,
    team: &NewTeam,
    key: Option<&ExternalKey>,
    instant: Option<DateTime<Utc>>,
) -> Result<Option<TeamRow>, Failure<UnknownPlan>> {
    let row = sqlx::query_as(concat!(
        "WITH plan AS MATERIALIZED (
             -- Locked, so that the plan is not deleted meanwhile.
             SELECT code FROM plans WHERE code = $3 FOR KEY SHARE
         ), t AS (
             INSERT INTO teams
                 (id, name, plan_code, status, ends_at, trial_ends_at, standing, seats_used, created_at, external_key)
             SELECT $1, $2, code, $4, $5, $6, $7, $8, coalesce($9, clock_timestamp()), $10 FROM plan
             ON CONFLICT (external_key) DO NOTHING
             RETURNING *
         )
         SELECT ",
        team_columns!(),
        " FROM t JOIN plans p ON p.code = t.plan_code",
    ))
    .bind(Id(team.id))
    .bind(&team.name)
    .bind(team.plan.as_str())
    .bind(team.subscription.status.as_str())
    .bind(team.subscription.ends_at)
    .bind(team.subscription.trial_ends_at)
    .bind(stored_word(Standing::Active)?)
    .bind(i64::from(team.seats_used))
    .bind(instant)
    .bind(key.map(ExternalKey::as_str))
    .fetch_optional(db)
    .await?;
    Ok(row)
}
