//! Our own check of our own pages: who finds barriers for others has none.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use a11ycheck_account_web::Installation;
use a11ycheck_core::{
    clock::Clock as _,
    domain::{
        Failure, FailureCode, Finding, Impact, MailOutcome, PageCounts, PersonKind, Role, SiteInput, Tag, TotpSecret,
    },
    id::ScanId,
    locale::Locale,
    net::{AddressPolicy, SystemResolver},
    scanner::{CancellationToken, PageList, ProgressSink, ScanRequest, Scanner as _, Script},
    service::{Actor, Mailing, PersonInput},
};
use a11ycheck_scanner_chromium::{ChromiumConfig, ChromiumScanner, Evidence};
use a11ycheck_tests::{Page, TestSite};
use url::Url;

use crate::{
    second_factor::switched_on,
    visitor::{Home, PASSWORD, Visitor},
};

type Form<'a> = &'a [(&'a str, &'a str)];

/// Every page of the interface that a person can open, in homes in which each has something to show.
pub(crate) struct EveryPage {
    home: Home,
    owner: Visitor,
    operator: Visitor,
    careful: Visitor,
    /// The secret of the second factor of `careful`.
    secret: TotpSecret,
    of_owner: Vec<(String, Option<Form<'static>>)>,
    of_operator: Vec<String>,
    /// The path of a shared report, and the page on which nothing was shared yet.
    shared: String,
    not_shared: String,
    /// A home without people, with the path of the link that makes the first.
    empty: Home,
    first: String,
    /// A home whose team demands a second step, with its owner and a viewer who has none.
    demanding: (Home, Visitor, Visitor),
    /// The path of the script, and its text.
    pub(crate) script: (String, String),
    /// The paths at which pages were, without queries.
    pub(crate) opened: BTreeSet<String>,
}

struct NoProgress;

impl ProgressSink for NoProgress {
    fn progress(&self, _: PageCounts) {}
}

/// Returns a page as it looks, in a file without others but the script.
async fn whole(visitor: &mut Visitor, path: &str, form: Option<Form<'_>>) -> String {
    let answer = match form {
        Some(form) => visitor.post(path, form).await,
        None => visitor.get(path).await,
    };
    assert!(!answer.status.is_server_error() && !answer.status.is_redirection(), "{path}: {}", answer.status);
    let start = answer.text.find("<link rel=\"stylesheet\"").expect("it has a style sheet");
    let (before, rest) = answer.text.split_at(start);
    let (link, after) = rest.split_once('>').unwrap();
    let address = link.split_once("href=\"").unwrap().1.trim_end_matches('"');
    let style = visitor.get(address).await.text;
    format!("{before}<style>{style}</style>{}", after.replace("<details", "<details open"))
}

/// Returns homes in which every page has something to show.
pub(crate) async fn every_page() -> EveryPage {
    let script = || {
        Script::page("https://shop.example.com/")
            .with_problem("image-alt", Impact::Critical, "img", "<img src=logo.png>")
            .with_problem("color-contrast", Impact::Serious, "p", "<p>pale</p>")
            .with_recommendation("region", Impact::Moderate, "div", "<div>x</div>")
            .with_undecided(3)
            .with_undecided_element("#unsure", "<p id=unsure>x</p>")
    };
    let failure = Failure::new(FailureCode::NotHtml, "application/zip");
    let home = Home::new([script(), script(), Script::failing(failure)]).await;
    let mut owner = home.member("owner@example.org", Role::Owner).await;
    let site = SiteInput::parse("https://shop.example.com").unwrap().with_tags([Tag::new("shops").unwrap()]);
    let site = home.app.team.add_site(site).await;
    home.app.run_checks().await;
    home.app.clock.advance(chrono::TimeDelta::hours(2));
    let check = home.app.team.start_scan(site.id).await;
    home.app.run_checks().await;
    let failed = home.app.team.add_site(SiteInput::parse("https://gone.example.com").unwrap()).await;
    home.app.run_checks().await;
    for (number, verdict, days) in [(1, "planned", 30), (2, "not-ours", 1)] {
        let until = (chrono::Utc::now() + chrono::TimeDelta::days(days)).date_naive().to_string();
        let form = [("verdict", verdict), ("note", "It comes with the new header."), ("until", until.as_str())];
        let path = home.page(&format!("/checks/{}/elements/{number}/decide", check.id));
        assert!(owner.post(&path, &form).await.status.is_redirection());
    }
    for (part, form) in [
        ("keyboard", [("outcome-2-1-1", "supports"), ("note-2-1-1", "With Firefox, on five pages.")]),
        ("images", [("outcome-1-1-1", "does-not-support"), ("note-1-1-1", "The logo has no alternative.")]),
    ] {
        let path = home.page(&format!("/sites/{}/criteria/{part}", site.id));
        assert!(owner.post(&path, &form).await.status.is_redirection());
    }
    let assign = home.page(&format!("/checks/{}/elements/1/assign", check.id));
    let due = (chrono::Utc::now() + chrono::TimeDelta::days(1)).date_naive().to_string();
    assert!(owner.post(&assign, &[("scope", "rule"), ("due", due.as_str())]).await.status.is_redirection());
    let list = owner.get(&home.page("/work?whose=nobody")).await.text;
    let work = home.page(&format!("/work/asg_{}", &list.split_once("/work/asg_").unwrap().1[..26]));
    home.app.clock.advance(chrono::TimeDelta::days(2));
    let team = home.app.service.team(home.app.team.id()).await.unwrap();
    let failed_check = team.newest_scan(failed.id).await.unwrap().unwrap();
    let waiting = home.app.team.add_site(SiteInput::parse("https://new.example.com").unwrap()).await;
    let waiting_check = team.newest_scan(waiting.id).await.unwrap().unwrap();
    let url = "https://hooks.example.com/a11y";
    owner.post(&home.page("/endpoints"), &[("url", url), ("event", "scan.completed")]).await;
    let endpoint = team.endpoints().await.unwrap().remove(0).id;
    let delivery = team.ping_endpoint(endpoint).await.unwrap().id;
    owner.post(&home.page("/members/invite"), &[("email", "ann@example.org"), ("role", "viewer")]).await;
    for form in [
        [("name", "Responsible"), ("kind", "text"), ("choices", "")],
        [("name", "Region"), ("kind", "choice"), ("choices", "North\nSouth")],
    ] {
        assert!(owner.post(&home.page("/fields"), &form).await.status.is_redirection());
        home.app.clock.advance(chrono::TimeDelta::milliseconds(1));
    }
    let [responsible, region] = <[_; 2]>::try_from(team.site_fields().await.unwrap()).unwrap();
    let values = [(responsible.id, Some("Jo".to_owned())), (region.id, Some("North".to_owned()))];
    assert!(team.set_site_values(site.id, values.into()).await.unwrap());
    let password = a11ycheck_account_web::hash(PASSWORD).unwrap();
    let input = PersonInput::new("op@example.org".parse().unwrap()).with_name("Op").with_password(password);
    let people = home.app.service.people().unwrap();
    people.create_person(&Actor::program("test"), input, PersonKind::Operator).await.unwrap();
    let mut operator = home.visitor();
    operator.post("/app/sign-in", &[("email", "op@example.org"), ("password", PASSWORD)]).await;

    home.app.service.operator().set_mailing(Mailing::On).await.unwrap();
    people.request_reset(&"op@example.org".parse().unwrap(), Locale::En).await.unwrap();
    home.taken_mail("op@example.org", MailOutcome::Refused("550 no".to_owned())).await;
    let share = home.page(&format!("/checks/{}/share", check.id));
    let not_shared = whole(&mut owner, &share, None).await;
    assert!(
        owner.post(&home.page(&format!("/checks/{}/sharing", check.id)), &[("on", "1")]).await.status.is_redirection()
    );
    let shared = owner.post(&share, &[("days", "7")]).await.text;
    let shared = format!("/app/shared?key={}", &shared.split_once("/app/shared?key=").unwrap().1[..43]);

    let of_owner: Vec<(String, Option<Form<'_>>)> = vec![
        ("/app/teams".to_owned(), None),
        ("/app/profile".to_owned(), None),
        ("/app/profile/second-factor".to_owned(), None),
        ("/app/nowhere".to_owned(), None),
        (home.page("/sites"), None),
        (home.page("/sites?done=site-deleted"), None),
        (home.page("/sites?status=failing&tag=shops&q=x"), None),
        (home.page("/add-site"), None),
        (home.page("/add-site"), Some(&[("url", "no address at all")])),
        (home.page("/roll-up"), None),
        (home.page(&format!("/sites?field-{}=North&field-{}=Jo", region.id, responsible.id)), None),
        (home.page("/fields"), None),
        (home.page("/fields"), Some(&[("name", ""), ("kind", "choice"), ("choices", "")])),
        (home.page(&format!("/fields/{}", region.id)), None),
        (
            home.page(&format!("/fields/{}", region.id)),
            Some(&[("name", "Region"), ("kind", "choice"), ("choices", "x")]),
        ),
        (home.page(&format!("/fields/{}/delete", region.id)), None),
        (home.page("/import-sites"), None),
        (home.page("/import-sites"), Some(&[])),
        (home.page(&format!("/sites/{}", site.id)), None),
        (home.page(&format!("/sites/{}/edit", site.id)), None),
        (home.page(&format!("/sites/{}/delete", site.id)), None),
        (home.page(&format!("/checks/{}", check.id)), None),
        (home.page(&format!("/checks/{}/elements", check.id)), None),
        (home.page(&format!("/checks/{}/elements?show=fixed", check.id)), None),
        (home.page(&format!("/checks/{}/elements?show=review&at=0", check.id)), None),
        (home.page(&format!("/checks/{}/elements/1/decide", check.id)), None),
        (home.page(&format!("/checks/{}/elements/4/decide", check.id)), None),
        (home.page(&format!("/checks/{}/elements/3/decide", check.id)), Some(&[("verdict", ""), ("until", "soon")])),
        (home.page(&format!("/sites/{}/decisions", site.id)), None),
        (home.page(&format!("/sites/{}/criteria", site.id)), None),
        (home.page(&format!("/sites/{}/criteria?show=open", site.id)), None),
        (home.page(&format!("/sites/{}/criteria/keyboard", site.id)), None),
        (
            home.page(&format!("/sites/{}/criteria/images", site.id)),
            Some(&[("outcome-1-1-1", "not-applicable"), ("note-1-4-5", "x"), ("outcome-1-4-5", "x")]),
        ),
        (home.page(&format!("/checks/{}/elements?undone=3&kept=1", check.id)), None),
        (home.page(&format!("/checks/{}/bulk?do=judge&which=all", check.id)), None),
        (
            home.page(&format!("/checks/{}/bulk", check.id)),
            Some(&[("do", "assign"), ("which", "all"), ("due", "soon")]),
        ),
        (home.page(&format!("/checks/{}/bulk", check.id)), Some(&[("do", "judge"), ("which", "all"), ("note", "x")])),
        (assign.clone(), None),
        (assign.clone(), Some(&[("scope", "planet"), ("assignee", "x"), ("state", "x"), ("due", "soon")])),
        (home.page("/work"), None),
        (home.page(&format!("/work?whose=all&show=all&site={}", site.id)), None),
        (work, None),
        (home.page(&format!("/checks/{}", failed_check.id)), None),
        (home.page(&format!("/checks/{}", waiting_check.id)), None),
        (share.clone(), Some(&[("days", "7")])),
        (home.page("/members"), None),
        (home.page("/members/invite"), Some(&[("email", "max@example.org"), ("role", "viewer")])),
        (home.page("/tokens"), Some(&[("name", "CI"), ("ability", "read")])),
        (home.page("/endpoints"), None),
        (home.page(&format!("/endpoints/{endpoint}")), None),
        (home.page(&format!("/deliveries/{delivery}")), None),
        (home.page("/deliveries?state=pending"), None),
        (home.page("/deliveries?since=yesterday"), None),
        (home.page(&format!("/endpoints/{endpoint}/resend-failed")), Some(&[("since", "2020-01-01")])),
        (home.page(&format!("/endpoints/{endpoint}/resend-failed")), Some(&[("since", "")])),
        (home.page("/brand"), None),
        (home.page("/usage"), None),
        (home.page("/audit"), None),
    ];
    let mut careful = home.member("careful@example.org", Role::Viewer).await;
    let (secret, _) = switched_on(&home, &mut careful).await;
    let of_operator = vec![
        "/app/teams".to_owned(),
        "/app/operator".to_owned(),
        "/app/operator/people".to_owned(),
        "/app/operator/audit".to_owned(),
        format!("/app/operator/teams/{}", home.app.team.id()),
    ];
    let empty = Home::new([]).await;
    let link = empty.app.service.people().unwrap().first_link().await.unwrap().unwrap();
    let first = format!("/app/first?key={}", link.reveal());
    let _ = empty.web.clone().with_installation(Installation::default().with_demo(true));
    let demanding = demanding().await;
    let opened = BTreeSet::new();
    let page = empty.visitor().get("/app/sign-in").await.text;
    let script = page.split_once("<script src=\"").unwrap().1.split_once('"').unwrap().0.to_owned();
    let script = (script.clone(), empty.visitor().get(&script).await.text);
    EveryPage {
        home,
        owner,
        operator,
        careful,
        secret,
        of_owner,
        of_operator,
        shared,
        not_shared,
        empty,
        first,
        demanding,
        script,
        opened,
    }
}

/// Returns a home whose team demands a second step, its owner, who has one, and a viewer, who has none.
async fn demanding() -> (Home, Visitor, Visitor) {
    let home = Home::new([]).await;
    let mut owner = home.member("strict@example.org", Role::Owner).await;
    switched_on(&home, &mut owner).await;
    let viewer = home.member("lax@example.org", Role::Viewer).await;
    assert!(owner.post(&home.page("/members/two-steps"), &[("on", "1")]).await.status.is_redirection());
    (home, owner, viewer)
}

impl EveryPage {
    /// Returns every page in a language, each with words that name it.
    pub(crate) async fn in_language(&mut self, locale: Locale) -> Vec<(String, String)> {
        let mut pages = Vec::new();
        let Self { home, owner, operator, careful, secret, shared, empty, first, demanding, opened, .. } = self;
        let (strict, demanding_owner, without) = demanding;
        let mut stranger = home.visitor();
        let mut first_person = empty.visitor();
        for visitor in [&mut *owner, operator, &mut stranger, careful, &mut first_person, demanding_owner, without] {
            visitor.post("/app/language", &[("language", locale.code()), ("back", "")]).await;
        }
        let invited =
            owner.post(&home.page("/members/invite"), &[("email", "new@example.org"), ("role", "viewer")]).await;
        let join = format!("/app/join?key={}", &invited.text.split_once("/app/join?key=").unwrap().1[..43]);
        for (path, form) in &self.of_owner {
            pages.push((path.clone(), whole(owner, path, *form).await));
        }
        for path in &self.of_operator {
            pages.push((path.clone(), whole(operator, path, None).await));
        }
        let wrong = Some(&[("email", "x"), ("password", "y")][..]);
        // A link is valid for an hour, and the clock moves on with each language.
        home.app.service.people().unwrap().request_reset(&"owner@example.org".parse().unwrap(), locale).await.unwrap();
        let secret_of_link = home.taken_mail("owner@example.org", MailOutcome::Sent).await;
        let new_password = format!("/app/new-password?key={secret_of_link}");
        let outside = [
            ("sign-in/forgotten", "/app/forgotten"),
            ("sign-in/new-password", &new_password),
            ("no-notices", "/app/no-notices?key=x"),
            ("shared", shared),
        ];
        for (name, path) in outside {
            pages.push((name.to_owned(), whole(&mut stranger, path, None).await));
        }
        pages.push(("not-shared".to_owned(), self.not_shared.clone()));
        for form in [None, wrong] {
            pages.push(("sign-in".to_owned(), whole(&mut stranger, "/app/sign-in", form).await));
        }
        pages.push(("profile/on".to_owned(), whole(careful, "/app/profile", None).await));
        pages.push(("sign-in/on".to_owned(), whole(careful, "/app/profile/second-factor", None).await));
        let codes = "/app/profile/second-factor/codes";
        pages.push(("sign-in/wrong".to_owned(), whole(careful, codes, Some(&[])).await));
        let code = secret.code_at(home.app.clock.now());
        let form: Form<'_> = &[("current", PASSWORD), ("code", &code)];
        pages.push(("sign-in/codes".to_owned(), whole(careful, codes, Some(form)).await));
        let form: Form<'_> = &[("email", "careful@example.org"), ("password", PASSWORD)];
        pages.push(("sign-in/second-step".to_owned(), whole(&mut stranger, "/app/sign-in", Some(form)).await));
        for form in [None, Some(&[("key", ""), ("name", ""), ("email", "x"), ("password", "y"), ("team", "")][..])] {
            let form = form.map(|form| [&[("key", first.split_once('=').unwrap().1)], &form[1..]].concat());
            pages.push(("sign-in/first".to_owned(), whole(&mut first_person, first, form.as_deref()).await));
        }
        for visitor in [&mut stranger, owner] {
            pages.push(("sign-in/join".to_owned(), whole(visitor, &join, None).await));
        }
        let demanded = format!("/app/profile/second-factor?team={}", strict.app.team.id());
        for form in [None, Some(&[("current", ""), ("code", "x")][..])] {
            pages.push(("sign-in/demanded".to_owned(), whole(without, &demanded, form).await));
        }
        pages.push(("members/demanding".to_owned(), whole(demanding_owner, &strict.page("/members"), None).await));
        pages.push(("join/gone".to_owned(), whole(&mut stranger, "/app/join", None).await));
        // The next language is as if by itself: no attempt waits for another.
        home.app.clock.advance(chrono::TimeDelta::minutes(20));
        for visitor in [owner, operator, careful, &mut stranger, &mut first_person] {
            opened.append(&mut visitor.opened);
        }
        pages
    }
}

/// Serves pages and their script, and returns the path of each.
pub(crate) async fn served(
    pages: &[(String, String)],
    (script, text): &(String, String),
    locale: Locale,
) -> (TestSite, Vec<String>) {
    // The names are in the addresses: one that says that it is a login is checked as such.
    let paths: Vec<String> = (0..)
        .zip(pages)
        .map(|(number, (name, _))| format!("/{locale}/{number}/{}", name.trim_start_matches('/').replace('?', "/")))
        .collect();
    let served = pages.iter().zip(&paths).map(|((_, html), path)| {
        let path: &'static str = path.clone().leak();
        (path, Page::html(html.clone()))
    });
    let script: &'static str = script.clone().leak();
    (TestSite::start(served.chain([(script, Page::script(text.clone()))])).await, paths)
}

#[tokio::test(flavor = "multi_thread")]
async fn our_own_check_finds_nothing_on_any_page_in_any_language() {
    let mut every = every_page().await;
    let policy = AddressPolicy::builder().allow_network("127.0.0.0/8".parse().unwrap()).build();
    let config =
        ChromiumConfig::new(policy).with_resolver(Arc::new(SystemResolver::new())).with_enhanced_contrast(true);
    // How long a busy machine needs for a page is not the question, and what it shows is looked at elsewhere.
    let config = config.with_page_timeout(Duration::from_secs(300)).with_evidence(Evidence::LeftOut);
    let scanner = ChromiumScanner::new(config.with_tabs(4).with_pages_at_once(4)).unwrap();
    let mut found = Vec::new();
    for locale in Locale::ALL {
        let pages = every.in_language(locale).await;
        let (site, paths) = served(&pages, &every.script, locale).await;
        let list = PageList::new(paths.iter().map(|path| Url::parse(&site.url(path)).unwrap())).unwrap();
        let request = ScanRequest::of_pages(ScanId::generate(chrono::Utc::now()), list);
        let findings = scanner.scan(request, &NoProgress, CancellationToken::new()).await.unwrap().findings;
        let names = pages.iter().map(|(name, _)| name);
        for (name, outcome) in names.clone().zip(&findings.pages) {
            assert!(outcome.is_checked(), "{locale}: {name}: {outcome:?}");
        }
        assert_eq!(findings.pages.len(), pages.len(), "{locale}");
        let names: Vec<_> = names.collect();
        found.extend(findings.items.iter().map(|Finding { page, rule, selector, html, .. }| {
            format!("{locale}: {}: {rule} {selector} {html}", names[*page])
        }));
    }
    scanner.close().await;
    assert!(found.is_empty(), "{}", found.join("\n"));
}
