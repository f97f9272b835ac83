//! Findings by rule, ranked.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashSet},
};

use serde::Serialize;

use super::rank::{self, RankedRule};
use crate::{
    catalog::{criterion, describe, tip},
    domain::{Finding, Findings, Impact, Key, PageOutcome, PlatformKey, RuleId, RuleKind},
    id::ScanId,
    links::Links,
    locale::Locale,
};

/// The elements that break one rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Group {
    /// axe-core's id.
    pub rule: RuleId,
    /// How hard it hits.
    pub severity: Impact,
    /// 1 is what to fix first; recommendations follow problems in one row of numbers.
    pub rank: u64,
    /// Elements.
    pub count: u64,
    /// Of these, those that no export lists: their pages had more elements than are kept.
    pub left_out: u64,
    /// Of these, those that the previous completed check did not have.
    pub new_count: u64,
    /// What is wrong.
    pub title: String,
    /// What that means.
    pub summary: String,
    /// What it does to visitors.
    pub impact: String,
    /// Whom it shuts out.
    pub who: Vec<String>,
    /// What to do; a blank line and an example in HTML or CSS follow where one helps.
    pub how_to_fix: String,
    /// What to do on the site's platform.
    pub platform_tip: Option<String>,
    /// Whether the texts are a machine draft that no person has reviewed.
    pub machine: bool,
    /// Whether the catalogue has a card for the rule; else the texts are axe-core's own.
    pub has_card: bool,
    /// Where to read more.
    pub help: String,
    /// WCAG success criteria and EN 301 549 clauses.
    pub refs: Vec<String>,
    /// Where it happens, most elements first.
    pub pages: Vec<PageCount>,
    /// Some of the elements: one of each template first, at most [`Group::MAX_EXAMPLES`].
    pub examples: Vec<Example>,
    /// Where the examples stand on their pages.
    pub boxes: Vec<ExampleBox>,
    /// Things to fix: elements that one template repeats, on whatever pages, count once.
    pub n: u64,
}

/// Elements of a rule on one page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PageCount {
    /// The page's address.
    pub url: String,
    /// How many.
    pub count: u64,
}

/// One element.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Example {
    /// Its number within the check, from 1.
    pub id: u64,
    /// The page's address.
    pub page: String,
    /// Where on the page. Hostile text.
    pub target: String,
    /// Its source. Hostile text.
    pub html: String,
    /// axe-core's English account of what is wrong.
    pub details: Option<String>,
    /// Whether the previous completed check did not have it.
    pub is_new: bool,
    /// Its picture, which takes the same token.
    pub shot: Option<String>,
    /// In pixels.
    pub shot_width: Option<u32>,
    /// In pixels.
    pub shot_height: Option<u32>,
}

/// Where an example stands on its page, in CSS pixels from the top left corner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ExampleBox {
    /// The example's number.
    pub id: u64,
    /// From the left.
    pub x: u32,
    /// From the top.
    pub y: u32,
    /// Its width.
    pub width: u32,
    /// Its height.
    pub height: u32,
}

impl Group {
    /// Elements that a group shows in full; the exports have all of them.
    pub const MAX_EXAMPLES: usize = 10;
}

/// Problems and recommendations by rule, in the order in which to deal with them: problems first, then by severity, then
/// by count, then by the rule's id.
pub(super) fn ranked(findings: &Findings, setting: &Setting<'_>) -> (Vec<Group>, Vec<Group>) {
    let maker = Maker { findings, setting };
    let rules = rank::ranked(findings);
    let mut groups: Vec<(RuleKind, Group)> = rules.iter().map(|rule| (rule.kind, maker.group(rule))).collect();
    for (rank, (_, group)) in (1..).zip(&mut groups) {
        group.rank = rank;
    }
    let (problems, rest): (Vec<_>, Vec<_>) = groups.into_iter().partition(|(kind, _)| *kind == RuleKind::Problem);
    let bare = |groups: Vec<(RuleKind, Group)>| groups.into_iter().map(|(_, group)| group).collect();
    (bare(problems), bare(rest))
}

