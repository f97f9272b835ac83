//! Contract, "Check (scan)".

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::word;
use crate::{
    domain::{Failure, Scan, ScanState, Totals},
    id::{ScanId, SiteId},
    service::Links,
};

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
    error: Option<&'a Failure>,
    queued_at: DateTime<Utc>,
    started_at: Option<DateTime<Utc>>,
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
    /// A check with its links below the service's base address. Only a completed check has more than its own.
    pub fn new(scan: &'a Scan, links: &Links) -> Self {
        let (pages_scanned, started_at, error) = match &scan.state {
            ScanState::Queued => (0, None, None),
            ScanState::Running { pages_scanned, started_at, .. } => (*pages_scanned, Some(*started_at), None),
            ScanState::Completed { outcome, started_at, .. } => (outcome.pages_scanned, Some(*started_at), None),
            ScanState::Failed { pages_scanned, started_at, failure, .. } => {
                (*pages_scanned, Some(*started_at), Some(failure))
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
            links: ScanLinks::new(scan.id, outcome.is_some(), links),
        }
    }
}

impl ScanLinks {
    fn new(scan: ScanId, is_completed: bool, links: &Links) -> Self {
        let export = |format| links.export(scan, format);
        Self {
            itself: links.scan(scan),
            report: is_completed.then(|| links.report(scan)),
            pdf: is_completed.then(|| links.pdf(scan)),
            exports: is_completed.then(|| ExportLinks {
                json: export("json"),
                csv: export("csv"),
                github: export("github"),
                jira: export("jira"),
            }),
            acr: is_completed.then(|| links.acr(scan)),
        }
    }
}
