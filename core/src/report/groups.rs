//! The rules of a report, with their texts and elements.

use std::cmp::Reverse;

use super::{
    PictureId, PictureRef,
    details::details,
    prepared::{en301549, tip_for},
    thing::Thing,
};
use crate::{
    catalog::{self, Effort, Fixer, criterion, describe},
    domain::{Acceptance, Acceptances, Area, Finding, Impact, OpenedBy, PlatformKey, RuleId, RuleKind},
    locale::Locale,
    ranking::{Counted, Extract, Place, Ranked, RankedRule, RulePage, counted},
};

/// The elements that break one rule, with the texts about the rule.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Group {
    /// The id that axe-core gives the rule.
    pub rule: RuleId,
    /// The severity of the rule.
    pub severity: Impact,
    /// The rank in the order of fixing, from 1; recommendations come after all problems and continue their ranks.
    pub rank: u64,
    /// The rank of the rule whose repair clears all elements of this one, because both report the same fault; `None` if this
    /// rule has to be repaired itself (decision 0041).
    pub goes_away_with: Option<u64>,
    /// The craft that repairs it as a rule; `None` for a rule that the catalogue does not know.
    pub fixer: Option<Fixer>,
    /// The work that one place takes, as a rule; `None` for a rule that the catalogue does not know.
    pub effort: Option<Effort>,
    /// The number of elements.
    pub count: u64,
    /// The number of these that no export lists, because their pages had more elements than are kept.
    pub left_out: u64,
    /// The number of these that the previous completed check did not have.
    pub new_count: u64,
    /// The number of these that are accepted.
    pub accepted_count: u64,
    /// The number of places to fix all of whose elements are accepted.
    pub accepted_places: u64,
    /// The problem in one line.
    pub title: String,
    /// The explanation of the problem.
    pub summary: String,
    /// The effect on visitors.
    pub impact: String,
    /// The groups of people whom the problem affects.
    pub who: Vec<String>,
    /// The steps that fix the problem.
    pub how_to_fix: String,
    /// HTML or CSS that shows what to write, if that helps.
    pub example_code: Option<String>,
    /// The steps that fix the problem on the site's platform.
    pub platform_tip: Option<String>,
    /// True if the texts are a machine draft that no person has reviewed.
    pub machine: bool,
    /// True if the catalogue has a card for the rule; otherwise the texts are those of axe-core.
    pub has_card: bool,
    /// The address of further information.
    pub help: String,
    /// The WCAG success criteria and EN 301 549 clauses.
    pub refs: Vec<String>,
    /// The paragraphs of the original Section 508 standards that the engine's tags name, for example `1194.22(a)`.
    pub section508: Vec<String>,
    /// The tests of Trusted Tester v5 that the tags name, for example `7.a`.
    pub trusted_tester: Vec<String>,
    /// The tests of RGAA 4 that the tags name, for example `1.1.1`.
    pub rgaa: Vec<String>,
    /// The pages with such elements, the largest count first.
    pub pages: Vec<PageCount>,
    /// Some of the elements, beginning with one of each place to fix, and with new ones: at most [`Group::MAX_EXAMPLES`].
    pub examples: Vec<Example>,
    /// The places of the examples on their pages.
    pub boxes: Vec<ExampleBox>,
    /// The number of places to fix: elements that one change clears, on whatever pages, count once (decision 0017).
    pub n: u64,
    /// Those places, at most [`Group::MAX_PLACES`]: those with new elements first, then those with more elements.
    pub places: Vec<PlaceView>,
}

/// A place to fix.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlaceView {
    /// The number within the check, from 1, of the element that stands for the place.
    pub id: u64,
    /// The number of elements that one change clears here.
    pub count: u64,
    /// The number of these that the previous completed check did not have.
    pub new_count: u64,
    /// The number of these that are accepted.
    pub accepted_count: u64,
    /// The number of pages with such elements.
    pub pages: u64,
    /// The address of the page of the element that stands for the place.
    pub page: String,
    /// What that element is.
    pub thing: Thing,
    /// What axe-core measured, where that is what makes the place, in a form that all languages share:
    /// `#73879c / #ffffff, 3.9:1 (≥ 4.5:1)`.
    pub measured: Option<String>,
}