/// What groups need beside the findings.
pub(super) struct Setting<'a> {
    pub(super) scan: ScanId,
    pub(super) links: &'a Links,
    pub(super) locale: Locale,
    pub(super) platform: Option<&'a PlatformKey>,
}

struct Maker<'a> {
    findings: &'a Findings,
    setting: &'a Setting<'a>,
}

impl Maker<'_> {
    fn group(&self, ranked: &RankedRule<'_>) -> Group {
        let Setting { locale, platform, .. } = *self.setting;
        let RankedRule { rule, facts, elements, .. } = ranked;
        let texts = describe(rule, facts, locale);
        let tip = platform.and_then(|platform| tip(rule.as_str(), platform.as_str(), locale));
        let shown = shown(elements);
        Group {
            rule: (*rule).clone(),
            severity: facts.impact,
            rank: 0,
            count: ranked.count(),
            left_out: ranked.left_out,
            new_count: elements.iter().filter(|(_, finding)| finding.is_new).count() as u64,
            title: texts.title.to_owned(),
            summary: texts.summary.to_owned(),
            impact: texts.impact.to_owned(),
            who: texts.who.iter().map(|name| (*name).to_owned()).collect(),
            how_to_fix: texts.advice(),
            platform_tip: tip.map(str::to_owned),
            machine: texts.machine,
            has_card: texts.has_card,
            help: facts.help_url.clone(),
            refs: refs(ranked, locale),
            pages: self.page_counts(rule, elements),
            boxes: shown.iter().filter_map(|(id, finding)| example_box(*id, finding)).collect(),
            examples: shown.iter().map(|(id, finding)| self.example(*id, finding)).collect(),
            n: elements.iter().map(|(_, finding)| &finding.fingerprint.template).collect::<HashSet<_>>().len() as u64,
        }
    }

    fn page_counts(&self, rule: &RuleId, elements: &[(u64, &Finding)]) -> Vec<PageCount> {
        let left_out = |page: &PageOutcome| page.left_out.get(rule).map(|count| u64::from(*count));
        let pages = self.findings.pages.iter().enumerate();
        let mut counts: BTreeMap<usize, u64> =
            pages.filter_map(|(page, outcome)| Some((page, left_out(outcome)?))).collect();
        for (_, finding) in elements {
            *counts.entry(finding.page).or_default() += 1;
        }
        let mut pages: Vec<PageCount> =
            counts.into_iter().map(|(page, count)| PageCount { url: self.page_url(page), count }).collect();
        pages.sort_by_key(|page| Reverse(page.count));
        pages
    }

    fn example(&self, id: u64, finding: &Finding) -> Example {
        Example {
            id,
            page: self.page_url(finding.page),
            target: finding.selector.clone(),
            html: finding.html.clone(),
            details: Some(finding.failure_summary.clone()).filter(|summary| !summary.is_empty()),
            is_new: finding.is_new,
            shot: finding.screenshot.map(|_| self.setting.links.evidence(self.setting.scan, id)),
            shot_width: finding.screenshot.map(|shot| shot.width),
            shot_height: finding.screenshot.map(|shot| shot.height),
        }
    }

    fn page_url(&self, page: usize) -> String {
        self.findings.pages.get(page).map_or_else(String::new, |page| page.url.clone())
    }
}

/// One element of each template first, so that a header repeated on every page does not hide the rest.
fn shown<'a>(elements: &[(u64, &'a Finding)]) -> Vec<(u64, &'a Finding)> {
    let mut seen: HashSet<&Key> = HashSet::new();
    let (first, again): (Vec<_>, Vec<_>) =
        elements.iter().copied().partition(|(_, finding)| seen.insert(&finding.fingerprint.template));
    first.into_iter().chain(again).take(Group::MAX_EXAMPLES).collect()
}

fn example_box(id: u64, finding: &Finding) -> Option<ExampleBox> {
    finding.area.map(|area| ExampleBox { id, x: area.x, y: area.y, width: area.width, height: area.height })
}

