//! The cases.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use a11ycheck_core::{
    domain::{Fingerprint, PageCounts, SiteUrl},
    id::ScanId,
    scanner::{
        CancellationToken, OutputError, PageList, ProgressSink, ScanError, ScanOutput, ScanRequest, Scanner, accept,
        judge,
    },
};

use url::Url;

use super::{ScannerFactory, TestPage, TestSite};

/// A scan that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(300);

/// Asserts that the number of pages done grows, and that those found are at least those done and at most the budget.
#[derive(Debug)]
struct Progress {
    budget: u32,
    pages: Mutex<PageCounts>,
}

impl Progress {
    fn of(budget: u32) -> Self {
        Self { budget, pages: Mutex::default() }
    }
}

impl ProgressSink for Progress {
    fn progress(&self, pages: PageCounts) {
        let mut last = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(last.done <= pages.done, "progress went back from {last:?} to {pages:?}");
        assert_eq!(pages, pages.within(self.budget), "the pages found, of at most {}", self.budget);
        *last = pages;
    }
}

/// The result of a scan, which core accepts.
struct Checked {
    output: ScanOutput,
    progress: PageCounts,
}

fn request(site: &TestSite, page_budget: u32) -> ScanRequest {
    let start = SiteUrl::parse(&site.url("/")).unwrap();
    ScanRequest::new(ScanId::generate(chrono::Utc::now()), start, page_budget)
}

async fn try_scan(scanner: &impl Scanner, site: &TestSite, budget: u32) -> Result<Checked, ScanError> {
    let (progress, request) = (Progress::of(budget), request(site, budget));
    let scan = scanner.scan(request.clone(), &progress, CancellationToken::new());
    let scanned = tokio::time::timeout(LIMIT, scan).await.expect("a scan that ends within its time");
    let output = accept(&request, scanned, false)?;
    let progress = progress.pages.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(Checked { output, progress })
}

async fn scan(scanner: &impl Scanner, site: &TestSite, budget: u32) -> Checked {
    try_scan(scanner, site, budget).await.unwrap_or_else(|error| panic!("the site could not be checked: {error:?}"))
}

/// Returns the pages of a result, by their paths.
fn paths(checked: &Checked, site: &TestSite) -> Vec<String> {
    let home = site.url("");
    let path = |url: &str| url.strip_prefix(&home).unwrap_or(url).to_owned();
    let path = |url: &str| if path(url).is_empty() { "/".to_owned() } else { path(url) };
    checked.output.findings.pages.iter().map(|page| path(&page.url)).collect()
}

pub(super) async fn a_scanner_that_could_begin_is_ready(factory: &impl ScannerFactory) {
    let site = TestSite::serve([TestPage::good("/")]).await;
    let scanner = factory.scanner(&[&site]).await;
    scanner.check_readiness().await.unwrap();
    scan(&scanner, &site, 1).await;
    factory.close(&scanner).await;
}

pub(super) async fn the_start_page_is_checked_and_comes_first(factory: &impl ScannerFactory) {
    let site = TestSite::serve([TestPage::good("/").with_link("/about"), TestPage::good("/about")]).await;
    let scanner = factory.scanner(&[&site]).await;
    let checked = scan(&scanner, &site, 5).await;
    factory.close(&scanner).await;
    assert_eq!(paths(&checked, &site), ["/", "/about"]);
    assert!(checked.output.findings.pages.iter().all(|page| page.is_checked()), "{:?}", checked.output.findings.pages);
}

pub(super) async fn a_page_without_problems_has_none(factory: &impl ScannerFactory) {
    let site = TestSite::serve([TestPage::good("/")]).await;
    let scanner = factory.scanner(&[&site]).await;
    let checked = scan(&scanner, &site, 1).await;
    factory.close(&scanner).await;
    assert_eq!(checked.output.findings.totals().total(), 0, "{:?}", checked.output.findings.items);
}

