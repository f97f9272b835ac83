//! The comparison of two checks of a site.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap, HashSet},
    hash::Hash,
};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{Findings, Fingerprint, Key, PageOutcome, RuleId, RuleKind, page_key};
use crate::id::ScanId;

/// The numbers of a completed check and of its changes since the previous one. Only problem elements are counted,
/// including those that were left out of the report above the limit of a page.
///
/// For a check that was compared with another, the numbers add up:
///
/// - its total is `new + remaining + not_comparable_now`;
/// - the total of the previous check is `fixed + (remaining - carried) + not_comparable_before`.
///
/// Summaries that an earlier release stored have 0 in the three fields that it did not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DiffSummary {
    /// The check it was compared with; `None` for the first completed check of a site, in which nothing is new.
    pub previous: Option<PreviousScan>,
    /// The number of elements that the previous check did not have.
    pub new: u64,
    /// The number of elements of the previous check that are no longer there.
    pub fixed: u64,
    /// The number of elements that both checks have.
    pub remaining: u64,
    /// The number of [`remaining`](Self::remaining) elements on pages that the previous check did not have, which are
    /// known because their template was on another page.
    #[serde(default)]
    pub carried: u64,
    /// The number of elements of this check that may or may not be new: the previous check could not check their page,
    /// did not run their rule, or left out elements there.
    #[serde(default)]
    pub not_comparable_now: u64,
    /// The number of elements of the previous check that may or may not be fixed: this check did not check their page,
    /// did not run their rule, or left out elements there.
    #[serde(default)]
    pub not_comparable_before: u64,
    /// The fixed elements by rule, the largest count first.
    pub fixed_rules: Vec<FixedRule>,
}

/// The completed check that another was compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PreviousScan {
    /// The id of the check.
    pub id: ScanId,
    /// The instant at which it completed.
    pub finished_at: DateTime<Utc>,
    /// The number of its problem elements.
    pub total: u64,
}

impl PreviousScan {
    /// Returns the check `id`, which completed at `finished_at` with `total` problem elements.
    pub const fn new(id: ScanId, finished_at: DateTime<Utc>, total: u64) -> Self {
        Self { id, finished_at, total }
    }
}

/// The number of elements of one rule that are fixed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FixedRule {
    /// The rule.
    pub rule: RuleId,
    /// The text of axe-core about the rule, for rules that the catalogue does not know.
    pub help: String,
    /// The number of fixed elements.
    pub count: u64,
}

impl FixedRule {
    /// Returns the number of fixed elements of a rule, with the text of axe-core about it.
    pub fn new(rule: RuleId, help: impl Into<String>, count: u64) -> Self {
        Self { rule, help: help.into(), count }
    }
}

impl DiffSummary {
    /// Returns the summary of the first completed check of a site.
    pub const fn first() -> Self {
        Self {
            previous: None,
            new: 0,
            fixed: 0,
            remaining: 0,
            carried: 0,
            not_comparable_now: 0,
            not_comparable_before: 0,
            fixed_rules: Vec::new(),
        }
    }
}

