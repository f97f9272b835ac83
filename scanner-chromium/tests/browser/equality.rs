//! A check that takes unchanged pages over finds what a full check finds: a thousand random changes of a generated site, and the
//! exports of both checks, byte for byte (decision 0062).

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{Arc, Mutex},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use a11ycheck_core::{
    domain::{Course, Depth, Finding, Findings, Memo, SiteDetails, SiteUrl},
    export::{ExportFormat, ExportSource, write},
    locale::Locale,
    scanner::{CancellationToken, EarlierCheck, ScanOutput, Scanner as _},
};
use a11ycheck_scanner_chromium::{ChromiumScanner, Reuse};
use chrono::Utc;

use crate::support::{Progress, Reply, Request, Site, page, request, without_pictures};

/// The number of changes, all in all.
const CHANGES: usize = 1_000;
/// The number of pages at first, beside the start page, and how many of a hundred change between two checks.
const PAGES: usize = 120;
const CHANGED_PERCENT: usize = 80;
/// The number of pages that share a template.
const GROUP: usize = 10;

/// A change of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    Text,
    Class,
    Style,
    Script,
    Data,
    Picture,
    Header,
    Redirect,
    Removed,
    New,
    Template,
}

const KINDS: [Change; 11] = [
    Change::Text,
    Change::Class,
    Change::Style,
    Change::Script,
    Change::Data,
    Change::Picture,
    Change::Header,
    Change::Redirect,
    Change::Removed,
    Change::New,
    Change::Template,
];

/// A page of the site: the version of each thing that it is made from.
#[derive(Debug, Clone, Default)]
struct Page {
    text: u64,
    class: u64,
    style: u64,
    script: u64,
    data: u64,
    picture: u64,
    header: u64,
    redirect: u64,
    is_removed: bool,
}

/// The site: its pages, and the versions of the templates that groups of them share.
#[derive(Debug, Default)]
struct Model {
    pages: Vec<Page>,
    templates: BTreeMap<usize, u64>,
}

/// A generator of numbers that look random.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        // Marsaglia's xorshift64, whose state is never 0.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }
}

impl Model {
    fn new() -> Self {
        Self { pages: vec![Page::default(); PAGES], templates: BTreeMap::new() }
    }

    /// Makes a change of this kind to the page with this number.
    fn change(&mut self, number: usize, kind: Change) {
        let page = &mut self.pages[number];
        match kind {
            Change::Text => page.text += 1,
            Change::Class => page.class += 1,
            Change::Style => page.style += 1,
            Change::Script => page.script += 1,
            Change::Data => page.data += 1,
            Change::Picture => page.picture += 1,
            Change::Header => page.header += 1,
            Change::Redirect => page.redirect += 1,
            Change::Removed => page.is_removed = !page.is_removed,
            Change::New => self.pages.push(Page::default()),
            Change::Template => *self.templates.entry(number / GROUP).or_default() += 1,
        }
    }

    fn answer(&self, request: &Request) -> Reply {
        if request.path == "/" {
            let links: String =
                (0..self.pages.len()).map(|number| format!("<a href={}>Page {number}</a> ", path(number))).collect();
            return Reply::Html(page("Home", &links));
        }
        let name = request.path.trim_matches('/').rsplit('/').next().unwrap_or_default();
        let (number, extension) = name.split_once('.').unwrap_or((name, ""));
        let Some((number, page)) =
            number.parse().ok().and_then(|number: usize| Some((number, self.pages.get(number)?)))
        else {
            return Reply::Status(404, page("Nothing", ""));
        };
        match extension {
            "css" => own(request, number, page.style, "text/css", &style(page.style)),
            "js" => own(request, number, page.script, "text/javascript", &script(page.script)),
            "json" => own(request, number, page.data, "application/json", &data(page.data)),
            "svg" => own(request, number, page.picture, "image/svg+xml", &picture(page.picture)),
            _ if page.is_removed => Reply::Status(404, crate::support::page("Nothing", "")),
            // It leads to one of two other addresses, or to the page of a neighbour.
            _ if page.redirect % 4 > 0 && !request.path.starts_with("/moved") => {
                Reply::Redirect(match page.redirect % 4 {
                    1 => format!("/moved/{number}"),
                    2 => format!("/moved/again/{number}"),
                    _ => path((number + 1) % self.pages.len()),
                })
            }
            _ => {
                let policy = match page.header % 3 {
                    0 => "X-Served-By: test\r\n",
                    1 => "Content-Security-Policy: script-src 'none'\r\n",
                    _ => "Content-Security-Policy: style-src 'none'\r\n",
                };
                let html = document(number, page, self.templates.get(&(number / GROUP)).copied().unwrap_or_default());
                let head = format!("Content-Type: text/html; charset=utf-8\r\n{policy}");
                Reply::Whole(200, head, html.into_bytes())
            }
        }
    }
}

