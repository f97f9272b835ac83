//! Pages that mean harm, or do it without meaning to: each costs itself, within its time.

use std::time::{Duration, Instant};

use a11ycheck_core::domain::RuleId;
use a11ycheck_scanner_chromium::ChromiumScanner;
use flate2::{Compress, Compression, FlushCompress};

use crate::support::{Reply, Site, config, items, page, page_time, pages, scan, scanner};

/// Visits `/bad` between two good pages, in one tab, with 6 s per page, or more on a busy machine.
async fn between_good_pages(bad: Reply) -> Vec<String> {
    between_good_pages_within(Duration::from_secs(6), bad).await
}

/// The same with another time for a page.
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
    // The bound is the page's own; what comes on top is the start of the browser and two good pages.
    assert!(started.elapsed() < 5 * page_time, "{:?}, with {page_time:?} for a page", started.elapsed());
    pages(&findings)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_loops_for_ever_is_given_up() {
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

/// So many megabytes of paragraphs, compressed a thousandfold.
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
    // Half of it is for loading: enough to take in as much as tells.
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

/// Fields that hide every property of their form: `<input name=nodeName>`, `<input id=parentNode>` and some three hundred others.
const HIDING: &str = "
    const names = [];
    for (const name in document.createElement('form')) names.push(name);
    const hide = (form, name) => {
        const prefix = location.pathname.endsWith('-harmless') ? 'x' : '';
        for (const attribute of ['name', 'id']) {
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
                let paths = ["/together", "/apart", "/parent"]
                    .map(|path| format!("<a href={path}>x</a> <a href={path}-harmless>x</a> "));
                return Reply::Html(page("Home", &paths.concat()));
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
    let findings = scan(&scanner, &site.url("/"), 7).await;
    scanner.close().await;
    let found = |path: &str| {
        let number = findings.pages.iter().position(|page| page.url.ends_with(path)).unwrap();
        assert!(findings.pages[number].is_checked(), "{:?}", findings.pages[number]);
        let of_page = findings.items.iter().filter(|item| item.page == number);
        of_page.map(|item| (item.rule.to_string(), item.html.clone())).collect::<Vec<_>>()
    };
    for path in ["/together", "/apart", "/parent"] {
        let (hidden, harmless) = (found(path), found(&format!("{path}-harmless")));
        assert!(hidden.len() >= 4, "{hidden:?}");
        assert_eq!(hidden, harmless, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_reloads_for_ever_is_given_up() {
    let bad = Reply::Html("<script>location = '/reload'</script>".to_owned());
    assert_eq!(between_good_pages(bad).await, ["/", "/bad timeout", "/good"]);
}

/// A page that held still may stay open until the next one is asked for in its tab.
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
        // If the turn comes while it is still looked at, the page itself pays.
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
    // Which bound it meets first, that of memory or that of time, depends on the machine.
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
    // As few as pass the bound, and as long as the product itself waits: with 20 seconds for a page, whether this many are
    // reached would depend on how busy the machine is.
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
    // axe-core cuts a value to 20 units of UTF-16, in the middle of this shoe.
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
