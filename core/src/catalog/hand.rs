//! What a person tests because no program can.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

use super::{checks::way_to_decide, criterion, language::Language, wcag::Criterion};
use crate::locale::Locale;

/// Returns how a person decides about an element when this check of axe-core could not: one sentence, with `code` in
/// backticks. A check that the catalogue does not know has the general advice.
pub fn by_eye(check: &str, locale: Locale) -> &'static str {
    let texts = &Language::of(locale).hand.by_eye;
    // Tests prove that every language has each way that a check names, and the general one.
    let way = way_to_decide(check).and_then(|way| texts.get(way)).or_else(|| texts.get(GENERAL));
    way.map_or("", String::as_str)
}

/// Returns the parts of an hour in which a person tests the most important pages of a site, in the order in which to do them.
pub fn hand_steps() -> &'static [HandStep] {
    &STEPS
}

/// The way to decide about elements of checks that have no way of their own.
const GENERAL: &str = "other";

/// A part of an hour of testing by hand.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct HandStep {
    /// The id, for example `keyboard`.
    pub id: String,
    /// How long it takes, in minutes.
    pub minutes: u32,
    /// The numbers of the success criteria that it answers, in the order of the standard.
    criteria: Vec<String>,
}

impl HandStep {
    /// Returns its name.
    pub fn title(&self, locale: Locale) -> &'static str {
        self.texts(locale).map_or("", |texts| &texts.title)
    }

    /// Returns what to do, and what is right.
    pub fn how(&self, locale: Locale) -> &'static str {
        self.texts(locale).map_or("", |texts| &texts.how)
    }

    /// Returns the success criteria that it answers, in the order of the standard.
    pub fn criteria(&self) -> impl Iterator<Item = &'static Criterion> {
        // A test proves that every number leads to a criterion.
        self.criteria.iter().filter_map(|number| criterion(number))
    }

    fn texts(&self, locale: Locale) -> Option<&'static StepTexts> {
        // A test proves that every language has texts for every step.
        Language::of(locale).hand.step.get(&self.id)
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct HandFile {
    step: Vec<HandStep>,
}

static STEPS: LazyLock<Vec<HandStep>> = LazyLock::new(|| {
    // The file is compiled in and the tests below read it: a build whose tests pass never panics here.
    let file: HandFile = toml::from_str(include_str!("../../catalog/hand.toml"))
        .unwrap_or_else(|error| panic!("catalog/hand.toml: {error}"));
    file.step
});

/// The texts of one language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HandTexts {
    by_eye: BTreeMap<String, String>,
    step: BTreeMap<String, StepTexts>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StepTexts {
    title: String,
    how: String,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::catalog::{Level, check_messages, criteria};

    #[test]
    fn every_criterion_that_a_site_has_to_meet_is_part_of_the_hour_once() {
        let wanted: BTreeSet<&str> = criteria()
            .iter()
            .filter(|criterion| criterion.level != Level::Aaa && criterion.dropped.is_none())
            .map(|criterion| criterion.number.as_str())
            .collect();
        let found: Vec<&str> = hand_steps().iter().flat_map(|step| &step.criteria).map(String::as_str).collect();
        assert_eq!(found.len(), wanted.len());
        assert_eq!(found.iter().copied().collect::<BTreeSet<_>>(), wanted);
        for step in hand_steps() {
            assert_eq!(step.criteria().count(), step.criteria.len(), "{}", step.id);
        }
        assert_eq!(hand_steps().iter().map(|step| step.minutes).sum::<u32>(), 60);
    }

    #[test]
    fn every_step_and_every_way_to_decide_has_its_texts_in_every_language() {
        for locale in Locale::ALL {
            let texts = &Language::of(locale).hand;
            for step in hand_steps() {
                assert!(!step.title(locale).is_empty() && !step.how(locale).is_empty(), "{locale} {}", step.id);
            }
            assert_eq!(texts.step.len(), hand_steps().len(), "{locale}");
            let ways: BTreeSet<&str> = check_messages().filter_map(|(check, ..)| way_to_decide(check)).collect();
            for way in ways.iter().chain([&GENERAL]) {
                assert!(texts.by_eye.contains_key(*way), "{locale} {way}");
            }
            assert_eq!(texts.by_eye.len(), ways.len() + 1, "{locale}: a way that no check has");
        }
        assert!(by_eye("color-contrast", Locale::De).contains("Kontrastprüfer"));
        assert_eq!(by_eye("a-check-of-tomorrow", Locale::En), by_eye("exists-not", Locale::En));
    }
}
