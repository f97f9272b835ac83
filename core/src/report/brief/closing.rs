//! The last pages: what a person has to test, the law, and words with their meanings.

use crate::{
    catalog::{brief, terms},
    locale::Locale,
    report::{PlaceToCheck, ToCheck},
};

/// A test that a person makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct HandTest {
    /// What is tested.
    pub title: &'static str,
    /// How it is tested, and what should come out.
    pub how: &'static str,
    /// The success criteria of WCAG 2.1 that it covers.
    pub criteria: &'static [&'static str],
}

/// Elements of one rule that the engine could not decide about.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Waiting<'a> {
    /// The rule with the number of its elements, and how to tell by eye.
    pub rule: &'a ToCheck,
    /// The reasons, as far as they are known, the most frequent first: at most [`Waiting::MAX_REASONS`], and one more that
    /// counts the rest.
    pub reasons: Vec<WaitingReason<'a>>,
    /// The first places, at most [`Waiting::MAX_PLACES`].
    pub places: &'a [PlaceToCheck],
}

/// A reason why the engine could not decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct WaitingReason<'a> {
    /// The reason in a sentence, in the report's language, with `code` in backticks. Hostile in its code.
    pub text: &'a str,
    /// The number of elements.
    pub count: u64,
}

/// A word with its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Meaning {
    /// The word.
    pub word: &'static str,
    /// Its meaning, which follows a colon.
    pub meaning: &'static str,
}

impl<'a> Waiting<'a> {
    /// The greatest number of reasons that are named.
    pub const MAX_REASONS: usize = 5;
    /// The greatest number of places.
    pub const MAX_PLACES: usize = 3;

    pub(super) fn new(rule: &'a ToCheck, locale: Locale) -> Self {
        let (named, others) = rule.reasons.split_at(rule.reasons.len().min(Self::MAX_REASONS));
        let rest = others.iter().map(|reason| reason.count).sum::<u64>() + rule.other_reasons;
        let named = named.iter().map(|reason| WaitingReason { text: &reason.text, count: reason.count });
        let others = WaitingReason { text: &terms(locale).label.other_reasons, count: rest };
        Self {
            rule,
            reasons: named.chain((rest > 0).then_some(others)).collect(),
            places: rule.places.get(..Self::MAX_PLACES).unwrap_or(&rule.places),
        }
    }
}

pub(super) fn by_hand(locale: Locale) -> [HandTest; 8] {
    let words = &brief(locale).by_hand;
    let test = |title, how, criteria| HandTest { title, how, criteria };
    [
        test(&words.keyboard, &words.keyboard_how, &["2.1.1", "2.1.2", "2.4.3", "2.4.7"]),
        test(&words.zoom, &words.zoom_how, &["1.4.4", "1.4.10"]),
        test(&words.alternatives, &words.alternatives_how, &["1.1.1", "1.4.5"]),
        test(&words.captions, &words.captions_how, &["1.2.1", "1.2.2", "1.2.5"]),
        test(&words.forms, &words.forms_how, &["3.3.1", "3.3.2", "3.3.3", "4.1.3"]),
        test(&words.reading, &words.reading_how, &["1.3.1", "1.3.2", "2.4.6", "4.1.3"]),
        test(&words.links, &words.links_how, &["2.4.4", "3.2.4"]),
        test(&words.motion, &words.motion_how, &["2.2.1", "2.2.2", "2.3.1"]),
    ]
}

pub(super) fn law(locale: Locale) -> [&'static str; 3] {
    let words = &brief(locale).law;
    [&words.eaa, &words.standard, &words.advice]
}

pub(super) fn glossary(locale: Locale) -> [Meaning; 10] {
    let words = &brief(locale).glossary;
    let meaning = |word, meaning| Meaning { word, meaning };
    [
        meaning(&words.place, &words.place_means),
        meaning(&words.element, &words.element_means),
        meaning(&words.wcag, &words.wcag_means),
        meaning(&words.alternative, &words.alternative_means),
        meaning(&words.name, &words.name_means),
        meaning(&words.reader, &words.reader_means),
        meaning(&words.contrast, &words.contrast_means),
        meaning(&words.landmark, &words.landmark_means),
        meaning(&words.focus, &words.focus_means),
        meaning(&words.aria, &words.aria_means),
    ]
}
