//! The languages of the catalogue, and the files of each.

use std::{collections::BTreeMap, sync::OnceLock};

use toml::{Table, Value};

use super::{
    brief::BriefTerms, card::CardFile, checks::CheckTexts, hand::HandTexts, spacing::with_no_breaks, terms::Terms,
    tips::TipFile,
};
use crate::locale::Locale;

/// The files of one language, as text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Files {
    pub(super) cards: &'static str,
    pub(super) checks: &'static str,
    pub(super) hand: &'static str,
    pub(super) tips: &'static str,
    pub(super) terms: &'static str,
    pub(super) wcag: &'static str,
    pub(super) brief: &'static str,
}

macro_rules! files {
    ($code:literal) => {
        Files {
            cards: include_str!(concat!("../../catalog/cards/", $code, ".toml")),
            checks: include_str!(concat!("../../catalog/checks/", $code, ".toml")),
            hand: include_str!(concat!("../../catalog/hand/", $code, ".toml")),
            tips: include_str!(concat!("../../catalog/tips/", $code, ".toml")),
            terms: include_str!(concat!("../../catalog/terms/", $code, ".toml")),
            wcag: include_str!(concat!("../../catalog/wcag/", $code, ".toml")),
            brief: include_str!(concat!("../../catalog/brief/", $code, ".toml")),
        }
    };
}

/// The files of a language. The tests prove that each is complete.
pub(super) const fn files(locale: Locale) -> Files {
    match locale {
        Locale::En => files!("en"),
        Locale::Uk => files!("uk"),
        Locale::De => files!("de"),
        Locale::Pl => files!("pl"),
        Locale::Cs => files!("cs"),
        Locale::Ro => files!("ro"),
        Locale::Ru => files!("ru"),
    }
}

/// The parsed texts of one language.
#[derive(Debug)]
pub(super) struct Language {
    pub(super) locale: Locale,
    pub(super) cards: CardFile,
    /// The sentences about axe-core's checks, by the id of the check.
    pub(super) checks: BTreeMap<String, CheckTexts>,
    pub(super) hand: HandTexts,
    pub(super) tips: TipFile,
    pub(super) terms: Terms,
    /// Names of the success criteria by number.
    pub(super) wcag: BTreeMap<String, String>,
    pub(super) brief: BriefTerms,
}

impl Language {
    /// The texts of `locale`.
    pub(super) fn of(locale: Locale) -> &'static Self {
        static LANGUAGES: [OnceLock<Language>; Locale::ALL.len()] = [const { OnceLock::new() }; Locale::ALL.len()];

        // The variants are numbered from 0, and there are as many as `ALL` holds.
        LANGUAGES[locale as usize].get_or_init(|| Self::parse(locale, files(locale)))
    }

    fn parse(locale: Locale, files: Files) -> Self {
        Self {
            locale,
            cards: read("cards", locale, files.cards),
            checks: read("checks", locale, files.checks),
            hand: read("hand", locale, files.hand),
            tips: read("tips", locale, files.tips),
            terms: Terms::new(locale, read("terms", locale, files.terms)),
            wcag: read("wcag", locale, files.wcag),
            brief: read("brief", locale, files.brief),
        }
    }
}

/// Reads a file of the catalogue, and puts no-break spaces into its texts where the typography of the language requires them.
///
/// # Panics
/// If the file does not have the form of `T`. The files are compiled in and the tests read every one of them, so that a
/// build whose tests pass never panics here.
fn read<T: serde::de::DeserializeOwned>(kind: &str, locale: Locale, text: &str) -> T {
    let parsed = text.parse().map(|table: Table| typeset(locale, Value::Table(table))).and_then(Value::try_into);
    parsed.unwrap_or_else(|error| panic!("catalog/{kind}/{locale}.toml: {error}"))
}

/// Returns the value with no-break spaces in all its texts.
fn typeset(locale: Locale, value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(with_no_breaks(locale, &text)),
        Value::Table(table) => {
            Value::Table(table.into_iter().map(|(key, value)| (key, typeset(locale, value))).collect())
        }
        other => other,
    }
}
