//! Pages that do harm, on purpose or not: each costs itself, within its time.

use std::time::{Duration, Instant};

use a11ycheck_core::domain::{FailureCode, RuleId};
use a11ycheck_scanner_chromium::ChromiumScanner;
use flate2::{Compress, Compression, FlushCompress};

use crate::support::{Reply, Site, config, failure, items, page, page_time, pages, scan, scanner};

/// Visits `/bad` between two good pages, in one tab, with 6 s per page, or more on a busy machine.
async fn between_good_pages(bad: Reply) -> Vec<String> {
    between_good_pages_within(Duration::from_secs(6), bad).await
}

/// Does the same with another time per page.
async fn between_good_pages_within(least: Duration, bad: Reply) -> Vec<String> {
    let site = Site::start(move |request| match request.path.as_str() {
        "/" => Reply::Html(page("Home", "<a href=/bad>b</a> <a href=/good>g</a>")),
        "/good" => Reply::Html(page("Good", "ok")),
        "/bad" => bad.clone(),
        "/events" => Reply::Events,
        "/reload" => Reply::Html(page("Again", "<script>location.reload()</script>")),
        _ => Reply::Hang,
    })
    .await;
    let page_time = page_time(least).await;
    let scanner = ChromiumScanner::new(config().with_tabs(1).with_page_timeout(page_time)).unwrap();
    let started = Instant::now();
    let findings = scan(&scanner, &site.url("/"), 5).await;
    let browser = scanner.browser_pid().await;
    assert!(browser.is_some(), "the browser did not outlive the page");
    scanner.close().await;
    // The bound is the page's own; the rest is the start of the browser and two good pages.
    assert!(started.elapsed() < 5 * page_time, "{:?}, with {page_time:?} for a page", started.elapsed());
    pages(&findings)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_loops_without_end_is_given_up() {
    let bad = Reply::Html(page("Loop", "<script>while (true) {}</script>"));
    assert_eq!(between_good_pages(bad).await, ["/", "/bad timeout", "/good"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_loops_after_it_has_loaded_is_given_up() {
    let bad = Reply::Html(page(
        "Loop",
        "<script>addEventListener('load', () => setTimeout(() => { while (true) {} }))</script>",
    ));
    assert_eq!(between_good_pages(bad).await, ["/", "/bad timeout", "/good"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_with_a_frame_that_never_ends_is_given_up() {
    let bad = Reply::Html(page("Frame", "<iframe title=f srcdoc='<script>while (true) {}</script>'></iframe>"));
    assert_eq!(between_good_pages(bad).await, ["/", "/bad timeout", "/good"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_full_of_alerts_is_given_up() {
    let bad = Reply::Html(page("Alert", "<script>while (true) alert('x')</script>"));
    assert_eq!(between_good_pages(bad).await, ["/", "/bad timeout", "/good"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_few_dialogs_are_answered_and_the_page_checked() {
    let bad = Reply::Html(page(
        "Ask",
        "<script>alert(1); if (confirm(2) || prompt(3)) document.title = '';
         onbeforeunload = e => e.preventDefault(); Notification.requestPermission(); print();
         navigator.geolocation.getCurrentPosition(() => 0)</script>",
    ));
    assert_eq!(between_good_pages(bad).await, ["/", "/bad", "/good"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_whose_document_never_comes_or_ends_is_given_up() {
    assert_eq!(between_good_pages(Reply::Hang).await, ["/", "/bad timeout", "/good"]);
    assert_eq!(between_good_pages(Reply::Stall(page("Half", "<p>"))).await, ["/", "/bad timeout", "/good"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_never_ends_is_given_up() {
    let line = format!("<!--{}-->\n", "x".repeat(60_000));
    let bad = Reply::Endless(page("Endless", ""), line);
    assert_eq!(between_good_pages(bad).await, ["/", "/bad too_large", "/good"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_document_that_does_not_arrive_in_time_is_not_said_to_be_larger_than_it_is() {
    let large = page("Large", &format!("<!--{}-->", "x".repeat(5 << 20)));
    let site = Site::start(move |_| Reply::Stall(large.clone())).await;
    let page_time = page_time(Duration::from_secs(6)).await;
    let scanner = ChromiumScanner::new(config().with_page_timeout(page_time)).unwrap();
    let failure = failure(&scanner, &site.url("/")).await;
    scanner.close().await;
    assert_eq!(failure.code, FailureCode::TooLarge, "{failure}");
    assert!(failure.message.contains("larger than 4\u{a0}MB"), "{failure}");
}

/// Returns this many megabytes of paragraphs, compressed a thousandfold.
fn bomb(megabytes: usize) -> Vec<u8> {
    let paragraphs = "<p>x</p>\n".repeat(1_000_000 / 9);
    let mut piece = Vec::with_capacity(100_000);
    // A piece that ends at a byte and refers to nothing before it can follow itself.
    let mut compress = Compress::new(Compression::best(), false);
    compress.compress_vec(paragraphs.as_bytes(), &mut piece, FlushCompress::Full).unwrap();
    let start = page("Bomb", "").into_bytes();
    let mut bomb = Vec::with_capacity(1_000);
    Compress::new(Compression::best(), false).compress_vec(&start, &mut bomb, FlushCompress::Full).unwrap();
    bomb.extend(piece.repeat(megabytes));
    // An empty last block.
    bomb.extend([3, 0]);
    bomb
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_that_is_large_only_when_it_is_unpacked_is_given_up_as_too_large() {
    let bomb = bomb(272);
    assert!(bomb.len() < 5_000_000, "{}", bomb.len());
    let bad = Reply::Whole(200, "Content-Type: text/html\r\nContent-Encoding: deflate\r\n".to_owned(), bomb);
    // Half of it is for loading: enough to read as much as is needed.
    let visited = between_good_pages_within(Duration::from_secs(40), bad).await;
    assert_eq!(visited, ["/", "/bad too_large", "/good"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_with_an_element_of_an_impossible_size_is_given_up_at_once() {
    for huge in [
        "<div style='width: 33000000px; height: 9000000px'>huge</div>",
        "<div style='overflow: auto; width: 300px; height: 300px'><p style='width: 33000000px; height: 9000000px'>huge</p></div>",
    ] {
        let bad = Reply::Html(page("Huge", huge));
        assert_eq!(between_good_pages(bad).await, ["/", "/bad too_large", "/good"], "{huge}");
    }
    for large in [
        "<div style='height: 33000000px'>high</div>",
        "<div style='overflow: hidden; width: 300px; height: 300px'><p style='width: 33000000px; height: 9000000px'>cut</p></div>",
    ] {
        let fine = Reply::Html(page("Large", large));
        assert_eq!(between_good_pages(fine).await, ["/", "/bad", "/good"], "{large}");
    }
}

/// A script that adds fields which hide properties of their form, of which there are some three hundred: `<input
/// name=nodeName>`, `<input id=parentNode>`.
const HIDING: &str = "
    const names = [];
    for (const name in document.createElement('form')) names.push(name);
    const hide = (form, name, attributes = ['name', 'id']) => {
        const prefix = location.pathname.endsWith('-harmless') ? 'x' : '';
        for (const attribute of attributes) {
            const field = document.createElement('input');
            field.type = 'hidden';
            field.setAttribute(attribute, prefix + name + (attribute === 'id' && prefix ? Math.random() : ''));
            Element.prototype.append.call(form, field);
        }
    };
    const faults = '<img src=data:,><input><button></button><p style=\"color: #ccc\">pale</p>';
    const add = () => {
        const form = document.createElement('form');
        form.innerHTML = faults;
        document.querySelector('main').append(form);
        return form;
    };";

#[tokio::test(flavor = "multi_thread")]
async fn a_form_whose_fields_hide_its_properties_is_checked_like_any_other() {
    let site = Site::start(|request| {
        let script = match request.path.trim_end_matches("-harmless") {
            "/" => {
                let paths = ["/together", "/apart", "/parent", "/single", "/circle"]
                    .map(|path| format!("<a href={path}>x</a> <a href={path}-harmless>x</a>, "));
                return Reply::Html(page("Home", &format!("{}<a href=/challenge>x</a>", paths.concat())));
            }
            // A page in place of the site's is recognised as one in spite of its form.
            "/challenge" => {
                let form = "const form = document.createElement('form'); document.body.append(form);
                    names.forEach((name) => hide(form, name))";
                let body = format!(
                    "<div id=sec-if-cpt-container><p>Checking</p></div><script src=/_sec/cp_challenge/sec-4-4.js></script>\
                     <script>{HIDING} {form}</script>"
                );
                return Reply::Html(page("Checking", &body));
            }
            // One field makes a property itself an element, and two make it a list.
            "/single" => "const form = add(); names.forEach((name) => hide(form, name, ['name']))",
            "/circle" => {
                "const form = add(); hide(form, 'parentElement', ['name']);
                 form.insertAdjacentHTML('beforeend', '<dialog open aria-label=d>text</dialog>')"
            }
            "/together" => "const form = add(); names.forEach((name) => hide(form, name))",
            "/apart" => "names.forEach((name, index) => { if (index % 3 === 0 || index > 200) hide(add(), name) })",
            _ => "hide(add(), 'parentNode')",
        };
        Reply::Html(page("Form", &format!("<script>{HIDING} {script}</script>")))
    })
    .await;
    let page_time = page_time(Duration::from_secs(60)).await;
    let scanner = ChromiumScanner::new(config().with_page_timeout(page_time)).unwrap();
    let findings = scan(&scanner, &site.url("/"), 12).await;
    scanner.close().await;
    let found = |path: &str| {
        let number = findings.pages.iter().position(|page| page.url.ends_with(path)).unwrap();
        assert!(findings.pages[number].is_checked(), "{:?}", findings.pages[number]);
        let of_page = findings.items.iter().filter(|item| item.page == number);
        of_page.map(|item| (item.rule.to_string(), item.html.clone())).collect::<Vec<_>>()
    };
    for path in ["/together", "/apart", "/parent", "/single", "/circle"] {
        let (hidden, harmless) = (found(path), found(&format!("{path}-harmless")));
        assert!(hidden.len() >= 4, "{hidden:?}");
        assert_eq!(hidden, harmless, "{path}");
    }
    let challenge = findings.pages.iter().find(|page| page.url.ends_with("/challenge")).unwrap();
    assert_eq!(challenge.error.as_ref().map(|error| error.code), Some(FailureCode::BotChallenge), "{challenge:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_whose_elements_hide_properties_of_the_document_is_read_all_the_same() {
    let every = "const parent = document.querySelector('main');
        for (const name of Object.keys(Object.getOwnPropertyDescriptors(Document.prototype))) {
            const form = Document.prototype.createElement.call(document, 'form');
            form.setAttribute('name', name);
            parent.append(form);
        }";
    let faults = "<img src=data:,><p style='color: #ccc'>pale</p>";
    let html = page("Names", &format!("<a href=/next>n</a>{faults}<script>{every}</script>"));
    let site = Site::start(move |request| match request.path.as_str() {
        "/" => Reply::Html(html.clone()),
        "/next" => Reply::Html(page("Next", "<form name=body><input></form><form name=head></form>")),
        path => Reply::Html(page(path, "ok")),
    })
    .await;
    let page_time = page_time(Duration::from_secs(60)).await;
    let scanner = ChromiumScanner::new(config().with_page_timeout(page_time)).unwrap();
    let findings = scan(&scanner, &site.url("/"), 2).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/", "/next"]);
    assert_eq!(items(&findings), ["color-contrast p", "image-alt img", "label input"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_reloads_without_end_is_given_up() {
    let bad = Reply::Html("<script>location = '/reload'</script>".to_owned());
    assert_eq!(between_good_pages(bad).await, ["/", "/bad timeout", "/good"]);
}

/// A page that held still may stay open until the next one is opened in its tab.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_turns_bad_when_it_is_left_does_not_cost_the_next() {
    for turn in [
        "addEventListener('beforeunload', () => { while (true) {} })",
        "addEventListener('pagehide', () => { while (true) {} })",
        "setTimeout(() => { while (true) {} }, 700)",
        "setTimeout(() => setInterval(() => location = '/nowhere'), 600)",
        "onbeforeunload = () => 'Stay!'",
    ] {
        let bad = Reply::Html(page("Calm", &format!("<script>{turn}</script>")));
        let pages = between_good_pages(bad).await;
        // If it turns while it is still being checked, the page itself pays.
        assert!(pages[1].starts_with("/bad"), "{turn}: {pages:?}");
        assert_eq!([&pages[0], &pages[2]], ["/", "/good"], "{turn}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_and_polling_keep_no_page_from_being_checked() {
    let bad = Reply::Html(page(
        "Streams",
        "<script>new EventSource('/events'); new WebSocket('ws://' + location.host + '/hang');
         addEventListener('load', () => { fetch('/hang'); setInterval(() => fetch('/good'), 100) })</script>",
    ));
    let site = Site::start(move |request| match request.path.as_str() {
        "/" => bad.clone(),
        "/events" => Reply::Events,
        "/good" => Reply::Html(String::new()),
        _ => Reply::Hang,
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 1).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_opens_windows_gets_none() {
    let bad = Reply::Html(page("Pop", "<script>for (let i = 0; i < 30; i++) open('/popup' + i)</script>"));
    assert_eq!(between_good_pages(bad).await, ["/", "/bad", "/good"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_takes_all_memory_is_given_up() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html(page("Home", "<a href=/bad>b</a> <a href=/good>g</a>")),
        "/bad" => Reply::Html(page(
            "Hoard",
            "<script>const hoard = []; while (true) hoard.push(new Array(1e6).fill(hoard.length))</script>",
        )),
        path => Reply::Html(page(path, "ok")),
    })
    .await;
    let scanner = ChromiumScanner::new(config().with_page_timeout(Duration::from_secs(60))).unwrap();
    let findings = scan(&scanner, &site.url("/"), 5).await;
    scanner.close().await;
    let pages = pages(&findings);
    // It depends on the machine which bound it meets first, that of memory or that of time.
    assert!(["/bad too_large", "/bad timeout"].contains(&pages[1].as_str()), "{pages:?}");
    assert_eq!((pages[0].as_str(), pages[2].as_str(), pages.len()), ("/", "/good", 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_bends_the_language_does_not_bend_its_result() {
    let script = "<script>Array.prototype.filter = () => []; JSON.stringify = () => '{}'; Element.prototype.matches = () => false;
        window.axe = {run: () => ({violations: []})}; document.querySelectorAll = () => []; Promise.prototype.then = () => {};
        Object.freeze(window);</script>\
        <form name=title><input name=querySelectorAll aria-label=x><input id=module aria-label=x><object id=define data=data:, aria-label=x>o</object></form>";
    let html = page("Bent", &format!("{script}<img id=a src=data:,><button id=b></button>"));
    let site = Site::start(move |_| Reply::Html(html.clone())).await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 1).await;
    scanner.close().await;
    assert_eq!(items(&findings), ["button-name #b", "image-alt #a"]);
    assert_eq!(findings.pages[0].title, "Bent");
}

#[tokio::test(flavor = "multi_thread")]
async fn thousands_of_elements_of_one_rule_hide_no_other_rule() {
    let html = page("Many", &("<img src=data:,y>".repeat(5_001) + "<input><button></button><a href=/x></a>"));
    let site = Site::start(move |_| Reply::Html(html.clone())).await;
    let scanner = ChromiumScanner::new(config().with_page_timeout(Duration::from_secs(60))).unwrap();
    let findings = scan(&scanner, &site.url("/"), 1).await;
    scanner.close().await;
    assert_eq!(findings.items.len(), 5_000);
    for rule in ["button-name", "label", "link-name"] {
        assert_eq!(findings.items.iter().filter(|item| item.rule.as_str() == rule).count(), 1, "{rule}");
    }
    let image_alt = RuleId::new("image-alt");
    assert_eq!(findings.left_out(&image_alt), 4);
    assert_eq!(findings.totals().critical, 5_001 + 2, "images, the field and the button");
    assert!(findings.ran.unwrap().contains("html-has-lang"), "what finds nothing has run as well");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_with_very_many_faults_is_kept_within_bounds() {
    // These are as few as exceed the bound, with as much time as the product itself allows: with 20 seconds for a page,
    // it would depend on how busy the machine is whether this many are reached.
    let html = page(&"long ".repeat(10_000), &"<img src=data:,y>".repeat(5_001));
    let site = Site::start(move |_| Reply::Html(html.clone())).await;
    let scanner = ChromiumScanner::new(config().with_page_timeout(Duration::from_secs(60))).unwrap();
    let findings = scan(&scanner, &site.url("/"), 1).await;
    scanner.close().await;
    assert_eq!(findings.items.len(), 5_000);
    assert_eq!(findings.pages[0].title.chars().count(), 300);
}

#[tokio::test(flavor = "multi_thread")]
async fn half_a_character_and_an_element_far_away_cost_a_page_nothing() {
    // axe-core cuts a value to 20 UTF-16 units, in the middle of this shoe.
    let label = "Buy our best shoes 👟 now";
    let padding = "x".repeat(300);
    let body = format!(
        "<script>document.title = '\\ud83d half'</script>
         <img data-padding='{padding}' aria-label='' alt-text='{label}' title-text='{label}' src=data:,>
         <button data-padding='{padding}' data-label='{label}'></button>
         <iframe title=f srcdoc=\"<html lang=en><title>t</title><button data-padding='{padding}' data-label='{label}'></button>\"></iframe>
         <div style='overflow: hidden'><button style='transform: translateX(10000000000px)'></button></div>"
    );
    let site = Site::start(move |_| Reply::Html(page("Shoes", &body))).await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 1).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/"]);
    assert_eq!(findings.pages[0].frames_not_checked, 0, "{:?}", findings.pages);
    let mut rules: Vec<_> = findings.items.iter().map(|item| item.rule.as_str()).collect();
    rules.sort_unstable();
    assert_eq!(rules, ["button-name", "button-name", "button-name", "image-alt"]);
}
