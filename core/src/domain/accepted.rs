//! Findings that people accept: what a person has looked at and decided to leave as it is, with the reason.
//!
//! An accepted finding stays a finding: it is reported, and counted apart. What was decided ends by itself if it has a last day,
//! so that a plan is asked about again.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::{Finding, Key, PagePattern, RuleId, masked_selector};

/// The reason why a finding is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum AcceptReason {
    /// The element does not break the rule: a person has looked at it. The only reason that changes what a conformance report
    /// may say.
    FalsePositive,
    /// The element is somebody else's, who has to repair it.
    NotOurs,
    /// The repair is planned.
    Planned,
    /// The element stays as it is.
    WontFix,
}

impl AcceptReason {
    /// All reasons.
    pub const ALL: [Self; 4] = [Self::FalsePositive, Self::NotOurs, Self::Planned, Self::WontFix];

    /// Returns the word that is written for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FalsePositive => "false-positive",
            Self::NotOurs => "not-ours",
            Self::Planned => "planned",
            Self::WontFix => "wont-fix",
        }
    }
}

/// The elements that are accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AcceptedElement {
    /// The element at this selector: the whole selector of a finding, or its end after a blank or a `>`.
    Selector(String),
    /// All elements of one template, by [`Fingerprint::template`](super::Fingerprint::template): what one change of a template
    /// would repair on every page.
    Template(Key),
}

/// Findings of one rule that a person accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptedFinding {
    /// The rule.
    pub rule: RuleId,
    /// The elements.
    pub element: AcceptedElement,
    /// The pages; `None` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<PagePattern>,
    /// The reason.
    pub reason: AcceptReason,
    /// The person's note about it; empty if there is none.
    #[serde(default)]
    pub note: String,
    /// The last day on which it is accepted; `None` if it does not expire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<NaiveDate>,
}

impl AcceptedFinding {
    /// Returns whether these are findings that a person meant, on the page at this address, whether or not the acceptance has expired.
    pub fn matches(&self, finding: &Finding, page_url: &str) -> bool {
        self.rule == finding.rule
            && self.means_element(finding)
            && self.pages.as_ref().is_none_or(|pages| pages.matches(page_url))
    }

    /// Returns whether the last day has passed on `today`. On the day itself, it is still valid.
    pub fn is_expired(&self, today: NaiveDate) -> bool {
        self.until.is_some_and(|until| until < today)
    }

    fn means_element(&self, finding: &Finding) -> bool {
        match &self.element {
            AcceptedElement::Template(key) => *key == finding.fingerprint.template,
            AcceptedElement::Selector(selector) => {
                // Personal data of selectors is masked when they are taken, so it has to be here.
                let meant = masked_selector(selector.trim());
                let before = finding.selector.strip_suffix(&*meant);
                !meant.is_empty() && before.is_some_and(|rest| rest.is_empty() || rest.ends_with([' ', '>']))
            }
        }
    }
}

/// The acceptance of an element, as reports show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acceptance {
    /// The reason; `None` if this release does not know its word.
    pub reason: Option<AcceptReason>,
    /// The person's note about it; empty if there is none.
    pub note: String,
    /// The last day on which it is accepted; `None` if it does not expire.
    pub until: Option<NaiveDate>,
}

/// The accepted elements of a check, by their numbers within it: from 1, in the order of
/// [`Findings::items`](super::Findings::items).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Acceptances {
    by_number: BTreeMap<u64, Acceptance>,
}

impl Acceptances {
    /// No element is accepted.
    pub const NONE: &'static Self = &Self { by_number: BTreeMap::new() };

    /// Returns what was decided about the element with this number; `None` if it is not accepted.
    pub fn of(&self, number: u64) -> Option<&Acceptance> {
        self.by_number.get(&number)
    }

    /// Returns the number of accepted elements.
    pub fn count(&self) -> u64 {
        self.by_number.len() as u64
    }
}

impl FromIterator<(u64, Acceptance)> for Acceptances {
    fn from_iter<T: IntoIterator<Item = (u64, Acceptance)>>(elements: T) -> Self {
        Self { by_number: elements.into_iter().collect() }
    }
}

