//! The common parts of the tests: a scanner that may reach one loopback address, and sites that may misbehave.

pub(crate) mod building;
mod internet;
pub(crate) mod pki;
pub(crate) mod secure;
mod site;

use std::{
    net::IpAddr,
    os::unix::fs::PermissionsExt as _,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use a11ycheck_core::{
    domain::{Failure, Findings, PageCounts, SiteUrl},
    id::ScanId,
    net::{AddressPolicy, StaticResolver},
    scanner::{CancellationToken, ProgressSink, ScanError, ScanRequest, Scanner as _},
};
use a11ycheck_scanner_chromium::{ChromiumConfig, ChromiumScanner, Evidence};
use tempfile::TempDir;

pub(crate) use self::{
    internet::{Internet, PUBLIC},
    site::{Reply, Request, Site},
};

/// Returns settings that allow 127.0.0.1 and nothing else, with a few names for it.
pub(crate) fn config() -> ChromiumConfig {
    let policy = AddressPolicy::builder().allow_network("127.0.0.1/32".parse().unwrap()).build();
    let here: IpAddr = "127.0.0.1".parse().unwrap();
    let elsewhere: IpAddr = "127.0.0.2".parse().unwrap();
    let resolver = StaticResolver::new()
        .with("localhost", [here])
        .with("a.test", [here])
        .with("www.a.test", [here])
        .with("login.a.test", [here])
        .with("b.test", [here])
        .with("private.test", [elsewhere]);
    ChromiumConfig::new(policy).with_resolver(Arc::new(resolver)).with_page_timeout(Duration::from_secs(20))
}

/// Returns the same settings for tests that look at no picture, and would wait for many.
pub(crate) fn without_pictures() -> ChromiumConfig {
    config().with_evidence(Evidence::LeftOut)
}

/// Returns the browser that the scanner would find.
pub(crate) fn browser_program() -> PathBuf {
    std::env::var_os("A11YCHECK_CHROMIUM").map_or_else(
        || {
            ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"]
                .map(PathBuf::from)
                .into_iter()
                .find(|path| path.exists())
                .expect("install chromium-headless-shell or chromium, or set A11YCHECK_CHROMIUM")
        },
        PathBuf::from,
    )
}

/// Returns a script that stands for a browser that does not know the switch that begins like this, and the folder that holds it.
pub(crate) fn browser_without(switch: &str) -> (TempDir, PathBuf) {
    browser_after(&format!("for a; do shift; case $a in {switch}*) ;; *) set -- \"$@\" \"$a\";; esac; done"))
}

/// Returns a script that runs these lines of a shell, and then the browser; and its folder, with which it is deleted.
pub(crate) fn browser_after(lines: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("chromium");
    std::fs::write(&program, format!("#!/bin/sh\n{lines}\nexec {} \"$@\"\n", browser_program().display())).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    (folder, program)
}

pub(crate) fn scanner() -> ChromiumScanner {
    ChromiumScanner::new(config()).unwrap()
}

/// Returns a time for a page that is far more than a good page needs, however busy this machine is now; at least
/// `least`. It is for tests of bad pages between good ones: only the bad ones reach the bound, however slow the
/// machine.
pub(crate) async fn page_time(least: Duration) -> Duration {
    let site = Site::start(|_| Reply::Html(page("Good", "ok"))).await;
    let scanner = scanner();
    scanner.versions().await.unwrap();
    let started = Instant::now();
    scan(&scanner, &site.url("/"), 1).await;
    let taken = started.elapsed();
    scanner.close().await;
    least.max(6 * taken)
}

/// A sink that keeps the number of pages done, and asserts that it never falls, and that no report repeats the one
/// before.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    pub(crate) done: AtomicU32,
    found: AtomicU32,
}

impl ProgressSink for Progress {
    fn progress(&self, PageCounts { done, found, .. }: PageCounts) {
        let before = (self.done.swap(done, Ordering::SeqCst), self.found.swap(found, Ordering::SeqCst));
        assert!(before.0 <= done && before != (done, found), "from {before:?} to {done}, {found}");
        assert!(done <= found, "{done} of {found}");
    }
}

pub(crate) fn request(start: &str, page_budget: u32) -> ScanRequest {
    ScanRequest::new(ScanId::generate(chrono::Utc::now()), SiteUrl::parse(start).unwrap(), page_budget)
}

pub(crate) async fn try_scan(scanner: &ChromiumScanner, start: &str, budget: u32) -> Result<Findings, ScanError> {
    let progress = Progress::default();
    let output = scanner.scan(request(start, budget), &progress, CancellationToken::new()).await?;
    assert_eq!(progress.done.into_inner() as usize, output.findings.pages_scanned());
    Ok(output.findings)
}

/// Scans a site that can be checked.
pub(crate) async fn scan(scanner: &ChromiumScanner, start: &str, budget: u32) -> Findings {
    try_scan(scanner, start, budget).await.unwrap()
}

/// Scans a site whose start page cannot be checked.
pub(crate) async fn failure(scanner: &ChromiumScanner, start: &str) -> Failure {
    match try_scan(scanner, start, 3).await {
        Err(ScanError::Failed(failure)) => failure,
        other => panic!("expected a failure, got {other:?}"),
    }
}

/// Scans a site that is in trouble, and returns the failure and the time for which the site asks not to be visited.
pub(crate) async fn trouble(scanner: &ChromiumScanner, start: &str) -> (Failure, Option<Duration>) {
    match try_scan(scanner, start, 3).await {
        Err(ScanError::Troubled { failure, retry_after }) => (failure, retry_after),
        other => panic!("expected trouble, got {other:?}"),
    }
}

/// Returns a page whose only faults are those of `body`.
pub(crate) fn page(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>{title}</title></head>\
         <body><main><h1>{title}</h1>{body}</main></body></html>"
    )
}

/// Returns `rule selector` of every finding, in order.
pub(crate) fn items(findings: &Findings) -> Vec<String> {
    findings.items.iter().map(|item| format!("{} {}", item.rule, item.selector)).collect()
}

/// Returns the paths of the pages, with the codes of their errors.
pub(crate) fn pages(findings: &Findings) -> Vec<String> {
    let path = |url: &str| url::Url::parse(url).unwrap()[url::Position::BeforePath..].to_owned();
    findings
        .pages
        .iter()
        .map(|page| match &page.error {
            None => path(&page.url),
            Some(error) => format!("{} {}", path(&page.url), error.code),
        })
        .collect()
}
