//! A scan of exactly the pages that its request names, of one host or of several.
//!
//! The pages of each host are a site: it has a guard, a pace and rules of its own, so that what a page of one host may reach
//! does not depend on the others. Sites are checked side by side.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use a11ycheck_core::{
    catalog::{failure_of, terms},
    domain::{Failure, FailureCause, FailureCode, FailureFacts, Findings, PageCounts, PageOutcome, Tool, page_address},
    locale::Locale,
    scanner::{PageList, ProgressSink, ScanOutput, ScanRequest},
};
use futures_util::{TryStreamExt as _, stream};
use tokio::{sync::mpsc, time::Instant};
use url::Url;

use super::{Crawl, CrawlError, PLATFORM_PAGES, SiteTask, end_of, port};
use crate::{
    BrowserError, RobotsPolicy,
    crawl::{
        ledger::{MAX_TIME_OUTS, MAX_TURNED_AWAY},
        login,
        missing::MissingPages,
        results::Results,
        robots::{PRODUCT_TOKEN, Robots},
        site::{Site, Start, Way},
        survey::Access,
    },
    evidence::Room,
    parts::Parts,
    probes,
    visit::{Checked, Look, PageError, Scope, timed_out},
};

/// The number of sites that are checked at a time. Each has connections of its own.
const SITES_AT_ONCE: usize = 8;

/// A page of the list, with its place there.
#[derive(Debug, Clone, Copy)]
struct Named<'a> {
    place: usize,
    url: &'a Url,
}

/// The outcome of a named page.
type NamedOutcome<'a> = (Named<'a>, Result<Box<Checked>, Failure>);

/// Checks the pages of a list.
///
/// # Errors
/// Those of a machine on which nothing can be checked. A page that can't be checked is in the result, with its error.
pub(crate) async fn check_exactly(
    parts: &Parts,
    request: &ScanRequest,
    pages: &PageList,
    progress: &dyn ProgressSink,
) -> Result<ScanOutput, CrawlError> {
    let done_by = end_of(parts, request);
    let browser = parts.browsers.for_new_scan().await.map_err(CrawlError::NoBrowser)?;
    let engine = Tool::axe_core(parts.axe.version(), browser.product()).with_probes(probes::VERSION);
    drop(browser);
    let sites = by_site(pages.as_slice());
    let room = Room::default();
    let (sender, mut receiver) = mpsc::unbounded_channel::<NamedOutcome<'_>>();
    let of_sites = room.clone();
    let checking = async move {
        let (sender, room) = (&sender, &of_sites);
        let sites = stream::iter(sites.into_iter().map(Ok));
        let checked = sites.try_for_each_concurrent(SITES_AT_ONCE, |named| async move {
            let count = u32::try_from(named.len()).unwrap_or(u32::MAX);
            let Some(first) = named.first() else { return Ok(()) };
            let site = SiteTask { start: first.url, pages: count, room: room.clone(), done_by };
            let crawl = Crawl::begin_at(parts, request, site).await?;
            crawl.check_named(&named, sender).await
        });
        checked.await
    };
    let all = request.page_budget;
    let booking = async {
        let (mut results, mut places) = (Results::new(engine, progress, room), Vec::new());
        progress.progress(PageCounts::new(0, all));
        while let Some((named, outcome)) = receiver.recv().await {
            match outcome {
                Ok(checked) => results.add_checked(*checked, named.place == 0, None),
                Err(failure) => {
                    results.add_unchecked(PageOutcome::failed(page_address(named.url), "", failure));
                }
            }
            places.push(named.place);
            progress.progress(PageCounts::new(results.count(), all));
        }
        (results, places)
    };
    let (checked, (results, places)) = tokio::join!(checking, booking);
    checked?;
    let (mut output, across) = results.close_apart(None);
    put_in_order(&mut output.findings, &places);
    output.rule_outcomes = in_order(output.rule_outcomes, &places);
    across.placed(&places).add_to(&mut output);
    Ok(output)
}

/// Returns the pages of each site in the order of the list, sites in that of their first pages.
fn by_site(pages: &[Url]) -> Vec<Vec<Named<'_>>> {
    let mut known: HashMap<Site, usize> = HashMap::new();
    let mut sites: Vec<Vec<Named<'_>>> = Vec::new();
    for (place, url) in pages.iter().enumerate() {
        let site = *known.entry(Site::of(url)).or_insert_with(|| {
            sites.push(Vec::new());
            sites.len() - 1
        });
        sites[site].push(Named { place, url });
    }
    sites
}