/// Compares `current` with the previous completed check and marks the elements that are new in it, recommendations
/// included.
///
/// On a page that both checks have, each element is matched once, by the following keys in this order: loose and tight
/// key together, loose key, tight key, outline, content. So an element that stays is not mistaken for the neighbour
/// that moved into its place.
///
/// An element on a page that the previous check did not have is new only if its template was nowhere in that check;
/// otherwise it remains. An element about which nothing can be known is counted as not comparable, and is never new or
/// fixed.
pub fn compare(current: &mut Findings, previous: &Findings, base: PreviousScan) -> DiffSummary {
    let (is, was) = {
        let (now, before) = (Side::of(current), Side::of(previous));
        judged(&now, &before)
    };
    let mut summary = DiffSummary {
        previous: Some(base),
        not_comparable_now: left_out(current),
        not_comparable_before: left_out(previous),
        ..DiffSummary::first()
    };
    let mut fixed: BTreeMap<&RuleId, u64> = BTreeMap::new();
    for (finding, was) in previous.items.iter().zip(&was) {
        match was {
            _ if previous.kind_of(&finding.rule) != RuleKind::Problem => {}
            Fate::NotComparable => summary.not_comparable_before += 1,
            Fate::Alone => {
                summary.fixed += 1;
                *fixed.entry(&finding.rule).or_default() += 1;
            }
            Fate::Paired | Fate::Carried => {}
        }
    }
    summary.fixed_rules = fixed
        .into_iter()
        .map(|(rule, count)| FixedRule {
            rule: rule.clone(),
            help: previous.rules.get(rule).map_or_else(String::new, |facts| facts.help.clone()),
            count,
        })
        .collect();
    summary.fixed_rules.sort_by_key(|fixed| std::cmp::Reverse(fixed.count));

    for (index, is) in is.into_iter().enumerate() {
        let counts = current.kind_of(&current.items[index].rule) == RuleKind::Problem;
        current.items[index].is_new = is == Fate::Alone;
        match is {
            _ if !counts => {}
            Fate::NotComparable => summary.not_comparable_now += 1,
            Fate::Alone => summary.new += 1,
            Fate::Paired => summary.remaining += 1,
            Fate::Carried => {
                summary.remaining += 1;
                summary.carried += 1;
            }
        }
    }
    summary
}

/// Returns the elements of `previous` that [`compare`] counts as fixed in `current`, by their places in [`Findings::items`], in order.
pub fn fixed_elements(current: &Findings, previous: &Findings) -> Vec<usize> {
    let (_, was) = judged(&Side::of(current), &Side::of(previous));
    let is_fixed = |(index, fate): (usize, Fate)| {
        let is_problem = previous.kind_of(&previous.items[index].rule) == RuleKind::Problem;
        (fate == Fate::Alone && is_problem).then_some(index)
    };
    was.into_iter().enumerate().filter_map(is_fixed).collect()
}

/// Returns the number of problem elements that were left out above the limit of a page.
fn left_out(findings: &Findings) -> u64 {
    let rules = findings.pages.iter().flat_map(|page| &page.left_out);
    rules.filter(|(rule, _)| findings.kind_of(rule) == RuleKind::Problem).map(|(_, count)| u64::from(*count)).sum()
}

/// The outcome of the comparison for an element of either check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// The other check has the element.
    Paired,
    /// The element is on a page that the previous check did not have, and its template was elsewhere in it.
    Carried,
    /// The other check does not have the element.
    Alone,
    /// The other check could not see the element.
    NotComparable,
}

/// One of the two checks, prepared for the comparison.
struct Side<'a> {
    findings: &'a Findings,
    /// The [`page_key`] of each page.
    page_keys: Vec<String>,
    /// The pages by these keys; if several have the same key, one that was checked.
    pages: HashMap<String, &'a PageOutcome>,
    /// The fingerprint of each element, in the version of this release.
    keys: Vec<Cow<'a, Fingerprint>>,
}

impl<'a> Side<'a> {
    fn of(findings: &'a Findings) -> Self {
        let keys = findings.items.iter().map(|finding| {
            if finding.fingerprint.version == Fingerprint::VERSION {
                return Cow::Borrowed(&finding.fingerprint);
            }
            let page_url = findings.pages.get(finding.page).map_or("", |page| &page.url);
            Cow::Owned(Fingerprint::of(&finding.rule, page_url, &finding.selector, &finding.html))
        });
        let page_keys: Vec<String> = findings.pages.iter().map(|page| page_key(&page.url)).collect();
        let mut pages: HashMap<String, &PageOutcome> = HashMap::new();
        for (key, page) in page_keys.iter().zip(&findings.pages) {
            let known = pages.entry(key.clone()).or_insert(page);
            if !known.is_checked() {
                *known = page;
            }
        }
        Self { findings, page_keys, pages, keys: keys.collect() }
    }

