//! The sites of a team.

use std::collections::BTreeMap;

use a11ycheck_core::{
    domain::{ScanState, Site, SiteField, SiteValues},
    id::SiteId,
    paging::{Page, PageRequest},
    service::SitesQuery,
};
use askama::Template;

use super::{
    context::{InTeam, page},
    error::PageError,
    list::Paging,
    site_fields::{OwnValue, parameter},
};
use crate::{
    response::Response,
    shell::{Section, Shell},
    time::Instant,
};

/// A site in the list.
struct Row {
    site: Site,
    values: Vec<Value>,
    /// `None` while nothing is checked automatically.
    next_check: Option<Instant>,
    last: Last,
}

/// A value of an own field, with the query of the list of the sites that have the same.
struct Value {
    field: String,
    value: String,
    query: String,
}

/// The newest check of a site.
enum Last {
    Never,
    Waiting,
    Running { done: u32, found: u32 },
    Failed { at: Instant, reason: String, scan: String },
    Checked { at: Instant, scan: String, problems: u64, change: Change },
}

/// The change of the number of problems since the check before.
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
    filters: Vec<OwnValue>,
    paging: Paging,
    total: u64,
}

/// Shows the sites with what their newest checks have come to: all of them, or those with a tag, those that are failing, those that
/// are searched for, those with a value of an own field, and any of it together.
pub(super) async fn list(team: &InTeam<'_, '_>) -> Result<Response, PageError> {
    let query = &team.context.request.query;
    let (tag, wanted, status) = (query.get("tag"), query.get("q"), query.get("status"));
    let is_failing = status == "failing";
    let chosen = |page| {
        let sites = SitesQuery::page(page).with_tag(tag);
        if is_failing { sites.only_failing() } else { sites }
    };
    let fields = team.handle().site_fields().await?.into_iter();
    let filters: Vec<OwnValue> =
        fields.map(|field| OwnValue { value: query.get(&parameter(&field)).to_owned(), field }).collect();
    let has_values = filters.iter().any(|filter| !filter.value.is_empty());
    let request = team.context.page(SitesQuery::PER_PAGE);
    let (sites, values) = if wanted.is_empty() && !has_values {
        let sites = team.handle().sites(&chosen(request)).await?;
        let ids: Vec<SiteId> = sites.items.iter().map(|site| site.id).collect();
        let values = team.handle().site_values(&ids).await?;
        (sites, values)
    } else {
        let values = team.handle().all_site_values().await?;
        let search = Search { wanted: &wanted.to_lowercase(), filters: &filters, values: &values };
        let found = searched(team, chosen, &search).await?;
        (Page::cut(found.into_iter(), request), values)
    };
    let names: Vec<(String, &str)> = filters.iter().map(|filter| (filter.parameter(), filter.value.as_str())).collect();
    let mut parameters = vec![("q", wanted), ("tag", tag), ("status", if is_failing { status } else { "" })];
    parameters.extend(names.iter().map(|(name, value)| (name.as_str(), *value)));
    let paging = Paging::of(&sites, &parameters);
    let total = sites.total;
    let mut rows = Vec::with_capacity(sites.items.len());
    for site in sites.items {
        let values = values.get(&site.id).map(|values| shown(&filters, values)).unwrap_or_default();
        rows.push(row(team, site, values).await?);
    }
    let shell = team.shell(Section::Sites, &team.words().sites.title);
    let is_filtered = !tag.is_empty() || !wanted.is_empty() || is_failing || has_values;
    page(&SitesPage { shell, rows, tag, wanted, is_failing, is_filtered, filters, paging, total })
}

/// The properties for which sites are searched.
struct Search<'a> {
    /// A text in small letters, which may be empty.
    wanted: &'a str,
    filters: &'a [OwnValue],
    values: &'a BTreeMap<SiteId, SiteValues>,
}

impl Search<'_> {
    /// Returns whether a site has all values that are chosen, and its name, its address, a tag or a value contains the text.
    fn finds(&self, site: &Site) -> bool {
        let (details, values) = (&site.details, self.values.get(&site.id));
        let value = |field: &SiteField| values.and_then(|values| values.get(&field.id)).map(String::as_str);
        let chosen = self.filters.iter().filter(|filter| !filter.value.is_empty());
        let texts = [details.display_name(), details.url.as_str()].into_iter();
        let texts = texts.chain(details.tags.iter().map(String::as_str));
        let mut texts = texts.chain(self.filters.iter().filter_map(|filter| value(&filter.field)));
        chosen.into_iter().all(|filter| value(&filter.field) == Some(filter.value.as_str()))
            && (self.wanted.is_empty() || texts.any(|text| text.to_lowercase().contains(self.wanted)))
    }
}

/// Returns the values of a site in the order of their fields.
fn shown(filters: &[OwnValue], values: &SiteValues) -> Vec<Value> {
    let value = |filter: &OwnValue| {
        let value = values.get(&filter.field.id)?.clone();
        let query =
            url::form_urlencoded::Serializer::new(String::new()).append_pair(&filter.parameter(), &value).finish();
        Some(Value { field: filter.field.name.clone(), value, query })
    };
    filters.iter().filter_map(value).collect()
}

/// Returns the chosen sites that a search finds. They are read page by page for it.
async fn searched(
    team: &InTeam<'_, '_>,
    chosen: impl Fn(PageRequest) -> SitesQuery,
    search: &Search<'_>,
) -> Result<Vec<Site>, PageError> {
    let (mut found, mut number) = (Vec::new(), 1);
    loop {
        let request = PageRequest::new(number, PageRequest::MAX_PER_PAGE);
        let sites = team.handle().sites(&chosen(request)).await?;
        let last = sites.last_page();
        found.extend(sites.items.into_iter().filter(|site| search.finds(site)));
        if u64::from(number) >= last {
            return Ok(found);
        }
        number += 1;
    }
}

async fn row(team: &InTeam<'_, '_>, site: Site, values: Vec<Value>) -> Result<Row, PageError> {
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
    let is_served = team.visit.team.is_served(team.visit.signed_in.at);
    Ok(Row { next_check: is_served.then(|| Instant::of(site.next_scan_at)), site, values, last })
}
