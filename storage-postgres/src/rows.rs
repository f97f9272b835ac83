//! Rows, and what they stand for. A row that stands for nothing is [`Corrupt`], by its table and id.

use std::error::Error as StdError;

use a11ycheck_core::{
    domain::{
        ApiToken, BrandName, Failure, FencingToken, Lease, Logo, Outcome, Plan, PlatformKey, Scan, ScanState, Site,
        SiteDetails, SiteUrl, Subscription, Team, TeamBrand,
    },
    id::WorkerId,
    locale::Locale,
    paging::PageRequest,
};
use chrono::{DateTime, Utc};
use serde::{
    de::DeserializeOwned,
    ser::{Error as _, Serialize},
};
use sqlx::{FromRow, types::Json};

use crate::error::Corrupt;

/// The columns of [`TeamRow`]: a team is `t`, its plan `p`.
macro_rules! team_columns {
    () => {
        "t.id AS team_id, t.name AS team_name, t.status, t.ends_at, t.trial_ends_at, t.standing, t.seats_used, \
         t.created_at AS team_created_at, p.document AS plan"
    };
}

/// The columns of [`TokenRow`], of a token `k`.
macro_rules! token_columns {
    () => {
        "k.id AS token_id, k.team_id AS token_team_id, k.name AS token_name, k.abilities, k.created_at AS token_created_at"
    };
}

/// The columns of [`SiteRow`], of a site `site`.
macro_rules! site_columns {
    () => {
        "site.id AS site_id, site.team_id AS site_team_id, site.url, site.name AS site_name, site.report_locale, \
         site.platform, site.stack, site.tags, site.next_scan_at, site.created_at AS site_created_at"
    };
}

/// The columns of [`ScanRow`]: a check is `s`, its row among the active ones, where it has one, `a`.
macro_rules! scan_columns {
    () => {
        "s.id AS scan_id, s.team_id AS scan_team_id, s.site_id AS scan_site_id, s.kind, s.pages_requested, s.queued_at, \
         s.express, s.started_at, s.finished_at, s.outcome, s.failure, s.pages_scanned, a.scan_id IS NOT NULL AS is_active, \
         a.lease_worker, a.lease_token, a.lease_expires_at, a.attempt, a.started_at AS lease_started_at, \
         a.pages_scanned AS lease_pages_scanned"
    };
}

pub(crate) use {scan_columns, site_columns, team_columns, token_columns};

#[derive(FromRow)]
pub(crate) struct TeamRow {
    team_id: String,
    team_name: String,
    status: String,
    ends_at: Option<DateTime<Utc>>,
    trial_ends_at: Option<DateTime<Utc>>,
    standing: String,
    seats_used: i64,
    team_created_at: DateTime<Utc>,
    plan: PlanDocument,
}

#[derive(FromRow)]
pub(crate) struct BrandRow {
    team_id: String,
    name: Option<String>,
    colour: Option<String>,
    logo: Option<Vec<u8>>,
}

impl BrandRow {
    pub(crate) fn brand(self) -> Result<TeamBrand, Corrupt> {
        named("brands", self.team_id.clone(), self.read())
    }

    fn read(self) -> Result<TeamBrand, BoxedError> {
        Ok(TeamBrand {
            name: self.name.map(BrandName::from_stored),
            colour: self.colour.map(|colour| colour.parse()).transpose()?,
            logo: self.logo.map(Logo::from_stored),
        })
    }
}

/// A plan as it is stored.
pub(crate) type PlanDocument = Json<serde_json::Value>;

impl TeamRow {
    /// As it is stored.
    pub(crate) fn id(&self) -> &str {
        &self.team_id
    }

    pub(crate) fn team(self) -> Result<Team, Corrupt> {
        named("teams", self.team_id.clone(), self.read())
    }

    fn read(self) -> Result<Team, BoxedError> {
        Ok(Team {
            id: self.team_id.parse()?,
            plan: plan(self.plan)?,
            subscription: Subscription {
                status: word(&self.status)?,
                ends_at: self.ends_at,
                trial_ends_at: self.trial_ends_at,
            },
            standing: word(&self.standing)?,
            seats_used: count(self.seats_used)?,
            name: self.team_name,
            created_at: self.team_created_at,
        })
    }
}

pub(crate) fn plan(Json(document): PlanDocument) -> Result<Plan, Corrupt> {
    let code = document.get("code").map_or_else(|| "without a code".to_owned(), ToString::to_string);
    serde_json::from_value(document).map_err(|error| Corrupt::new("plans", code, error))
}

#[derive(FromRow)]
pub(crate) struct TokenRow {
    token_id: String,
    token_team_id: String,
    token_name: String,
    abilities: Vec<String>,
    token_created_at: DateTime<Utc>,
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
        })
    }
}

#[derive(FromRow)]
pub(crate) struct SiteRow {
    site_id: String,
    site_team_id: String,
    url: String,
    site_name: Option<String>,
    report_locale: String,
    platform: Option<String>,
    stack: Vec<String>,
    tags: Vec<String>,
    next_scan_at: DateTime<Utc>,
    site_created_at: DateTime<Utc>,
}

impl SiteRow {
    pub(crate) fn site(self) -> Result<Site, Corrupt> {
        named("sites", self.site_id.clone(), self.read())
    }