fn path(number: usize) -> String {
    format!("/{}/{number}", ["shop", "news", "help"][number / GROUP % 3])
}

fn document(number: usize, page: &Page, template: u64) -> String {
    let heading = 2 + template % 4;
    let mut body = format!(
        "<link rel=stylesheet href=/own/{number}.css><nav><h{heading}>Menu</h{heading}><a href=/></a></nav>\
         <p class=c{}>Text {}</p><ul><li id=late></li></ul><a href=#x><img alt='' src=/own/{number}.svg></a>\
         <script src=/own/{number}.js></script>",
        page.class % 3,
        page.text
    );
    if page.text % 3 == 2 {
        body.push_str("<img src=data:,>");
    }
    if number.is_multiple_of(4) {
        let script = "fetch('/own/N.json').then(data => data.json()).then(data => late.append(Object.assign(document.createElement('img'), data)))";
        let _ = write!(body, "<script>{}</script>", script.replace('N', &number.to_string()));
    }
    let html = crate::support::page(&format!("Page {number}"), &body);
    html.replacen("<body>", &format!("<body>{}", menu(page)), 1)
}

/// Returns a menu whose order and names change from page to page.
fn menu(page: &Page) -> String {
    let shop = if page.text % 2 == 1 { "Products" } else { "Shop" };
    let links = [("/shop/0", shop), ("/news/10", "News"), ("/help/20", "Help"), ("/", "Home")];
    let order = if page.class % 2 == 1 { [1, 0, 2, 3] } else { [0, 1, 2, 3] };
    let links = order.map(|place| format!("<a href={}>{}</a> ", links[place].0, links[place].1));
    format!("<nav>{}</nav>", links.concat())
}

fn style(version: u64) -> String {
    let grey = ["#777", "#333", "#ccc"];
    let colour = |class: u64| grey[usize::try_from((version + class) % 3).unwrap()];
    (0..3).map(|class| format!(".c{class} {{ color: {}; background: #fff }}\n", colour(class))).collect()
}

fn script(version: u64) -> String {
    match version % 3 {
        0 => format!("// Version {version}"),
        1 => format!("late.insertAdjacentHTML('beforeend', '<button id=b{version}></button>')"),
        _ => "document.documentElement.lang = 'xx-no-language'".to_owned(),
    }
}

fn data(version: u64) -> String {
    if version.is_multiple_of(2) {
        format!("{{\"id\": \"d{version}\"}}")
    } else {
        format!("{{\"alt\": \"v{version}\"}}")
    }
}

fn picture(version: u64) -> String {
    let size = 4 + version % 5 * 8;
    format!("<svg xmlns='http://www.w3.org/2000/svg' width='{size}' height='{size}'/>")
}

/// Returns a file of one page, from a server that has validators of one kind or of none for the files of that page, and
/// compares them.
fn own(request: &Request, number: usize, version: u64, kind: &str, body: &str) -> Reply {
    let http_date = |time: SystemTime| httpdate::fmt_http_date(time);
    let mut head = format!("Content-Type: {kind}\r\nDate: {}\r\n", http_date(SystemTime::now()));
    let (name, validator) = match number % 3 {
        0 => ("ETag", format!("\"{version}\"")),
        1 => ("Last-Modified", http_date(UNIX_EPOCH + Duration::from_secs(1_600_000_000 + version))),
        _ => return Reply::Whole(200, head, body.as_bytes().to_vec()),
    };
    let _ = write!(head, "{name}: {validator}\r\n");
    let known = request.header("if-none-match").or_else(|| request.header("if-modified-since"));
    if known.as_ref() == Some(&validator) {
        return Reply::Whole(304, head, Vec::new());
    }
    Reply::Whole(200, head, body.as_bytes().to_vec())
}

/// Returns the exports of these findings, one after the other.
fn exported(start: &str, findings: &Findings) -> Vec<u8> {
    let site = SiteDetails {
        url: SiteUrl::parse(start).unwrap(),
        name: None,
        report_locale: Locale::En,
        platform: None,
        stack: Vec::new(),
        tags: Vec::new(),
        standard: None,
    };
    let source = ExportSource::new("Team", &site, chrono::DateTime::UNIX_EPOCH, findings, Locale::En);
    let mut bytes = Vec::new();
    for format in ExportFormat::ALL {
        write(format, &source, &mut bytes).unwrap();
    }
    bytes
}

