//! Contract §7.1.

use std::borrow::Cow;

use a11ycheck_core::{
    domain::{Scan, ScanKind, ScanState, Team, Totals},
    export::ExportFormat,
    id::{ScanId, SiteId},
    timestamp,
};
use chrono::{DateTime, Utc};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use serde_json::{Map, json};

use super::{failure::FailureView, word};
use crate::Links;

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

/// A check of a site. `issues`, `previous_issues`, `by_impact` and all links but `self` are null until it is completed;
/// links to what the plan does not include stay null.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Scan")]
pub struct ScanView<'a> {
    /// The id of the check.
    id: ScanId,
    /// The id of the site.
    site_id: SiteId,
    /// How it started: by schedule (the first check of a site included) or by hand.
    #[schemars(with = "ScanKind")]
    kind: &'static str,
    /// The state; `completed` and `failed` are final.
    #[schemars(extend("enum" = ["queued", "running", "completed", "failed"]))]
    status: &'static str,
    /// The number of pages that it visits at most: the plan's number.
    pages_requested: u32,
    /// The number of pages checked so far, dead links aside; 0 while queued. Never more than `pages_requested`.
    pages_scanned: u32,
    /// The number of problem elements; recommendations are not counted.
    issues: Option<u64>,
    /// The number of problem elements of the previous completed check; null for the first.
    previous_issues: Option<u64>,
    /// Problem elements by severity.
    by_impact: Option<Totals>,
    /// The reason why a failed check failed.
    error: Option<FailureView<'a>>,
    /// The instant at which it was queued.
    #[serde(serialize_with = "timestamp::serialize")]
    queued_at: DateTime<Utc>,
    /// The instant at which a worker began it.
    #[serde(serialize_with = "timestamp::serialize_option")]
    started_at: Option<DateTime<Utc>>,
    /// The instant at which it completed or failed.
    #[serde(serialize_with = "timestamp::serialize_option")]
    finished_at: Option<DateTime<Utc>>,
    /// The addresses of the check and of what was made of it.
    links: ScanLinks,
}

/// Addresses that take the same token. In an event they are as they were when the check completed.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "ScanLinks")]
struct ScanLinks {
    /// The address of this check.
    #[serde(rename = "self")]
    #[schemars(extend("format" = "uri"))]
    itself: String,
    /// The address of its report as JSON.
    #[schemars(extend("format" = "uri"))]
    report: Option<String>,
    /// The address of its report as a PDF.
    #[schemars(extend("format" = "uri"))]
    pdf: Option<String>,
    /// The addresses of its issues as files; null where the plan does not include issue exports and no express report was
    /// bought for the check. `format=pdf` is in every plan with the API.
    exports: Option<ExportLinks>,
    /// The address of the draft of a conformance report; null where the plan does not include such drafts.
    #[schemars(extend("format" = "uri"))]
    acr: Option<String>,
}

/// The addresses of exports by the names of their formats.
#[derive(Debug)]
struct ExportLinks(Vec<(ExportFormat, String)>);

impl Serialize for ExportLinks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(format, address)| (format.as_str(), address)))
    }
}

// By hand, because the formats are core's.
impl JsonSchema for ExportLinks {
    fn schema_name() -> Cow<'static, str> {
        "ExportLinks".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let formats = ExportFormat::ALL.into_iter().filter(|format| Self::has(*format));
        let names: Vec<_> = formats.clone().map(ExportFormat::as_str).collect();
        let address = |format| {
            let schema = json!({"type": "string", "format": "uri", "description": Self::about(format)});
            (format.as_str().to_owned(), schema)
        };
        let properties: Map<_, _> = formats.map(address).collect();
        json_schema!({
            "type": "object",
            "description": "The addresses of the issues of a check as files, by format.",
            "properties": properties,
            "required": names,
        })
    }
}

impl ExportLinks {
    fn new(scan: ScanId, links: &Links) -> Self {
        let formats = ExportFormat::ALL.into_iter().filter(|format| Self::has(*format));
        Self(formats.map(|format| (format, links.export(scan, format.as_str()))).collect())
    }

    const fn about(format: ExportFormat) -> &'static str {
        match format {
            ExportFormat::Json => "The address of the JSON file.",
            ExportFormat::Csv => "The address of the CSV file, one row per element.",
            ExportFormat::Github => "The address of the Markdown file, one GitHub issue per rule.",
            ExportFormat::Jira => "The address of the CSV file for Jira, one issue per rule.",
        }
    }

    /// The contract fixes which formats have a key here.
    const fn has(format: ExportFormat) -> bool {
        match format {
            ExportFormat::Json | ExportFormat::Csv | ExportFormat::Github | ExportFormat::Jira => true,
        }
    }
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
        Self {
            itself: links.scan(id),
            report: is_completed.then(|| links.report(id)),
            pdf: is_completed.then(|| links.pdf(id)),
            exports: (is_open && team.includes_exports_of(scan)).then(|| ExportLinks::new(id, links)),
            acr: (is_open && team.plan.features.acr_drafts).then(|| links.acr(id)),
        }
    }
}
