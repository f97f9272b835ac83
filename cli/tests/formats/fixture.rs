//! Runs to write.

use a11ycheck_cli::{
    output::{Format, TextOptions, WriteOptions, write},
    run::{
        Accept, AcceptedBy, Baseline, Exit, Gate, GateLine, Notice, NoticeLevel, Run, RunFacts, Settings, Since, Solved,
    },
};
use a11ycheck_core::{
    domain::{
        Area, Failure, FailureCause, FailureCode, FailureFacts, Finding, Findings, Impact, PageOutcome, RuleFacts,
        RuleId, ScreenshotId, ScreenshotRef, StandardId, Tool, UndecidedReason,
    },
    locale::Locale,
    scanner::{RuleOutcomes, ScanOutput, Screenshot, ScreenshotFormat},
};
use chrono::{DateTime, Utc};

pub(crate) const HOME: &str = "https://shop.example/";
pub(crate) const CONTACT: &str = "https://shop.example/contact?from=menu";
pub(crate) const GONE: &str = "https://shop.example/gone";

/// Returns the findings of a check of three pages, one of which does not exist.
pub(crate) fn ordinary_findings() -> Findings {
    let rules = [
        ("image-alt", Impact::Critical, &["cat.text-alternatives", "wcag2a", "wcag111"][..]),
        ("color-contrast", Impact::Serious, &["cat.color", "wcag2aa", "wcag143"]),
        ("region", Impact::Moderate, &["cat.keyboard", "best-practice"]),
        ("frame-title-unique", Impact::Serious, &["cat.text-alternatives", "wcag2a", "wcag412"]),
    ];
    let facts = |impact, tags: &[&str]| {
        RuleFacts::new(impact, tags.iter().copied())
            .with_texts("help", "description")
            .with_help_url("https://rules.example/rule")
    };
    let status = Failure::new(FailureCode::HttpStatus, "The web server answered with error status 404.")
        .because_of(FailureCause::Status)
        .with_facts(FailureFacts::of_status(404));
    let contrast = "Fix any of the following:\n  Element has insufficient color contrast of 3.9 (foreground color: #73879c, \
        background color: #ffffff, font size: 9.8pt (13px), font weight: normal). Expected contrast ratio of 4.5:1";
    let item = |rule: &str, page: usize, selector: &str, html: &str, summary: &str| {
        let url = [HOME, CONTACT][page];
        Finding::new(RuleId::new(rule), page, url, selector, html, summary)
    };
    let alt = "Fix any of the following:\n  Element does not have an alt attribute";
    let items = [
        item("image-alt", 0, "#logo", "<img id=\"logo\" src=\"/logo.png\">", alt)
            .with_area(Area::new(10, 20, 120, 40))
            .with_screenshot(ScreenshotRef::new(ScreenshotId(1), 320, 160)),
        item("color-contrast", 0, "#footer > p:nth-child(1)", "<p class=\"grey\">Imprint</p>", contrast),
        item("color-contrast", 0, "#footer > p:nth-child(2)", "<p class=\"grey\">Imprint</p>", contrast),
        item(
            "region",
            0,
            "#banner",
            "<div id=\"banner\">Sale</div>",
            "Some page content is not contained by landmarks",
        ),
        item("image-alt", 1, "#logo", "<img id=\"logo\" src=\"/logo.png\">", alt),
    ];
    let mut findings = Findings::new(Tool::axe_core("4.14.1", "Chromium 150.0"))
        .with_standard(StandardId::Wcag22Aa)
        .with_pages([
            PageOutcome::checked(HOME, "Shop"),
            PageOutcome::checked(CONTACT, "Contact").without_answers_of(&["https://cdn.example/late.js"]),
            PageOutcome::failed(GONE, "", status),
        ])
        .with_rules(rules.map(|(id, impact, tags)| (RuleId::new(id), facts(impact, tags))))
        .with_items(items)
        .with_ran(["image-alt", "color-contrast", "region", "frame-title-unique", "html-has-lang"].map(RuleId::new));
    findings.pages[0].left_out.insert(RuleId::new("color-contrast"), 3);
    let unique = RuleId::new("frame-title-unique");
    findings.needs_review.insert(unique.clone(), 2);
    findings.undecided = vec![item("frame-title-unique", 0, "iframe", "<iframe title=\"Ad\">", "")];
    findings.undecided_reasons.insert(unique, vec![UndecidedReason::new("unique-frame-title", None, 2)]);
    findings.screen = Some((4, 3));
    findings
}

