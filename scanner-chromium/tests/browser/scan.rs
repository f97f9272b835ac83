//! The findings on pages that behave well.

use a11ycheck_core::{
    domain::{Area, FailureCode, Impact, RuleId, RuleKind, StandardId, UncheckedFrame},
    scanner::Scanner as _,
};
use tokio_util::sync::CancellationToken;

use crate::support::{Progress, Reply, Site, items, page, pages, request, scan, scanner};

#[tokio::test(flavor = "multi_thread")]
async fn faults_of_every_page_that_links_lead_to_are_found() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html(page("Home", "<img src=/a.png><a href=/about>About</a> <a href=/contact/>Contact</a>")),
        "/about" => Reply::Html(page("About", "<a href='/'>Home</a><button></button>")),
        "/contact/" => Reply::Html(page("Contact", "<p>ok</p>")),
        _ => Reply::Status(404, page("Nothing", "")),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 10).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/", "/about", "/contact/"]);
    assert_eq!(items(&findings), ["image-alt img", "button-name button"]);
    assert_eq!(findings.pages[0].title, "Home");
    assert_eq!((&*findings.engine.name, &*findings.engine.version), ("axe-core", "4.14.1"));
    let browser = findings.engine.browser.unwrap();
    assert!(browser.starts_with("Chromium 1"), "{browser}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finding_says_what_where_and_why() {
    let body = "<p style='margin-top:2000px'>x</p><img id=logo style='display:block;width:40px;height:30px' src=data:,>\
                <p style='background:url(data:,x);color:#777'>needs a look</p><h3>skipped a level</h3>";
    let html = page("Home", body);
    let site = Site::start(move |_| Reply::Html(html.clone())).await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 1).await;
    scanner.close().await;
    let image = findings.items.iter().find(|item| item.selector == "#logo").unwrap();
    assert_eq!(image.rule, RuleId::new("image-alt"));
    assert!(image.html.starts_with("<img id=\"logo\""), "{}", image.html);
    assert!(image.failure_summary.contains("alt attribute"), "{}", image.failure_summary);
    let Area { x, y, width, height, .. } = image.area.unwrap();
    assert_eq!((x, width, height), (8, 40, 30));
    assert!(y > 2000, "{y}");
    let facts = &findings.rules[&image.rule];
    assert_eq!((facts.impact, facts.kind()), (Impact::Critical, RuleKind::Problem));
    assert_eq!(facts.wcag(), ["1.1.1"]);
    assert_eq!(findings.kind_of(&RuleId::new("heading-order")), RuleKind::Recommendation);
    assert_eq!(findings.needs_review[&RuleId::new("color-contrast")], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_of_wcag_2_2_runs_where_the_standard_has_it_and_nowhere_else() {
    // In a frame as well, whose rules run apart.
    let links = "<p><a href=#a style='font-size:5px'>a</a><a href=#b style='font-size:5px'>b</a></p>";
    let site = Site::start(move |request| {
        let frame = if request.path == "/frame" { "" } else { "<iframe title=f src=/frame></iframe>" };
        Reply::Html(page("Home", &format!("{links}{frame}")))
    })
    .await;
    let scanner = scanner();
    let rule = RuleId::new("target-size");
    for standard in [StandardId::Wcag21Aa, StandardId::Wcag22Aa, StandardId::En301549V4] {
        let request = request(&site.url("/"), 1).with_standard(standard);
        let findings = scanner.scan(request, &Progress::default(), CancellationToken::new()).await.unwrap().findings;
        let has_it = standard != StandardId::Wcag21Aa;
        assert_eq!(findings.has_run(&rule), has_it, "{standard}");
        let found = findings.items.iter().filter(|item| item.rule == rule).count();
        assert_eq!(found, if has_it { 4 } else { 0 }, "{standard}: {:?}", items(&findings));
    }
    scanner.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_scripts_build_is_checked_and_their_links_are_followed() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html(page(
            "App",
            "<div id=app></div><script>fetch('/data').then(r => r.json()).then(d => setTimeout(() => {
               app.innerHTML = d.map(t => `<a href=/${t}>${t}</a> <img src=data:,>`).join(' ');
               app.attachShadow({mode: 'open'}).innerHTML = '<a href=/shadow>s</a><slot></slot>';
             }, 100))</script>",
        )),
        "/data" => Reply::File("application/json", b"[\"one\",\"two\"]".to_vec()),
        path => Reply::Html(page(path, "ok")),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 10).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/", "/one", "/two", "/shadow"]);
    assert_eq!(items(&findings), ["image-alt img:nth-child(2)", "image-alt img:nth-child(4)"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_script_builds_a_moment_after_loading_is_checked_step_by_step() {
    let html = page(
        "App",
        "<div id=app></div><script>setTimeout(() => {
           app.innerHTML = '<img src=data:,>';
           setTimeout(() => app.insertAdjacentHTML('beforeend', '<button></button>'), 300);
         }, 300)</script>",
    );
    let site = Site::start(move |_| Reply::Html(html.clone())).await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 1).await;
    scanner.close().await;
    assert_eq!(items(&findings), ["button-name button", "image-alt img"]);
}

