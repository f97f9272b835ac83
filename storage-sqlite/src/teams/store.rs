//! Plans, teams and their tokens.

use a11ycheck_core::{
    domain::{
        ApiToken, BrandName, ExternalKey, HeadText, Logo, NewTeam, NewToken, Plan, PlanCode, ShortenedHistory,
        Standing, Subscription, Team, TeamBrand, brought_forward, is_held, purge_hold,
    },
    id::{SiteId, TeamId, TokenId},
    paging::{Page, PageRequest},
    store::{DeletePlanError, StoreError, TeamStore, UnknownPlan},
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sqlx_macros::FromRow;

use crate::{
    SqliteStore,
    db::{
        columns::{json, paged, stored_word},
        error::{Corrupt, Failure},
        ids::{At, Id},
        transaction::Tx,
    },
    deliveries::endpoints,
    scans::{
        queue::move_next_scan,
        retention::{deletion, look_at_team},
    },
    teams::{
        plans,
        rows::{BrandRow, PlanRow, TeamRow, TokenRow, team_columns, token_columns},
    },
};

#[async_trait]
impl TeamStore for SqliteStore {
    async fn seed_plans(&self, plans: &[Plan]) -> Result<bool, StoreError> {
        self.write(async |mut tx| plans::seed(tx.db(), plans).await).await
    }

    async fn add_missing_plans(&self, plans: &[Plan]) -> Result<Vec<Plan>, StoreError> {
        self.write(async |mut tx| plans::add_missing(tx.db(), plans).await).await
    }

    async fn put_plans(&self, plans: &[Plan]) -> Result<Vec<ShortenedHistory>, StoreError> {
        self.write(async |mut tx| plans::put(&mut tx, plans).await).await
    }

    async fn delete_plan(&self, code: &PlanCode) -> Result<bool, DeletePlanError> {
        self.write(async |mut tx| plans::delete(tx.db(), code).await).await
    }

    async fn plans(&self) -> Result<Vec<Plan>, StoreError> {
        self.read(async |mut db| {
            let rows: Vec<PlanRow> =
                sqlx::query_as("SELECT p.code AS plan_code, p.document AS plan FROM plans p ORDER BY p.code")
                    .fetch_all(&mut *db)
                    .await?;
            Ok(rows.iter().map(PlanRow::plan).collect::<Result<_, _>>()?)
        })
        .await
    }

    async fn create_team(&self, team: NewTeam) -> Result<Team, UnknownPlan> {
        self.write(async |mut tx| create(&mut tx, team, None).await).await
    }

    async fn team_for(&self, key: &ExternalKey, team: NewTeam) -> Result<Team, UnknownPlan> {
        self.write(async |mut tx| {
            let row: Option<TeamRow> = sqlx::query_as(concat!(
                "SELECT ",
                team_columns!(),
                " FROM teams t JOIN plans p ON p.code = t.plan_code WHERE t.external_key = ?1",
            ))
            .bind(key.as_str())
            .fetch_optional(tx.db())
            .await?;
            match row {
                Some(row) => Ok(row.team()?),
                None => create(&mut tx, team, Some(key)).await,
            }
        })
        .await
    }

    async fn team(&self, id: TeamId) -> Result<Option<Team>, StoreError> {
        self.read(async |mut db| {
            let row: Option<TeamRow> = sqlx::query_as(concat!(
                "SELECT ",
                team_columns!(),
                " FROM teams t JOIN plans p ON p.code = t.plan_code WHERE t.id = ?1",
            ))
            .bind(Id(id))
            .fetch_optional(&mut *db)
            .await?;
            Ok(row.map(TeamRow::team).transpose()?)
        })
        .await
    }

    async fn teams(&self, page: PageRequest) -> Result<Page<Team>, StoreError> {
        self.read(async |mut db| {
            let (limit, offset) = paged(page);
            let rows: Vec<TeamRow> = sqlx::query_as(concat!(
                "SELECT ",
                team_columns!(),
                " FROM teams t JOIN plans p ON p.code = t.plan_code ORDER BY t.created_at, t.id LIMIT ?1 OFFSET ?2",
            ))
            .bind(limit)
            .bind(offset)
            .fetch_all(&mut *db)
            .await?;
            let total: i64 = sqlx::query_scalar("SELECT count(*) FROM teams").fetch_one(&mut *db).await?;
            let items = rows.into_iter().map(TeamRow::team).collect::<Result<_, _>>()?;
            Ok(Page { request: page, items, total: total.unsigned_abs() })
        })
        .await
    }

    async fn set_standing(&self, id: TeamId, standing: Standing) -> Result<bool, StoreError> {
        self.write(async |mut tx| {
            let changed = sqlx::query("UPDATE teams SET standing = ?2 WHERE id = ?1")
                .bind(Id(id))
                .bind(stored_word(standing)?)
                .execute(tx.db())
                .await?;
            Ok(changed.rows_affected() > 0)
        })
        .await
    }

    async fn delete_team(&self, id: TeamId) -> Result<bool, StoreError> {
        let deleted = self
            .write(async |mut tx| {
                let endpoints: Vec<String> = sqlx::query_scalar("SELECT id FROM endpoints WHERE team_id = ?1")
                    .bind(Id(id))
                    .fetch_all(tx.db())
                    .await?;
                for endpoint in endpoints {
                    endpoints::delete_whole(tx.db(), &endpoint).await?;
                }
                for statement in deletion!("site_id IN (SELECT id FROM sites WHERE team_id = ?1)") {
                    sqlx::query(statement).bind(Id(id)).execute(tx.db()).await?;
                }
                sqlx::query("DELETE FROM sites WHERE team_id = ?1").bind(Id(id)).execute(tx.db()).await?;
                // With its tokens and its brand. It has no events: each has a delivery to an endpoint.
                let deleted = sqlx::query("DELETE FROM teams WHERE id = ?1").bind(Id(id)).execute(tx.db()).await?;
                Ok::<_, Failure<StoreError>>(deleted.rows_affected() > 0)
            })
            .await?;
        if deleted {
            self.sweep_soon();
        }
        Ok(deleted)
    }

    async fn change_plan(&self, id: TeamId, plan: &PlanCode, subscription: Subscription) -> Result<bool, UnknownPlan> {
        self.write(async |mut tx| {
            let now = tx.now();
            let Some(new) = plans::find(tx.db(), plan).await? else {
                return Err(Failure::Refused(UnknownPlan::Unknown(plan.clone())));
            };
            let before: Option<HeldPlanRow> = sqlx::query_as(
                "SELECT p.code AS plan_code, p.document AS plan, t.held_until
                 FROM teams t JOIN plans p ON p.code = t.plan_code WHERE t.id = ?1",
            )
            .bind(Id(id))
            .fetch_optional(tx.db())
            .await?;
            let Some(before) = before else { return Ok(false) };
            let held_until = before.held_until.map(|at| at.0);
            let held_until = purge_hold(before.plan.history_months(), new.history_months(), held_until, now);
            sqlx::query(
                "UPDATE teams SET plan_code = ?2, status = ?3, ends_at = ?4, trial_ends_at = ?5, held_until = ?6
                 WHERE id = ?1",
            )
            .bind(Id(id))
            .bind(plan.as_str())
            .bind(subscription.status.as_str())
            .bind(subscription.ends_at.map(At))
            .bind(subscription.trial_ends_at.map(At))
            .bind(held_until.map(At))
            .execute(tx.db())
            .await?;
            look_at_team(tx.db(), id, now).await?;
            let frequency = new.plan()?.limits.check_frequency;
            let sites: Vec<(String, At)> = sqlx::query_as("SELECT id, next_scan_at FROM sites WHERE team_id = ?1")
                .bind(Id(id))
                .fetch_all(tx.db())
                .await?;
            for (site_id, At(planned)) in sites {
                let site: SiteId = site_id.parse().map_err(|error| Corrupt::new("sites", &site_id, Box::new(error)))?;
                let next = brought_forward(site, frequency, planned, now);
                if next != planned {
                    move_next_scan(tx.db(), &site_id, next).await?;
                }
            }
            Ok(true)
        })
        .await
    }

    async fn purge_held_until(&self, team: TeamId) -> Result<Option<DateTime<Utc>>, StoreError> {
        self.read(async |mut db| {
            let until: Option<Option<At>> = sqlx::query_scalar("SELECT held_until FROM teams WHERE id = ?1")
                .bind(Id(team))
                .fetch_optional(&mut *db)
                .await?;
            Ok(until.flatten().map(|at| at.0).filter(|until| is_held(Some(*until), self.time())))
        })
        .await
    }

    async fn brand(&self, team: TeamId) -> Result<TeamBrand, StoreError> {
        self.read(async |mut db| {
            let row: Option<BrandRow> = sqlx::query_as(
                "SELECT team_id, name, colour, logo, product_version, contact, evaluator
                 FROM brands WHERE team_id = ?1",
            )
            .bind(Id(team))
            .fetch_optional(&mut *db)
            .await?;
            Ok(row.map(BrandRow::brand).transpose()?.unwrap_or_default())
        })
        .await
    }

    async fn set_brand(&self, team: TeamId, brand: TeamBrand) -> Result<bool, StoreError> {
        self.write(async |mut tx| {
            let set = sqlx::query(
                "INSERT INTO brands (team_id, name, colour, logo, product_version, contact, evaluator)
                 SELECT id, ?2, ?3, ?4, ?5, ?6, ?7 FROM teams WHERE id = ?1
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
            .execute(tx.db())
            .await?;
            Ok(set.rows_affected() > 0)
        })
        .await
    }

    async fn create_token(&self, team: TeamId, token: NewToken) -> Result<Option<ApiToken>, StoreError> {
        self.write(async |mut tx| {
            let created_at = tx.now();
            let created = sqlx::query(
                "INSERT INTO tokens (id, team_id, name, abilities, hash, created_at, created_by)
                 SELECT ?2, id, ?3, ?4, ?5, ?6, ?7 FROM teams WHERE id = ?1",
            )
            .bind(Id(team))
            .bind(Id(token.id))
            .bind(&token.name)
            .bind(json(&token.abilities)?)
            .bind(token.hash.as_bytes().as_slice())
            .bind(At(created_at))
            .bind(&token.created_by)
            .execute(tx.db())
            .await?;
            if created.rows_affected() == 0 {
                return Ok(None);
            }
            let NewToken { id, name, abilities, hash: _, created_by } = token;
            Ok(Some(ApiToken { id, team, name, abilities, created_at, created_by, last_used_on: None }))
        })
        .await
    }

    async fn tokens(&self, team: TeamId) -> Result<Vec<ApiToken>, StoreError> {
        self.read(async |mut db| {
            let rows: Vec<TokenRow> = sqlx::query_as(concat!(
                "SELECT ",
                token_columns!(),
                " FROM tokens k WHERE k.team_id = ?1 ORDER BY k.created_at, k.id",
            ))
            .bind(Id(team))
            .fetch_all(&mut *db)
            .await?;
            Ok(rows.into_iter().map(TokenRow::token).collect::<Result<_, _>>()?)
        })
        .await
    }

    async fn delete_token(&self, team: TeamId, id: TokenId) -> Result<bool, StoreError> {
        self.write(async |mut tx| {
            let deleted = sqlx::query("DELETE FROM tokens WHERE team_id = ?1 AND id = ?2")
                .bind(Id(team))
                .bind(Id(id))
                .execute(tx.db())
                .await?;
            Ok(deleted.rows_affected() > 0)
        })
        .await
    }
}

async fn create(tx: &mut Tx, team: NewTeam, key: Option<&ExternalKey>) -> Result<Team, Failure<UnknownPlan>> {
    let Some(plan) = plans::find(tx.db(), &team.plan).await? else {
        return Err(Failure::Refused(UnknownPlan::Unknown(team.plan)));
    };
    let (plan, created_at, standing) = (plan.plan()?, tx.now(), Standing::Active);
    let NewTeam { id, name, plan: code, subscription, seats_used } = team;
    sqlx::query(
        "INSERT INTO teams
             (id, name, plan_code, status, ends_at, trial_ends_at, standing, seats_used, created_at, external_key)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )
    .bind(Id(id))
    .bind(&name)
    .bind(code.as_str())
    .bind(subscription.status.as_str())
    .bind(subscription.ends_at.map(At))
    .bind(subscription.trial_ends_at.map(At))
    .bind(stored_word(standing)?)
    .bind(i64::from(seats_used))
    .bind(At(created_at))
    .bind(key.map(ExternalKey::as_str))
    .execute(tx.db())
    .await?;
    Ok(Team { id, name, plan, subscription, standing, seats_used, created_at })
}

/// A team's plan, and the end of its hold.
#[derive(FromRow)]
struct HeldPlanRow {
    #[sqlx(flatten)]
    plan: PlanRow,
    held_until: Option<At>,
}
