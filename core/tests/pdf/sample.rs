//! Reports to make files from, the same at every run.

use std::{collections::HashMap, io::Cursor};

use a11ycheck_core::{
    catalog::{self, Basis},
    domain::{
        AxeCheck, CheckNeed, CheckOutcome, Failure, FailureCode, Finding, Findings, Impact, PageOutcome, PlatformKey,
        RuleFacts, RuleId, Tool, Totals, UndecidedReason,
    },
    export::{
        Brand,
        pdf::{Detail, PdfError, PdfSource, render},
    },
    locale::Locale,
    report::{Diff, Example, FixedRuleView, Group, PageCount, PageView, PlaceView, Report, Thing, Trend, Undecided},
};
use chrono::{DateTime, TimeDelta, Utc};
use image::{ImageFormat, Rgb, RgbImage};

/// The size of a sample.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) pages: usize,
    pub(crate) rules: usize,
    /// Elements of each rule.
    pub(crate) elements: u64,
    pub(crate) screenshots: usize,
}

/// A report with everything that a file is made from.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    pub(crate) report: Report,
    pub(crate) brand: Brand,
    pub(crate) generated_by: Option<&'static str>,
    pub(crate) pictures: HashMap<u64, Vec<u8>>,
    pub(crate) pictures_lost: bool,
    pub(crate) screen: Option<Vec<u8>>,
    pub(crate) detail: Detail,
}

impl Sample {
    pub(crate) fn new(locale: Locale, size: Size) -> Self {
        let addresses: Vec<String> = (0..size.pages).map(address).collect();
        let rules = |basis| catalog::rules().filter(move |(_, entry)| entry.basis == basis);
        let mut ids = 1..;
        let mut group =
            |rank: usize, id: &'static str| group(locale, id, rank as u64 + 1, size.elements, &addresses, &mut ids);
        let mut groups: Vec<Group> = spread(rules(Basis::WcagAAa).collect(), size.rules)
            .into_iter()
            .enumerate()
            .map(|(rank, (id, _))| group(rank, id))
            .collect();
        groups.sort_by_key(|group| std::cmp::Reverse(group.severity));
        for (rank, group) in (1..).zip(&mut groups) {
            group.rank = rank;
        }
        let advisory: Vec<Group> = rules(Basis::BestPractice)
            .take(size.rules.div_ceil(4))
            .enumerate()
            .map(|(number, (id, _))| group(size.rules + number, id))
            .collect();
        let totals = groups.iter().fold(Totals::default(), |mut totals, group| {
            totals.add(group.severity, group.count);
            totals
        });
        let examples = groups.iter().chain(&advisory).flat_map(|group| &group.examples);
        let picture = picture(600, 180);
        let pictures = examples.take(size.screenshots).map(|example| (example.id, picture.clone())).collect();
        let total = totals.total();
        let scan = "scan_01KAJ2V9Y0000000000000000A".parse().unwrap();
        let engine = Tool::axe_core("4.14.1", "Chromium 156.0.7012.3");
        let mut report = Report::empty(scan, locale, "https://shop.example/", at(), engine);
        report.title = "Example shop".to_owned();
        report.platform = Some(PlatformKey::new("shopify"));
        report.platform_name = Some("Shopify".to_owned());
        report.totals = totals;
        report.total = total;
        report.places = groups.iter().map(|group| group.n).sum();
        report.places_for_most = 2;
        report.groups = groups;
        report.advisory = advisory;
        report.pages = pages(&addresses);
        report.needs_review = needs_review(locale);
        let mut report = report.with_work_by_hand(&undecided());
        report.diff = diff(total, locale);
        report.trend = [30, 34, 21, 12, 3, 0]
            .into_iter()
            .zip(0..)
            .map(|(more, week)| {
                let id = "scan_01KAJ2V9Y0000000000000000C".parse().unwrap();
                Trend::new(id, at() - TimeDelta::days(7 * (5 - week)), total + more)
            })
            .collect();
        let (brand, generated_by) = (Brand::default(), Some("a11ycheck 0.1.0"));
        Self { report, brand, generated_by, pictures, pictures_lost: false, screen: None, detail: Detail::Brief }
    }