pub(super) async fn an_element_that_fails_is_found_on_its_page_with_facts_of_its_rule(factory: &impl ScannerFactory) {
    let about = TestPage::good("/about").with_picture("bridge").with_picture("tower");
    let site = TestSite::serve([TestPage::good("/").with_link("/about"), about]).await;
    let scanner = factory.scanner(&[&site]).await;
    let findings = scan(&scanner, &site, 5).await.output.findings;
    factory.close(&scanner).await;
    for id in ["bridge", "tower"] {
        let found = findings.problems().find(|finding| finding.html.contains(&format!(r#"id="{id}""#)));
        let found = found.unwrap_or_else(|| panic!("{id} is not among {:?}", findings.items));
        assert_eq!(findings.pages[found.page].url, site.url("/about"));
        assert!(!found.selector.is_empty() && findings.rules.contains_key(&found.rule), "{found:?}");
    }
    assert_eq!(findings.totals().total(), 2, "{:?}", findings.items);
}

pub(super) async fn no_more_pages_are_visited_than_were_asked_for(factory: &impl ScannerFactory) {
    let home = ["/one", "/two", "/three"].into_iter().fold(TestPage::good("/"), TestPage::with_link);
    let others = ["/one", "/two", "/three"].map(TestPage::good);
    let site = TestSite::serve([home].into_iter().chain(others)).await;
    for budget in [1, 2] {
        let scanner = factory.scanner(&[&site]).await;
        let checked = scan(&scanner, &site, budget).await;
        factory.close(&scanner).await;
        assert_eq!(checked.output.findings.pages_scanned(), usize::try_from(budget).unwrap());
    }
}

pub(super) async fn progress_grows_up_to_the_number_of_pages(factory: &impl ScannerFactory) {
    let home = TestPage::good("/").with_link("/one").with_link("/missing");
    let site = TestSite::serve([home, TestPage::good("/one"), TestPage::missing("/missing")]).await;
    let scanner = factory.scanner(&[&site]).await;
    let checked = scan(&scanner, &site, 5).await;
    factory.close(&scanner).await;
    assert_eq!(usize::try_from(checked.progress.done).unwrap(), checked.output.findings.pages_scanned());
}

pub(super) async fn all_pages_found_are_done_in_the_end(factory: &impl ScannerFactory) {
    let home = ["/one", "/two", "/three"].into_iter().fold(TestPage::good("/"), TestPage::with_link);
    let others = ["/one", "/two", "/three"].map(TestPage::good);
    let site = TestSite::serve([home].into_iter().chain(others)).await;
    for (budget, all) in [(3, 3), (9, 4)] {
        let scanner = factory.scanner(&[&site]).await;
        let checked = scan(&scanner, &site, budget).await;
        factory.close(&scanner).await;
        assert_eq!(checked.progress, PageCounts::new(all, all));
    }
}

pub(super) async fn a_start_page_that_cannot_be_checked_is_a_failure_with_its_reason(factory: &impl ScannerFactory) {
    let site = TestSite::serve([TestPage::missing("/")]).await;
    let scanner = factory.scanner(&[&site]).await;
    let error = try_scan(&scanner, &site, 5).await.err();
    factory.close(&scanner).await;
    let (Some(ScanError::Failed(failure)) | Some(ScanError::Troubled { failure, .. })) = error else {
        panic!("a site that nobody could look at ended with {error:?}");
    };
    assert!(!failure.message.is_empty(), "{failure:?}");
}

pub(super) async fn a_page_that_cannot_be_checked_costs_itself(factory: &impl ScannerFactory) {
    let home = TestPage::good("/").with_link("/missing").with_link("/about");
    let about = TestPage::good("/about").with_picture("bridge");
    let site = TestSite::serve([home, TestPage::missing("/missing"), about]).await;
    let scanner = factory.scanner(&[&site]).await;
    let checked = scan(&scanner, &site, 5).await;
    factory.close(&scanner).await;
    let pages = &checked.output.findings.pages;
    let missing = pages.iter().find(|page| page.url == site.url("/missing")).unwrap();
    assert!(!missing.is_checked(), "{missing:?}");
    assert!(pages.iter().any(|page| page.url == site.url("/about") && page.is_checked()), "{pages:?}");
    assert_eq!(checked.output.findings.totals().total(), 1);
}

/// Scans exactly these pages, each result of which core takes as it is.
async fn scan_exactly(scanner: &impl Scanner, site: &TestSite, paths: &[&str]) -> Checked {
    let pages = paths.iter().map(|path| Url::parse(&site.url(path)).unwrap());
    let request = ScanRequest::of_pages(ScanId::generate(chrono::Utc::now()), PageList::new(pages).unwrap());
    let progress = Progress::of(request.page_budget);
    let scan = scanner.scan(request.clone(), &progress, CancellationToken::new());
    let output = tokio::time::timeout(LIMIT, scan).await.expect("a scan that ends within its time").unwrap();
    assert_eq!(judge(&request, &output), Ok(()));
    Checked { output, progress: progress.pages.into_inner().unwrap_or_else(PoisonError::into_inner) }
}

pub(super) async fn exact_pages_are_each_listed_once_in_the_given_order_and_no_link_is_followed(
    factory: &impl ScannerFactory,
) {
    let one = TestPage::good("/one").with_picture("bridge").with_link("/three");
    let two = TestPage::good("/two").with_picture("tower");
    let site = TestSite::serve([TestPage::good("/"), one, two, TestPage::good("/three")]).await;
    let scanner = factory.scanner(&[&site]).await;
    let checked = scan_exactly(&scanner, &site, &["/two", "/", "/one", "/two#top"]).await;
    factory.close(&scanner).await;
    assert_eq!(paths(&checked, &site), ["/two", "/", "/one"]);
    assert_eq!(checked.progress, PageCounts::new(3, 3));
    let findings = checked.output.findings;
    let places: Vec<(usize, bool)> =
        findings.problems().map(|found| (found.page, found.html.contains("tower"))).collect();
    assert_eq!(places, [(0, true), (2, false)]);
}

pub(super) async fn exact_pages_that_cannot_be_checked_are_listed_with_their_errors(factory: &impl ScannerFactory) {
    let site = TestSite::serve([TestPage::good("/"), TestPage::missing("/missing")]).await;
    let scanner = factory.scanner(&[&site, &site]).await;
    for asked in [&["/missing"][..], &["/missing", "/"]] {
        let checked = scan_exactly(&scanner, &site, asked).await;
        assert_eq!(paths(&checked, &site), asked);
        let are_checked: Vec<bool> = checked.output.findings.pages.iter().map(|page| page.is_checked()).collect();
        assert_eq!(are_checked, asked.iter().map(|path| *path == "/").collect::<Vec<_>>());
    }
    factory.close(&scanner).await;
}

pub(super) async fn a_cancelled_scan_ends_as_cancelled(factory: &impl ScannerFactory) {
    let site = TestSite::serve([TestPage::hanging("/")]).await;
    let scanner = factory.scanner(&[&site]).await;
    let (progress, cancel) = (Progress::of(5), CancellationToken::new());
    // The scan can't end by itself before, whenever it is cancelled.
    let cancelling = async {
        tokio::task::yield_now().await;
        cancel.cancel();
    };
    let scan = tokio::time::timeout(LIMIT, scanner.scan(request(&site, 5), &progress, cancel.clone()));
    let (scanned, ()) = tokio::join!(scan, cancelling);
    factory.close(&scanner).await;
    let scanned = scanned.expect("a scan that ends soon after it was cancelled");
    assert!(matches!(scanned, Err(ScanError::Cancelled)), "{:?}", scanned.err());
}

pub(super) async fn scans_run_side_by_side_and_keep_their_findings_apart(factory: &impl ScannerFactory) {
    let one = TestSite::serve([TestPage::good("/").with_picture("bridge")]).await;
    let other = TestSite::serve([TestPage::good("/").with_picture("tower")]).await;
    let scanner = factory.scanner(&[&one, &other]).await;
    let (of_one, of_other) = tokio::join!(scan(&scanner, &one, 1), scan(&scanner, &other, 1));
    factory.close(&scanner).await;
    for (checked, site, id) in [(of_one, one, "bridge"), (of_other, other, "tower")] {
        let findings = checked.output.findings;
        assert_eq!(findings.pages[0].url.trim_end_matches('/'), site.url(""));
        assert!(findings.items.iter().all(|item| item.html.contains(id)), "{:?}", findings.items);
        assert_eq!(findings.totals().total(), 1);
    }
}

pub(super) async fn long_and_odd_texts_of_a_page_are_bounded(factory: &impl ScannerFactory) {
    let mut page = TestPage::good("/").with_picture("bridge");
    page.title = "ж".repeat(5_000);
    let noise = format!("&#0;\u{FFFF}{}", "<b>".repeat(50) + &"😀".repeat(20_000));
    page.body = page.body.replace("<img ", &format!("<img data-noise='{noise}' "));
    let site = TestSite::serve([page]).await;
    let scanner = factory.scanner(&[&site]).await;
    let request = request(&site, 1);
    let output = scanner.scan(request.clone(), &Progress::of(1), CancellationToken::new()).await.unwrap();
    factory.close(&scanner).await;
    let judged: Result<(), OutputError> = judge(&request, &output);
    assert_eq!(judged, Ok(()));
    assert_eq!(output.findings.totals().total(), 1);
}

pub(super) async fn rules_that_found_something_are_among_those_that_ran(factory: &impl ScannerFactory) {
    let site = TestSite::serve([TestPage::good("/").with_picture("bridge")]).await;
    let scanner = factory.scanner(&[&site]).await;
    let findings = scan(&scanner, &site, 1).await.output.findings;
    factory.close(&scanner).await;
    // A scanner that does not know which rules ran reports that, and nothing is claimed about it.
    if let Some(ran) = &findings.ran {
        assert!(findings.items.iter().all(|item| ran.contains(&item.rule)), "{:?} in {ran:?}", findings.items);
    }
}

/// Otherwise site owners would see new problems, and fixed ones, where nothing was changed.
pub(super) async fn an_unchanged_site_gives_the_same_findings_again(factory: &impl ScannerFactory) {
    let home = TestPage::good("/").with_picture("bridge").with_link("/about");
    let site = TestSite::serve([home, TestPage::good("/about").with_picture("tower")]).await;
    let scanner = factory.scanner(&[&site, &site]).await;
    let mut seen: Vec<Vec<(String, Fingerprint)>> = Vec::new();
    for _ in 0..2 {
        let findings = scan(&scanner, &site, 5).await.output.findings;
        seen.push(findings.items.into_iter().map(|item| (item.selector, item.fingerprint)).collect());
    }
    factory.close(&scanner).await;
    assert_eq!(seen[0].len(), 2);
    assert_eq!(seen[0], seen[1]);
}
