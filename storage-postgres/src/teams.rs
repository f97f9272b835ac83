//! Plans, teams and their tokens.

use a11ycheck_core::{
    domain::{
        ApiToken, BrandName, Logo, NewTeam, NewToken, Plan, PlanCode, Standing, Subscription, Team, TeamBrand,
        brought_forward,
    },
    id::{SiteId, TeamId, TokenId},
    page::{Page, PageRequest},
    store::{StoreError, TeamStore, UnknownPlan},
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sqlx::{Connection as _, PgConnection, types::Json};

use crate::{
    PostgresStore,
    error::{Corrupt, Failure},
    queue::move_next_scans,
    rows::{self, BrandRow, PlanDocument, TeamRow, TokenRow, paged, stored_word, team_columns, token_columns},
    store::end,
};

#[async_trait]
impl TeamStore for PostgresStore {
    async fn put_plans(&self, plans: &[Plan]) -> Result<(), StoreError> {
        let documents: Vec<Json<&Plan>> = plans.iter().map(Json).collect();
        self.step(|| async {
            // In the order of their codes, so that nodes that start together don't wait for each other in a circle. What is
            // known replaces what is stored, as `Plan::in_place_of` says: a plan writes down all fields that it knows.
            sqlx::query(
                "WITH new AS MATERIALIZED (
                     SELECT document ->> 'code' AS code, document FROM unnest($1::jsonb[]) AS document
                     ORDER BY document ->> 'code' COLLATE \"C\"
                 ), put AS (
                     INSERT INTO plans (code, document) SELECT code, document FROM new
                     ON CONFLICT (code) DO UPDATE SET document = plans.document || excluded.document || jsonb_build_object(
                         'features', (plans.document -> 'features') || (excluded.document -> 'features'),
                         'limits', (plans.document -> 'limits') || (excluded.document -> 'limits')
                     )
                 )
                 UPDATE retention SET due_at = '-infinity'
                 FROM teams t JOIN plans p ON p.code = t.plan_code JOIN new ON new.code = p.code
                 WHERE retention.team_id = t.id
                     AND new.document #> '{limits,history_months}' <> p.document #> '{limits,history_months}'",
            )
            .bind(&documents)
            .execute(&mut *self.session().await?)
            .await?;
            Ok(())
        })
        .await
    }

    async fn plans(&self) -> Result<Vec<Plan>, StoreError> {
        self.step(|| async {
            let documents: Vec<PlanDocument> = sqlx::query_scalar("SELECT document FROM plans ORDER BY code")
                .fetch_all(&mut *self.session().await?)
                .await?;
            Ok(documents.into_iter().map(rows::plan).collect::<Result<_, _>>()?)
        })
        .await
    }

    async fn create_team(&self, team: NewTeam) -> Result<Team, UnknownPlan> {
        self.step(|| async {
            let row: Option<TeamRow> = sqlx::query_as(concat!(
                "WITH t AS (
                     INSERT INTO teams
                         (id, name, plan_code, status, ends_at, trial_ends_at, standing, seats_used, created_at)
                     SELECT $1, $2, code, $4, $5, $6, $7, $8, coalesce($9, clock_timestamp()) FROM plans WHERE code = $3
                     RETURNING *
                 )
                 SELECT ",
                team_columns!(),
                " FROM t JOIN plans p ON p.code = t.plan_code",
            ))
            .bind(team.id.to_string())
            .bind(&team.name)
            .bind(team.plan.as_str())
            .bind(team.subscription.status.as_str())
            .bind(team.subscription.ends_at)
            .bind(team.subscription.trial_ends_at)
            .bind(stored_word(Standing::Active)?)
            .bind(i64::from(team.seats_used))
            .bind(self.instant())
            .fetch_optional(&mut *self.session().await?)
            .await?;
            let row = row.ok_or_else(|| Failure::Refused(UnknownPlan::Unknown(team.plan.clone())))?;
            Ok(row.team()?)
        })
        .await
    }

    async fn team(&self, id: TeamId) -> Result<Option<Team>, StoreError> {
        self.step(|| async {
            let row: Option<TeamRow> = sqlx::query_as(concat!(
                "SELECT ",
                team_columns!(),
                " FROM teams t JOIN plans p ON p.code = t.plan_code WHERE t.id = $1",
            ))
            .bind(id.to_string())
            .fetch_optional(&mut *self.session().await?)
            .await?;
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
                .bind(id.to_string())
                .bind(stored_word(standing)?)
                .execute(&mut *self.session().await?)
                .await?;
            Ok(changed.rows_affected() > 0)
        })
        .await
    }

    async fn change_plan(&self, id: TeamId, plan: &PlanCode, subscription: Subscription) -> Result<bool, UnknownPlan> {
        self.step(|| async {
            let mut db = self.session().await?;
            let mut tx = db.begin().await?;
            let changed = change_plan(&mut tx, id, plan, subscription, self.instant()).await;
            end(tx, changed).await
        })
        .await
    }

    async fn brand(&self, team: TeamId) -> Result<TeamBrand, StoreError> {
        self.step(|| async {
            let row: Option<BrandRow> =
                sqlx::query_as("SELECT team_id, name, colour, logo FROM brands WHERE team_id = $1")
                    .bind(team.to_string())
                    .fetch_optional(&mut *self.session().await?)
                    .await?;
            Ok(row.map(BrandRow::brand).transpose()?.unwrap_or_default())
        })
        .await
    }

    async fn set_brand(&self, team: TeamId, brand: TeamBrand) -> Result<bool, StoreError> {
        self.step(|| async {
            let set = sqlx::query(
                "INSERT INTO brands (team_id, name, colour, logo) SELECT id, $2, $3, $4 FROM teams WHERE id = $1
                 ON CONFLICT (team_id) DO UPDATE
                 SET name = excluded.name, colour = excluded.colour, logo = excluded.logo",
            )
            .bind(team.to_string())
            .bind(brand.name.as_ref().map(BrandName::as_str))
            .bind(brand.colour.map(|colour| colour.to_string()))
            .bind(brand.logo.as_ref().map(Logo::bytes))
            .execute(&mut *self.session().await?)
            .await?;
            Ok(set.rows_affected() > 0)
        })
        .await
    }

    async fn create_token(&self, team: TeamId, token: NewToken) -> Result<Option<ApiToken>, StoreError> {
        self.step(|| async {
            let abilities: Vec<String> = token.abilities.iter().map(stored_word).collect::<Result<_, _>>()?;
            let row: Option<TokenRow> = sqlx::query_as(concat!(
                "WITH k AS (
                     INSERT INTO tokens (id, team_id, name, abilities, hash, created_at)
                     SELECT $2, id, $3, $4, $5, coalesce($6, clock_timestamp()) FROM teams WHERE id = $1
                     RETURNING *
                 )
                 SELECT ",
                token_columns!(),
                " FROM k",
            ))
            .bind(team.to_string())
            .bind(token.id.to_string())
            .bind(&token.name)
            .bind(&abilities)
            .bind(token.hash.as_bytes().as_slice())
            .bind(self.instant())
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
            .bind(team.to_string())
            .fetch_all(&mut *self.session().await?)
            .await?;
            Ok(rows.into_iter().map(TokenRow::token).collect::<Result<_, _>>()?)
        })
        .await
    }

    async fn delete_token(&self, team: TeamId, id: TokenId) -> Result<bool, StoreError> {
        self.step(|| async {
            let deleted = sqlx::query("DELETE FROM tokens WHERE team_id = $1 AND id = $2")
                .bind(team.to_string())
                .bind(id.to_string())
                .execute(&mut *self.session().await?)
                .await?;
            Ok(deleted.rows_affected() > 0)
        })
        .await
    }
}