/// The number of elements of a rule on one page.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageCount {
    /// The address of the page.
    pub url: String,
    /// The number of elements.
    pub count: u64,
}

/// An element that is shown in full.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Example {
    /// The number of the element within the check, from 1.
    pub id: u64,
    /// The address of the page.
    pub page: String,
    /// The selector of the element. Hostile text.
    pub target: String,
    /// The source of the element. Hostile text.
    pub html: String,
    /// What was found on the element, in the language of the report, with `code` in backticks: a line for each sentence.
    /// Of checks of earlier releases it is known in part, and in English as axe-core said it. Hostile in its code.
    pub details: Option<String>,
    /// True if the previous completed check did not have the element.
    pub is_new: bool,
    /// What was decided about the element, if it is accepted.
    pub accepted: Option<Acceptance>,
    /// The picture of the element, if one was taken.
    pub picture: Option<PictureRef>,
    /// The control that was pressed before the element appeared; `None` for what the page shows by itself. `details` names it.
    pub opened_by: Option<OpenedBy>,
}

/// The place of an example on its page, in CSS pixels from the top left corner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExampleBox {
    /// The number of the example.
    pub id: u64,
    /// The distance from the left.
    pub x: u32,
    /// The distance from the top.
    pub y: u32,
    /// The width.
    pub width: u32,
    /// The height.
    pub height: u32,
}

impl Group {
    /// The greatest number of elements that a group shows in full; the exports contain all that are kept.
    pub const MAX_EXAMPLES: usize = Extract::EXAMPLES;
    /// The greatest number of places to fix that a group lists; [`Group::n`] counts them all.
    pub const MAX_PLACES: usize = Extract::PLACES;
}

/// The rules of a check as a report has them.
pub(super) struct Groups {
    pub(super) problems: Vec<Group>,
    pub(super) recommendations: Vec<Group>,
    /// The number of elements of each place of the problems.
    pub(super) place_counts: Vec<u64>,
}

/// What the groups of a report are made from.
#[derive(Debug, Clone, Copy)]
pub(super) struct GroupSources<'a> {
    pub(super) ranked: &'a Ranked<'a>,
    pub(super) accepted: &'a Acceptances,
    pub(super) platform: Option<&'a PlatformKey>,
    pub(super) locale: Locale,
}

impl GroupSources<'_> {
    /// Returns the address of a page; empty if the check has no such page.
    fn page_url(&self, page: usize) -> &str {
        self.ranked.findings.pages.get(page).map_or("", |page| &page.url)
    }
}

/// Returns problems and recommendations by rule, in the order in which they should be fixed.
pub(super) fn groups(sources: GroupSources<'_>) -> Groups {
    let mut groups = Groups { problems: Vec::new(), recommendations: Vec::new(), place_counts: Vec::new() };
    for rule in &sources.ranked.rules {
        let counted = counted(rule.seen.iter().copied(), sources.accepted);
        let group = Group::new(rule, &counted, sources);
        match rule.kind {
            RuleKind::Problem => {
                groups.place_counts.extend(counted.iter().map(|place| place.count));
                groups.problems.push(group);
            }
            RuleKind::Recommendation => groups.recommendations.push(group),
        }
    }
    groups
}

