//! The success criteria of WCAG.

use std::{fmt, sync::LazyLock};

use serde::Deserialize;

use super::language::Language;
use crate::locale::Locale;

/// Returns the criterion with this number, for example `1.4.3`.
pub fn criterion(number: &str) -> Option<&'static Criterion> {
    criteria().iter().find(|criterion| criterion.number == number)
}

/// Returns every criterion of WCAG 2.0, 2.1 and 2.2, in the order of the standard.
pub fn criteria() -> &'static [Criterion] {
    &CRITERIA
}

/// A success criterion.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Criterion {
    /// The number, for example `1.4.3`.
    pub number: String,
    /// The level of conformance that requires it.
    pub level: Level,
    /// The version that introduced it.
    pub since: WcagVersion,
    /// The version that removed it, if one did.
    pub dropped: Option<WcagVersion>,
}

impl Criterion {
    /// Returns its name: the official one where the language has an official translation.
    pub fn name(&self, locale: Locale) -> &'static str {
        // A test proves that every language names every criterion.
        Language::of(locale).wcag.get(&self.number).map_or("", String::as_str)
    }

    /// Returns whether this version of the standard has it.
    pub fn is_in(&self, version: WcagVersion) -> bool {
        self.since <= version && self.dropped.is_none_or(|dropped| version < dropped)
    }

    /// Returns whether EN 301 549 v3.2.1 requires it, as clause `9.` and its number: levels A and AA of WCAG 2.1.
    pub fn is_in_en301549(&self) -> bool {
        self.level != Level::Aaa && self.is_in(WcagVersion::V2_1)
    }
}

/// A level of conformance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[expect(missing_docs, reason = "the standard's own names")]
pub enum Level {
    A,
    Aa,
    Aaa,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::A => "A",
            Self::Aa => "AA",
            Self::Aaa => "AAA",
        })
    }
}

/// A version of WCAG, the oldest least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[expect(missing_docs, reason = "the standard's own numbers")]
pub enum WcagVersion {
    #[serde(rename = "2.0")]
    V2_0,
    #[serde(rename = "2.1")]
    V2_1,
    #[serde(rename = "2.2")]
    V2_2,
}

impl fmt::Display for WcagVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::V2_0 => "2.0",
            Self::V2_1 => "2.1",
            Self::V2_2 => "2.2",
        })
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CriterionFile {
    criterion: Vec<Criterion>,
}

static CRITERIA: LazyLock<Vec<Criterion>> = LazyLock::new(|| {
    // The file is compiled in and the tests below read it: a build whose tests pass never panics here.
    let file: CriterionFile = toml::from_str(include_str!("../../catalog/wcag.toml"))
        .unwrap_or_else(|error| panic!("catalog/wcag.toml: {error}"));
    file.criterion
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_version_has_as_many_criteria_of_each_level_as_the_standard() {
        let count = |version, level| {
            criteria().iter().filter(|criterion| criterion.is_in(version) && criterion.level == level).count()
        };
        let counts = |version| [count(version, Level::A), count(version, Level::Aa), count(version, Level::Aaa)];
        assert_eq!(counts(WcagVersion::V2_0), [25, 13, 23]);
        assert_eq!(counts(WcagVersion::V2_1), [30, 20, 28]);
        assert_eq!(counts(WcagVersion::V2_2), [31, 24, 31]);
    }

    #[test]
    fn criteria_stand_in_the_order_of_the_standard_each_once() {
        let numbers: Vec<Vec<u32>> = criteria()
            .iter()
            .map(|criterion| criterion.number.split('.').map(|part| part.parse().unwrap()).collect())
            .collect();
        assert!(numbers.is_sorted_by(|earlier, later| earlier < later));
    }

    #[test]
    fn a_criterion_is_found_by_its_number() {
        let contrast = criterion("1.4.3").unwrap();
        assert_eq!((contrast.level, contrast.since), (Level::Aa, WcagVersion::V2_0));
        assert_eq!(contrast.name(Locale::En), "Contrast (Minimum)");
        assert!(!criterion("4.1.1").unwrap().is_in(WcagVersion::V2_2));
        assert!(criterion("1.4.1").is_some_and(|criterion| criterion.number == "1.4.1"));
        assert!(criterion("9.9.9").is_none());
    }
}
