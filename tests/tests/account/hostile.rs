//! Texts of checked pages, of receivers and of people are shown, and do nothing.

use a11ycheck_core::{
    domain::{Impact, Role, SiteInput, SiteName, Tag},
    locale::Locale,
    scanner::Script,
};
use a11ycheck_tests::Browser;
use reqwest::StatusCode;

use crate::{own_check::served, visitor::Home};

const MARKUP: &str = "</code></pre><script>alert(1)</script><img src=x onerror=alert(1)>\"'";

#[tokio::test]
async fn markup_of_hostile_pages_names_and_queries_is_shown_as_text() {
    let script = Script::page("https://shop.example.com/").with_problem("image-alt", Impact::Critical, MARKUP, MARKUP);
    let home = Home::new([script]).await;
    let mut owner = home.member("owner@example.org", Role::Owner).await;
    let site = SiteInput::parse("https://shop.example.com").unwrap().with_name(SiteName::new(MARKUP).unwrap());
    let site = home.app.team.add_site(site).await;
    home.app.run_checks().await;
    let check = home.app.service.team(home.app.team.id()).await.unwrap().newest_scan(site.id).await.unwrap().unwrap();
    owner.post(&home.page("/tokens"), &[("name", MARKUP), ("ability", "read")]).await;
    let encoded: String = url::form_urlencoded::byte_serialize(MARKUP.as_bytes()).collect();
    for path in [
        home.page("/sites"),
        home.page(&format!("/sites?q={encoded}")),
        home.page(&format!("/sites?tag={encoded}")),
        home.page(&format!("/sites/{}", site.id)),
        home.page(&format!("/sites/{}/delete", site.id)),
        home.page(&format!("/checks/{}", check.id)),
        home.page("/tokens"),
        format!("/app/sign-in?next={encoded}"),
        format!("/app/first?key={encoded}"),
        format!("/app/join?key={encoded}"),
        format!("/app/{encoded}"),
    ] {
        let answer = owner.get(&path).await;
        assert!(!answer.status.is_server_error(), "{path}");
        for part in ["<script>alert", "<img src=x", "onerror=alert(1)>\""] {
            assert!(!answer.text.contains(part), "{path} has {part}");
        }
    }
    let report = owner.get(&home.page(&format!("/checks/{}", check.id))).await;
    assert!(report.text.contains("&#60;script&#62;alert(1)"), "and what the page has is there to be read");
    assert_eq!(report.status, StatusCode::OK);
}

/// What pages that want to do something in the report's reader have in them.
const CORPUS: [&str; 14] = [
    MARKUP,
    "<svg onload=owned()><animate onbegin=owned() attributeName=x>",
    "</title></textarea></style></script></pre></details><script>owned()</script>",
    "\" autofocus onfocus=owned() x=\"",
    "' onmouseover='owned()",
    "<iframe srcdoc='<script>parent.owned()</script>'></iframe>",
    "<a href=javascript:owned()>x</a><a href=&#106;avascript:owned()>y</a>",
    "javascript:owned()",
    "<form action=https://evil.example/><button autofocus>Sign in</button></form>",
    "<meta http-equiv=refresh content=0;url=https://evil.example/><base href=https://evil.example/>",
    "<style>*{display:none}</style><link rel=stylesheet href=https://evil.example/x.css>",
    "<!-- --!><img src=https://evil.example/x.png><template shadowrootmode=open><script>owned()</script>",
    "{{ 7*7 }}{% raw %}${owned()}`owned()`",
    "&lt;script&gt;owned()&lt;/script&gt;\u{202e}\u{2066}\u{feff}",
];

/// Says what a page has that is none of ours.
const FOREIGN: &str = r#"(() => {
    const ours = (address) => !address || new URL(address, location.href).origin === location.origin;
    const found = globalThis.isOwned ? ['a script has run'] : [];
    for (const element of document.querySelectorAll('*')) {
        const is = (text) => found.push(`${text}: ${element.outerHTML.slice(0, 200)}`);
        if ([...element.attributes].some(({ name }) => name.startsWith('on') || name === 'srcdoc' || name === 'autofocus')) is('attribute');
        if (/^(iframe|object|embed|base|animate|template|svg:script)$/.test(element.localName)) is('element');
        if (element.localName === 'script' && !element.src) is('script');
        if (element.localName === 'meta' && element.httpEquiv) is('meta');
        if (/^(script|link|img)$/.test(element.localName) && !ours(element.getAttribute('src') ?? element.getAttribute('href'))) is('loaded');
        if (element.localName === 'form' && !ours(element.action)) is('form');
        if (element.localName === 'a' && /^\s*(javascript|data|vbscript):/i.test(element.href)) is('link');
    }
    if (!document.querySelector('main').checkVisibility()) found.push('the page is hidden');
    if (new URL(document.baseURI).origin !== location.origin) found.push('addresses lead elsewhere');
    return found;
})()"#;

