//! The report as an HTML file, checked like any page: a report on barriers must have none.

use std::{collections::BTreeMap, time::Duration};

use a11ycheck_core::{
    domain::{Depth, DiffSummary, Outcome, Scan, ScanKind, ScanState, Site as CheckedSite, SiteInput},
    export::{
        Brand,
        html::{Gallery, HtmlSource, write},
    },
    id::{ScanId, SiteId, TeamId},
    locale::Locale,
    report::{PictureId, Report, Sources},
    scanner::{CancellationToken, PageList, ScanOutput, ScanRequest, Scanner as _},
};
use a11ycheck_scanner_chromium::ChromiumScanner;
use chrono::{DateTime, Utc};
use url::Url;

use crate::support::{Progress, Reply, Site, config, page, request, without_pictures};

/// Reports are large pages, and how long a busy machine needs for them is not the question.
const PATIENCE: Duration = Duration::from_secs(600);

/// Returns the report of a check of this site as a file.
fn report(output: &ScanOutput, locale: Locale) -> String {
    let at = DateTime::<Utc>::from_timestamp(1_811_851_200, 0).unwrap();
    let (id, team) = (ScanId::generate(at), TeamId::generate(at));
    let details = SiteInput::parse("https://shop.example").unwrap().into_details().unwrap();
    let site = CheckedSite { id: SiteId::generate(at), team, details, next_scan_at: at, created_at: at };
    let (kind, state) = (ScanKind::Manual, ScanState::Queued);
    let scan = Scan {
        id,
        team,
        site: site.id,
        kind,
        pages_requested: 9,
        queued_at: at,
        state,
        express: false,
        depth: Depth::Full,
    };
    let findings = &output.findings;
    let outcome = Outcome::new(2, findings.totals(), DiffSummary::first(), findings.engine.clone());
    let (scan, outcome, sources_of) = (&scan, &outcome, &site);
    let sources = Sources { scan, outcome, finished_at: at, site: sources_of, findings, trend: &[] };
    let report = Report::new(sources, locale);
    let mut gallery = Gallery::new();
    if let Some(screen) = &output.screen {
        assert!(gallery.add(PictureId::Screen, screen.bytes.clone()));
    }
    for (number, finding) in (1..).zip(&findings.items) {
        let shot = finding.screenshot.and_then(|shot| output.screenshots.iter().find(|picture| picture.id == shot.id));
        if let Some(shot) = shot {
            assert!(gallery.add(PictureId::Example(number), shot.bytes.clone()));
        }
    }
    let brand = Brand::default();
    let mut file = Vec::new();
    write(&HtmlSource::new(&report, &site.details, findings, &brand, &gallery), &mut file).unwrap();
    String::from_utf8(file).unwrap()
}

/// A shop with faults of many kinds, and texts that would break a careless report.
fn faulty(path: &str) -> Reply {
    let links: String = (1..=12).map(|number| format!("<li><a href=/p/{number}><img src=data:,></a>")).collect();
    let body = format!(
        "<img src=/a.png id='a\"><script>alert(1)</script>'><p style='color: #aaa'>&lt;/style&gt; pale</p><input><h5>skips</h5>
         <button></button><a href=#></a><iframe src=/inner></iframe><select></select><ul>{links}</ul><div role=banana>b</div>
         <table><tr><th scope=banana>x</table><p lang=banana>y</p><li>loose</li><video autoplay src=data:,></video>
         <marquee>moves</marquee><p accesskey=k>k</p><p accesskey=k>k</p><dl><p>no</dl><div aria-hidden=true><a href=#x>x</a></div>"
    );
    Reply::Html(page(&format!("שלום &lt;b&gt; {path}"), &body))
}

#[tokio::test(flavor = "multi_thread")]
async fn our_own_check_finds_nothing_in_a_report_in_any_language_closed_or_opened() {
    let site = Site::start(|request| faulty(&request.path)).await;
    let scanner = ChromiumScanner::new(config().with_page_timeout(PATIENCE)).unwrap();
    let request = request(&site.url("/"), 3);
    let output = scanner.scan(request, &Progress::default(), CancellationToken::new()).await.unwrap();
    let rules = output.findings.items.iter().map(|finding| finding.rule.as_str());
    let rules: std::collections::BTreeSet<&str> = rules.collect();
    assert!(rules.len() >= 15, "the report shows rules with places and rules with a line: {rules:?}");

    let mut files = BTreeMap::new();
    for locale in Locale::ALL {
        let closed = report(&output, locale);
        files.insert(format!("/{locale}/open"), closed.replace("<details", "<details open"));
        files.insert(format!("/{locale}/closed"), closed);
    }
    scanner.close().await;
    let paths: Vec<String> = files.keys().cloned().collect();
    let reports = Site::start(move |request| Reply::Html(files.get(&request.path).cloned().unwrap_or_default())).await;
    // What a picture of a report shows is looked at elsewhere.
    let config = without_pictures().with_page_timeout(PATIENCE).with_tabs(2).with_pages_at_once(2);
    let scanner = ChromiumScanner::new(config).unwrap();
    let list = PageList::new(paths.iter().map(|path| Url::parse(&reports.url(path)).unwrap())).unwrap();
    let request = ScanRequest::of_pages(ScanId::generate(Utc::now()), list);
    let findings = scanner.scan(request, &Progress::default(), CancellationToken::new()).await.unwrap().findings;
    assert_eq!(findings.pages.len(), paths.len());
    for (page, path) in findings.pages.iter().zip(&paths) {
        assert!(page.is_checked(), "{path}: {page:?}");
    }
    let found: Vec<_> =
        findings.items.iter().map(|item| format!("{}: {} {}", paths[item.page], item.rule, item.selector)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
    scanner.close().await;
}