impl Group {
    fn new(rule: &RankedRule<'_>, counted: &[Counted], sources: GroupSources<'_>) -> Self {
        let GroupSources { ranked, platform, locale, .. } = sources;
        let (texts, shown) =
            (describe(rule.rule, rule.facts, locale), ranked.examples(rule, counted, Self::MAX_EXAMPLES));
        let places = ranked.places(counted, Self::MAX_PLACES);
        let entry = catalog::rule(rule.rule.as_str());
        let is_accepted = |place: &&Counted| place.accepted_count == place.count;
        Self {
            rule: rule.rule.clone(),
            severity: rule.facts.impact,
            rank: rule.rank,
            goes_away_with: rule.goes_away_with,
            fixer: entry.map(|entry| entry.fixer),
            effort: entry.map(|entry| entry.effort),
            count: rule.count(),
            left_out: rule.left_out,
            new_count: counted.iter().map(|place| place.new_count).sum(),
            accepted_count: counted.iter().map(|place| place.accepted_count).sum(),
            accepted_places: counted.iter().filter(is_accepted).count() as u64,
            title: texts.title.to_owned(),
            summary: texts.summary.to_owned(),
            impact: texts.impact.to_owned(),
            who: texts.who.iter().map(|name| (*name).to_owned()).collect(),
            how_to_fix: texts.how_to_fix.to_owned(),
            example_code: texts.example.map(str::to_owned),
            platform_tip: tip_for(rule.rule, platform, locale).map(str::to_owned),
            machine: texts.machine,
            has_card: texts.has_card,
            help: rule.facts.help_url.clone(),
            refs: refs(rule, sources),
            section508: rule.facts.section508(),
            trusted_tester: rule.facts.trusted_tester(),
            rgaa: rule.facts.rgaa(),
            pages: page_counts(rule, sources),
            boxes: shown.iter().filter_map(|(id, finding)| Some(example_box(*id, finding.area?))).collect(),
            examples: shown.iter().map(|(id, finding)| Example::of(*id, finding, sources)).collect(),
            n: counted.len() as u64,
            places: places.iter().map(|place| PlaceView::of(place, sources)).collect(),
        }
    }
}

impl PlaceView {
    /// Returns whether every element of the place is accepted, so that there is nothing to do.
    pub const fn is_accepted(&self) -> bool {
        self.count > 0 && self.accepted_count == self.count
    }

    fn of(place: &Place<'_>, sources: GroupSources<'_>) -> Self {
        let (id, shown) = place.shown;
        Self {
            id,
            page: sources.page_url(shown.page).to_owned(),
            thing: Thing::of(&shown.html),
            count: place.count,
            new_count: place.new_count,
            accepted_count: place.accepted_count,
            pages: place.pages,
            measured: place.measured().map(|values| values.to_string()),
        }
    }
}

impl Example {
    fn of(id: u64, finding: &Finding, sources: GroupSources<'_>) -> Self {
        Self {
            id,
            page: sources.page_url(finding.page).to_owned(),
            target: finding.selector.clone(),
            html: finding.html.clone(),
            details: details(finding, sources.locale).map(|details| details.to_string()),
            is_new: finding.is_new,
            accepted: sources.accepted.of(id).cloned(),
            picture: finding.screenshot.map(|shot| PictureRef::of(PictureId::Example(id), shot)),
            opened_by: finding.opened_by.clone(),
        }
    }
}

fn page_counts(rule: &RankedRule<'_>, sources: GroupSources<'_>) -> Vec<PageCount> {
    let count = |page: &RulePage| PageCount { url: sources.page_url(page.page).to_owned(), count: page.count() };
    let mut pages: Vec<PageCount> = rule.pages.iter().map(count).collect();
    pages.sort_by_key(|page| Reverse(page.count));
    pages
}

pub(super) const fn example_box(id: u64, area: Area) -> ExampleBox {
    ExampleBox { id, x: area.x, y: area.y, width: area.width, height: area.height }
}