/// Returns what a scanner returns with these findings.
pub(crate) fn output() -> ScanOutput {
    // The first bytes decide what a picture is.
    let picture =
        |id| Screenshot::new(ScreenshotId(id), ScreenshotFormat::WebP, 4, 3, b"RIFF\0\0\0\0WEBPVP8 ".to_vec());
    ScanOutput::new(ordinary_findings()).with_screenshots(vec![picture(1), picture(7)]).with_screen(picture(0))
}

pub(crate) fn run_of(findings: &Findings, locale: Locale) -> Run {
    let instant = |seconds: i64| DateTime::<Utc>::from_timestamp(1_811_851_200 + seconds, 872_838_910).unwrap();
    let settings = Settings {
        targets: vec!["https://shop.example/sitemap.xml".to_owned()],
        site: findings.pages[0].url.parse_site(),
        name: None,
        base_url: None,
        standard: findings.standard,
        locale,
        viewport: None,
    };
    let outcomes: Vec<_> = findings
        .pages
        .iter()
        .map(|_| RuleOutcomes {
            passed: [RuleId::new("html-has-lang")].into(),
            inapplicable: [RuleId::new("audio-caption")].into(),
        })
        .collect();
    let run = Run::new(RunFacts { started_at: instant(0), finished_at: instant(42), settings }, findings);
    run.with_rule_outcomes(&outcomes)
}

trait ParseSite {
    fn parse_site(&self) -> a11ycheck_core::domain::SiteUrl;
}

impl ParseSite for String {
    fn parse_site(&self) -> a11ycheck_core::domain::SiteUrl {
        a11ycheck_core::domain::SiteUrl::parse(self).unwrap()
    }
}

/// Returns a run that the gate failed: an element is new, one is accepted, a page was not checked.
pub(crate) fn ordinary() -> Run {
    ordinary_in(Locale::En)
}

pub(crate) fn ordinary_in(locale: Locale) -> Run {
    let mut run = run_of(&ordinary_findings(), locale);
    for finding in &mut run.findings {
        finding.since = Since::Known;
    }
    run.findings[0].since = Since::New;
    run.findings[2].accepted =
        Some(AcceptedBy { accept: 0, reason: "wont-fix".to_owned(), note: "exempt, as the lawyer says".to_owned() });
    run.accepts = vec![Accept {
        rule: RuleId::new("color-contrast"),
        selector: Some("#footer > p:nth-child(2)".to_owned()),
        template: None,
        pages: None,
        reason: "wont-fix".to_owned(),
        note: "exempt, as the lawyer says".to_owned(),
        until: None,
        expired: false,
        matched: 1,
    }];
    run.baseline = Some(Baseline {
        file: "a11y-baseline.json".to_owned(),
        new: 1,
        known: 4,
        solved: vec![Solved { rule: RuleId::new("label"), page: "/".to_owned(), selector: "#q".to_owned() }],
        not_compared: 0,
    });
    run.gate = Gate {
        level: Some(Impact::Serious),
        new_only: true,
        lines: vec![GateLine { setting: "gate.max".to_owned(), rule: None, pages: None, counted: 1, max: 0 }],
    };
    run.notices = vec![Notice {
        level: NoticeLevel::Warning,
        message: "The accepted finding of label matches nothing: remove it from a11ycheck.toml.".to_owned(),
    }];
    run.exit = Exit { code: 1, gate_failed: true, pages_not_checked: 1, allowed_unchecked: 0 };
    run.with_pictures(&output())
}

/// Returns a run without a finding.
pub(crate) fn clean() -> Run {
    let findings =
        Findings::new(Tool::axe_core("4.14.1", "Chromium 150.0")).with_pages([PageOutcome::checked(HOME, "Shop")]);
    let mut run = run_of(&findings.with_ran(["image-alt"].map(RuleId::new)), Locale::En);
    run.gate = Gate {
        level: Some(Impact::Minor),
        new_only: false,
        lines: vec![GateLine { setting: "gate.max".to_owned(), rule: None, pages: None, counted: 0, max: 0 }],
    };
    run
}

