//! What has not changed since the previous check is taken over, and nothing else (decision 0062).

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use a11ycheck_core::{
    domain::{Course, Depth, Findings, Memo},
    scanner::{CancellationToken, EarlierCheck, ScanOutput, Scanner as _},
};
use a11ycheck_scanner_chromium::{ChromiumScanner, Evidence, Reuse, Viewport};

use crate::support::{Progress, Reply, Request, Site, config, page, request};

/// The number of pages beside the start page.
const PAGES: usize = 8;
/// The address of a script, with its version, which looks like a token, and what looks like the key of a service.
const SCRIPT: &str = "/script.js?v=47DEQpj8HBSa1TImW5JCeuQe&key=AIzaSyD0a1b2c3";

/// A site whose files a test changes.
struct Shop {
    site: Site,
    files: Files,
    scanner: ChromiumScanner,
}

/// A change of the site.
type Change = fn(&Shop);

type Files = Arc<Mutex<BTreeMap<String, Reply>>>;

impl Shop {
    /// Starts a site of a start page and [`PAGES`] others, which share a style sheet, a script and a picture.
    async fn new() -> Self {
        let files = Files::default();
        let served = Arc::clone(&files);
        let site = Site::describing_itself(move |request| {
            let files = served.lock().unwrap();
            let asked = format!("/asked{}", request.path);
            let of_client = request.header("sec-fetch-dest").is_none().then(|| files.get(&asked)).flatten();
            let reply = of_client.or_else(|| files.get(&request.path)).cloned();
            drop(files);
            answer(request, reply.unwrap_or_else(|| Reply::Status(404, page("Nothing", ""))))
        })
        .await;
        let shop = Self { site, files, scanner: ChromiumScanner::new(config().with_reuse(Reuse::On)).unwrap() };
        let links: String = (0..PAGES).map(|number| format!("<a href=/page/{number}>{number}</a>, ")).collect();
        shop.put("/", Reply::Html(page("Home", &links)));
        for number in 0..PAGES {
            shop.put(&format!("/page/{number}"), Reply::Html(product(number, "")));
        }
        shop.put_tagged("/style.css", "text/css", "1", "p { color: #777; background: #fff }");
        shop.put_tagged(SCRIPT, "text/javascript", "1", "document.title += '!'");
        shop.put("/logo.svg", Reply::File("image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec()));
        shop
    }

    fn put(&self, path: &str, reply: Reply) {
        self.files.lock().unwrap().insert(path.to_owned(), reply);
    }

    fn put_tagged(&self, path: &str, kind: &str, tag: &str, body: &str) {
        let headers = format!("Content-Type: {kind}\r\nETag: \"{tag}\"\r\n");
        self.put(path, Reply::Whole(200, headers, body.as_bytes().to_vec()));
    }

    /// Scans the site; after an earlier scan, what that remembers may be taken over.
    async fn scan(&self, earlier: Option<&ScanOutput>) -> ScanOutput {
        self.scan_with(&self.scanner, earlier, Depth::Incremental).await
    }

    /// Does the same with another scanner, and with what it may do with what is remembered.
    async fn scan_with(&self, scanner: &ChromiumScanner, earlier: Option<&ScanOutput>, depth: Depth) -> ScanOutput {
        let earlier = earlier.map(|earlier| {
            let document = earlier.remembered.clone().expect("it was remembered").document;
            let now = chrono::Utc::now();
            let memo = Memo { full_at: now, barred_until: None, document };
            Arc::new(EarlierCheck::new(now, earlier.findings.clone(), memo, depth))
        });
        let request = request(&self.site.url("/"), 50).with_earlier(earlier);
        let output = scanner.scan(request.clone(), &Progress::default(), CancellationToken::new()).await.unwrap();
        a11ycheck_core::scanner::judge(&request, &output).unwrap();
        output
    }

    /// Scans the site twice, with a change in between. Returns what the second scan made of it, how many pages it took over, and how
    /// many documents the browser loaded.
    async fn after(&self, change: impl FnOnce(&Self)) -> (ScanOutput, usize, usize) {
        let first = self.scan(None).await;
        change(self);
        let before = self.documents();
        let second = self.scan(Some(&first)).await;
        let loaded = self.documents() - before;
        let full = self.scan(None).await;
        assert_eq!(plain(&second.findings), plain(&full.findings), "it found what a full check finds");
        let taken_over = second.findings.pages_taken_over();
        (second, taken_over, loaded)
    }

    /// Returns the number of documents that the browser has requested.
    fn documents(&self) -> usize {
        self.loaded(0).len()
    }

    /// Returns the paths of the documents that the browser has requested since there were `before` requests.
    fn loaded(&self, before: usize) -> Vec<String> {
        let requests = self.site.requests();
        requests[before..].iter().filter(|request| request.is_document()).map(|request| request.path.clone()).collect()
    }
}

/// Returns a reply as a server gives it that compares validators.
fn answer(request: &Request, reply: Reply) -> Reply {
    if let (Reply::Whole(200, headers, _), Some(known)) = (&reply, request.header("if-none-match"))
        && headers.contains(&format!("ETag: {known}\r\n"))
    {
        return Reply::Whole(304, headers.clone(), Vec::new());
    }
    reply
}

fn product(number: usize, more: &str) -> String {
    // An address of another site may hold what looks like personal data: it need not be remembered.
    let more = format!("<a href='https://social.test/share?mail=me&amp;text=Text+{number}'>Share</a>{more}");
    let script = SCRIPT.replace('&', "&amp;");
    let parts = format!("<link rel=stylesheet href=/style.css><script src='{script}'></script><img src=/logo.svg>");
    page(&format!("Product {number}"), &format!("{parts}<p>Text {number}</p>{more}"))
}

/// Returns findings without what is not compared: pictures, and which look they are of.
fn plain(findings: &Findings) -> Findings {
    let mut plain = findings.clone();
    for item in plain.items.iter_mut().chain(&mut plain.undecided) {
        item.screenshot = None;
    }
    for page in &mut plain.pages {
        (page.picture, page.looked_at) = (None, None);
    }
    plain
}

fn course(output: &ScanOutput) -> Course {
    output.remembered.as_ref().expect("it was remembered").course
}

#[tokio::test]
async fn what_has_not_changed_is_taken_over_but_for_the_start_page_and_a_sample() {
    let shop = Shop::new().await;
    let (second, taken_over, loaded) = shop.after(|_| {}).await;
    assert_eq!((taken_over, loaded), (PAGES - 2, 3));
    assert_eq!(course(&second), Course::Incremental);
    // The outcome is that of the first look, however often it is taken over.
    let third = shop.scan(Some(&second)).await;
    assert_eq!(third.findings.pages_taken_over(), PAGES - 2);
}

#[tokio::test]
async fn the_sample_is_looked_at_beside_the_start_page_and_keeps_its_pictures() {
    let shop = Shop::new().await;
    let start = |script: &str| {
        let links: String = (0..PAGES).map(|number| format!("<a href=/page/{number}>{number}</a>, ")).collect();
        page("Home", &format!("<img src=/logo.svg>{script}{links}"))
    };
    shop.put("/", Reply::Html(start("")));
    for number in 0..PAGES {
        shop.put(&format!("/page/{number}"), Reply::Html(product(number, &format!("<img src=/logo.svg?{number}>"))));
    }
    let first = shop.scan(None).await;
    // The start page has not loaded before another one is looked at.
    let before = shop.site.requests().len();
    let script = Reply::File("text/javascript", b"//".to_vec());
    shop.put("/gate.js", Reply::After("/page/", before, Box::new(script)));
    shop.put("/", Reply::Html(start("<script src=/gate.js></script>")));
    let second = shop.scan(Some(&first)).await;
    let pages = &second.findings.pages;
    assert!(pages[0].unanswered.is_empty() && !pages[0].still_changing, "{:?}", pages[0]);
    assert_eq!((second.findings.pages_taken_over(), shop.loaded(before).len()), (PAGES - 2, 3));
    for (number, page) in pages.iter().enumerate() {
        let pictured = |findings: &Findings| {
            let own = findings.items.iter().filter(|item| item.page == number && item.screenshot.is_some());
            own.map(|item| item.html.clone()).collect::<Vec<_>>()
        };
        assert!(!pictured(&first.findings).is_empty(), "{}", page.url);
        assert_eq!(pictured(&second.findings), pictured(&first.findings), "{}", page.url);
    }
}

#[tokio::test]
async fn a_page_that_has_changed_is_examined_and_so_are_all_where_what_they_share_has() {
    let shop = Shop::new().await;
    let changed = Reply::Html(product(3, "<img src=/logo.svg?x><a href=/new>New</a>"));
    let (second, taken_over, loaded) = shop
        .after(|shop| {
            shop.put("/page/3", changed);
            shop.put("/new", Reply::Html(product(90, "")));
        })
        .await;
    assert_eq!((taken_over, loaded, course(&second)), (PAGES - 3, 5, Course::Incremental));
    let changes: [(&str, Change); 4] = [
        ("a style sheet", |shop| shop.put_tagged("/style.css", "text/css", "2", "p { color: #333; background: #fff }")),
        ("a script", |shop| shop.put_tagged(SCRIPT, "text/javascript", "2", "document.title += '?'")),
        ("a picture", |shop| {
            let larger = "<svg xmlns='http://www.w3.org/2000/svg' width='90' height='90'/>";
            shop.put("/logo.svg", Reply::File("image/svg+xml", larger.as_bytes().to_vec()));
        }),
        ("a header of every page", |shop| {
            for number in 0..PAGES {
                let reply = Reply::WithHeaders("Content-Security-Policy: script-src 'none'", product(number, ""));
                shop.put(&format!("/page/{number}"), reply);
            }
        }),
    ];
    for (name, change) in changes {
        let shop = Shop::new().await;
        let (second, taken_over, _) = shop.after(change).await;
        assert_eq!((taken_over, course(&second)), (0, Course::Full), "{name}");
    }
}

#[tokio::test]
async fn a_page_with_parts_that_nobody_gets_is_taken_over_until_one_of_them_is_there() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let parts = format!(
        "<link rel=stylesheet href=https://127.0.0.1:{closed}/a.css><link rel=stylesheet href=http://127.0.0.1:{closed}/b.css>
         <link rel=stylesheet href=/gone.css><script src=/gone.js></script><img alt='' src=/gone.png>
         <iframe title=Map src=https://127.0.0.1:{closed}/map?at=1></iframe>"
    );
    let shop_with = async |parts: &str| {
        let shop = Shop::new().await;
        for number in 0..PAGES {
            shop.put(&format!("/page/{number}"), Reply::Html(product(number, parts)));
        }
        shop
    };
    let shop = shop_with(&parts).await;
    let (second, taken_over, loaded) = shop.after(|_| {}).await;
    assert_eq!((taken_over, loaded, course(&second)), (PAGES - 2, 3, Course::Incremental));
    assert!(
        second.findings.pages[1..].iter().all(|page| page.unchecked_frames.len() == 1),
        "a frame that shows nothing"
    );
    for there in ["/gone.css", "/gone.js", "/gone.png"] {
        let shop = shop_with(&parts).await;
        let (second, taken_over, _) = shop.after(|shop| shop.put_tagged(there, "text/plain", "1", "x")).await;
        assert_eq!((taken_over, course(&second)), (0, Course::Full), "{there}");
    }
}

#[tokio::test]
async fn a_page_that_the_site_has_closed_meanwhile_is_neither_taken_over_nor_asked_for() {
    let shop = Shop::new().await;
    let first = shop.scan(None).await;
    shop.put("/robots.txt", Reply::File("text/plain", b"User-agent: *\nDisallow: /page/3\n".to_vec()));
    let before = shop.site.requests().len();
    let second = shop.scan(Some(&first)).await;
    let asked: Vec<_> = shop.site.requests()[before..].iter().map(|request| request.path.clone()).collect();
    assert!(asked.iter().any(|path| path == "/page/2") && !asked.iter().any(|path| path == "/page/3"), "{asked:?}");
    assert_eq!(second.findings.pages_taken_over(), PAGES - 3, "the sample is looked at");
}

#[tokio::test]
async fn a_page_with_another_outcome_although_nothing_has_changed_makes_the_check_full() {
    let shop = Shop::new().await;
    let counts = "<div id=x></div><script>x.textContent = Date.now(); x.lang = 'x' + Date.now()</script>";
    for number in 0..PAGES {
        shop.put(&format!("/page/{number}"), Reply::Html(product(number, counts)));
    }
    let first = shop.scan(None).await;
    let second = shop.scan(Some(&first)).await;
    assert_eq!((second.findings.pages_taken_over(), course(&second)), (0, Course::Contradicted));
}

#[tokio::test]
async fn what_comparing_pages_finds_is_found_whichever_of_them_are_taken_over() {
    let shop = Shop::new().await;
    let [zero, one, two] = ["<a href=/page/0>Zero</a> ", "<a href=/page/1>One</a> ", "<a href=/page/2>Two</a> "];
    let put = |shop: &Shop, number: usize, links: [&str; 3]| {
        let menu = format!("<body><nav>{}</nav>", links.concat());
        shop.put(&format!("/page/{number}"), Reply::Html(product(number, "").replacen("<body>", &menu, 1)));
    };
    for number in 0..PAGES {
        put(&shop, number, if number == 5 { [one, zero, two] } else { [zero, one, two] });
    }
    let reordered = |output: &ScanOutput| -> Vec<String> {
        let all = output.findings.undecided.iter();
        let items = all.filter(|item| item.rule.as_str() == "a11ycheck-consistent-navigation");
        let mut pages: Vec<String> = items
            .map(|item| output.findings.pages[item.page].url.rsplit('/').next().unwrap_or_default().to_owned())
            .collect();
        pages.sort();
        pages
    };
    let (second, taken_over, _) = shop.after(|_| {}).await;
    assert_eq!((taken_over, reordered(&second)), (PAGES - 2, vec!["5".to_owned()]));
    // What most pages have is another order now, and those that have not changed depart from it.
    let (third, taken_over, _) = shop
        .after(|shop| {
            for number in [0, 1, 2, 3, 6] {
                put(shop, number, [one, zero, two]);
            }
        })
        .await;
    assert_eq!((taken_over, course(&third)), (1, Course::Incremental));
    assert_eq!(reordered(&third), ["4", "7"]);
}

/// Pages that are not taken over from the previous check, by name, each with the content that prevents it.
const ODD: [(&str, &str); 19] = [
    ("body", "<script>fetch('/logo.svg', { method: 'POST', body: 'x' })</script>"),
    ("header", "<script>fetch('/logo.svg', { headers: { 'X-Own': 'x' } })</script>"),
    ("stream", "<script>new EventSource('/events')</script>"),
    ("socket", "<script>new WebSocket('ws://' + location.host + '/socket')</script>"),
    ("worker", "<script>new Worker('/worker.js')</script>"),
    ("blob-worker", "<script>new Worker(URL.createObjectURL(new Blob(['1'])))</script>"),
    ("shared-worker", "<script>new SharedWorker('/worker.js')</script>"),
    ("service-worker", "<script>navigator.serviceWorker.register('/worker.js')</script>"),
    ("worklet", "<script>CSS.paintWorklet.addModule('/worker.js')</script>"),
    ("audio", "<script>new OfflineAudioContext(1, 1, 8000).audioWorklet.addModule('/worker.js')</script>"),
    ("worker-in-frame", "<iframe title=f src=/frame></iframe>"),
    ("missing", "<script>fetch('/missing.json')</script>"),
    ("personal", "<script src=/personal.js></script>"),
    ("no-store", "<script src=/no-store.js></script>"),
    ("vary", "<script src=/vary.js></script>"),
    ("nonce", "<script nonce=NONCE>1</script>"),
    ("changing", "<p id=clock></p><script>setInterval(() => { clock.append('x') }, 50)</script>"),
    ("unanswered", "<script>fetch('/hang').then(() => document.body.append('came'))</script>"),
    ("led-on", "<script>if (!location.search) location.search = '?on'</script>"),
];

/// Returns a script with an `ETag` that never changes, and with a header that says that the response may differ between
/// clients.
fn of_one(header: &str, body: String) -> Reply {
    let head = format!("Content-Type: text/javascript\r\nETag: \"1\"\r\n{header}\r\n");
    Reply::Whole(200, head, body.into_bytes())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_may_come_from_elsewhere_is_examined_each_time() {
    let shop = Shop::new().await;
    let worker = b"self.onmessage = () => 0; fetch('/logo.svg')".to_vec();
    shop.put("/worker.js", Reply::File("text/javascript", worker));
    shop.put("/frame", Reply::Html(page("Frame", "<script>new Worker('/worker.js')</script>")));
    shop.put("/events", Reply::Events);
    shop.put("/hang", Reply::Hang);
    let own = "Content-Type: text/javascript\r\nVary: Cookie\r\nSet-Cookie: a=b\r\n".to_owned();
    shop.put("/personal.js", Reply::Whole(200, own, b"//".to_vec()));
    let links: String = (0..PAGES).map(|number| format!("<a href=/page/{number}>{number}</a>, ")).collect();
    let odd: String = ODD.iter().map(|(name, _)| format!("<a href=/odd/{name}>{name}</a>, ")).collect();
    shop.put("/", Reply::Html(page("Home", &format!("{links}{odd}<a href=/odd/error>e</a>"))));
    shop.put("/odd/error", Reply::Status(500, page("Error", "")));
    // What differs from request to request, and each time between two scans.
    let put_all = |turn: u32| {
        for (name, more) in ODD {
            let more = more.replace("NONCE", &turn.to_string());
            shop.put(&format!("/odd/{name}"), Reply::Html(page(name, &more)));
        }
        shop.put("/no-store.js", of_one("Cache-Control: no-store", format!("// {turn}")));
        shop.put("/vary.js", of_one("Vary: Cookie", format!("// {turn}")));
    };
    put_all(1);
    let first = shop.scan(None).await;
    // The page with an error is a dead link.
    assert_eq!(first.findings.pages_scanned(), 1 + PAGES + ODD.len());
    put_all(2);
    let before = shop.site.requests().len();
    let second = shop.scan(Some(&first)).await;
    let loaded = shop.loaded(before);
    assert_eq!(course(&second), Course::Incremental);
    for name in ODD.iter().map(|(name, _)| *name).chain(["error"]) {
        let path = format!("/odd/{name}");
        assert!(loaded.contains(&path), "{name}: {loaded:?}");
    }
    let taken: Vec<_> = second.findings.pages.iter().filter(|page| page.looked_at.is_some()).collect();
    assert!(taken.iter().all(|page| page.url.contains("/page/")), "{taken:?}");
    assert_eq!(taken.len(), PAGES - 2);
}

#[tokio::test]
async fn another_setting_browser_or_standard_examines_every_page() {
    let shop = Shop::new().await;
    let first = shop.scan(None).await;
    let narrow = Viewport::new(800, 600).unwrap();
    for other in [
        config().with_viewport(narrow),
        config().with_enhanced_contrast(true),
        config().with_evidence(Evidence::LeftOut),
    ] {
        let other = ChromiumScanner::new(other.with_reuse(Reuse::On)).unwrap();
        let second = shop.scan_with(&other, Some(&first), Depth::Incremental).await;
        assert_eq!((second.findings.pages_taken_over(), course(&second)), (0, Course::Full));
        other.close().await;
    }
    let off = ChromiumScanner::new(config()).unwrap();
    let second = shop.scan_with(&off, Some(&first), Depth::Incremental).await;
    assert_eq!((second.findings.pages_taken_over(), second.remembered), (0, None));
}

#[tokio::test]
async fn a_page_that_differs_without_a_change_is_found_by_a_full_check_and_then_looked_at_each_time() {
    let shop = Shop::new().await;
    let dice = "<div id=x>Text</div><script>x.lang = 'x' + Math.random()</script>";
    shop.put("/page/3", Reply::Html(product(3, dice)));
    let first = shop.scan(None).await;
    let full = shop.scan_with(&shop.scanner, Some(&first), Depth::Full).await;
    assert_eq!((full.findings.pages_taken_over(), course(&full)), (0, Course::Full));
    let mut latest = full;
    for _ in 0..2 {
        let before = shop.site.requests().len();
        latest = shop.scan(Some(&latest)).await;
        assert_eq!((latest.findings.pages_taken_over(), course(&latest)), (PAGES - 1 - 2, Course::Incremental));
        assert!(shop.loaded(before).contains(&"/page/3".to_owned()));
    }
}

#[tokio::test]
async fn a_part_that_turns_hostile_to_our_client_costs_its_page_and_the_time_of_one_answer() {
    let shop = Shop::new().await;
    let first = shop.scan(None).await;
    // The browser says what it wants a picture for; our client does not.
    let hostile = [
        Reply::Endless(String::new(), "x".repeat(64 * 1024)),
        Reply::File("image/svg+xml", vec![b'x'; 20 * 1024 * 1024]),
        Reply::Stall("x".to_owned()),
        Reply::Redirect("http://127.0.0.2:9/secret".to_owned()),
    ];
    for reply in hostile {
        shop.put("/asked/logo.svg", reply);
        let started = Instant::now();
        let second = shop.scan(Some(&first)).await;
        assert_eq!((second.findings.pages_taken_over(), course(&second)), (0, Course::Full));
        assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
    }
}
