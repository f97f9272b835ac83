//! Contract, "Check (scan)".

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::{failure::FailureView, word};
use crate::{
    domain::{Scan, ScanState, Team, Totals},
    id::{ScanId, SiteId},
    links::Links,
    timestamp,
};

/// For whom a check is shown, and at which instant: links lead to files that the team may have then.
#[derive(Debug, Clone, Copy)]
pub struct Viewer<'a> {
    /// Whose check it is, with the plan of that instant.
    pub team: &'a Team,
    /// The instant: of the answer, or of the completion that an event tells.
    pub at: DateTime<Utc>,
    /// The service's addresses.
    pub links: &'a Links,
}

/// A check, as answers and events show it.
#[derive(Debug, Serialize)]
pub struct ScanView<'a> {
    id: ScanId,
    site_id: SiteId,
    kind: &'static str,
    status: &'static str,
    pages_requested: u32,
    pages_scanned: u32,
    issues: Option<u64>,
    previous_issues: Option<u64>,
    by_impact: Option<Totals>,
    error: Option<FailureView<'a>>,
    #[serde(serialize_with = "timestamp::serialize")]
    queued_at: DateTime<Utc>,
    #[serde(serialize_with = "timestamp::serialize_option")]
    started_at: Option<DateTime<Utc>>,
    #[serde(serialize_with = "timestamp::serialize_option")]
    finished_at: Option<DateTime<Utc>>,
    links: ScanLinks,
}

#[derive(Debug, Serialize)]
struct ScanLinks {
    #[serde(rename = "self")]
    itself: String,
    report: Option<String>,
    pdf: Option<String>,
    exports: Option<ExportLinks>,
    acr: Option<String>,
}

#[derive(Debug, Serialize)]
struct ExportLinks {
    json: String,
    csv: String,
    github: String,
    jira: String,
}

impl<'a> ScanView<'a> {
    /// A check with its links below the service's base address. Only a completed check has more than its own; those to
    /// exports and to the draft of a conformance report are null where the request would answer 403.
    pub fn new(scan: &'a Scan, viewer: &Viewer<'_>) -> Self {
        let (pages_scanned, started_at, error) = match &scan.state {
            ScanState::Queued => (0, None, None),
            ScanState::Running { pages_scanned, started_at, .. } => (*pages_scanned, Some(*started_at), None),
            ScanState::Completed { outcome, started_at, .. } => (outcome.pages_scanned, Some(*started_at), None),
            ScanState::Failed { pages_scanned, started_at, failure, .. } => {
                (*pages_scanned, Some(*started_at), Some(failure.into()))
            }
        };
        let outcome = scan.outcome();
        Self {
            id: scan.id,
            site_id: scan.site,
            kind: word::kind(scan.kind),
            status: scan.status().as_str(),
            pages_requested: scan.pages_requested,
            pages_scanned,
            issues: outcome.map(|outcome| outcome.totals.total()),
            previous_issues: outcome.and_then(|outcome| outcome.diff.previous).map(|previous| previous.total),
            by_impact: outcome.map(|outcome| outcome.totals),
            error,
            queued_at: scan.queued_at,
            started_at,
            finished_at: scan.finished_at(),
            links: ScanLinks::new(scan, viewer),
        }
    }
}

impl ScanLinks {
    fn new(scan: &Scan, Viewer { team, at, links }: &Viewer<'_>) -> Self {
        let (id, is_completed) = (scan.id, scan.outcome().is_some());
        let is_open = is_completed && team.may_use_api(*at);
        let export = |format| links.export(id, format);
        Self {
            itself: links.scan(id),
            report: is_completed.then(|| links.report(id)),
            pdf: is_completed.then(|| links.pdf(id)),
            exports: (is_open && team.includes_exports_of(scan)).then(|| ExportLinks {
                json: export("json"),
                csv: export("csv"),
                github: export("github"),
                jira: export("jira"),
            }),
            acr: (is_open && team.plan.features.acr_drafts).then(|| links.acr(id)),
        }
    }
}
