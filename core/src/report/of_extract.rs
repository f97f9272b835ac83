//! Reports that are made from extracts of findings equal those that are made from all findings.

use chrono::{DateTime, Utc};
use proptest::prelude::*;

use super::{ExtractSources, Report, Sources};
use crate::{
    domain::{
        AcceptReason, Acceptance, Acceptances, Area, AxeCheck, CheckNeed, CheckOutcome, Depth, DiffSummary, Finding,
        Findings, Impact, Outcome, PageOutcome, PlatformKey, RuleFacts, RuleId, Scan, ScanKind, ScanState,
        ScreenshotId, ScreenshotRef, Site, SiteDetails, SiteUrl, Tool, UndecidedReason,
    },
    id::{ScanId, SiteId, TeamId},
    locale::Locale,
    ranking::Extract,
};

/// Rules with places by template, by content and by what was measured; two of one fault; one of no total, and one without facts.
const RULES: [&str; 8] = [
    "aria-required-children",
    "aria-required-parent",
    "color-contrast",
    "image-alt",
    "label",
    "listitem",
    "region",
    "unknown-rule",
];

/// Returns the element with this number: its rule, page, kind and number of the picture come from what was drawn.
fn finding(number: usize, (rule, page, kind): (usize, usize, u32)) -> Finding {
    let summary = format!(
        "Fix any of the following:\n  Element has insufficient color contrast of 3.9 (foreground color: #73879{kind}, background \
         color: #ffffff, font size: 9.8pt (13px), font weight: normal). Expected contrast ratio of 4.5:1"
    );
    let html = format!("<li class=\"c{kind}\"><img src=\"/{kind}.png\" id=\"i{}\">Text {number}</li>", number % 5);
    let selector = format!("ul > li:nth-child({})", number % 9);
    let check = AxeCheck::new("color-contrast", CheckNeed::Any, CheckOutcome::Fail);
    let shot = ScreenshotRef::new(ScreenshotId(kind), 20, 10);
    let mut finding = Finding::new(RuleId::new(RULES[rule]), page, "https://a.example/", &selector, &html, &summary)
        .with_area((kind != 2).then_some(Area::new(kind * 10, 5, 20, 10)))
        .with_screenshot((kind == 1).then_some(shot));
    if kind == 3 {
        finding = finding.with_checks([check]);
    }
    finding.is_new = number % 4 == 1;
    finding
}

fn findings(mut drawn: Vec<(usize, usize, u32)>, undecided: Vec<(usize, usize, u32)>) -> Findings {
    drawn.sort_by_key(|(rule, page, _)| (*page, *rule));
    let mut pages = ["", "b", "c"].map(|page| PageOutcome::checked(format!("https://a.example/{page}"), "A page"));
    pages[1].left_out.insert(RuleId::new("label"), 9);
    let facts = RULES[..7].iter().map(|rule| {
        let tag = if *rule == "region" { "best-practice" } else { "wcag2a" };
        (RuleId::new(*rule), RuleFacts::new(if rule.len() > 8 { Impact::Serious } else { Impact::Critical }, [tag]))
    });
    let items = drawn.into_iter().enumerate().map(|(number, drawn)| finding(number, drawn));
    let mut findings = Findings::new(Tool::new("t", "1")).with_pages(pages).with_rules(facts).with_items(items);
    for (number, drawn) in undecided.into_iter().enumerate() {
        let element = finding(number, drawn);
        *findings.needs_review.entry(element.rule.clone()).or_default() += 2;
        let reasons = vec![UndecidedReason::new("color-contrast", None, 1)];
        findings.undecided_reasons.insert(element.rule.clone(), reasons);
        findings.undecided.push(element);
    }
    findings.stack = vec![PlatformKey::new("shopify")];
    findings.screen = Some((35, 800));
    findings
}

proptest! {
    #[test]
    fn a_report_from_an_extract_is_the_one_from_all_findings(
        drawn in prop::collection::vec((0..8_usize, 0..4_usize, 0..9_u32), 0..200),
        undecided in prop::collection::vec((0..8_usize, 0..3_usize, 0..9_u32), 0..10),
        accepted in prop::collection::vec(1..220_u64, 0..40),
    ) {
        let findings = findings(drawn, undecided);
        let outcome = Outcome::new(3, findings.totals(), DiffSummary::first(), findings.engine.clone());
        let at = DateTime::<Utc>::UNIX_EPOCH;
        let (scan, team, site) = (ScanId::MIN, TeamId::MIN, SiteId::MIN);
        let (kind, state, depth) = (ScanKind::Manual, ScanState::Queued, Depth::Full);
        let scan =
            Scan { id: scan, team, site, kind, pages_requested: 3, queued_at: at, state, express: false, depth };
        let details = SiteDetails {
            url: SiteUrl::parse("https://a.example").unwrap(),
            name: None,
            report_locale: Locale::De,
            platform: None,
            stack: Vec::new(),
            tags: Vec::new(),
            standard: None,
        };
        let site = Site { id: site, team, details, next_scan_at: at, created_at: at };
        let acceptance = Acceptance { reason: Some(AcceptReason::Planned), note: "Soon.".to_owned(), until: None };
        let accepted: Acceptances = accepted.into_iter().map(|number| (number, acceptance.clone())).collect();

        let extract = Extract::of(&findings);
        let extract_read = Extract::read(&extract.write().unwrap()).unwrap();
        prop_assert_eq!(&extract_read, &extract);
        let (scan, outcome, site, findings) = (&scan, &outcome, &site, &findings);
        let all = Sources { scan, outcome, finished_at: at, site, findings, trend: &[] };
        let some = ExtractSources { scan, outcome, finished_at: at, site, extract: &extract_read, trend: &[] };
        let expected = Report::with_accepted(all, accepted.clone(), Locale::De);
        prop_assert_eq!(Report::of_extract(some, accepted, Locale::De), expected);
    }
}