/// Returns what was found by comparing pages.
fn compared(findings: &Findings) -> Vec<Finding> {
    let is_compared = |item: &&Finding| item.rule.as_str().starts_with("a11ycheck-consistent-");
    findings.undecided.iter().filter(is_compared).cloned().collect()
}

/// Fails with the first line in which two exports differ.
fn assert_same(full: &[u8], incremental: &[u8], about: &str) {
    if full != incremental {
        let (full, incremental) = (String::from_utf8_lossy(full), String::from_utf8_lossy(incremental));
        let differs = full.lines().zip(incremental.lines()).find(|(full, incremental)| full != incremental);
        panic!("{about}: {:?} lines of {:?}, {differs:#?}", incremental.lines().count(), full.lines().count());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_thousand_random_changes_the_exports_are_those_of_full_checks() {
    let seed = std::env::var("A11YCHECK_EQUALITY_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed: u64 = seed.unwrap_or_else(|| u64::try_from(Utc::now().timestamp_micros()).unwrap());
    println!("A11YCHECK_EQUALITY_SEED={seed}");
    let mut random = Random(seed | 1);
    let model = Arc::new(Mutex::new(Model::new()));
    let served = Arc::clone(&model);
    let site = Site::start(move |request| served.lock().unwrap().answer(request)).await;
    let start = site.url("/");
    let config = without_pictures().with_reuse(Reuse::On).with_tabs(8).with_pages_at_once(8);
    let scanner = ChromiumScanner::new(config).unwrap();
    let scan = async |earlier: Option<&ScanOutput>| {
        let earlier = earlier.map(|earlier| {
            let document = earlier.remembered.clone().unwrap().document;
            let memo = Memo { full_at: Utc::now(), barred_until: None, document };
            Arc::new(EarlierCheck::new(Utc::now(), earlier.findings.clone(), memo, Depth::Incremental))
        });
        let request = request(&start, 1_000).with_earlier(earlier);
        scanner.scan(request, &Progress::default(), CancellationToken::new()).await.unwrap()
    };

    let mut latest = scan(None).await;
    let (mut made, mut taken_over, mut done) = (BTreeMap::<Change, usize>::new(), 0, 0);
    while done < CHANGES {
        let mut changed = Vec::new();
        {
            let mut model = model.lock().unwrap();
            let pages = model.pages.len();
            let mut numbers: Vec<usize> = (0..pages).collect();
            for place in (1..pages).rev() {
                numbers.swap(place, random.below(place + 1));
            }
            for number in numbers.into_iter().take((pages * CHANGED_PERCENT / 100).min(CHANGES - done)) {
                let kind = KINDS[random.below(KINDS.len())];
                // A template is that of many pages, and a site does not grow with each change.
                let kind = if matches!(kind, Change::Template | Change::New) && random.below(4) > 0 {
                    KINDS[random.below(KINDS.len() - 2)]
                } else {
                    kind
                };
                model.change(number, kind);
                changed.push((number, kind));
                *made.entry(kind).or_default() += 1;
            }
        }
        done += changed.len();
        let incremental = scan(Some(&latest)).await;
        let full = scan(None).await;
        let about = format!("seed {seed}, {done} changes, the last of them {changed:?}");
        assert_eq!(incremental.remembered.as_ref().unwrap().course, Course::Incremental, "{about}");
        assert_same(&exported(&start, &full.findings), &exported(&start, &incremental.findings), &about);
        assert_eq!(full.findings.totals(), incremental.findings.totals(), "{about}");
        assert_eq!(full.rule_outcomes, incremental.rule_outcomes, "{about}");
        assert_eq!(full.findings.needs_review, incremental.findings.needs_review, "{about}");
        let compared = [compared(&full.findings), compared(&incremental.findings)];
        assert_eq!(compared[0], compared[1], "{about}");
        taken_over += incremental.findings.pages_taken_over();
        latest = incremental;
    }
    scanner.close().await;
    println!("{done} changes: {made:?}; {taken_over} pages taken over");
    assert!(KINDS.iter().all(|kind| made.contains_key(kind)), "{made:?}");
    assert!(taken_over > CHANGES / 10, "{taken_over}");
    assert!(compared(&latest.findings).len() > 20, "menus in another order, and other names");
}