/// Returns a run whose page says this wherever a page says something.
pub(crate) fn saying(text: &str) -> Run {
    let url = format!("https://shop.example/?q={}", text.replace(char::is_control, " "));
    let failed = Failure::new(FailureCode::Unreachable, text);
    let item = Finding::new(RuleId::new("image-alt"), 0, &url, text, text, text);
    let facts = RuleFacts::new(Impact::Critical, ["wcag2a", "wcag111"]).with_texts(text, text);
    let mut unknown = item.clone();
    unknown.rule = RuleId::new("of-tomorrow");
    let mut findings = Findings::new(Tool::axe_core("4", "Chromium"))
        .with_pages([
            PageOutcome::checked(&url, text).without_answers_of(&[text]),
            PageOutcome::failed(format!("https://shop.example/{}", text.replace(char::is_control, " ")), text, failed),
        ])
        .with_rules([(RuleId::new("image-alt"), facts.clone()), (RuleId::new("of-tomorrow"), facts)])
        .with_items([item.clone(), unknown]);
    findings.undecided = vec![item];
    findings.needs_review.insert(RuleId::new("image-alt"), 1);
    findings.pages[0].url.clone_from(&url);
    let mut run = {
        let mut parsed = findings.clone();
        HOME.clone_into(&mut parsed.pages[0].url);
        let settings = run_of(&parsed, Locale::En).settings;
        let facts = RunFacts { started_at: DateTime::UNIX_EPOCH, finished_at: DateTime::UNIX_EPOCH, settings };
        Run::new(facts, &findings)
    };
    run.exit = Exit { code: 1, gate_failed: true, pages_not_checked: 1, allowed_unchecked: 0 };
    run.gate.lines =
        vec![GateLine { setting: text.to_owned(), rule: None, pages: Some(text.to_owned()), counted: 2, max: 1 }];
    run.notices = vec![Notice { level: NoticeLevel::Warning, message: text.to_owned() }];
    run.pages[0].file = Some(text.to_owned());
    run.findings[1].accepted = Some(AcceptedBy { accept: 0, reason: text.to_owned(), note: text.to_owned() });
    run
}

/// Returns a run with so many elements, all unlike, a third of each of three severities.
pub(crate) fn many(elements: usize) -> Run {
    const PAGES: usize = 50;
    let url = |page: usize| format!("https://shop.example/page-{page}");
    let impacts = [("region", Impact::Moderate), ("image-alt", Impact::Critical), ("label", Impact::Serious)];
    let facts = |(rule, impact): (&str, Impact)| (RuleId::new(rule), RuleFacts::new(impact, ["wcag2a", "wcag111"]));
    let items = impacts.map(|(rule, _)| Finding::new(RuleId::new(rule), 0, &url(0), "img", "<img>", "Fix any"));
    let findings = Findings::new(Tool::axe_core("4.14.1", "Chromium"))
        .with_pages((0..PAGES).map(|page| PageOutcome::checked(url(page), "")))
        .with_rules(impacts.map(facts))
        .with_items(items);
    let mut run = run_of(&findings, Locale::En);
    let one_of_each = std::mem::take(&mut run.findings);
    run.findings = (0..elements)
        .map(|number| {
            let mut finding = one_of_each[number % 3].clone();
            // Numbers that do not compress well.
            let noise = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            finding.page = number * PAGES / elements;
            finding.key = format!("{noise:016x}");
            finding.selector = format!("#e{noise:x} > img");
            finding.html = format!("<img class=\"c{noise:x}\" src=\"/{:x}.png\">", noise.rotate_left(17)).repeat(20);
            finding
        })
        .collect();
    for (id, rule) in &mut run.rules {
        rule.elements = run.findings.iter().filter(|finding| finding.rule == *id).count() as u64;
    }
    let count = |rule: &str| run.rules[&RuleId::new(rule)].elements;
    (run.totals.critical, run.totals.serious, run.totals.moderate) =
        (count("image-alt"), count("label"), count("region"));
    run
}

/// Returns a format as a file has it.
pub(crate) fn written(format: Format, run: &Run) -> Vec<u8> {
    written_with(format, run, &WriteOptions::default())
}

pub(crate) fn written_with(format: Format, run: &Run, options: &WriteOptions) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(format, run, options, &mut bytes).unwrap();
    bytes
}

pub(crate) fn text_of(run: &Run, options: TextOptions) -> String {
    let options = WriteOptions { text: options, ..WriteOptions::default() };
    String::from_utf8(written_with(Format::Text, run, &options)).unwrap()
}

pub(crate) fn json_of(format: Format, run: &Run) -> serde_json::Value {
    serde_json::from_slice(&written(format, run)).unwrap()
}

/// Texts that a page may have, each of which tries something.
pub(crate) const HOSTILE: [&str; 12] = [
    "::set-output name=x::y",
    " \t::error::x",
    "a ##[set-env]b",
    "line\n::set-env name=PATH::/evil\n##[add-path]/evil",
    "line\r::add-mask::a\r\n::stop-commands::x",
    "\u{1b}[31mred\u{1b}]8;;https://evil.example\u{7}link\u{9b}2J",
    "%0A::error::x %25 %3A,title=a::b",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "![x](https://evil.example) @team #1 | a | b |",
    "]]> <!-- & \u{fffe}\u{0}\u{202e}gpj.exe",
    "=HYPERLINK(\"https://evil.example\")",
    "####[set-env]##[[add-path]]::::error::",
];