/// Returns the criteria with their names and levels, then the clauses.
fn refs(rule: &RankedRule<'_>, sources: GroupSources<'_>) -> Vec<String> {
    let in_words = |number: &String| match criterion(number) {
        Some(criterion) => format!("WCAG {number} {} ({})", criterion.name(sources.locale), criterion.level),
        None => format!("WCAG {number}"),
    };
    let standard = sources.ranked.findings.standard.effective();
    let clauses = en301549(rule.rule, rule.facts, standard).into_iter().map(|clause| format!("EN 301 549 {clause}"));
    rule.facts.wcag().iter().map(in_words).chain(clauses).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::domain::{Findings, PageOutcome, PlatformKey, RuleFacts, SiteDetails, SiteUrl, StandardId, Tool};

    fn facts(impact: Impact, tag: &str) -> RuleFacts {
        let text = |text: &str| text.to_owned();
        RuleFacts { impact, tags: vec![text(tag)], help: text("help"), description: text(""), help_url: text("") }
    }

    /// Returns the problems and recommendations for elements given as (rule, page, selector, html).
    fn grouped(elements: &[(&str, usize, &str, &str)]) -> (Vec<Group>, Vec<Group>) {
        let rules = [
            ("image-alt", facts(Impact::Critical, "wcag2a")),
            ("label", facts(Impact::Critical, "wcag2a")),
            ("color-contrast", facts(Impact::Serious, "wcag2aa")),
            ("region", facts(Impact::Critical, "best-practice")),
            ("aria-required-parent", facts(Impact::Critical, "wcag2a")),
            ("aria-required-children", facts(Impact::Critical, "wcag2a")),
            ("listitem", facts(Impact::Serious, "wcag2a")),
            ("list", facts(Impact::Minor, "wcag2a")),
        ];
        let finding = |(rule, page, selector, html): &(&str, usize, &str, &str)| {
            Finding::new(RuleId::new(*rule), *page, &page.to_string(), selector, html, "")
        };
        let findings = Findings {
            engine: Tool::axe_core("", ""),
            pages: vec![
                PageOutcome::checked("https://a.example/", ""),
                PageOutcome::checked("https://a.example/b", ""),
            ],
            rules: rules.map(|(rule, facts)| (RuleId::new(rule), facts)).into(),
            items: elements.iter().map(finding).collect(),
            needs_review: BTreeMap::new(),
            undecided: Vec::new(),
            undecided_reasons: BTreeMap::new(),
            stack: vec![],
            screen: None,
            ran: None,
            pictures_not_stored: false,
            stopped_by_timeouts: false,
            standard: StandardId::Wcag21Aa,
        };
        let site = SiteDetails {
            url: SiteUrl::parse("https://a.example").unwrap(),
            name: None,
            report_locale: Locale::En,
            platform: None,
            stack: vec![PlatformKey::new("shopify")],
            tags: vec![],
            standard: None,
        };
        let platform = super::super::prepared::platform(&site, &findings);
        let (ranked, accepted) = (&Ranked::of(&findings), Acceptances::NONE);
        let Groups { problems, recommendations, .. } =
            groups(GroupSources { ranked, accepted, platform, locale: Locale::En });
        (problems, recommendations)
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
        assert!(!group.how_to_fix.contains("\n\n") && group.example_code.is_some(), "{}", group.how_to_fix);
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

    #[test]
    fn one_fault_of_a_tab_list_is_one_rule_to_repair_and_no_element_that_would_remain_is_hidden() {
        let link = |number: u32| format!("<a href=\"#{number}\" role=tab>Tab {number}</a>");
        let item = |number: u32| format!("<li class=nav-item>\n  {}\n</li>", link(number));
        let (links, items) = ([1, 2].map(link), [1, 2].map(item));
        let tabs = [
            ("aria-required-parent", 0, "a[href$=\"#1\"]", links[0].as_str()),
            ("aria-required-parent", 0, "a[href$=\"#2\"]", &links[1]),
            ("aria-required-children", 0, ".nav", "<ul class=nav role=tablist>"),
            ("listitem", 0, ".nav > .nav-item:nth-child(1)", &items[0]),
            ("listitem", 0, ".nav > .nav-item:nth-child(2)", &items[1]),
        ];
        let away = |elements: &[(&str, usize, &str, &str)]| {
            let groups = grouped(elements).0;
            groups.iter().map(|group| (group.rule.to_string(), group.goes_away_with)).collect::<Vec<_>>()
        };
        let row = |rule: &str, with| (rule.to_owned(), with);
        let one_fault =
            [row("aria-required-parent", None), row("aria-required-children", Some(1)), row("listitem", Some(1))];
        assert_eq!(away(&tabs), one_fault);
        // One item elsewhere has nothing to do with the tabs: its rule has to be repaired itself.
        let with_another = [&tabs[..], &[("listitem", 1, "li", "<li>One</li>")]].concat();
        assert!(away(&with_another).contains(&row("listitem", None)));
        // A list beside them has a fault of its own, and a picture without a name is none of structure.
        let beside = [&tabs[..], &[("list", 0, "#menu", "<ul id=menu><div></div></ul>")]].concat();
        assert!(away(&beside).contains(&row("list", None)));
        let named = [("label", 0, "#a", "<input>"), ("image-alt", 0, "#b", "<img>")];
        assert!(away(&named).iter().all(|(_, with)| with.is_none()));
        assert_eq!(
            away(&[("label", 0, "#a", "<input type=image>"), ("image-alt", 0, "#a", "<input type=image>")])[1].1,
            Some(1)
        );
    }
}
