//! One site: its newest check, its history, and what may be done with it.

use a11ycheck_core::{
    Error,
    domain::{AuditAction, CheckFrequency, Depth, Scan, ScanKind, ScanState, Site},
    id::SiteId,
    paging::PageRequest,
    service::TeamHandle,
};
use askama::Template;

use super::{
    context::{InTeam, form_page, page},
    criteria::counted,
    error::PageError,
    list::Paging,
};
use crate::{
    form_errors::FormErrors,
    markup::Chart,
    response::Response,
    shell::{Section, Shell},
    time::Instant,
    words::own_name,
};

/// A check in the history.
struct Row {
    id: String,
    queued_at: Instant,
    kind: &'static str,
    state: State,
}

enum State {
    Queued,
    Running { done: u32, found: u32 },
    Failed { reason: String },
    Completed { what: String, new: u64, fixed: u64 },
}

/// The time of the next scheduled check of a site.
enum NextCheck {
    At(Instant),
    /// The check is due, and begins as soon as a worker is free.
    Due,
    /// There is none, because the team's plan has ended. Members of a blocked team can't open this page.
    Never,
}

impl NextCheck {
    fn of(team: &InTeam<'_, '_>, site: &Site) -> Self {
        let now = team.visit.signed_in.at;
        match site.next_scan_at {
            _ if !team.visit.team.is_served(now) => Self::Never,
            at if at <= now => Self::Due,
            at => Self::At(Instant::of(at)),
        }
    }
}

#[derive(Template)]
#[template(path = "site.html")]
struct SitePage {
    shell: Shell,
    site: Site,
    next_check: NextCheck,
    /// The interval of scheduled checks under the team's plan, in words.
    interval: String,
    language: &'static str,
    /// The values of own fields, with their names.
    values: Vec<(String, String)>,
    rows: Vec<Row>,
    paging: Paging,
    chart: Option<Chart>,
    is_busy: bool,
    /// True if a check of only what has changed can be asked for.
    offers_changed: bool,
    /// The numbers of judgements, and of stale ones.
    decisions: (u64, u64),
    /// The number of criteria that are assessed, in words; `None` if the service keeps no assessments.
    assessed: Option<String>,
}

pub(super) async fn show(team: &InTeam<'_, '_>, id: &str, errors: FormErrors) -> Result<Response, PageError> {
    let site = team.handle().site(SiteId::presented(id)).await?;
    let scans = team.handle().scans(site.id, team.context.page(TeamHandle::PER_PAGE)).await?;
    let shell = team.shell(Section::Sites, site.details.display_name()).with_errors(errors);
    let paging = Paging::of(&scans, &[]);
    let totals = scans.items.iter().rev().filter_map(|scan| {
        let (outcome, at) = (scan.outcome()?, scan.finished_at()?);
        Some((Instant::of(at).shown(), outcome.totals.total()))
    });
    let chart = Chart::of(&totals.collect::<Vec<_>>());
    let is_busy = scans.items.iter().any(|scan| scan.state.is_active());
    let offers_changed = !is_busy && has_result(&scans.items);
    let rows = scans.items.iter().map(|scan| row(scan, &shell)).collect();
    let (next_check, language) = (NextCheck::of(team, &site), own_name(site.details.report_locale));
    let (plan, words) = (&team.visit.team.plan, &team.words().site);
    let interval = match plan.limits.check_frequency {
        CheckFrequency::Weekly => &words.every_week,
        CheckFrequency::Monthly => &words.every_month,
        // One of a later release counts as daily.
        _ => &words.every_day,
    };
    let interval = shell.filled(interval, "plan", &plan.name);
    let values = values(team, site.id).await?;
    let judgements = team.handle().judgements(site.id, PageRequest::new(1, 1)).await?;
    let decisions = (judgements.page.total, judgements.stale);
    let assessed = team.handle().assessment_counts(site.id).await?.map(|counts| counted(counts, &shell));
    let template = SitePage {
        shell,
        site,
        next_check,
        interval,
        language,
        values,
        rows,
        paging,
        chart,
        is_busy,
        offers_changed,
        decisions,
        assessed,
    };
    form_page(&template, &template.shell)
}

/// Returns the values of a site with the names of their fields, in the order of the fields.
async fn values(team: &InTeam<'_, '_>, site: SiteId) -> Result<Vec<(String, String)>, PageError> {
    let fields = team.handle().site_fields().await?;
    let mut values = team.handle().site_values(&[site]).await?.remove(&site).unwrap_or_default();
    Ok(fields.into_iter().filter_map(|field| Some((field.name, values.remove(&field.id)?))).collect())
}

fn row(scan: &Scan, shell: &Shell) -> Row {
    let words = &shell.words.site;
    Row {
        id: scan.id.to_string(),
        queued_at: Instant::of(scan.queued_at),
        kind: match (scan.kind, scan.depth) {
            (ScanKind::Manual, Depth::Full) => &words.manual,
            (ScanKind::Manual, Depth::Incremental) => &words.manual_changed,
            _ => &words.scheduled,
        },
        state: match &scan.state {
            ScanState::Queued => State::Queued,
            ScanState::Running { pages_scanned, pages_found, .. } => {
                State::Running { done: *pages_scanned, found: *pages_found }
            }
            ScanState::Failed { failure, .. } => State::Failed { reason: shell.terms.failure(failure).into_owned() },
            ScanState::Completed { outcome, .. } => State::Completed {
                what: {
                    let counts = &shell.terms.count;
                    let problems = shell.terms.counted(&counts.problem, outcome.totals.total());
                    format!("{problems}, {}", shell.terms.counted(&counts.page, outcome.pages_scanned.into()))
                },
                new: outcome.diff.new,
                fixed: outcome.diff.fixed,
            },
        },
    }
}

/// Returns whether one of these checks is completed, so that a new one can take over the outcome of pages that have not
/// changed.
pub(super) fn has_result(scans: &[Scan]) -> bool {
    scans.iter().any(|scan| scan.outcome().is_some())
}

/// Starts a check, incremental if the button for that was pressed, and redirects to its page.
pub(super) async fn start_check(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    let depth = match team.form().get("depth") {
        "changed" => Depth::Incremental,
        _ => Depth::Full,
    };
    match team.handle().start_scan_of(SiteId::presented(id), depth).await {
        Ok(scan) => {
            team.note(AuditAction::CheckStarted, &scan.site.to_string()).await?;
            Ok(team.done(&format!("/checks/{}", scan.id), "check-started"))
        }
        Err(error @ Error::Invalid(_)) => show(team, id, FormErrors::of_refusal(error, "check", team.words())?).await,
        Err(error) => Err(error.into()),
    }
}

#[derive(Template)]
#[template(path = "delete-site.html")]
struct DeleteSitePage {
    shell: Shell,
    site: Site,
}

pub(super) async fn delete_form(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    let site = team.handle().site(SiteId::presented(id)).await?;
    page(&DeleteSitePage { shell: team.shell(Section::Sites, &team.words().delete_site.title), site })
}

pub(super) async fn delete(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    let site = team.handle().site(SiteId::presented(id)).await?;
    team.handle().delete_site(site.id).await?;
    team.note(AuditAction::SiteDeleted, site.details.url.as_str()).await?;
    Ok(team.done("/sites", "site-deleted"))
}
