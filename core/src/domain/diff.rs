//! What changed between two checks of a site.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{Finding, Findings, Key, RuleId, RuleKind};
use crate::id::ScanId;

/// A completed check in numbers, with what changed since the one before. Counts problem elements only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffSummary {
    /// What it was compared with; `None` for the first completed check of a site, which has nothing new.
    pub previous: Option<PreviousScan>,
    /// Elements that the previous check did not have.
    pub new: u64,
    /// Elements of the previous check that are gone.
    pub fixed: u64,
    /// Elements that both have.
    pub remaining: u64,
    /// The fixed ones by rule, most first.
    pub fixed_rules: Vec<FixedRule>,
}

/// The completed check that another was compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreviousScan {
    /// Its id.
    pub id: ScanId,
    /// When it completed.
    pub finished_at: DateTime<Utc>,
    /// Its problem elements.
    pub total: u64,
}

/// How many elements of one rule are gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixedRule {
    /// The rule.
    pub rule: RuleId,
    /// axe-core's text for it, for rules that the catalogue does not know.
    pub help: String,
    /// Elements that are gone.
    pub count: u64,
}

impl DiffSummary {
    /// The first completed check of a site.
    pub const fn first() -> Self {
        Self { previous: None, new: 0, fixed: 0, remaining: 0, fixed_rules: Vec::new() }
    }
}

/// Compares `current` with the previous completed check and marks what is new in it, recommendations included.
///
/// Elements are matched by their tight key first and by their loose key among what is left, each element once. What
/// cannot be known is counted nowhere: earlier elements of a page that was not checked this time are not fixed, and
/// elements of a page that failed in the previous check are not new.
pub fn compare(current: &mut Findings, previous: &Findings, base: PreviousScan) -> DiffSummary {
    let checked_now: HashSet<&str> =
        current.pages.iter().filter(|page| page.is_checked()).map(|page| page.url.as_str()).collect();
    let failed_before: HashSet<&str> =
        previous.pages.iter().filter(|page| !page.is_checked()).map(|page| page.url.as_str()).collect();
    let page_of = |findings: &Findings, finding: &Finding| {
        findings.pages.get(finding.page).map_or("", |page| page.url.as_str()).to_owned()
    };

    let before: Vec<&Finding> =
        previous.items.iter().filter(|finding| checked_now.contains(page_of(previous, finding).as_str())).collect();
    let now: Vec<usize> = (0..current.items.len())
        .filter(|index| !failed_before.contains(page_of(current, &current.items[*index]).as_str()))
        .collect();

    let mut matches = Matches {
        unmatched_before: before.iter().map(|_| true).collect(),
        unmatched_now: now.iter().map(|_| true).collect(),
    };
    let keys = |pick: fn(&Finding) -> &Key| {
        (
            before.iter().map(|finding| pick(finding)).collect(),
            now.iter().map(|index| pick(&current.items[*index])).collect(),
        )
    };
    let (tight_before, tight_now) = keys(|finding| &finding.fingerprint.tight);
    matches.pair(tight_before, tight_now);
    let (loose_before, loose_now) = keys(|finding| &finding.fingerprint.loose);
    matches.pair(loose_before, loose_now);

    let is_problem = |findings: &Findings, finding: &Finding| findings.kind_of(&finding.rule) == RuleKind::Problem;
    let mut summary = DiffSummary { previous: Some(base), ..DiffSummary::first() };
    let mut fixed: BTreeMap<&RuleId, u64> = BTreeMap::new();
    for (finding, gone) in before.iter().zip(&matches.unmatched_before) {
        if *gone && is_problem(previous, finding) {
            summary.fixed += 1;
            *fixed.entry(&finding.rule).or_default() += 1;
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

    for (index, is_new) in now.into_iter().zip(matches.unmatched_now) {
        let counts = is_problem(current, &current.items[index]);
        current.items[index].is_new = is_new;
        match (counts, is_new) {
            (true, true) => summary.new += 1,
            (true, false) => summary.remaining += 1,
            (false, _) => {}
        }
    }
    summary
}

/// Which elements have found no partner yet.
struct Matches {
    unmatched_before: Vec<bool>,
    unmatched_now: Vec<bool>,
}

impl Matches {
    /// Pairs elements of equal keys, in order, as a multiset intersection.
    fn pair(&mut self, before: Vec<&Key>, now: Vec<&Key>) {
        let mut waiting: HashMap<&Key, Vec<usize>> = HashMap::new();
        for (index, key) in before.into_iter().enumerate().rev() {
            if self.unmatched_before[index] {
                waiting.entry(key).or_default().push(index);
            }
        }
        for (index, key) in now.into_iter().enumerate() {
            if !self.unmatched_now[index] {
                continue;
            }
            if let Some(partner) = waiting.get_mut(key).and_then(Vec::pop) {
                self.unmatched_before[partner] = false;
                self.unmatched_now[index] = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Engine, Failure, FailureCode, Impact, PageOutcome, RuleFacts};

    fn check(pages: &[&str], elements: &[(&str, usize, &str, &str)]) -> Findings {
        let facts = |tag: &str| RuleFacts {
            impact: Impact::Serious,
            tags: vec![tag.to_owned()],
            help: "help".to_owned(),
            description: String::new(),
            help_url: String::new(),
        };
        Findings {
            engine: Engine { axe: String::new(), browser: String::new() },
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
            stack: vec![],
            screen: None,
            pictures_not_stored: false,
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