/// Returns the index of the first acceptance that is valid on `today` and matches the finding on the page at this address.
pub fn accepted_by(accepted: &[AcceptedFinding], finding: &Finding, page_url: &str, today: NaiveDate) -> Option<usize> {
    accepted.iter().position(|accepted| !accepted.is_expired(today) && accepted.matches(finding, page_url))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PAGE: &str = "https://shop.example/en/contact";

    fn finding(rule: &str, selector: &str) -> Finding {
        Finding::new(RuleId::new(rule), 0, PAGE, selector, &format!("<i id='{selector}'>"), "")
    }

    fn accepted(rule: &str, selector: &str) -> AcceptedFinding {
        AcceptedFinding {
            rule: RuleId::new(rule),
            element: AcceptedElement::Selector(selector.to_owned()),
            pages: None,
            reason: AcceptReason::Planned,
            note: String::new(),
            until: None,
        }
    }

    fn day(number: i32) -> NaiveDate {
        NaiveDate::from_num_days_from_ce_opt(700_000 + number).unwrap()
    }

    #[test]
    fn a_selector_means_the_element_itself_and_none_around_or_within_it() {
        let logo = accepted("color-contrast", "#partner-logo");
        for (selector, is_meant) in [
            ("#partner-logo", true),
            ("header > #partner-logo", true),
            ("iframe #partner-logo", true),
            ("#partner-logo > a", false),
            ("#big#partner-logo", false),
            ("#partner-logo-2", false),
        ] {
            assert_eq!(logo.matches(&finding("color-contrast", selector), PAGE), is_meant, "{selector}");
        }
        assert!(!logo.matches(&finding("link-name", "#partner-logo"), PAGE), "it is one rule that was decided about");
        assert!(!accepted("color-contrast", " ").matches(&finding("color-contrast", "a"), PAGE));
    }

    #[test]
    fn a_template_means_what_it_repeats_wherever_it_stands() {
        let of =
            |page: &str, selector: &str| Finding::new(RuleId::new("label"), 0, page, selector, "<input name=q>", "");
        let one = of("https://shop.example/a", "#a > input");
        let template = AcceptedFinding {
            element: AcceptedElement::Template(one.fingerprint.template.clone()),
            ..accepted("label", "")
        };
        assert!(template.matches(&of("https://shop.example/b", "#b > input"), "https://shop.example/b"));
        assert!(!template.matches(&finding("label", "#b > input"), PAGE));
    }

    #[test]
    fn reasons_are_written_and_read_as_the_same_words() {
        for reason in AcceptReason::ALL {
            let word = serde_json::to_string(&reason).unwrap();
            assert_eq!(word, format!("\"{}\"", reason.as_str()));
            assert_eq!(serde_json::from_str::<AcceptReason>(&word).unwrap(), reason);
        }
    }

    proptest! {
        #[test]
        fn what_has_expired_accepts_nothing_and_the_last_day_still_counts(until in -500..500_i32, today in -500..500_i32) {
            let logo = AcceptedFinding { until: Some(day(until)), ..accepted("label", "#a") };
            let is_accepted = accepted_by(&[logo], &finding("label", "#a"), PAGE, day(today)).is_some();
            prop_assert_eq!(is_accepted, today <= until);
        }

        #[test]
        fn each_further_acceptance_accepts_more_and_never_less(
            kept in prop::collection::vec(("[ab]", "#[ab]"), 0..4), added in ("[ab]", "#[ab]"), found in ("[ab]", "#[ab]"),
        ) {
            let mut list: Vec<_> = kept.iter().map(|(rule, selector)| accepted(rule, selector)).collect();
            let found = finding(&found.0, &found.1);
            let before = accepted_by(&list, &found, PAGE, day(0));
            list.push(accepted(&added.0, &added.1));
            let after = accepted_by(&list, &found, PAGE, day(0));
            prop_assert!(before.is_none() || before == after);
            prop_assert_eq!(after.is_some(), list.iter().any(|one| one.matches(&found, PAGE)));
        }

        #[test]
        fn a_pattern_of_pages_only_ever_narrows(path in "/[a-c/]{0,8}", pattern in "/[a-c*/]{0,6}") {
            let Ok(pages) = pattern.parse::<PagePattern>() else { return Ok(()) };
            let everywhere = accepted("label", "#a");
            let there = AcceptedFinding { pages: Some(pages.clone()), ..everywhere.clone() };
            let (found, page) = (finding("label", "#a"), format!("https://shop.example{path}"));
            prop_assert!(everywhere.matches(&found, &page));
            prop_assert_eq!(there.matches(&found, &page), pages.matches(&page));
        }
    }
}
