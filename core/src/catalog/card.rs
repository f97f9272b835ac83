//! The texts of a rule in one language.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::language::Language;
use crate::locale::Locale;

/// The card of the rule with this id; `None` for a rule that the catalogue does not know.
pub fn card(rule: &str, locale: Locale) -> Option<Card> {
    let language = Language::of(locale);
    let texts = language.cards.texts.get(rule)?;
    Some(Card {
        title: &texts.title,
        summary: &texts.summary,
        impact: &texts.impact,
        how_to_fix: &texts.how_to_fix,
        locale: language.locale,
        machine: !language.cards.reviewed,
    })
}

/// The texts of a report about one rule, in one language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Card {
    /// A name for the problem, in a few words without jargon.
    pub title: &'static str,
    /// The problem, and the reason why it matters.
    pub summary: &'static str,
    /// The effect on a visitor.
    pub impact: &'static str,
    /// Instructions for the repair.
    pub how_to_fix: &'static str,
    /// The language of the texts.
    pub locale: Locale,
    /// True if the texts are a machine draft that no person has reviewed.
    pub machine: bool,
}

/// A file of cards.
#[derive(Debug, Deserialize)]
pub(super) struct CardFile {
    reviewed: bool,
    #[serde(flatten)]
    texts: BTreeMap<String, CardTexts>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CardTexts {
    title: String,
    summary: String,
    impact: String,
    how_to_fix: String,
}
