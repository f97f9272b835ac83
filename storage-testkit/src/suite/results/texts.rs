//! Texts and instants come back as they were given.

use std::collections::BTreeMap;

use a11ycheck_core::{
    domain::{
        Failure, FailureCode, Finding, NewTeam, NewToken, PageOutcome, PlanCode, PlatformKey, RuleId, ScanState,
        SiteInput, SiteName, StandardId, Subscription, Tag,
    },
    locale::Locale,
    paging::PageRequest,
    service::TeamInput,
    store::{Completion, Store},
};
use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    StoreFactory, TestWorld,
    suite::{
        fixtures,
        world::{INSTANT, World},
    },
};

/// Every part of Unicode that has tripped a store: all planes, both directions, marks that combine, unassigned and
/// control characters, look-alikes, line ends of every kind, escapes of SQL, JSON and C, and text that is a number.
const TEXTS: [&str; 16] = [
    "",
    " ",
    "Крамниця «У Марії»",
    "שלום \u{202e}עולם\u{202c} مرحبا بالعالم",
    "👩🏽‍💻🏳️‍🌈🇺🇦",
    "𝒜𐍈𪜶\u{10ffff}\u{10fffe}",
    "e\u{301} é \u{1f1}\u{fb01} ß ẞ ı İ",
    "\u{feff}bom\u{200b}\u{ad}\u{2028}\u{2029}\u{85}",
    "\r\n\t\u{1}\u{7f}\u{1b}[31m\u{fffd}\u{ffff}",
    "'; DROP TABLE sites; --",
    "\" \\ \\\" \\u0000 \\x00 \\N ${a} %s {} <>&",
    "{1,2,NULL,\"x\"}",
    "null",
    "1e400",
    "ไทย 日本語 한국어 हिन्दी",
    "trailing space ",
];

pub(crate) async fn names_in_any_script_come_back<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    for (number, text) in TEXTS.iter().enumerate() {
        let code = PlanCode::new(format!("{number}{text}"));
        let mut plan = fixtures::coded(code.clone(), fixtures::plan());
        plan.name = (*text).to_owned();
        world.put_plan(plan.clone()).await;
        let new = NewTeam { name: (*text).to_owned(), ..fixtures::new_team(&code, world.now()) };
        let team = world.store.create_team(new).await.unwrap().id;
        let kept = world.store.team(team).await.unwrap().unwrap();
        assert_eq!((kept.name.as_str(), &kept.plan), (*text, &plan));
        let token = NewToken { name: (*text).to_owned(), ..fixtures::new_token(world.now()) };
        world.store.create_token(team, token).await.unwrap();
        assert_eq!(world.store.tokens(team).await.unwrap()[0].name, *text);
    }
}

pub(crate) async fn sites_in_any_script_and_language_come_back<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let team = world.team().await;
    for (text, locale) in TEXTS.iter().zip(Locale::ALL.into_iter().cycle()) {
        let mut new = fixtures::new_site("https://крамниця.example/шлях?пошук=%00#x", world.now());
        new.details.name = Some((*text).to_owned());
        new.details.report_locale = locale;
        let standards =
            [None, Some(StandardId::Wcag22Aa), Some(StandardId::from_stored("of-a-later-release").unwrap())];
        new.details.standard = standards[text.len() % standards.len()];
        new.details.stack = TEXTS.iter().take(8).map(|key| PlatformKey::new(key)).collect();
        new.details.tags = vec![(*text).to_owned(), "z".to_owned(), "a".to_owned(), text.repeat(40)];
        let details = new.details.clone();
        let id = world.add_site(team, new).await.id;
        assert_eq!(world.store.site(team, id).await.unwrap().unwrap().details, details);
        let found = world.store.sites(team, Some(text), PageRequest::new(1, 100)).await.unwrap();
        assert!(found.items.iter().any(|site| site.id == id), "found by its tag {text:?}");
    }
}