/// The statements of [`TeamStore::change_plan`].
async fn change_plan(
    db: &mut PgConnection,
    id: TeamId,
    plan: &PlanCode,
    subscription: Subscription,
    instant: Option<DateTime<Utc>>,
) -> Result<bool, Failure<UnknownPlan>> {
    let (document, is_changed, now): (Option<PlanDocument>, bool, DateTime<Utc>) = sqlx::query_as(
        "WITH plan AS (
             SELECT code, document FROM plans WHERE code = $2
         ), changed AS (
             UPDATE teams SET plan_code = plan.code, status = $3, ends_at = $4, trial_ends_at = $5
             FROM plan WHERE id = $1
             RETURNING id
         ), looked_at AS (
             UPDATE retention SET due_at = '-infinity' FROM changed WHERE team_id = changed.id
         )
         SELECT (SELECT document FROM plan), EXISTS (SELECT FROM changed), coalesce($6, clock_timestamp())",
    )
    .bind(id.to_string())
    .bind(plan.as_str())
    .bind(subscription.status.as_str())
    .bind(subscription.ends_at)
    .bind(subscription.trial_ends_at)
    .bind(instant)
    .fetch_one(&mut *db)
    .await?;
    let Some(document) = document else { return Err(Failure::Refused(UnknownPlan::Unknown(plan.clone()))) };
    if !is_changed {
        return Ok(false);
    }
    let frequency = rows::plan(document)?.limits.check_frequency;
    let planned: Vec<(String, DateTime<Utc>)> =
        sqlx::query_as("SELECT id, next_scan_at FROM sites WHERE team_id = $1 ORDER BY id FOR NO KEY UPDATE")
            .bind(id.to_string())
            .fetch_all(&mut *db)
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
    move_next_scans(db, ids, nexts).await?;
    Ok(true)
}