/// Sorts values of pages, which are in the order in which the pages were done, into the order of the list. `places` has
/// the position of each page in the list.
fn in_order<T>(of_pages: Vec<T>, places: &[usize]) -> Vec<T> {
    let mut placed: Vec<(usize, T)> = places.iter().copied().zip(of_pages).collect();
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, of_page)| of_page).collect()
}

/// Brings the pages, which are in the order in which they were done, into that of the list: `places` has the place of each.
fn put_in_order(findings: &mut Findings, places: &[usize]) {
    findings.pages = in_order(std::mem::take(&mut findings.pages), places);
    for item in findings.items.iter_mut().chain(&mut findings.undecided) {
        if let Some(place) = places.get(item.page) {
            item.page = *place;
        }
    }
    // Within a page, the order stays.
    findings.items.sort_by_key(|item| item.page);
    findings.undecided.sort_by_key(|item| item.page);
}

/// The reasons not to request further pages of a site.
#[derive(Debug, Default)]
struct Patience {
    /// The number of pages in a row, up to the latest, that were not ready in time.
    time_outs: AtomicU32,
    /// The number of pages for which the site was too busy.
    turned_away: AtomicU32,
}

impl Patience {
    fn note(&self, result: &Result<Box<Checked>, PageError>) {
        let is_time_out = match result {
            Err(PageError::Failed(failure) | PageError::HeldUp(failure)) => failure.code == FailureCode::Timeout,
            _ => false,
        };
        if is_time_out {
            self.time_outs.fetch_add(1, Ordering::Relaxed);
        } else {
            self.time_outs.store(0, Ordering::Relaxed);
        }
        if matches!(result, Err(PageError::Busy { .. })) {
            self.turned_away.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns the failure of a page that is not requested, if patience has ended.
    fn end(&self) -> Option<Failure> {
        if self.time_outs.load(Ordering::Relaxed) >= MAX_TIME_OUTS {
            let message = format!(
                "{MAX_TIME_OUTS} pages of this host in a row were not ready in time, so this one was not tried."
            );
            return Some(Failure::new(FailureCode::Timeout, message));
        }
        if self.turned_away.load(Ordering::Relaxed) >= MAX_TURNED_AWAY {
            let message = "The site was too busy for several pages, so this one was not requested.";
            return Some(Failure::new(FailureCode::HttpStatus, message));
        }
        None
    }
}

impl Crawl<'_> {
    /// Checks the pages of one site, and sends the outcome of each.
    async fn check_named<'p>(
        &self,
        named: &[Named<'p>],
        sender: &mpsc::UnboundedSender<NamedOutcome<'p>>,
    ) -> Result<(), CrawlError> {
        let Some(first) = named.first() else { return Ok(()) };
        let robots = match self.robots_of_named(first.url).await {
            Ok(robots) => robots,
            Err(failure) => {
                for named in named {
                    // The receiver is dropped only when the scan has ended.
                    let _ = sender.send((*named, Err(failure.clone())));
                }
                return Ok(());
            }
        };
        let missing = MissingPages::of(self.request.scan, &self.visits, &self.fetcher, self.done_by);
        let patience = Patience::default();
        let (robots, missing, patience) = (&robots, &missing, &patience);
        let visits = stream::iter((0_u32..).zip(named.iter().copied()).map(Ok::<_, CrawlError>));
        let visits = visits.try_for_each_concurrent(self.visits.at_once(), |(number, named)| async move {
            let outcome = match patience.end() {
                Some(failure) => Err(failure),
                None if Instant::now() >= self.done_by => Err(timed_out()),
                None => {
                    let look = match named.place {
                        0 => Look::Start,
                        _ if number < PLATFORM_PAGES => Look::Platform,
                        _ => Look::Page,
                    };
                    let result = self.check_one(named.url, look, robots, missing).await?;
                    patience.note(&result);
                    match result {
                        Ok(checked) => Ok(checked),
                        Err(error) => Err(self.failure_at(named.url, error).await?),
                    }
                }
            };
            let _ = sender.send((named, outcome));
            Ok(())
        });
        visits.await
    }

    /// Returns the rules of the site, or the reason why none of its pages may be visited.
    async fn robots_of_named(&self, url: &Url) -> Result<Robots, Failure> {
        if self.robots == RobotsPolicy::Ignore {
            return Ok(Robots::allow_all());
        }
        match self.survey(&Start::of(url)).robots(url).await {
            Access::Known(robots) => {
                if let Some(delay) = robots.delay {
                    self.visits.pace().slow_down(delay);
                }
                Ok(robots)
            }
            Access::Closed { status, .. } => {
                Err(failure_of(FailureCause::RobotsStatus, FailureFacts::of_status(status)))
            }
            Access::Unreachable(failure) => {
                let message = terms(Locale::En).robots_unreadable(&failure.message);
                let facts = failure.facts().of_robots();
                Err(failure.with_message(message).with_facts(facts))
            }
        }
    }

    async fn check_one(
        &self,
        url: &Url,
        look: Look,
        robots: &Robots,
        missing: &MissingPages<'_>,
    ) -> Result<Result<Box<Checked>, PageError>, CrawlError> {
        if !robots.allows(url) {
            let facts = FailureFacts::of_agent(PRODUCT_TOKEN);
            return Ok(Err(PageError::Failed(failure_of(FailureCause::RobotsDisallow, facts))));
        }
        let scope = Start::of(url);
        let way: Arc<dyn Scope> = Arc::new(Way::new(scope.clone(), self.reach.clone()));
        let checked = match self.visits.visit(url, &scope, &way, look).await? {
            Some(Ok(checked)) => checked,
            Some(Err(error)) => return Ok(Err(error)),
            None => return Ok(Err(PageError::Failed(timed_out()))),
        };
        if !self.visits.log().was_asked_for(checked.url.host_str().unwrap_or_default(), port(&checked.url)) {
            return Err(BrowserError::GuardNotInForce.into());
        }
        // Who names the home page of an application that begins with its login means that page.
        let is_wall = checked.url.path() != "/" && login::shows_only_login(url, &checked);
        if is_wall || login::was_sent_to_login(url, &checked) {
            let message = "A login page stands in place of the page that was asked for.";
            return Ok(Err(PageError::Failed(Failure::new(FailureCode::LoginRequired, message))));
        }
        Ok(match missing.stands_for_start(&checked, &scope, &way, robots).await? {
            Some(wall) => Err(PageError::walled(wall)),
            None => Ok(Box::new(checked)),
        })
    }

    /// Returns the failure that its owner reads about a page.
    async fn failure_at(&self, url: &Url, error: PageError) -> Result<Failure, CrawlError> {
        match self.at_start(url, error).await {
            CrawlError::Start(failure) | CrawlError::Troubled { failure, .. } => Ok(failure),
            error => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use a11ycheck_core::domain::{Finding, RuleId};

    use super::*;

    fn urls(urls: &[&str]) -> Vec<Url> {
        urls.iter().map(|url| Url::parse(url).unwrap()).collect()
    }

    #[test]
    fn pages_of_one_host_are_one_site_wherever_they_are_in_the_list() {
        let pages =
            urls(&["https://a.example/", "http://b.example/", "https://www.a.example/x", "https://a.example:8443/"]);
        let places: Vec<Vec<usize>> =
            by_site(&pages).iter().map(|site| site.iter().map(|named| named.place).collect()).collect();
        assert_eq!(places, [vec![0, 2], vec![1], vec![3]]);
    }

    #[test]
    fn findings_follow_their_pages_into_the_order_of_the_list() {
        let finding = |page: usize, name: &str| Finding::new(RuleId::new("label"), page, "", name, "", "");
        let mut findings = Findings::new(Tool::axe_core("", ""))
            .with_pages(["c", "a", "b"].map(|name| PageOutcome::checked(format!("https://a.example/{name}"), "")))
            .with_items([finding(0, "c1"), finding(0, "c2"), finding(1, "a1"), finding(2, "b1")]);
        put_in_order(&mut findings, &[2, 0, 1]);
        let pages: Vec<&str> = findings.pages.iter().map(|page| &page.url[page.url.len() - 1..]).collect();
        assert_eq!(pages, ["a", "b", "c"]);
        let items: Vec<(usize, &str)> = findings.items.iter().map(|item| (item.page, &*item.selector)).collect();
        assert_eq!(items, [(0, "a1"), (1, "b1"), (2, "c1"), (2, "c2")]);
    }
}
