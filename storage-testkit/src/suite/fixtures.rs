//! Things to store.

use std::collections::{BTreeMap, BTreeSet};

use a11ycheck_core::{
    domain::{
        Ability, CheckFrequency, DiffSummary, Engine, Features, Finding, Findings, Impact, IsoDuration, Limits, Logo,
        NewSite, NewTeam, NewToken, Outcome, PageOutcome, PlainToken, Plan, PlanCode, PlatformKey, RuleFacts, RuleId,
        ScreenshotId, ScreenshotRef, SiteDetails, SiteUrl, Subscription, TeamBrand, UnknownFields,
    },
    id::{SiteId, TeamId, TokenId},
    locale::Locale,
    scanner::{Screenshot, ScreenshotFormat},
    store::Completion,
};
use chrono::{DateTime, Utc};

/// `standard`: 5 sites, 25 pages, weekly, 3 months, an hour between manual checks, 60 requests of which 20 for files.
pub(super) fn plan() -> Plan {
    Plan {
        code: PlanCode::new("standard"),
        name: "Standard".to_owned(),
        features: Features {
            api: true,
            exports: true,
            white_label: false,
            statement_drafts: true,
            acr_drafts: false,
            unknown: UnknownFields::none(),
        },
        limits: Limits {
            sites: 5,
            pages_per_check: 25,
            check_frequency: CheckFrequency::Weekly,
            history_months: 3,
            seats: 3,
            manual_check_interval: IsoDuration::hours(1),
            requests_per_minute: 60,
            files_per_minute: 20,
            unknown: UnknownFields::none(),
        },
        unknown: UnknownFields::none(),
    }
}

/// [`plan`] with other limits.
pub(super) fn plan_with(change: impl FnOnce(&mut Limits)) -> Plan {
    let mut plan = plan();
    change(&mut plan.limits);
    plan
}

/// [`plan`] under another code with other limits.
pub(super) fn other_plan(code: &str, change: impl FnOnce(&mut Limits)) -> Plan {
    Plan { code: PlanCode::new(code), ..plan_with(change) }
}

/// Room for as many sites, and as many manual checks in a row, as a case wants.
pub(super) fn roomy() -> Plan {
    plan_with(|limits| {
        limits.sites = 1_000;
        limits.manual_check_interval = IsoDuration::hours(0);
    })
}

/// A brand in any script, with a logo of this many bytes after its first ones.
pub(super) fn brand(bytes: usize) -> TeamBrand {
    let logo = b"\x89PNG\r\n\x1a\n".iter().copied().chain((0_u8..=255).cycle().take(bytes)).collect();
    TeamBrand {
        name: "Müller & Söhne Доступність ☂".parse().ok(),
        colour: "#0b5394".parse().ok(),
        logo: Logo::recognised(logo),
    }
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
    };
    NewSite { id: SiteId::generate(now), details }
}

pub(super) fn tagged(url: &str, tags: &[&str], now: DateTime<Utc>) -> NewSite {
    let mut site = new_site(url, now);
    site.details.tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
    site
}

pub(super) fn engine() -> Engine {
    Engine::axe_core("4.11.0", "Chromium 150.0")
}

/// What a check of two pages found, one of which failed: `count` elements of one rule.
pub(super) fn findings(count: u32) -> Findings {
    let rule = RuleId::new("color-contrast");
    let facts = RuleFacts {
        impact: Impact::Serious,
        tags: vec!["cat.color".to_owned(), "wcag2aa".to_owned(), "wcag143".to_owned(), "EN-9.1.4.3".to_owned()],
        help: "Elements must meet minimum color contrast ratio thresholds".to_owned(),
        description: "Ensure the contrast between foreground and background colors meets the minimum".to_owned(),
        help_url: "https://rules.example/color-contrast".to_owned(),
    };
    let url = "https://shop.example/";
    let item = |number: u32| Finding {
        is_new: number % 2 == 1,
        screenshot: (number == 0).then_some(ScreenshotRef { id: ScreenshotId(7), width: 40, height: 30 }),
        ..Finding::new(
            rule.clone(),
            0,
            url,
            &format!("main > p:nth-child({number})"),
            &format!("<p id=\"p{number}\" style=\"color:#aaa\">Ціна {number} ₴</p>"),
            "Fix any of the following: contrast of 2.3 (foreground #aaaaaa)",
        )
    };
    Findings {
        engine: engine(),
        pages: vec![
            PageOutcome {
                frames_not_checked: 1,
                left_out: BTreeMap::from([(rule.clone(), 7)]),
                ..PageOutcome::checked(url, "Крамниця")
            },
            PageOutcome::failed("https://shop.example/old", "", super::world::failure()),
        ],
        rules: BTreeMap::from([(rule.clone(), facts)]),
        items: (0..count).map(item).collect(),
        needs_review: BTreeMap::from([(RuleId::new("link-in-text-block"), 3)]),
        stack: vec![PlatformKey::new("shopify")],
        screen: Some((1_280, 720)),
        ran: Some(BTreeSet::from([rule, RuleId::new("image-alt")])),
        pictures_not_stored: false,
        stopped_by_timeouts: false,
    }
}

pub(super) fn outcome(findings: &Findings) -> Outcome {
    Outcome { pages_scanned: 2, totals: findings.totals(), diff: DiffSummary::first(), engine: engine() }
}

/// A picture whose bytes are told apart by its number and its size.
pub(super) fn screenshot(id: u32, bytes: u32) -> Screenshot {
    Screenshot {
        id: ScreenshotId(id),
        format: ScreenshotFormat::Png,
        width: 320,
        height: 48,
        bytes: (0..bytes).map(|index| index.wrapping_mul(31).wrapping_add(id).to_le_bytes()[0]).collect(),
    }
}

/// A result with findings, a picture of an element and one of the first page.
pub(super) fn completion(finished_at: DateTime<Utc>) -> Completion {
    let findings = findings(3);
    Completion {
        finished_at,
        outcome: outcome(&findings),
        findings,
        screenshots: vec![screenshot(7, 300)],
        screen: Some(Screenshot { format: ScreenshotFormat::WebP, width: 1_280, height: 800, ..screenshot(8, 900) }),
        events: Vec::new(),
    }
}
