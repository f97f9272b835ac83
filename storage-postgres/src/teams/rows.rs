//! Conversion of rows to teams, tokens, brands and plans.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use a11ycheck_core::domain::{
    ApiToken, BrandName, Colour, DraftHead, HeadText, Logo, Plan, Subscription, Team, TeamBrand,
};
use chrono::{DateTime, NaiveDate, Utc};
use serde_json::value::RawValue;
use sqlx::{FromRow, postgres::PgRow, types::Json};
use sqlx_macros::FromRow;

use crate::db::{
    columns::{BoxedError, Consecutive, count, named, word},
    error::Corrupt,
};

/// The columns of [`TeamRow`], in the order in which it reads them: a team is `t`, its plan `p`.
macro_rules! team_columns {
    () => {
        "t.name AS team_name, t.id AS team_id, t.status, t.ends_at, t.trial_ends_at, t.standing, t.seats_used, \
         t.created_at AS team_created_at, p.document AS plan"
    };
}

/// The columns of [`TokenRow`], of a token `k`, in the order in which it reads them.
macro_rules! token_columns {
    () => {
        "k.name AS token_name, k.id AS token_id, k.team_id AS token_team_id, k.abilities, k.created_at AS token_created_at, \
         k.created_by AS token_created_by, k.last_used_on"
    };
}

pub(crate) use {team_columns, token_columns};

pub(crate) struct TeamRow {
    team_id: String,
    team_name: String,
    status: String,
    ends_at: Option<DateTime<Utc>>,
    trial_ends_at: Option<DateTime<Utc>>,
    standing: String,
    seats_used: i64,
    team_created_at: DateTime<Utc>,
    plan: Json<Box<RawValue>>,
}

impl<'r> FromRow<'r, PgRow> for TeamRow {
    fn from_row(row: &'r PgRow) -> Result<Self, sqlx::Error> {
        let mut columns = Consecutive::from(row, "team_name")?;
        Ok(Self {
            team_name: columns.read()?,
            team_id: columns.read()?,
            status: columns.read()?,
            ends_at: columns.read()?,
            trial_ends_at: columns.read()?,
            standing: columns.read()?,
            seats_used: columns.read()?,
            team_created_at: columns.read()?,
            plan: columns.read()?,
        })
    }
}

#[derive(FromRow)]
pub(crate) struct BrandRow {
    team_id: String,
    name: Option<String>,
    colour: Option<String>,
    logo: Option<Vec<u8>>,
    product_version: Option<String>,
    contact: Option<String>,
    evaluator: Option<String>,
}

impl BrandRow {
    /// Returns the id of the team as it is stored.
    pub(crate) fn team_id(&self) -> &str {
        &self.team_id
    }

    pub(crate) fn brand(self) -> Result<TeamBrand, Corrupt> {
        named("brands", self.team_id.clone(), self.read())
    }

    fn read(self) -> Result<TeamBrand, BoxedError> {
        let colour: Option<Colour> = self.colour.map(|colour| colour.parse()).transpose()?;
        let brand = TeamBrand::default().with_name(self.name.map(BrandName::from_stored));
        let draft = DraftHead::default()
            .with_product_version(self.product_version.map(HeadText::from_stored))
            .with_contact(self.contact.map(HeadText::from_stored))
            .with_evaluator(self.evaluator.map(HeadText::from_stored));
        Ok(brand.with_colour(colour).with_logo(self.logo.map(Logo::from_stored)).with_draft(draft))
    }
}

/// A plan as it is stored.
pub(crate) type PlanDocument = Json<serde_json::Value>;

impl TeamRow {
    /// Returns the id as it is stored.
    pub(crate) fn id(&self) -> &str {
        &self.team_id
    }

    pub(crate) fn team(self) -> Result<Team, Corrupt> {
        named("teams", self.team_id.clone(), self.read())
    }

    fn read(self) -> Result<Team, BoxedError> {
        Ok(Team {
            id: self.team_id.parse()?,
            plan: plan_of_text(self.plan.get())?,
            subscription: Subscription::new(word(&self.status)?)
                .with_end(self.ends_at)
                .with_trial_end(self.trial_ends_at),
            standing: word(&self.standing)?,
            seats_used: count(self.seats_used)?,
            name: self.team_name,
            created_at: self.team_created_at,
        })
    }
}

/// Reads a plan by its text. The answer to each request has one, and there are few: those that were read last are kept.
fn plan_of_text(text: &str) -> Result<Plan, BoxedError> {
    const MOST: usize = 50;
    static READ: Mutex<BTreeMap<Box<str>, Plan>> = Mutex::new(BTreeMap::new());
    let known = || READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(plan) = known().get(text) {
        return Ok(plan.clone());
    }
    let plan = read_plan(Json(serde_json::from_str(text)?))?;
    let mut known = known();
    if known.len() >= MOST {
        known.clear();
    }
    known.insert(text.into(), plan.clone());
    Ok(plan)
}

pub(crate) fn read_plan(Json(document): PlanDocument) -> Result<Plan, Corrupt> {
    let code = document.get("code").map_or_else(|| "without a code".to_owned(), ToString::to_string);
    serde_json::from_value(document).map_err(|error| Corrupt::new("plans", code, error))
}

pub(crate) struct TokenRow {
    token_id: String,
    token_team_id: String,
    token_name: String,
    abilities: Vec<String>,
    token_created_at: DateTime<Utc>,
    token_created_by: Option<String>,
    last_used_on: Option<NaiveDate>,
}

impl<'r> FromRow<'r, PgRow> for TokenRow {
    fn from_row(row: &'r PgRow) -> Result<Self, sqlx::Error> {
        let mut columns = Consecutive::from(row, "token_name")?;
        Ok(Self {
            token_name: columns.read()?,
            token_id: columns.read()?,
            token_team_id: columns.read()?,
            abilities: columns.read()?,
            token_created_at: columns.read()?,
            token_created_by: columns.read()?,
            last_used_on: columns.read()?,
        })
    }
}

impl TokenRow {
    pub(crate) fn token(self) -> Result<ApiToken, Corrupt> {
        named("tokens", self.token_id.clone(), self.read())
    }

    fn read(self) -> Result<ApiToken, BoxedError> {
        Ok(ApiToken {
            id: self.token_id.parse()?,
            team: self.token_team_id.parse()?,
            abilities: self.abilities.iter().map(|ability| word(ability)).collect::<Result<_, _>>()?,
            name: self.token_name,
            created_at: self.token_created_at,
            created_by: self.token_created_by,
            last_used_on: self.last_used_on,
        })
    }
}