#[tokio::test(flavor = "multi_thread")]
async fn what_hostile_pages_have_is_inert_in_the_viewer() {
    let mut script =
        Script::page("https://shop.example.com/").and_page("https://shop.example.com/\"><img src=x onerror=owned()>");
    for text in CORPUS {
        script = script.with_problem("image-alt", Impact::Critical, text, text).with_recommendation(
            "region",
            Impact::Moderate,
            text,
            text,
        );
        script = script.with_undecided(1).with_undecided_element(text, text);
    }
    let home = Home::new([script]).await;
    let mut owner = home.member("owner@example.org", Role::Owner).await;
    let site = SiteInput::parse("https://shop.example.com").unwrap().with_name(SiteName::new(CORPUS[1]).unwrap());
    let site = site.with_tags([Tag::new("<img src=x onerror=owned()>").unwrap()]);
    let site = home.app.team.add_site(site).await;
    home.app.run_checks().await;
    let check = home.app.service.team(home.app.team.id()).await.unwrap().newest_scan(site.id).await.unwrap().unwrap();
    let check = home.page(&format!("/checks/{}", check.id));
    owner.post(&home.page("/tokens"), &[("name", CORPUS[2]), ("ability", "read")]).await;
    let until = (chrono::Utc::now() + chrono::TimeDelta::days(30)).date_naive().to_string();
    let form = [("verdict", "planned"), ("note", CORPUS[5]), ("until", until.as_str())];
    owner.post(&format!("{check}/elements/1/decide"), &form).await;
    let criteria = home.page(&format!("/sites/{}/criteria", site.id));
    let form = [("outcome-1-1-1", "not-applicable"), ("note-1-1-1", CORPUS[5])];
    owner.post(&format!("{criteria}/images"), &form).await;
    owner.post(&format!("{check}/sharing"), &[("on", "1")]).await;
    let shared = owner.post(&format!("{check}/share"), &[("days", "7")]).await.text;
    let shared = format!("/app/shared?key={}", &shared.split_once("/app/shared?key=").unwrap().1[..43]);
    let mut paths = vec![
        home.page("/sites"),
        home.page(&format!("/sites/{}", site.id)),
        home.page(&format!("/sites/{}/decisions", site.id)),
        format!("{criteria}/images"),
        criteria,
        home.page(&format!("/sites/{}/edit", site.id)),
        home.page(&format!("/sites/{}/delete", site.id)),
        home.page("/roll-up"),
        home.page("/tokens"),
        home.page("/audit"),
        check.clone(),
        format!("{check}/elements"),
        format!("{check}/elements?page=2"),
        format!("{check}/elements?show=review"),
        format!("{check}/elements?at=0"),
        format!("{check}/elements/2/decide"),
        shared,
    ];
    for text in CORPUS {
        let encoded: String = url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
        paths.push(home.page(&format!("/sites?q={encoded}&tag={encoded}&status={encoded}")));
        paths.push(format!("/app/sign-in?next={encoded}&done={encoded}"));
        paths.push(format!("/app/{encoded}"));
    }
    let mut pages = Vec::new();
    for path in paths {
        let answer = if path.contains("/sign-in") { home.visitor() } else { owner.clone() }.get(&path).await;
        assert!(!answer.status.is_server_error() && !answer.status.is_redirection(), "{path}");
        pages.push((path, answer.text));
    }
    for (name, value) in CORPUS.into_iter().flat_map(|text| [("name", text), ("url", text), ("email", text)]) {
        let path = if name == "email" { home.page("/members/invite") } else { home.page("/add-site") };
        pages.push((format!("{path} {name}"), owner.post(&path, &[(name, value)]).await.text));
    }
    // Without the policy that would forbid it all the same: what is not escaped runs here.
    let numbered: Vec<_> = (0..).zip(&pages).map(|(number, (_, html))| (number.to_string(), html.clone())).collect();
    let (site, at) = served(&numbered, &("/script.js".to_owned(), String::new()), Locale::En).await;
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    let owned = "globalThis.owned = globalThis.alert = () => { globalThis.isOwned = true; }";
    tab.call("Page.addScriptToEvaluateOnNewDocument", serde_json::json!({ "source": owned })).await;
    for ((path, _), at) in pages.iter().zip(&at) {
        tab.open(&site.url(at)).await;
        let found = tab.evaluate(FOREIGN).await;
        assert_eq!(found, serde_json::json!([]), "{path}");
    }
    let report = pages.iter().find(|(path, _)| *path == check).unwrap();
    assert!(report.1.contains("&#60;svg onload=owned()&#62;"), "and what the page has is there to be read");
}
