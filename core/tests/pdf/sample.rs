//! Reports to make files of, the same at every run.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    io::Cursor,
};

use a11ycheck_core::{
    catalog::{self, Basis, RuleEntry, WcagVersion},
    domain::{Engine, Failure, FailureCode, Findings, Impact, PageOutcome, PlatformKey, RuleFacts, RuleId, Totals},
    export::{
        Brand,
        pdf::{PdfError, PdfSource, render},
    },
    locale::Locale,
    report::{Diff, Example, FixedRuleView, Group, PageCount, PageView, Report, Trend},
};
use chrono::{DateTime, TimeDelta, Utc};
use image::{ImageFormat, Rgb, RgbImage};

/// How much there is in a sample.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) pages: usize,
    pub(crate) rules: usize,
    /// Elements of each rule.
    pub(crate) elements: u64,
    pub(crate) screenshots: usize,
}

/// A report with all that a file is made of.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    pub(crate) report: Report,
    pub(crate) findings: Findings,
    pub(crate) brand: Brand,
    pub(crate) generated_by: Option<&'static str>,
    pub(crate) pictures: HashMap<u64, Vec<u8>>,
    pub(crate) pictures_lost: bool,
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
        Self {
            report: Report {
                scan_id: "scan_01KAJ2V9Y0000000000000000A".parse().unwrap(),
                locale,
                url: "https://shop.example/".to_owned(),
                title: "Example shop".to_owned(),
                platform: Some(PlatformKey::new("shopify")),
                platform_name: Some("Shopify".to_owned()),
                checked_at: at(),
                screen: None,
                pictures_not_stored: false,
                stopped_by_timeouts: false,
                totals,
                total,
                groups,
                advisory,
                pages: pages(&addresses),
                needs_review: vec![],
                diff: Diff {
                    previous_id: Some("scan_01KAJ2V9Y0000000000000000B".parse().unwrap()),
                    previous_date: Some(at() - TimeDelta::days(7)),
                    previous_total: Some(total + 3),
                    new: 4,
                    fixed: 7,
                    remaining: total.saturating_sub(4),
                    carried: 0,
                    not_comparable_now: 0,
                    not_comparable_before: 0,
                    fixed_rules: vec![FixedRuleView {
                        title: catalog::card("html-has-lang", locale).unwrap().title.to_owned(),
                        count: 7,
                    }],
                },
                trend: (0..6)
                    .map(|week| Trend {
                        id: "scan_01KAJ2V9Y0000000000000000C".parse().unwrap(),
                        date: at() - TimeDelta::days(7 * (5 - week)),
                        total: total + [30, 34, 21, 12, 3, 0][usize::try_from(week).unwrap()],
                    })
                    .collect(),
            },
            findings: findings(&addresses),
            brand: Brand::default(),
            generated_by: Some("a11ycheck 0.1.0"),
            pictures,
            pictures_lost: false,
        }
    }

    pub(crate) fn render(&self) -> Result<Vec<u8>, PdfError> {
        render(&PdfSource {
            report: &self.report,
            findings: &self.findings,
            brand: &self.brand,
            generated_by: self.generated_by,
            pictures: &|example| self.pictures.get(&example).map(Vec::as_slice),
            pictures_lost: self.pictures_lost,
        })
    }
}

pub(crate) fn at() -> DateTime<Utc> {
    "2026-11-21T09:08:00Z".parse().unwrap()
}

/// Rows of text as a browser might draw them.
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
    Group {
        severity: entry.impact,
        rank,
        count,
        left_out: 0,
        new_count: count / 3,
        title: texts.title.to_owned(),
        summary: texts.summary.to_owned(),
        impact: texts.impact.to_owned(),
        who: texts.who.iter().map(|who| (*who).to_owned()).collect(),
        how_to_fix: match texts.example {
            Some(example) => format!("{}\n\n{example}", texts.how_to_fix),
            None => texts.how_to_fix.to_owned(),
        },
        platform_tip: catalog::tip(id, "shopify", locale).map(str::to_owned),
        machine: true,
        has_card: true,
        help: facts.help_url,
        refs: criteria.chain(entry.en301549.iter().map(|clause| format!("EN 301 549 {clause}"))).collect(),
        pages: addresses.iter().map(|url| PageCount { url: url.clone(), count: count.div_ceil(2) }).collect(),
        examples: (0..shown).map(|number| example(ids.next().unwrap(), number, addresses)).collect(),
        boxes: vec![],
        n: count,
        rule,
    }
}

fn example(id: u64, number: usize, addresses: &[String]) -> Example {
    Example {
        id,
        page: addresses[number % addresses.len()].clone(),
        target: format!("main > .product-grid > li:nth-child({}) > a.product-card__link", number + 1),
        html: format!(
            "<a href=\"/products/linen-shirt-{id}\" class=\"product-card__link card--hover\" data-product=\"{id}\">\n  \
             <img src=\"//cdn.shop.example/files/linen-shirt-{id}.webp\" width=\"600\" height=\"180\">\n</a>"
        ),
        details: Some(
            "Fix any of the following:\n  Element does not have text that is visible to screen readers\n  \
             aria-label attribute does not exist or is empty"
                .to_owned(),
        ),
        is_new: number.is_multiple_of(3),
        shot: None,
        shot_width: None,
        shot_height: None,
    }
}

fn facts(id: &str) -> RuleFacts {
    RuleFacts {
        impact: Impact::Serious,
        tags: vec!["wcag2a".to_owned()],
        help: "Pages must be kind".to_owned(),
        description: "Ensure that pages are kind".to_owned(),
        help_url: catalog::help_url(id).unwrap_or_default(),
    }
}

fn pages(addresses: &[String]) -> Vec<PageView> {
    let last = addresses.len().saturating_sub(1);
    let view = |(number, url): (usize, &String)| PageView {
        url: url.clone(),
        title: format!("Linen and cotton, page {number} – Example shop"),
        issues: if number == last { 0 } else { 12 },
        left_out: 0,
        error: (number == last && last > 0)
            .then(|| Failure::new(FailureCode::Timeout, "The page was not ready in time.")),
        frames_not_checked_count: 0,
        frames_not_checked: vec![],
        still_changing: false,
        unanswered: vec![],
        linked_from: None,
        cover: None,
    };
    addresses.iter().enumerate().map(view).collect()
}

fn findings(addresses: &[String]) -> Findings {
    let mut pages: Vec<_> = addresses.iter().map(|url| PageOutcome::checked(url.as_str(), "")).collect();
    if let Some(page) = pages.get_mut(1) {
        page.frames_not_checked = 2;
    }
    let undecided = [("color-contrast", 14), ("video-caption", 1)];
    Findings {
        engine: Engine::axe_core("4.14.1", "Chromium 156.0.7012.3"),
        pages,
        rules: undecided.map(|(id, _)| (RuleId::new(id), facts(id))).into(),
        items: vec![],
        needs_review: BTreeMap::from(undecided.map(|(id, count)| (RuleId::new(id), count))),
        stack: vec![],
        screen: None,
        ran: Some(rules_of_a_check()),
        pictures_not_stored: false,
        stopped_by_timeouts: false,
    }
}

/// What axe-core runs when nothing is asked of it: neither level AAA nor WCAG 2.2.
fn rules_of_a_check() -> BTreeSet<RuleId> {
    let runs = |entry: &RuleEntry| {
        entry.basis == Basis::WcagAAa && entry.since().is_some_and(|version| version < WcagVersion::V2_2)
    };
    catalog::rules().filter(|(_, entry)| runs(entry)).map(|(id, _)| RuleId::new(id)).collect()
}