    fn page_of(&self, index: usize) -> &str {
        self.page_keys.get(self.findings.items[index].page).map_or("", String::as_str)
    }

    fn rule_of(&self, index: usize) -> &'a RuleId {
        &self.findings.items[index].rule
    }

    /// Returns whether elements of this rule were left out on this page.
    fn left_out(&self, page: &str, rule: &RuleId) -> bool {
        self.pages.get(page).is_some_and(|page| page.left_out.contains_key(rule))
    }
}

/// Returns the outcome for each element of `now` and for each of `before`.
fn judged(now: &Side<'_>, before: &Side<'_>) -> (Vec<Fate>, Vec<Fate>) {
    // An element that is still `None` has no partner yet.
    let mut was: Vec<Option<Fate>> = (0..before.keys.len())
        .map(|index| {
            let is_checked = now.pages.get(before.page_of(index)).is_some_and(|page| page.is_checked());
            let can_be_seen = is_checked && now.findings.has_run(before.rule_of(index));
            (!can_be_seen).then_some(Fate::NotComparable)
        })
        .collect();
    let templates: HashSet<&Key> = before.keys.iter().map(|keys| &keys.template).collect();
    let mut is: Vec<Option<Fate>> = (0..now.keys.len())
        .map(|index| match before.pages.get(now.page_of(index)) {
            _ if !before.findings.has_run(now.rule_of(index)) => Some(Fate::NotComparable),
            Some(page) if page.is_checked() => None,
            Some(_) => Some(Fate::NotComparable),
            None if templates.contains(&now.keys[index].template) => Some(Fate::Carried),
            // The previous check may have missed a page that was already there.
            None if before.findings.stopped_by_timeouts => Some(Fate::NotComparable),
            None => Some(Fate::Alone),
        })
        .collect();
    pair(now, before, &mut is, &mut was, |keys| Some((&keys.loose, &keys.tight)));
    pair(now, before, &mut is, &mut was, |keys| Some(&keys.loose));
    pair(now, before, &mut is, &mut was, |keys| Some(&keys.tight));
    pair(now, before, &mut is, &mut was, |keys| keys.outline.as_ref());
    pair(now, before, &mut is, &mut was, |keys| keys.content.as_ref());
    // If elements were left out, the partner may be among those.
    let alone = |side: &Side<'_>, other: &Side<'_>, index: usize| {
        if other.left_out(side.page_of(index), side.rule_of(index)) { Fate::NotComparable } else { Fate::Alone }
    };
    let is =
        is.into_iter().enumerate().map(|(index, fate)| fate.unwrap_or_else(|| alone(now, before, index))).collect();
    let was =
        was.into_iter().enumerate().map(|(index, fate)| fate.unwrap_or_else(|| alone(before, now, index))).collect();
    (is, was)
}