    pub(crate) fn render(&self) -> Result<Vec<u8>, PdfError> {
        let pictures = |example| self.pictures.get(&example).map(Vec::as_slice);
        let source = PdfSource::new(&self.report, &self.brand);
        let source = source.with_generated_by(self.generated_by).with_pictures(&pictures);
        let source = source.with_screen(self.screen.as_deref()).with_detail(self.detail);
        render(&if self.pictures_lost { source.with_pictures_lost() } else { source })
    }
}

pub(crate) fn at() -> DateTime<Utc> {
    "2026-11-21T09:08:00Z".parse().unwrap()
}

/// Draws rows of text as a browser might.
pub(crate) fn picture(width: u32, height: u32) -> Vec<u8> {
    let ink = |x: u32, y: u32| y % 24 > 10 && (x * 7 + (x / 5) * (y / 24) * 13) % 11 > 4;
    let pixel = |x, y| if ink(x, y) { Rgb([90, 90, 100]) } else { Rgb([250, 250, 252]) };
    let mut file = Cursor::new(Vec::new());
    RgbImage::from_fn(width, height, pixel).write_to(&mut file, ImageFormat::Png).unwrap();
    file.into_inner()
}

fn address(page: usize) -> String {
    match page {
        0 => "https://shop.example/".to_owned(),
        _ => format!("https://shop.example/collections/category-{page}/products?sort=price&page={page}"),
    }
}

fn spread<T>(all: Vec<T>, count: usize) -> Vec<T> {
    let step = (all.len() / count.max(1)).max(1);
    all.into_iter().step_by(step).take(count).collect()
}

fn group(
    locale: Locale,
    id: &'static str,
    rank: u64,
    count: u64,
    addresses: &[String],
    ids: &mut impl Iterator<Item = u64>,
) -> Group {
    let rule = RuleId::new(id);
    let entry = catalog::rule(id).unwrap();
    let facts = facts(id);
    let texts = catalog::describe(&rule, &facts, locale);
    let criteria = entry
        .criteria()
        .map(|criterion| format!("WCAG {} {} ({})", criterion.number, criterion.name(locale), criterion.level));
    let shown = usize::try_from(count).unwrap().min(Group::MAX_EXAMPLES);
    let mut group = Group::empty(rule.clone(), entry.impact);
    group.rank = rank;
    (group.fixer, group.effort) = (Some(entry.fixer), Some(entry.effort));
    group.count = count;
    group.new_count = count / 3;
    group.title = texts.title.to_owned();
    group.summary = texts.summary.to_owned();
    group.impact = texts.impact.to_owned();
    group.who = texts.who.iter().map(|who| (*who).to_owned()).collect();
    group.how_to_fix = texts.how_to_fix.to_owned();
    group.example_code = texts.example.map(str::to_owned);
    group.platform_tip = catalog::tip(id, "shopify", locale).map(str::to_owned);
    group.machine = true;
    group.help = facts.help_url.clone();
    group.refs = criteria.chain(entry.en301549.iter().map(|clause| format!("EN 301 549 {clause}"))).collect();
    group.pages = addresses.iter().map(|url| PageCount::new(url, count.div_ceil(2))).collect();
    group.examples = (0..shown).map(|number| example(locale, ids.next().unwrap(), number, addresses)).collect();
    let places = group.examples.iter().map(|example| {
        let mut place = PlaceView::new(example.id, count.div_ceil(shown as u64), addresses.len() as u64);
        place.new_count = u64::from(example.is_new);
        place.page.clone_from(&example.page);
        place.thing = Thing::of(&example.html);
        place.measured = (id == "color-contrast").then(|| "#73879c / #ffffff, 3.9:1 (≥ 4.5:1)".to_owned());
        place
    });
    group.places = places.collect();
    group.n = shown as u64;
    group
}

