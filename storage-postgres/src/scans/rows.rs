//! Conversion of rows to checks.

use a11ycheck_core::{
    domain::{Failure, FencingToken, Lease, Outcome, Scan, ScanKind, ScanState},
    id::WorkerId,
};
use chrono::{DateTime, Utc};
use sqlx::types::Json;
use sqlx_macros::FromRow;

use crate::db::{
    columns::{BoxedError, count, named, word},
    error::Corrupt,
};

/// The columns of [`ScanRow`]: a check is `s`, its row among the active ones, if it has one, `a`.
macro_rules! scan_columns {
    () => {
        "s.id AS scan_id, s.team_id AS scan_team_id, s.site_id AS scan_site_id, s.kind, s.pages_requested, s.queued_at, \
         s.express, s.incremental, s.started_at, s.finished_at, s.outcome, s.failure, s.pages_scanned, \
         a.scan_id IS NOT NULL AS is_active, a.lease_worker, a.lease_token, a.lease_expires_at, a.attempt, \
         a.started_at AS lease_started_at, a.pages_scanned AS lease_pages_scanned, a.pages_found"
    };
}

pub(crate) use scan_columns;

#[derive(FromRow)]
pub(crate) struct ScanRow {
    scan_id: String,
    scan_team_id: String,
    scan_site_id: String,
    kind: String,
    pages_requested: i64,
    queued_at: DateTime<Utc>,
    express: bool,
    /// The depth that was asked for; NULL if the check was queued by a release without depths.
    incremental: Option<bool>,
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
    pages_found: Option<i64>,
}

impl ScanRow {
    /// Returns the id as it is stored.
    pub(crate) fn id(&self) -> &str {
        &self.scan_id
    }

    pub(crate) fn scan(self) -> Result<Scan, Corrupt> {
        named("scans", self.scan_id.clone(), self.read())
    }

    fn read(self) -> Result<Scan, BoxedError> {
        let kind: ScanKind = word(&self.kind)?;
        Ok(Scan {
            id: self.scan_id.parse()?,
            team: self.scan_team_id.parse()?,
            site: self.scan_site_id.parse()?,
            kind,
            pages_requested: count(self.pages_requested)?,
            queued_at: self.queued_at,
            express: self.express,
            depth: kind.stored_depth(self.incremental),
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
            pages_found,
        } = self
        else {
            return Ok(ScanState::Queued);
        };
        let lease = Lease { worker: word::<WorkerId>(&worker)?, token: FencingToken::from_stored(token), expires_at };
        let pages_scanned = count(pages)?;
        // A node of the previous release writes only the pages done.
        let pages_found = pages_found.map_or(Ok(0), count)?.max(pages_scanned);
        Ok(ScanState::Running { lease, attempt: count(attempt)?, started_at, pages_scanned, pages_found })
    }
}
