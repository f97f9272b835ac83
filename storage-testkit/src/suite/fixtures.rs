//! Values to be stored.

use std::collections::{BTreeMap, BTreeSet};

use a11ycheck_core::{
    domain::{
        Ability, CheckFrequency, DiffSummary, DraftHead, Features, Finding, Findings, Impact, IsoDuration, Limits,
        Logo, NewSite, NewTeam, NewToken, Outcome, PageOutcome, PlainToken, Plan, PlanCode, PlatformKey, RateLimits,
        RuleFacts, RuleId, ScreenshotId, ScreenshotRef, SiteDetails, SiteUrl, StandardId, Subscription, TeamBrand,
        Tool,
    },
    id::{SiteId, TeamId, TokenId},
    locale::Locale,
    scanner::{Screenshot, ScreenshotFormat},
    store::Completion,
};
use chrono::{DateTime, Utc};

/// Returns the plan `standard`: 5 sites, 25 pages, weekly, 3 months, an hour between manual checks, 60 requests of
/// which 20 for files.
pub(super) fn plan() -> Plan {
    let features = Features::none().with_api().with_exports().with_statement_drafts();
    let limits = Limits::new(5, 25, CheckFrequency::Weekly)
        .with_history_months(3)
        .with_seats(3)
        .with_manual_check_interval(IsoDuration::hours(1))
        .with_requests_per_minute(RateLimits::new(60, 20));
    Plan::new(PlanCode::new("standard"), "Standard", features, limits)
}

/// Returns [`plan`] with other limits.
pub(super) fn plan_with(change: impl FnOnce(&mut Limits)) -> Plan {
    let mut plan = plan();
    change(&mut plan.limits);
    plan
}

/// Returns [`plan`] under another code with other limits.
pub(super) fn other_plan(code: &str, change: impl FnOnce(&mut Limits)) -> Plan {
    coded(PlanCode::new(code), plan_with(change))
}

/// Returns a plan under another code.
pub(super) fn coded(code: PlanCode, mut plan: Plan) -> Plan {
    plan.code = code;
    plan
}

/// Returns a plan with room for 1,000 sites, and without an interval between manual checks.
pub(super) fn roomy() -> Plan {
    plan_with(|limits| {
        limits.sites = 1_000;
        limits.manual_check_interval = IsoDuration::hours(0);
    })
}

/// Returns a brand with a name in several scripts, and a logo of this many bytes after its first ones.
pub(super) fn brand(bytes: usize) -> TeamBrand {
    let logo = b"\x89PNG\r\n\x1a\n".iter().copied().chain((0_u8..=255).cycle().take(bytes)).collect();
    TeamBrand::default()
        .with_name("Müller & Söhne Доступність ☂".parse().ok())
        .with_colour("#0b5394".parse().ok())
        .with_logo(Logo::recognised(logo))
        .with_draft(
            DraftHead::default()
                .with_product_version("2027.1".parse().ok())
                .with_contact("доступність@example.org".parse().ok())
                .with_evaluator("Jo Müller".parse().ok()),
        )
}

pub(super) fn new_team(plan: &PlanCode, now: DateTime<Utc>) -> NewTeam {
    NewTeam {
        id: TeamId::generate(now),
        name: "Майстерня".to_owned(),
        plan: plan.clone(),
        subscription: Subscription::ACTIVE,
        seats_used: 2,
    }
}

pub(super) fn new_token(now: DateTime<Utc>) -> NewToken {
    NewToken {
        id: TokenId::generate(now),
        name: "CI".to_owned(),
        abilities: BTreeSet::from([Ability::Read]),
        hash: PlainToken::generate().hash(),
        created_by: Some("Олена Müller".to_owned()),
    }
}

pub(super) fn new_site(url: &str, now: DateTime<Utc>) -> NewSite {
    let details = SiteDetails {
        url: SiteUrl::parse(url).unwrap(),
        name: Some("The shop".to_owned()),
        report_locale: Locale::Uk,
        platform: Some(PlatformKey::new("vue")),
        stack: vec![PlatformKey::new("vue"), PlatformKey::new("shopify")],
        tags: vec!["client".to_owned(), "2027".to_owned()],
        standard: Some(StandardId::Wcag22Aa),
    };
    NewSite { id: SiteId::generate(now), details }
}

pub(super) fn tagged(url: &str, tags: &[&str], now: DateTime<Utc>) -> NewSite {
    let mut site = new_site(url, now);
    site.details.tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
    site
}

pub(super) fn engine() -> Tool {
    Tool::axe_core("4.11.0", "Chromium 150.0")
}

/// Returns the findings of a check of two pages, one of which failed: `count` elements of one rule.
pub(super) fn findings(count: u32) -> Findings {
    let rule = RuleId::new("color-contrast");
    let facts = RuleFacts::new(Impact::Serious, ["cat.color", "wcag2aa", "wcag143", "EN-9.1.4.3"])
        .with_texts(
            "Elements must meet minimum color contrast ratio thresholds",
            "Ensure the contrast between foreground and background colors meets the minimum",
        )
        .with_help_url("https://rules.example/color-contrast");
    let url = "https://shop.example/";
    let item = |number: u32| {
        let selector = format!("main > p:nth-child({number})");
        let html = format!("<p id=\"p{number}\" style=\"color:#aaa\">Ціна {number} ₴</p>");
        let summary = "Fix any of the following: contrast of 2.3 (foreground #aaaaaa)";
        let picture = (number == 0).then_some(ScreenshotRef::new(ScreenshotId(7), 40, 30));
        let mut item = Finding::new(rule.clone(), 0, url, &selector, &html, summary).with_screenshot(picture);
        item.is_new = number % 2 == 1;
        item
    };
    let mut page = PageOutcome::checked(url, "Крамниця");
    page.frames_not_checked = 1;
    page.left_out = BTreeMap::from([(rule.clone(), 7)]);
    let mut findings = Findings::new(engine())
        .with_pages([page, PageOutcome::failed("https://shop.example/old", "", super::world::failure())])
        .with_rules([(rule.clone(), facts)])
        .with_items((0..count).map(item))
        .with_ran([rule.clone(), RuleId::new("image-alt")]);
    findings.needs_review = BTreeMap::from([(RuleId::new("link-in-text-block"), 3)]);
    findings.stack = vec![PlatformKey::new("shopify")];
    findings.screen = Some((1_280, 720));
    findings
}

pub(super) fn outcome(findings: &Findings) -> Outcome {
    Outcome::new(2, findings.totals(), DiffSummary::first(), engine())
}

/// Returns a picture whose bytes are determined by its number and its size.
pub(super) fn screenshot(id: u32, bytes: u32) -> Screenshot {
    let bytes = (0..bytes).map(|index| index.wrapping_mul(31).wrapping_add(id).to_le_bytes()[0]);
    Screenshot::new(ScreenshotId(id), ScreenshotFormat::Png, 320, 48, bytes.collect())
}

/// Returns a result with findings, a picture of an element and one of the first page.
pub(super) fn completion(finished_at: DateTime<Utc>) -> Completion {
    let findings = findings(3);
    let screen = screenshot(8, 900);
    Completion {
        finished_at,
        outcome: outcome(&findings),
        findings,
        screenshots: vec![screenshot(7, 300)],
        screen: Some(Screenshot::new(screen.id, ScreenshotFormat::WebP, 1_280, 800, screen.bytes)),
        events: Vec::new(),
        memo: None,
    }
}
