//! The sites of a team, and adding one.

use a11ycheck_core::{
    domain::{PlatformKey, ScanState, Site, SiteInput, SiteName, StandardId, Tag},
    locale::Locale,
    paging::{Page, PageRequest},
    service::SitesQuery,
};
use askama::Template;

use super::{
    context::{InTeam, form_page, page},
    error::PageError,
    list::Paging,
};
use crate::{
    fields,
    form_errors::FormErrors,
    response::Response,
    shell::{Section, Shell},
    time::Instant,
    words::own_name,
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
    paging: Paging,
    total: u64,
}

/// Shows the sites with what their newest checks have come to.
pub(super) async fn list(team: &InTeam<'_, '_>) -> Result<Response, PageError> {
    let query = &team.context.request.query;
    let (tag, wanted) = (query.get("tag"), query.get("q").to_lowercase());
    let page_of = |sites: Page<Site>| async move {
        let paging = Paging::of(&sites, &[("tag", tag)]);
        let total = sites.total;
        let mut rows = Vec::with_capacity(sites.items.len());
        for site in sites.items {
            rows.push(row(team, site).await?);
        }
        Ok::<_, PageError>((rows, paging, total))
    };
    let sites = if wanted.is_empty() {
        team.handle().sites(&SitesQuery::page(team.context.page(SitesQuery::PER_PAGE)).with_tag(tag)).await?
    } else {
        searched(team, &wanted).await?
    };
    let (rows, paging, total) = page_of(sites).await?;
    let shell = team.shell(Section::Sites, &team.words().sites.title);
    page(&SitesPage { shell, rows, tag, wanted: query.get("q"), paging, total })
}

/// Returns the first sites whose name, address or tag contains a text. A team's sites are read page by page for it.
async fn searched(team: &InTeam<'_, '_>, wanted: &str) -> Result<Page<Site>, PageError> {
    let is_wanted = |site: &Site| {
        let details = &site.details;
        let texts = [details.display_name(), details.url.as_str()].into_iter().chain(details.tags.iter().map(String::as_str));
        texts.into_iter().any(|text| text.to_lowercase().contains(wanted))
    };
    let (mut found, mut number) = (Vec::new(), 1);
    loop {
        let request = PageRequest::new(number, PageRequest::MAX_PER_PAGE);
        let sites = team.handle().sites(&SitesQuery::page(request)).await?;
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

/// What was entered into the form, to be shown again.
#[derive(Debug, Default)]
pub(super) struct Entered {
    pub(super) url: String,
    pub(super) name: String,
    pub(super) language: Option<Locale>,
    pub(super) tags: String,
    pub(super) platform: String,
    pub(super) standard: String,
}

#[derive(Template)]
#[template(path = "add-site.html")]
struct AddSitePage {
    shell: Shell,
    entered: Entered,
}

impl AddSitePage {
    fn languages(&self) -> impl Iterator<Item = (&'static str, &'static str, bool)> {
        let chosen = self.entered.language.unwrap_or(self.shell.locale);
        Locale::ALL.into_iter().map(move |locale| (locale.code(), own_name(locale), locale == chosen))
    }

    fn standards(&self) -> impl Iterator<Item = (&'static str, &'static str, bool)> {
        let chosen = self.entered.standard.clone();
        StandardId::defaults().map(move |standard| (standard.as_str(), standard.name(), standard.as_str() == chosen))
    }
}

pub(super) fn add_form(team: &InTeam<'_, '_>, entered: Entered, errors: FormErrors) -> Result<Response, PageError> {
    let shell = team.shell(Section::Sites, &team.words().add_site.title).with_errors(errors);
    let template = AddSitePage { shell, entered };
    form_page(&template, &template.shell)
}

/// Adds a site, and leads to it: its first check has been queued.
pub(super) async fn add(team: &InTeam<'_, '_>) -> Result<Response, PageError> {
    let (form, words) = (team.form(), team.words());
    let (url, name, tags, platform) = (form.get("url"), form.get("name"), form.get("tags"), form.get("platform"));
    let language = fields::language(form, "language");
    let standard = form.get("standard");
    let entered = || Entered {
        url: url.to_owned(),
        name: name.to_owned(),
        language: Some(language),
        tags: tags.to_owned(),
        platform: platform.to_owned(),
        standard: standard.to_owned(),
    };
    let mut errors = FormErrors::default();
    let input = match SiteInput::parse(url) {
        Ok(input) => Some(input),
        Err(_) if url.is_empty() => {
            errors.add("url", &words.problems.required);
            None
        }
        Err(_) => {
            errors.add("url", &words.problems.not_url);
            None
        }
    };
    let name = match name {
        "" => None,
        name => SiteName::new(name).map_err(|_| errors.add_filled("name", &words.problems.too_long, &[("most", 120.to_string())])).ok(),
    };
    let tags: Vec<Tag> = tags
        .split(',')
        .map(str::trim)
        .filter(|tag| !tag.is_empty())
        .filter_map(|tag| match Tag::new(tag) {
            Ok(tag) => Some(tag),
            Err(_) => {
                errors.add_filled("tags", &words.problems.too_long, &[("most", 40.to_string())]);
                None
            }
        })
        .collect();
    let standard = StandardId::defaults().copied().find(|offered| offered.as_str() == standard);
    let Some(input) = input.filter(|_| errors.is_empty()) else { return add_form(team, entered(), errors) };
    let input = input.with_report_locale(language).with_tags(tags);
    let input = name.into_iter().fold(input, SiteInput::with_name);
    let input = standard.into_iter().fold(input, SiteInput::with_standard);
    let platforms = platform.split(',').map(str::trim).filter(|key| !key.is_empty()).map(PlatformKey::new);
    let input = input.with_stack(platforms);
    match team.handle().add_site(input).await {
        Ok(added) => Ok(team.done(&format!("/sites/{}", added.site.id), "site-added")),
        Err(error) => add_form(team, entered(), FormErrors::of_refusal(error, "url", words)?),
    }
}
