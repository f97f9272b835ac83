//! One check: its progress, the reason for its failure, or its report.

use a11ycheck_core::{
    domain::{Failure, RuleId, Scan, ScanState, Site},
    export::{Artifact, ExportFormat, acr::AcrFormat},
    id::ScanId,
    paging::PageRequest,
    report::{Group, PictureId, PictureRef, Report, ToCheck, brief::Opening},
    service::{ReviewedReport, TeamHandle},
};
use askama::Template;
use chrono::NaiveDate;

use super::{
    context::{InTeam, page},
    decided::Decided,
    error::PageError,
    site::has_result,
    work::{self, Names, Work},
};
use crate::{
    markup::{Piece, paragraphs, pieces},
    response::Response,
    shell::{Section, Shell},
    time::Instant,
};

#[derive(Template)]
#[template(path = "check-waiting.html")]
struct WaitingPage {
    shell: Shell,
    site: Site,
    id: String,
    /// `None` while it is queued.
    running: Option<Running>,
}

struct Running {
    done: u32,
    found: u32,
    attempt: u32,
}

#[derive(Template)]
#[template(path = "check-failed.html")]
struct FailedPage {
    shell: Shell,
    site: Site,
    reason: String,
    at: Instant,
    /// True if a check of only what has changed can be asked for.
    offers_changed: bool,
}

#[derive(Template)]
#[template(path = "report.html")]
struct ReportPage<'a> {
    shell: Shell,
    site: &'a Site,
    id: String,
    at: Instant,
    report: &'a Report,
    opening: Opening,
    reviewed: &'a ReviewedReport,
    /// True if the person may decide about elements.
    judges: bool,
    names: Names,
    today: NaiveDate,
    files: Vec<FileLink>,
}

/// A file of a check.
struct FileLink {
    name: &'static str,
    title: &'static str,
    is_included: bool,
}

/// The files, by the last segment of their addresses.
const FILES: [(&str, Artifact); 10] = [
    ("report.pdf", Artifact::ReportPdf),
    ("report-full.pdf", Artifact::FullReportPdf),
    ("report.html", Artifact::ReportHtml),
    ("issues.csv", Artifact::Issues(ExportFormat::Csv)),
    ("issues.json", Artifact::Issues(ExportFormat::Json)),
    ("issues-jira.csv", Artifact::Issues(ExportFormat::Jira)),
    ("issues-github.md", Artifact::Issues(ExportFormat::Github)),
    ("conformance.docx", Artifact::Acr(AcrFormat::Docx)),
    ("conformance.html", Artifact::Acr(AcrFormat::Html)),
    ("conformance.pdf", Artifact::AcrPdf),
];

impl ReportPage<'_> {
    /// Returns the path of the check.
    fn base(&self) -> String {
        format!("{}/checks/{}", self.shell.team_root(), self.id)
    }

    fn pieces(&self, text: &str) -> Vec<Piece> {
        pieces(text)
    }

    fn paragraphs(&self, text: &str) -> Vec<Vec<Piece>> {
        paragraphs(text)
    }

    fn severity(&self, group: &Group) -> &str {
        self.shell.terms.severity(group.severity)
    }

    fn elements(&self, rule: &ToCheck) -> String {
        self.shell.terms.counted(&self.shell.terms.count.element, rule.count)
    }

    /// Returns the width of a picture in CSS pixels, so that the page does not move when it loads.
    fn css_width(&self, picture: &PictureRef) -> u32 {
        picture.width * 100 / u32::from(picture.scale_percent.max(1))
    }

    /// Returns the height of a picture in CSS pixels.
    fn css_height(&self, picture: &PictureRef) -> u32 {
        picture.height * 100 / u32::from(picture.scale_percent.max(1))
    }

    /// Returns the number of accepted elements among those with problems.
    fn accepted(&self) -> u64 {
        self.report.groups.iter().map(|group| group.accepted_count).sum()
    }

    /// Returns what was decided about the element with this number: what holds, or what is to be decided again.
    fn decided(&self, number: &u64) -> Option<Decided> {
        let (judgement, state) = self.reviewed.about(*number)?;
        Some(Decided::of(judgement, Some(state), &self.shell))
    }

    /// Returns the assignment about the element with this number.
    fn work(&self, number: &u64, rule: &RuleId) -> Option<Work> {
        let assignment = self.reviewed.assignment(*number, rule)?;
        Some(Work::of(assignment, &self.names, self.today, self.shell.words))
    }

    /// Returns the number of undecided elements of a rule about which a person has decided.
    fn decided_of(&self, rule: &ToCheck) -> u64 {
        self.reviewed.decided.get(&rule.rule).copied().unwrap_or_default()
    }

    fn rule_line(&self, group: &Group) -> String {
        let terms = self.shell.terms;
        format!("{}, {}", terms.counted(&terms.count.element, group.count), terms.counted(&terms.count.place, group.n))
    }
}