/// Pairs elements of equal keys that have no partner yet, in order, as a multiset intersection.
fn pair<'a, K: Eq + Hash>(
    now: &'a Side<'_>,
    before: &'a Side<'_>,
    is: &mut [Option<Fate>],
    was: &mut [Option<Fate>],
    key: impl Fn(&'a Fingerprint) -> Option<K>,
) {
    let mut waiting: HashMap<K, Vec<usize>> = HashMap::new();
    for (index, keys) in before.keys.iter().enumerate().rev() {
        if was[index].is_none()
            && let Some(key) = key(keys)
        {
            waiting.entry(key).or_default().push(index);
        }
    }
    for (index, keys) in now.keys.iter().enumerate() {
        if is[index].is_none()
            && let Some(partner) = key(keys).and_then(|key| waiting.get_mut(&key)?.pop())
        {
            is[index] = Some(Fate::Paired);
            was[partner] = Some(Fate::Paired);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::{
        Failure, FailureCode, Finding, Impact, PageOutcome, RuleFacts, StandardId, Tool,
        page_address::tests::folded_by_earlier_releases,
    };

    fn check(pages: &[&str], elements: &[(&str, usize, &str, &str)]) -> Findings {
        let facts = |tag: &str| RuleFacts {
            impact: Impact::Serious,
            tags: vec![tag.to_owned()],
            help: "help".to_owned(),
            description: String::new(),
            help_url: String::new(),
        };
        Findings {
            engine: Tool::axe_core("", ""),
            pages: pages.iter().map(|url| PageOutcome::checked(*url, "")).collect(),
            rules: [("image-alt", "wcag2a"), ("label", "wcag2a"), ("region", "best-practice")]
                .map(|(rule, tag)| (RuleId::new(rule), facts(tag)))
                .into(),
            items: elements
                .iter()
                .map(|(rule, page, selector, html)| {
                    Finding::new(RuleId::new(*rule), *page, pages[*page], selector, html, "")
                })
                .collect(),
            needs_review: BTreeMap::new(),
            undecided: Vec::new(),
            undecided_reasons: BTreeMap::new(),
            stack: vec![],
            screen: None,
            ran: None,
            pictures_not_stored: false,
            stopped_by_timeouts: false,
            standard: StandardId::Wcag21Aa,
        }
    }

    fn compared(current: &mut Findings, previous: &Findings) -> (u64, u64, u64) {
        let base = PreviousScan {
            id: ScanId::generate(Utc::now()),
            finished_at: Utc::now(),
            total: previous.totals().total(),
        };
        let summary = compare(current, previous, base);
        (summary.new, summary.fixed, summary.remaining)
    }

    #[test]
    fn what_came_went_and_stayed_is_counted_and_marked() {
        let before = check(&["/"], &[("image-alt", 0, "#a", "<img src=a>"), ("label", 0, "#b", "<input name=b>")]);
        let mut now = check(&["/"], &[("image-alt", 0, "#a", "<img src=a>"), ("image-alt", 0, "#c", "<img src=c>")]);
        assert_eq!(compared(&mut now, &before), (1, 1, 1));
        assert_eq!(now.items.iter().map(|finding| finding.is_new).collect::<Vec<_>>(), [false, true]);
    }

    #[test]
    fn a_renamed_class_is_remaining_and_not_one_fixed_and_one_new() {
        let before = check(&["/"], &[("image-alt", 0, ".css-1 > img", "<img class=css-1 src=a>")]);
        let mut now = check(&["/"], &[("image-alt", 0, ".css-2 > img", "<img class=css-2 src=a>")]);
        assert_eq!(compared(&mut now, &before), (0, 0, 1));
    }

    #[test]
    fn equal_elements_are_counted_as_often_as_they_stand_there() {
        let image = ("image-alt", 0, "img", "<img>");
        let before = check(&["/"], &[image, image, image]);
        let mut now = check(&["/"], &[image]);
        assert_eq!(compared(&mut now, &before), (0, 2, 1));
    }

    #[test]
    fn a_page_that_was_not_reached_makes_its_elements_neither_fixed_nor_new() {
        let first = check(&["/", "/shop"], &[("label", 1, "#x", "<input>")]);
        let mut second = check(&["/", "/shop"], &[]);
        second.pages[1].error = Some(Failure::new(FailureCode::Timeout, ""));
        assert_eq!(compared(&mut second, &first), (0, 0, 0));
        let mut third = check(&["/", "/shop"], &[("label", 1, "#x", "<input>")]);
        assert_eq!(compared(&mut third, &second), (0, 0, 0));
        assert!(!third.items[0].is_new);
    }

    #[test]
    fn pages_that_a_stopped_check_had_not_reached_make_nothing_fixed_and_nothing_new() {
        let elements = [("image-alt", 0, "#logo", "<img src=logo>"), ("label", 1, "#x", "<input>")];
        let first = check(&["/", "/shop"], &elements);
        let mut second = check(&["/"], &elements[..1]);
        second.stopped_by_timeouts = true;
        let stopped = summary(&mut second, &first);
        assert_eq!((stopped.new, stopped.fixed, stopped.remaining, stopped.not_comparable_before), (0, 0, 1, 1));
        let mut third = check(&["/", "/shop"], &elements);
        let whole = summary(&mut third, &second);
        assert_eq!((whole.new, whole.fixed, whole.remaining, whole.not_comparable_now), (0, 0, 1, 1));
        assert!(third.items.iter().all(|item| !item.is_new));
        second.stopped_by_timeouts = false;
        assert_eq!(summary(&mut third, &second).new, 1, "a page that no check has left out is a new one");
    }

    fn summary(current: &mut Findings, previous: &Findings) -> DiffSummary {
        let base = PreviousScan {
            id: ScanId::generate(Utc::now()),
            finished_at: Utc::now(),
            total: previous.totals().total(),
        };
        compare(current, previous, base)
    }

    #[test]
    fn what_a_template_puts_on_a_new_page_is_carried_and_not_new() {
        let before = check(&["/"], &[("image-alt", 0, "#logo", "<img src=logo>")]);
        let mut now = check(
            &["/", "/news"],
            &[
                ("image-alt", 0, "#logo", "<img src=logo>"),
                ("image-alt", 1, "#logo", "<img src=logo>"),
                ("image-alt", 1, "#photo", "<img src=photo>"),
            ],
        );
        let summary = summary(&mut now, &before);
        assert_eq!((summary.new, summary.fixed, summary.remaining, summary.carried), (1, 0, 2, 1));
        assert_eq!(now.items.iter().map(|finding| finding.is_new).collect::<Vec<_>>(), [false, false, true]);
    }

    #[test]
    fn a_renamed_path_brings_nothing_new() {
        let elements = [("image-alt", 0, "#logo", "<img src=logo>"), ("label", 0, "#name", "<input name=name>")];
        let before = check(&["/p1"], &elements);
        let mut now = check(&["/q1"], &elements);
        let summary = summary(&mut now, &before);
        assert_eq!((summary.new, summary.fixed, summary.remaining, summary.carried), (0, 0, 2, 2));
        assert_eq!(summary.not_comparable_before, 2);
    }

    #[test]
    fn the_newcomer_in_a_list_is_new_and_not_the_neighbour_whose_place_it_took() {
        let item = |place: usize, text: &str| (format!("li:nth-child({place})"), format!("<b class=price>{text}</b>"));
        let list = |texts: &[&str]| -> Vec<(String, String)> {
            texts.iter().zip(1..).map(|(text, place)| item(place, text)).collect()
        };
        let of = |list: &[(String, String)]| {
            let elements: Vec<_> =
                list.iter().map(|(selector, html)| ("label", 0, selector.as_str(), html.as_str())).collect();
            check(&["/"], &elements)
        };
        let before = of(&list(&["one", "two", "three"]));
        let mut now = of(&list(&["fresh", "one", "two", "three"]));
        assert_eq!(compared(&mut now, &before), (1, 0, 3));
        assert_eq!(now.items.iter().map(|finding| finding.is_new).collect::<Vec<_>>(), [true, false, false, false]);
    }

    #[test]
    fn elements_of_a_rule_that_did_not_run_before_are_not_new() {
        let mut before = check(&["/"], &[("image-alt", 0, "#a", "<img src=a>")]);
        before.rules.remove(&RuleId::new("label"));
        before.ran = Some([RuleId::new("image-alt")].into());
        let mut now = check(&["/"], &[("image-alt", 0, "#a", "<img src=a>"), ("label", 0, "#b", "<input name=b>")]);
        let summary = summary(&mut now, &before);
        assert_eq!((summary.new, summary.remaining, summary.not_comparable_now), (0, 1, 1));
        assert!(!now.items[1].is_new);
    }

    /// Otherwise a site that changes to WCAG 2.2 would get new problems reported that were there all the time. This
    /// also holds if the previous check does not say which rules ran.
    #[test]
    fn elements_of_a_rule_that_only_the_new_standard_has_are_not_new() {
        let small = || check(&["/"], &[("target-size", 0, "#a", "<a href=a>")]);
        for ran in [None, Some([RuleId::new("image-alt")].into())] {
            let mut before = check(&["/"], &[]);
            before.ran = ran;
            let mut now = small().with_standard(StandardId::Wcag22Aa);
            now.rules.insert(RuleId::new("target-size"), RuleFacts::new(Impact::Serious, ["wcag22aa", "wcag258"]));
            let found = summary(&mut now, &before);
            assert_eq!((found.new, found.not_comparable_now), (0, 1));
            let mut back = check(&["/"], &[]);
            back.ran = before.ran;
            let gone = summary(&mut back, &now);
            assert_eq!((gone.fixed, gone.not_comparable_before), (0, 1));
        }
    }

    #[test]
    fn elements_that_were_left_out_make_none_new_and_none_fixed() {
        let label = RuleId::new("label");
        let mut before = check(&["/"], &[("label", 0, "#a", "<input name=a>"), ("label", 0, "#c", "<input name=c>")]);
        let mut now = check(&["/"], &[("label", 0, "#b", "<input name=b>"), ("label", 0, "#c", "<input name=c>")]);
        before.pages[0].left_out.insert(label.clone(), 10);
        now.pages[0].left_out.insert(label, 20);
        let summary = summary(&mut now, &before);
        assert_eq!((summary.new, summary.fixed, summary.remaining), (0, 0, 1));
        assert_eq!((summary.not_comparable_now, summary.not_comparable_before), (21, 11));
    }

    /// Returns the check as an earlier release would have stored it: folded addresses, and keys of an earlier version.
    fn stored_by_an_earlier_release(now: &Findings) -> Findings {
        let mut before = now.clone();
        for page in &mut before.pages {
            page.url = folded_by_earlier_releases(&url::Url::parse(&page.url).unwrap()).into();
        }
        for finding in &mut before.items {
            finding.fingerprint = serde_json::from_str(r#"{"tight":"00","loose":"01","template":"02"}"#).unwrap();
        }
        before
    }

    #[test]
    fn addresses_that_an_earlier_release_folded_make_nothing_new_and_nothing_fixed() {
        let pages = [
            "https://a.example/",
            "https://a.example/dir/",
            "https://a.example/caf%c3%a9/?b=%20&a=1",
            "https://a.example/~user/?utm_source=x&q=a/b",
            "https://a.example/reset/?token=abc",
        ];
        let elements: Vec<_> = (0..pages.len()).map(|page| ("image-alt", page, "#logo", "<img src=logo>")).collect();
        let mut now = check(&pages, &elements);
        let before = stored_by_an_earlier_release(&now);
        assert_ne!(before.pages[1].url, now.pages[1].url);
        let summary = summary(&mut now, &before);
        assert_eq!((summary.new, summary.fixed, summary.remaining, summary.carried), (0, 0, 5, 0));
    }

    #[test]
    fn a_masked_address_is_the_same_page_with_every_token() {
        let of = |token: &str| check(&[&format!("https://a.example/?token={token}")], &[("label", 0, "#a", "<input>")]);
        assert_eq!(compared(&mut of("two"), &of("one")), (0, 0, 1));
    }

    #[test]
    fn keys_of_an_earlier_version_are_made_again() {
        let elements = [("image-alt", 0, "#logo", "<img src=logo>")];
        let mut before = check(&["https://a.example/"], &elements);
        before.items[0].fingerprint = serde_json::from_str(r#"{"tight":"00","loose":"01","template":"02"}"#).unwrap();
        let mut now = check(&["https://a.example/"], &elements);
        assert_eq!(compared(&mut now, &before), (0, 0, 1));
    }

    proptest! {
        /// The numbers of a report add up to its totals.
        #[test]
        fn the_numbers_add_up(before in any_check(), mut now in any_check()) {
            let summary = summary(&mut now, &before);
            prop_assert_eq!(now.totals().total(), summary.new + summary.remaining + summary.not_comparable_now);
            prop_assert_eq!(
                before.totals().total(),
                summary.fixed + (summary.remaining - summary.carried) + summary.not_comparable_before
            );
            let marked = now.problems().filter(|finding| finding.is_new).count() as u64;
            prop_assert_eq!(marked, summary.new);
            prop_assert_eq!(summary.fixed_rules.iter().map(|rule| rule.count).sum::<u64>(), summary.fixed);
        }

        /// A site that did not change has nothing new and nothing fixed.
        #[test]
        fn a_check_is_equal_to_itself(before in any_check()) {
            let mut now = before.clone();
            let summary = summary(&mut now, &before);
            prop_assert_eq!((summary.new, summary.fixed, summary.carried), (0, 0, 0));
        }
    }

    /// Generates a check of up to four pages, each of which may have failed, lack rules or have left out elements.
    fn any_check() -> impl Strategy<Value = Findings> {
        const RULES: [&str; 3] = ["image-alt", "label", "region"];
        let page = (any::<bool>(), 0..3_u32);
        let pages = prop::collection::btree_map(0..6_usize, page, 1..4);
        let elements = prop::collection::vec((0..3_usize, 0..4_usize, 0..4_usize, 0..4_usize), 0..12);
        (pages, elements, prop::option::of(0..3_usize)).prop_map(|(pages, elements, lacking)| {
            let urls: Vec<String> = pages.keys().map(|number| format!("/{number}")).collect();
            let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
            let texts: Vec<(&str, usize, String, String)> = elements
                .into_iter()
                .map(|(rule, page, place, html)| {
                    (RULES[rule], page % urls.len(), format!("#e{place}"), format!("<i title={html}x>"))
                })
                .collect();
            let elements: Vec<_> =
                texts.iter().map(|(rule, page, at, html)| (*rule, *page, at.as_str(), html.as_str())).collect();
            let mut findings = check(&urls, &elements);
            for (page, (failed, left_out)) in findings.pages.iter_mut().zip(pages.into_values()) {
                if failed {
                    page.error = Some(Failure::new(FailureCode::Timeout, ""));
                } else if left_out > 0 {
                    page.left_out.insert(RuleId::new("label"), left_out);
                }
            }
            let pages = &findings.pages;
            findings.items.retain(|finding| pages[finding.page].is_checked());
            if let Some(lacking) = lacking {
                let rule = RuleId::new(RULES[lacking]);
                findings.items.retain(|finding| finding.rule != rule);
                for page in &mut findings.pages {
                    page.left_out.remove(&rule);
                }
                findings.rules.remove(&rule);
                findings.ran = Some(findings.rules.keys().cloned().collect());
            }
            findings
        })
    }

    #[test]
    fn recommendations_are_marked_and_not_counted() {
        let before = check(&["/"], &[]);
        let mut now = check(&["/"], &[("region", 0, "div", "<div>")]);
        assert_eq!(compared(&mut now, &before), (0, 0, 0));
        assert!(now.items[0].is_new);
    }

    #[test]
    fn fixed_rules_come_most_first() {
        let before = check(
            &["/"],
            &[
                ("image-alt", 0, "#a", "<img src=a>"),
                ("label", 0, "#b", "<input name=b>"),
                ("label", 0, "#c", "<input name=c>"),
            ],
        );
        let mut now = check(&["/"], &[]);
        let base = PreviousScan { id: ScanId::generate(Utc::now()), finished_at: Utc::now(), total: 3 };
        let fixed = compare(&mut now, &before, base).fixed_rules;
        assert_eq!(
            fixed.iter().map(|fixed| (fixed.rule.as_str(), fixed.count)).collect::<Vec<_>>(),
            [("label", 2), ("image-alt", 1)]
        );
    }
}
