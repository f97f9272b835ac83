//! Conversion of rows to checks.

use a11ycheck_core::{
    domain::{FencingToken, Lease, Scan, ScanKind, ScanState},
    id::WorkerId,
};
use sqlx_macros::FromRow;

use crate::db::{
    columns::{BoxedError, count, from_json, named, word},
    error::Corrupt,
    ids::At,
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
    queued_at: At,
    express: bool,
    /// The depth that was asked for; NULL if the check was queued by a release without depths.
    incremental: Option<bool>,
    started_at: Option<At>,
    finished_at: Option<At>,
    outcome: Option<String>,
    failure: Option<String>,
    pages_scanned: Option<i64>,
    is_active: bool,
    #[sqlx(flatten)]
    lease: LeaseRow,
}

#[derive(FromRow)]
struct LeaseRow {
    lease_worker: Option<String>,
    lease_token: Option<i64>,
    lease_expires_at: Option<At>,
    attempt: Option<i64>,
    lease_started_at: Option<At>,
    lease_pages_scanned: Option<i64>,
    pages_found: Option<i64>,
}

impl ScanRow {
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
            queued_at: self.queued_at.0,
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
                started_at: Some(At(started_at)),
                finished_at: Some(At(finished_at)),
                outcome: Some(outcome),
                ..
            } => Ok(ScanState::Completed { started_at, finished_at, outcome: from_json(&outcome)? }),
            Self {
                is_active: false,
                started_at: Some(At(started_at)),
                finished_at: Some(At(finished_at)),
                failure: Some(failure),
                pages_scanned: Some(pages),
                ..
            } => Ok(ScanState::Failed {
                started_at,
                finished_at,
                pages_scanned: count(pages)?,
                failure: from_json(&failure)?,
            }),
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
            lease_expires_at: Some(At(expires_at)),
            attempt: Some(attempt),
            lease_started_at: Some(At(started_at)),
            lease_pages_scanned: Some(pages_scanned),
            pages_found: Some(pages_found),
        } = self
        else {
            return Ok(ScanState::Queued);
        };
        Ok(ScanState::Running {
            lease: Lease { worker: word::<WorkerId>(&worker)?, token: FencingToken::from_stored(token), expires_at },
            attempt: count(attempt)?,
            started_at,
            pages_scanned: count(pages_scanned)?,
            pages_found: count(pages_found)?,
        })
    }
}