/// Shows a check in whatever state it is.
pub(super) async fn show(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    let scan = team.handle().scan(ScanId::presented(id)).await?;
    let site = team.handle().site(scan.site).await?;
    let words = &team.words().check;
    let shell = team.shell(Section::Sites, site.details.display_name());
    match &scan.state {
        ScanState::Queued => page(&WaitingPage {
            shell: shell.titled(Section::Sites, &words.queued_title),
            site,
            id: scan.id.to_string(),
            running: None,
        }),
        ScanState::Running { pages_scanned, pages_found, attempt, .. } => page(&WaitingPage {
            shell: shell.titled(Section::Sites, &words.running_title),
            site,
            id: scan.id.to_string(),
            running: Some(Running { done: *pages_scanned, found: *pages_found, attempt: *attempt }),
        }),
        ScanState::Failed { finished_at, failure, .. } => {
            let latest = team.handle().scans(site.id, PageRequest::new(1, TeamHandle::PER_PAGE)).await?;
            failed(shell, site, failure, Instant::of(*finished_at), &latest.items)
        }
        ScanState::Completed { finished_at, .. } => report(team, &scan, &site, Instant::of(*finished_at)).await,
    }
}

fn failed(shell: Shell, site: Site, failure: &Failure, at: Instant, latest: &[Scan]) -> Result<Response, PageError> {
    let reason = shell.terms.failure(failure).into_owned();
    let title = shell.words.check.failed_title.as_str();
    let offers_changed = has_result(latest);
    page(&FailedPage { shell: shell.titled(Section::Sites, title), site, reason, at, offers_changed })
}

async fn report(team: &InTeam<'_, '_>, scan: &Scan, site: &Site, at: Instant) -> Result<Response, PageError> {
    let reviewed = team.handle().reviewed_report(scan.id, team.context.locale).await?;
    let words = &team.words().check;
    let features = &team.visit.team.plan.features;
    let exports = team.visit.team.includes_exports_of(scan);
    let files = FILES.into_iter().filter(|(_, artifact)| artifact.is_built_in()).map(|(name, artifact)| {
        let (title, is_included) = match artifact {
            Artifact::ReportPdf => (&words.pdf, true),
            Artifact::FullReportPdf => (&words.pdf_full, true),
            Artifact::ReportHtml => (&words.html, exports),
            Artifact::Issues(ExportFormat::Csv) => (&words.csv, exports),
            Artifact::Issues(ExportFormat::Json) => (&words.json, exports),
            Artifact::Issues(ExportFormat::Jira) => (&words.jira, exports),
            Artifact::Issues(ExportFormat::Github) => (&words.github, exports),
            Artifact::Acr(AcrFormat::Html | AcrFormat::Json) => (&words.acr_html, features.acr_drafts),
            Artifact::Acr(AcrFormat::Docx) => (&words.acr_docx, features.acr_drafts),
            Artifact::AcrPdf => (&words.acr_pdf, features.acr_drafts),
        };
        FileLink { name, title, is_included }
    });
    let shell = team.shell(Section::Sites, &words.title);
    let (report, judges, files) = (&reviewed.report, team.handle().judges(), files.collect());
    let names = if reviewed.assignments.is_empty() { Names::new() } else { work::names(team).await? };
    let (id, today) = (scan.id.to_string(), team.visit.signed_in.at.date_naive());
    let opening = Opening::new(report);
    page(&ReportPage { shell, site, id, at, report, opening, reviewed: &reviewed, judges, names, today, files })
}

/// Sends the progress of a check until it ends, for pages with a script.
pub(super) async fn progress(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    let scan = team.handle().scan(ScanId::presented(id)).await?;
    Ok(Response::progress(team.handle().watch(scan.id)))
}

/// Sends a picture: `screen`, `page-3` or `example-17`.
pub(super) async fn picture(team: &InTeam<'_, '_>, id: &str, name: &str) -> Result<Response, PageError> {
    let picture = match name.split_once('-') {
        None if name == "screen" => PictureId::Screen,
        Some(("page", number)) => PictureId::Page(number.parse().map_err(|_| PageError::NotFound)?),
        Some(("example", number)) => PictureId::Example(number.parse().map_err(|_| PageError::NotFound)?),
        _ => return Err(PageError::NotFound),
    };
    Ok(Response::picture(team.handle().picture(ScanId::presented(id), picture).await?))
}

/// Sends a file in the reader's language.
pub(super) async fn file(team: &InTeam<'_, '_>, id: &str, name: &str) -> Result<Response, PageError> {
    let (_, artifact) = FILES.into_iter().find(|(known, _)| *known == name).ok_or(PageError::NotFound)?;
    let files = team.handle().files_of(ScanId::presented(id)).await?.with_judgements();
    let file = files.make(artifact, Some(team.context.locale)).await?;
    Ok(Response::file(file.measured().await?))
}
