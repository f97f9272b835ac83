//! The sites of a team.

use a11ycheck_core::{
    domain::{ScanState, Site},
    paging::{Page, PageRequest},
    service::SitesQuery,
};
use askama::Template;

use super::{
    context::{InTeam, page},
    error::PageError,
    list::Paging,
};
use crate::{
    response::Response,
    shell::{Section, Shell},
    time::Instant,
};

/// A site in the list.
struct Row {
    site: Site,
    next_check: Instant,
    last: Last,
}

/// The newest check of a site.
enum Last {
    Never,
    Waiting,
    Running { done: u32, found: u32 },
    Failed { at: Instant, reason: String, scan: String },
    Checked { at: Instant, scan: String, problems: u64, change: Change },
}

/// How the number of problems has changed since the check before.
enum Change {
    Better(u64),
    Worse(u64),
    Same,
}

#[derive(Template)]
#[template(path = "sites.html")]
struct SitesPage<'a> {
    shell: Shell,
    rows: Vec<Row>,
    tag: &'a str,
    wanted: &'a str,
    is_failing: bool,
    is_filtered: bool,
    paging: Paging,
    total: u64,
}

/// Shows the sites with what their newest checks have come to: all of them, or those with a tag, those that are failing, those that
/// are searched for, and any of it together.
pub(super) async fn list(team: &InTeam<'_, '_>) -> Result<Response, PageError> {
    let query = &team.context.request.query;
    let (tag, wanted, status) = (query.get("tag"), query.get("q"), query.get("status"));
    let is_failing = status == "failing";
    let chosen = |page| {
        let sites = SitesQuery::page(page).with_tag(tag);
        if is_failing { sites.only_failing() } else { sites }
    };
    let sites = if wanted.is_empty() {
        team.handle().sites(&chosen(team.context.page(SitesQuery::PER_PAGE))).await?
    } else {
        searched(team, chosen, &wanted.to_lowercase()).await?
    };
    let paging = Paging::of(&sites, &[("tag", tag), ("status", if is_failing { status } else { "" })]);
    let total = sites.total;
    let mut rows = Vec::with_capacity(sites.items.len());
    for site in sites.items {
        rows.push(row(team, site).await?);
    }
    let shell = team.shell(Section::Sites, &team.words().sites.title);
    let is_filtered = !tag.is_empty() || !wanted.is_empty() || is_failing;
    page(&SitesPage { shell, rows, tag, wanted, is_failing, is_filtered, paging, total })
}

/// Returns the first of the chosen sites whose name, address or tag contains a text. They are read page by page for it.
async fn searched(
    team: &InTeam<'_, '_>,
    chosen: impl Fn(PageRequest) -> SitesQuery,
    wanted: &str,
) -> Result<Page<Site>, PageError> {
    let is_wanted = |site: &Site| {
        let details = &site.details;
        let texts =
            [details.display_name(), details.url.as_str()].into_iter().chain(details.tags.iter().map(String::as_str));
        texts.into_iter().any(|text| text.to_lowercase().contains(wanted))
    };
    let (mut found, mut number) = (Vec::new(), 1);
    loop {
        let request = PageRequest::new(number, PageRequest::MAX_PER_PAGE);
        let sites = team.handle().sites(&chosen(request)).await?;
        let last = sites.last_page();
        found.extend(sites.items.into_iter().filter(is_wanted));
        if u64::from(number) >= last || found.len() >= PageRequest::MAX_PER_PAGE as usize {
            break;
        }
        number += 1;
    }
    Ok(Page::cut(found.into_iter(), PageRequest::new(1, PageRequest::MAX_PER_PAGE)))
}

async fn row(team: &InTeam<'_, '_>, site: Site) -> Result<Row, PageError> {
    let newest = team.handle().newest_scan(site.id).await?;
    let last = match newest {
        None => Last::Never,
        Some(scan) => match &scan.state {
            ScanState::Queued => Last::Waiting,
            ScanState::Running { pages_scanned, pages_found, .. } => {
                Last::Running { done: *pages_scanned, found: *pages_found }
            }
            ScanState::Failed { finished_at, failure, .. } => Last::Failed {
                at: Instant::of(*finished_at),
                reason: team.shell(Section::Sites, "").terms.failure(failure).into_owned(),
                scan: scan.id.to_string(),
            },
            ScanState::Completed { finished_at, outcome, .. } => Last::Checked {
                at: Instant::of(*finished_at),
                scan: scan.id.to_string(),
                problems: outcome.totals.total(),
                change: match (outcome.diff.new, outcome.diff.fixed) {
                    (new, fixed) if new > fixed => Change::Worse(new - fixed),
                    (new, fixed) if fixed > new => Change::Better(fixed - new),
                    _ => Change::Same,
                },
            },
        },
    };
    Ok(Row { next_check: Instant::of(site.next_scan_at), site, last })
}