/// Criteria with their names and levels, then clauses.
fn refs(ranked: &RankedRule<'_>, locale: Locale) -> Vec<String> {
    let in_words = |number: String| match criterion(&number) {
        Some(criterion) => format!("WCAG {number} {} ({})", criterion.name(locale), criterion.level),
        None => format!("WCAG {number}"),
    };
    let clauses = ranked.en301549().into_iter().map(|clause| format!("EN 301 549 {clause}"));
    ranked.facts.wcag().into_iter().map(in_words).chain(clauses).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Engine, PageOutcome, RuleFacts};

    fn facts(impact: Impact, tag: &str) -> RuleFacts {
        let text = |text: &str| text.to_owned();
        RuleFacts { impact, tags: vec![text(tag)], help: text("help"), description: text(""), help_url: text("") }
    }

    /// Elements as (rule, page, selector, html).
    fn grouped(elements: &[(&str, usize, &str, &str)]) -> (Vec<Group>, Vec<Group>) {
        let rules = [
            ("image-alt", facts(Impact::Critical, "wcag2a")),
            ("label", facts(Impact::Critical, "wcag2a")),
            ("color-contrast", facts(Impact::Serious, "wcag2aa")),
            ("region", facts(Impact::Critical, "best-practice")),
        ];
        let finding = |(rule, page, selector, html): &(&str, usize, &str, &str)| {
            Finding::new(RuleId::new(*rule), *page, &page.to_string(), selector, html, "")
        };
        let findings = Findings {
            engine: Engine::axe_core("", ""),
            pages: vec![
                PageOutcome::checked("https://a.example/", ""),
                PageOutcome::checked("https://a.example/b", ""),
            ],
            rules: rules.map(|(rule, facts)| (RuleId::new(rule), facts)).into(),
            items: elements.iter().map(finding).collect(),
            needs_review: BTreeMap::new(),
            stack: vec![],
            screen: None,
            ran: None,
            pictures_not_stored: false,
            stopped_by_timeouts: false,
        };
        let links = Links::new("https://a.example/v1").unwrap();
        let platform = PlatformKey::new("shopify");
        let scan = ScanId::generate(chrono::Utc::now());
        ranked(&findings, &Setting { scan, links: &links, locale: Locale::En, platform: Some(&platform) })
    }

    #[test]
    fn what_to_fix_first_has_rank_1_by_severity_then_count() {
        let contrast = ("color-contrast", 0, "p", "<p>");
        let (groups, advisory) = grouped(&[
            contrast,
            contrast,
            contrast,
            ("image-alt", 0, "img", "<img>"),
            ("label", 0, "#a", "<input>"),
            ("label", 1, "#b", "<input>"),
            ("region", 0, "div", "<div>"),
        ]);
        let order =
            |groups: &[Group]| groups.iter().map(|group| (group.rank, group.rule.to_string())).collect::<Vec<_>>();
        let row = |rank, rule: &str| (rank, rule.to_owned());
        assert_eq!(order(&groups), [row(1, "label"), row(2, "image-alt"), row(3, "color-contrast")]);
        assert_eq!(order(&advisory), [row(4, "region")]);
    }

    #[test]
    fn a_rule_is_told_in_the_catalogues_words_with_the_platforms_tip() {
        let group = grouped(&[("image-alt", 0, "img", "<img>")]).0.remove(0);
        assert!(group.has_card && !group.who.is_empty() && group.platform_tip.is_some());
        assert_ne!(group.title, "help");
        assert!(group.how_to_fix.contains("\n\n"), "{}", group.how_to_fix);
    }

    #[test]
    fn a_header_repeated_on_every_page_is_one_thing_to_fix_and_hides_nothing() {
        let mut elements = vec![("image-alt", 0, "#logo", "<img src=logo>"); 30];
        elements.push(("image-alt", 1, "#logo", "<img src=logo>"));
        elements.push(("image-alt", 1, "#chart", "<img src=chart>"));
        let group = grouped(&elements).0.remove(0);
        assert_eq!((group.count, group.n, group.examples.len()), (32, 2, Group::MAX_EXAMPLES));
        assert_eq!(group.examples[1].html, "<img src=chart>");
        assert_eq!(group.examples[1].id, 32);
        let pages: Vec<_> = group.pages.iter().map(|page| (page.url.as_str(), page.count)).collect();
        assert_eq!(pages, [("https://a.example/", 30), ("https://a.example/b", 2)]);
    }
}