fn example(locale: Locale, id: u64, number: usize, addresses: &[String]) -> Example {
    let target = format!("main > .product-grid > li:nth-child({}) > a.product-card__link", number + 1);
    let html = format!(
        "<a href=\"/products/linen-shirt-{id}\" class=\"product-card__link card--hover\" data-product=\"{id}\">\n  \
         <img src=\"//cdn.shop.example/files/linen-shirt-{id}.webp\" width=\"600\" height=\"180\">\n</a>"
    );
    let said = ["has-visible-text", "aria-label"].map(|id| {
        let check = AxeCheck::new(id, CheckNeed::Any, CheckOutcome::Fail);
        format!("- {}", catalog::sentence(&check, locale).unwrap())
    });
    let details = format!("{}\n{}", catalog::terms(locale).label.one_of, said.join("\n"));
    let mut example = Example::new(id, &addresses[number % addresses.len()], target, html);
    example.details = Some(details);
    example.is_new = number.is_multiple_of(3);
    example
}

fn facts(id: &str) -> RuleFacts {
    RuleFacts::new(Impact::Serious, ["wcag2a"])
        .with_texts("Pages must be kind", "Ensure that pages are kind")
        .with_help_url(catalog::help_url(id).unwrap_or_default())
}

fn diff(total: u64, locale: Locale) -> Diff {
    let mut diff = Diff::first();
    diff.previous_id = Some("scan_01KAJ2V9Y0000000000000000B".parse().unwrap());
    diff.previous_date = Some(at() - TimeDelta::days(7));
    diff.previous_total = Some(total + 3);
    diff.new = 4;
    diff.fixed = 7;
    diff.remaining = total.saturating_sub(4);
    diff.not_comparable_before = (total + 3).saturating_sub(7 + diff.remaining);
    diff.not_comparable_now = total.saturating_sub(diff.new + diff.remaining);
    diff.fixed_rules = vec![FixedRuleView::new(catalog::card("html-has-lang", locale).unwrap().title, 7)];
    diff
}

fn pages(addresses: &[String]) -> Vec<PageView> {
    let last = addresses.len().saturating_sub(1);
    let view = |(number, url): (usize, &String)| {
        let mut page = PageView::checked(url, format!("Linen and cotton, page {number} – Example shop"));
        page.issues = if number == last { 0 } else { 12 };
        page.error =
            (number == last && last > 0).then(|| Failure::new(FailureCode::Timeout, "The page was not ready in time."));
        page.frames_not_checked_count = if number == 1 { 2 } else { 0 };
        page
    };
    addresses.iter().enumerate().map(view).collect()
}

/// Returns findings that have nothing but what a person must look at.
fn undecided() -> Findings {
    let (contrast, video) = (RuleId::new("color-contrast"), RuleId::new("video-caption"));
    let page = address(0);
    let said = |id, key| AxeCheck::new(id, CheckNeed::Any, CheckOutcome::Incomplete).with_key(key);
    let element = |number: u32, key| {
        let selector = format!("main > .banner:nth-child({number}) > p");
        let html = format!("<p id=\"banner-{number}\">Sale</p>");
        let finding = Finding::new(contrast.clone(), 0, &page, &selector, &html, "");
        finding.with_checks([said("color-contrast", key)])
    };
    let mut findings = Findings::new(Tool::axe_core("4.14.1", ""))
        .with_pages([PageOutcome::checked(&page, "Home")])
        .with_rules([(contrast.clone(), facts("color-contrast")), (video.clone(), facts("video-caption"))]);
    findings.undecided = (1..=4).map(|number| element(number, "bgImage")).chain([element(5, "bgGradient")]).collect();
    let reasons = [("bgImage", 9), ("bgGradient", 4)];
    let reasons = reasons.map(|(key, count)| UndecidedReason::new("color-contrast", Some(key), count));
    findings.undecided_reasons = [(contrast.clone(), reasons.into())].into();
    findings.needs_review = [(contrast, 14), (video, 1)].into();
    findings
}

fn needs_review(locale: Locale) -> Vec<Undecided> {
    let undecided = [("color-contrast", 14), ("video-caption", 1)].map(|(id, count)| {
        let (rule, facts) = (RuleId::new(id), facts(id));
        let texts = catalog::describe(&rule, &facts, locale);
        assert!(texts.has_card);
        Undecided::new(rule.clone(), texts.title, count)
    });
    undecided.into()
}