/// axe-core may run in a page before half a second has passed: a change until then must be as if it had not.
#[tokio::test(flavor = "multi_thread")]
async fn what_changes_within_half_a_second_of_loading_is_seen_as_it_is_in_the_end() {
    let pages = [
        ("/", "", ""),
        ("/attribute", "<img src=data:, alt=Logo><script>setTimeout(() => document.images[0].removeAttribute('alt'), 350)</script>", "image-alt img"),
        ("/text", "<button>Buy</button><script>setTimeout(() => document.querySelector('button').firstChild.data = '', 350)</script>", "button-name button"),
        ("/shadow", "<div id=host></div><script>const root = host.attachShadow({ mode: 'open' });
            setTimeout(() => root.innerHTML = '<img src=data:,>', 350)</script>", "image-alt #host img"),
        ("/frame", r#"<iframe title=Inner srcdoc="<html lang=en><title>Inner</title><script>
            onload = () => setTimeout(() => document.body.innerHTML = '<img src=data:,>', 250)</script>"></iframe>"#, "image-alt iframe img"),
        ("/rule", "<style>p { background: #fff }</style><p>Text</p><script>
            setTimeout(() => document.styleSheets[0].insertRule('p { color: #ddd }'), 350)</script>", "color-contrast p"),
        ("/fades", "<style>@keyframes fade { from { color: #fff } } p { animation: fade .45s linear }</style><p>Text</p><script></script>", ""),
        ("/blinks", "<style>@keyframes blink { from { color: #000 } to { color: #111 } } b { animation: blink .2s infinite }</style>
            <p><b>Text</b></p><img src=data:,><script></script>", "image-alt img"),
    ];
    let links: String = pages[1..].iter().map(|(path, ..)| format!("<p><a href={path}>{path}</a>")).collect();
    let site = Site::start(move |request| {
        let Some((path, body, _)) = pages.iter().find(|(path, ..)| *path == request.path) else {
            return Reply::Status(404, String::new());
        };
        Reply::Html(page(path, if *path == "/" { &links } else { body }))
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 20).await;
    scanner.close().await;
    for (path, _, expected) in pages {
        let number = findings.pages.iter().position(|page| page.url.as_str() == site.url(path)).unwrap();
        assert!(findings.pages[number].is_checked(), "{:?}", findings.pages[number]);
        let found: Vec<String> = findings
            .items
            .iter()
            .filter(|item| item.page == number)
            .map(|item| format!("{} {}", item.rule, item.selector))
            .collect();
        assert_eq!(found.join(", "), expected, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_waited_for_and_read_though_its_forms_have_the_names_of_what_documents_have() {
    let names = ["fonts", "scripts", "styleSheets", "adoptedStyleSheets", "getAnimations", "title"];
    let forms: String = names.map(|name| format!("<form name={name}></form>")).concat();
    let builds = "<img src=data:, alt=Logo><p id=list></p><script>
        let steps = 0;
        const timer = setInterval(() => {
            list.append(' ', document.createElement('span'));
            if (++steps < 10) return;
            clearInterval(timer);
            document.querySelector('img').removeAttribute('alt');
        }, 100)</script>";
    let html = page("Forms", &(forms + builds));
    let site = Site::start(move |_| Reply::Html(html.clone())).await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 1).await;
    scanner.close().await;
    assert_eq!((items(&findings), &*findings.pages[0].title), (vec!["image-alt img".to_owned()], "Forms"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_rebuilds_itself_without_end_is_checked_all_the_same() {
    let html = page(
        "Ticker",
        "<img src=data:,><p id=ticker></p><script>setInterval(() => ticker.replaceChildren(new Date()), 20)</script>",
    );
    let site = Site::start(move |_| Reply::Html(html.clone())).await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 1).await;
    scanner.close().await;
    assert_eq!(items(&findings), ["image-alt img"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn frames_are_checked_those_of_other_origins_too() {
    let inner = Site::start(|request| match request.path.as_str() {
        "/deep" => Reply::Html(page("Deep", "<button id=deep></button>")),
        _ => Reply::Html(page("Other", "<img id=other src=data:,><iframe title=deep src=/deep></iframe>")),
    })
    .await;
    let other = inner.url_as("localhost", "/");
    let site = Site::start(move |request| match request.path.as_str() {
        "/" => Reply::Html(page(
            "Frames",
            &format!(
                "<iframe title=same src=/same></iframe><iframe title=other id=f src='{other}'></iframe>\
                 <iframe title=still sandbox src=/still></iframe><iframe title=doc srcdoc='<html lang=en><title>t</title><img id=doc src=data:,>'></iframe>"
            ),
        )),
        "/still" => Reply::Html(page("Still", "<button id=still></button>")),
        _ => Reply::Html(page("Same", "<img id=same src=data:,>")),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 1).await;
    scanner.close().await;
    let found = items(&findings);
    for element in ["#same", "#f #other", "#doc", "#f iframe #deep", "#still"] {
        assert!(found.iter().any(|item| item.ends_with(element)), "{element} in {found:?}");
    }
    for (element, is_own) in [("#same", true), ("#doc", true), ("#other", false), ("#deep", false), ("#still", false)] {
        let item = findings.items.iter().find(|item| item.selector.ends_with(element)).unwrap();
        assert_eq!(item.area.is_some(), is_own, "{element}: where it stands is known in frames of the site's own");
    }
    assert_eq!(findings.pages[0].frames_not_checked, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_that_cannot_be_checked_is_counted_and_is_no_finding() {
    let site =
        Site::start(|_| Reply::Html(page("Frames", "<iframe title=gone src=http://private.test:1/></iframe>"))).await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 1).await;
    scanner.close().await;
    assert_eq!(findings.pages[0].frames_not_checked, 1);
    let gone = UncheckedFrame::new("http://private.test:1/", FailureCode::Unreachable);
    assert_eq!(findings.pages[0].unchecked_frames, [gone]);
    assert_eq!(items(&findings), [""; 0]);
    assert!(!findings.rules.contains_key("frame-tested") && !findings.needs_review.contains_key("frame-tested"));
}

#[tokio::test(flavor = "multi_thread")]
async fn site_owners_see_who_visits_them() {
    let site = Site::start(|_| Reply::Html(page("Home", "ok"))).await;
    let scanner = scanner();
    scan(&scanner, &site.url("/"), 1).await;
    scanner.close().await;
    let request = &site.requests()[0];
    let agent = request.header("user-agent").unwrap();
    assert!(agent.contains(" a11ycheck/") && !agent.contains("Headless"), "{agent}");
    assert!(request.header("accept-language").unwrap().starts_with("en-US"));
    assert_eq!(request.header("proxy-connection"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_content_security_policy_does_not_keep_axe_out() {
    let policy = "Content-Security-Policy: default-src 'none'; sandbox";
    let site = Site::start(move |_| Reply::WithHeaders(policy, page("Strict", "<button></button>"))).await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 1).await;
    scanner.close().await;
    assert_eq!(items(&findings), ["button-name button"]);
}