    fn read(self) -> Result<Site, BoxedError> {
        Ok(Site {
            id: self.site_id.parse()?,
            team: self.site_team_id.parse()?,
            details: SiteDetails {
                url: SiteUrl::parse(&self.url)?,
                name: self.site_name,
                report_locale: Locale::from_stored(&self.report_locale),
                platform: self.platform.as_deref().map(PlatformKey::new),
                stack: self.stack.iter().map(|key| PlatformKey::new(key)).collect(),
                tags: self.tags,
            },
            next_scan_at: self.next_scan_at,
            created_at: self.site_created_at,
        })
    }
}

#[derive(FromRow)]
pub(crate) struct ScanRow {
    scan_id: String,
    scan_team_id: String,
    scan_site_id: String,
    kind: String,
    pages_requested: i64,
    queued_at: DateTime<Utc>,
    express: bool,
    started_at: Option<DateTime<Utc>>,
    finished_at: Option<DateTime<Utc>>,
    outcome: Option<Json<serde_json::Value>>,
    failure: Option<Json<serde_json::Value>>,
    pages_scanned: Option<i64>,
    is_active: bool,
    #[sqlx(flatten)]
    lease: LeaseRow,
}

#[derive(FromRow)]
struct LeaseRow {
    lease_worker: Option<String>,
    lease_token: Option<i64>,
    lease_expires_at: Option<DateTime<Utc>>,
    attempt: Option<i64>,
    lease_started_at: Option<DateTime<Utc>>,
    lease_pages_scanned: Option<i64>,
}

impl ScanRow {
    /// As it is stored.
    pub(crate) fn id(&self) -> &str {
        &self.scan_id
    }

    pub(crate) fn scan(self) -> Result<Scan, Corrupt> {
        named("scans", self.scan_id.clone(), self.read())
    }

    fn read(self) -> Result<Scan, BoxedError> {
        Ok(Scan {
            id: self.scan_id.parse()?,
            team: self.scan_team_id.parse()?,
            site: self.scan_site_id.parse()?,
            kind: word(&self.kind)?,
            pages_requested: count(self.pages_requested)?,
            queued_at: self.queued_at,
            express: self.express,
            state: self.state()?,
        })
    }

    fn state(self) -> Result<ScanState, BoxedError> {
        match self {
            Self { is_active: true, finished_at: None, lease, .. } => lease.state(),
            Self {
                is_active: false,
                started_at: Some(started_at),
                finished_at: Some(finished_at),
                outcome: Some(Json(outcome)),
                ..
            } => {
                let outcome: Outcome = serde_json::from_value(outcome)?;
                Ok(ScanState::Completed { started_at, finished_at, outcome })
            }
            Self {
                is_active: false,
                started_at: Some(started_at),
                finished_at: Some(finished_at),
                failure: Some(Json(failure)),
                pages_scanned: Some(pages),
                ..
            } => {
                let failure: Failure = serde_json::from_value(failure)?;
                Ok(ScanState::Failed { started_at, finished_at, pages_scanned: count(pages)?, failure })
            }
            Self { is_active: true, .. } => Err("it is active, and has ended".into()),
            Self { .. } => Err("it is neither active nor ended".into()),
        }
    }
}

impl LeaseRow {
    fn state(self) -> Result<ScanState, BoxedError> {
        let Self {
            lease_worker: Some(worker),
            lease_token: Some(token),
            lease_expires_at: Some(expires_at),
            attempt: Some(attempt),
            lease_started_at: Some(started_at),
            lease_pages_scanned: Some(pages),
        } = self
        else {
            return Ok(ScanState::Queued);
        };
        let lease = Lease { worker: word::<WorkerId>(&worker)?, token: FencingToken::from_stored(token), expires_at };
        Ok(ScanState::Running { lease, attempt: count(attempt)?, started_at, pages_scanned: count(pages)? })
    }
}

/// An item of a page, and how many the whole list has.
#[derive(FromRow)]
pub(crate) struct Counted<T> {
    #[sqlx(flatten)]
    pub(crate) item: T,
    pub(crate) total: i64,
}

/// LIMIT and OFFSET of a page.
pub(crate) fn paged(page: PageRequest) -> (i64, i64) {
    // Not more than a hundred times the largest u32.
    (page.per_page().into(), i64::try_from(page.offset()).unwrap_or(i64::MAX))
}

/// The cause of a [`Corrupt`].
pub(crate) type BoxedError = Box<dyn StdError + Send + Sync>;

pub(crate) fn named<T>(table: &str, id: String, read: Result<T, BoxedError>) -> Result<T, Corrupt> {
    read.map_err(|source| Corrupt::new(table, id, source))
}

/// A number that is at least 0 and was a `u32` when it was stored.
pub(crate) fn count(stored: i64) -> Result<u32, BoxedError> {
    Ok(u32::try_from(stored)?)
}

/// A value that serde writes as one word, such as `past_due`, from that word. One of a later release is kept as it is
/// ([`UnknownWord`](a11ycheck_core::domain::UnknownWord)).
pub(crate) fn word<T: DeserializeOwned>(stored: &str) -> Result<T, BoxedError> {
    Ok(serde_json::from_value(serde_json::Value::from(stored))?)
}

/// The word that serde writes for a value, such as `past_due`.
pub(crate) fn stored_word(value: impl Serialize) -> Result<String, Corrupt> {
    let written = serde_json::to_value(value).and_then(|value| {
        let word = value.as_str().map(str::to_owned);
        word.ok_or_else(|| serde_json::Error::custom("not written as one word"))
    });
    written.map_err(|error| Corrupt::new("a value", "to be stored", error))
}