pub(crate) async fn findings_in_any_script_come_back<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let mut findings = fixtures::findings(0);
    for text in TEXTS {
        findings.items.push(Finding::new(RuleId::new(text), 0, text, text, text, text));
        findings.pages.push(PageOutcome::failed(text, text, Failure::new(FailureCode::Tls, text)));
        findings.pages.push(PageOutcome::dead_link(text, text, Failure::new(FailureCode::HttpStatus, text)));
        findings.stack.push(PlatformKey::new(text));
    }
    findings.needs_review = TEXTS.iter().map(|text| (RuleId::new(*text), 1)).collect::<BTreeMap<_, _>>();
    world.assert_kept(findings).await;
}

pub(crate) async fn very_long_texts_come_back<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let long = TEXTS.concat().repeat(2_000);
    let new = NewTeam { name: long.clone(), ..fixtures::new_team(&fixtures::plan().code, world.now()) };
    let team = world.store.create_team(new).await.unwrap().id;
    assert!(world.store.team(team).await.unwrap().unwrap().name == long, "the team's name");
    let mut new = fixtures::new_site(&format!("https://a.example/{}", "a".repeat(480)), world.now());
    new.details.name = Some(long.clone());
    let site = world.add_site(team, new).await;
    assert!(world.store.site(team, site.id).await.unwrap() == Some(site.clone()), "the site's name");
    let claim = world.running(team, site.id).await;
    let mut failure = Failure::new(FailureCode::Tls, "");
    failure.message.clone_from(&long);
    world.store.fail_scan(claim, failure).await.unwrap();
    let state = world.state(team, claim.scan).await;
    assert!(matches!(&state, ScanState::Failed { failure, .. } if failure.message == long), "the failure's sentence");
}

pub(crate) async fn texts_with_nul_reach_the_store_without_it<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = TestWorld::new(async |clock| factory.empty(clock).await, []).await;
    world.publish("shop.example.com");
    let service = world.service();
    let team = service.operator().create_team(TeamInput::new("a\0b", PlanCode::new("pro"))).await.unwrap();
    let input = SiteInput::parse("https://shop.example.com/\0b")
        .unwrap()
        .with_name(SiteName::new("a\0b").unwrap())
        .with_stack([PlatformKey::new("v\0ue")])
        .with_tags([Tag::new("t\0ag").unwrap()]);
    let site = service.team(team.id).await.unwrap().add_site(input).await.unwrap().site;
    let kept = world.store().site(team.id, site.id).await.unwrap().unwrap();
    assert_eq!((kept.details.name.as_deref(), kept.details.tags[0].as_str()), (Some("ab"), "tag"));
    assert!(!format!("{:?}", kept.details).contains("\\0"), "{:?}", kept.details);

    let world = World::new(factory).await;
    let mut findings = fixtures::findings(0);
    findings.pages = vec![PageOutcome::checked("https://a.example/", "a\0b")];
    findings.items = vec![Finding::new(RuleId::new("r"), 0, "https://a.example/", "\0#x", "<a\0>", "\0")];
    assert!(!format!("{findings:?}").contains("\\0"), "{findings:?}");
    world.assert_kept(findings).await;
}

pub(crate) async fn instants_come_back_to_the_microsecond<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
    for start in ["1999-12-31T23:59:59.999999Z", "2024-02-29T00:00:00.000001Z", "2038-01-19T03:14:08Z"] {
        world.clock.set(at(start));
        let end = at("9999-12-31T23:59:59.999999Z");
        let terms = Subscription::ACTIVE.with_end(end).with_trial_end(at(start) - INSTANT);
        let team = world.team_with(terms).await;
        let kept = world.store.team(team).await.unwrap().unwrap();
        assert_eq!((kept.created_at, kept.subscription), (at(start), terms));
        let site = world.site(team).await;
        assert_eq!(world.store.site(team, site).await.unwrap().unwrap().created_at, at(start));
        let claim = world.running(team, site).await;
        world.advance(TimeDelta::microseconds(333_333));
        let completion = Completion { finished_at: world.now() - INSTANT, ..world.completion() };
        world.store.complete_scan(claim, completion).await.unwrap();
        let scan = world.scan(team, claim.scan).await;
        assert_eq!((scan.queued_at, scan.finished_at()), (at(start), Some(world.now() - INSTANT)));
        let ScanState::Completed { started_at, .. } = scan.state else { panic!("{scan:?}") };
        assert_eq!(started_at, at(start));
    }
}
