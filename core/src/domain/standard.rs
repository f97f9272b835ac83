//! The standards against which sites are checked. They are data, one file each in `core/standards/` (decision 0042).

use std::sync::LazyLock;

use serde::Deserialize;

use super::{RuleId, UnknownWord, stored_word::stored_words};

/// The standard against which a site is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[non_exhaustive]
pub enum StandardId {
    /// WCAG 2.1 AA, with the clauses of EN 301 549 v3.2.1. It is also that of checks from before standards could be chosen.
    #[default]
    Wcag21Aa,
    /// WCAG 2.2 AA, with the clauses of EN 301 549 v3.2.1.
    Wcag22Aa,
    /// EN 301 549 v4.1.1 as far as it is known to this release, with WCAG 2.2 AA.
    En301549V4,
    /// A standard of a later release.
    Unknown(UnknownWord),
}

stored_words!(StandardId {
    Wcag21Aa = "wcag21-aa",
    Wcag22Aa = "wcag22-aa",
    En301549V4 = "en301549-v4",
});

impl StandardId {
    /// Returns the standard; `None` for one of a later release.
    pub fn standard(self) -> Option<&'static Standard> {
        STANDARDS.iter().find(|standard| standard.id == self)
    }

    /// Returns the standard by which this release judges: the default one in place of one of a later release, which it
    /// cannot know.
    pub fn effective(self) -> &'static Standard {
        // A test proves that every known word has its file, the first of which is that of the default.
        self.standard().unwrap_or(&STANDARDS[0])
    }

    /// Returns the name in reports, the same in every language; the word itself for a standard of a later release.
    pub fn name(&self) -> &str {
        self.standard().map_or_else(|| self.as_str(), |standard| &standard.name)
    }

    /// Returns the standards that an operator may choose for all sites that name none.
    pub fn defaults() -> impl Iterator<Item = &'static Self> {
        Standard::all().iter().filter(|standard| standard.may_be_default).map(|standard| &standard.id)
    }

    /// Returns the standard with this word; `None` for a word that this release does not know.
    pub fn known(word: &str) -> Option<Self> {
        Self::KNOWN.iter().copied().find(|id| id.as_str() == word)
    }
}

/// A standard: what it requires, and which rules show that it is not met.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Standard {
    /// The id.
    pub id: StandardId,
    /// The name in reports, the same in every language, for example `WCAG 2.1 AA / EN 301 549 v3.2.1`.
    pub name: String,
    /// The version of WCAG whose criteria it has, for example `2.1`.
    pub wcag: String,
    /// True if an operator may make it the default of all sites.
    #[serde(rename = "default")]
    pub may_be_default: bool,
    /// Rules that run for it, and that engines leave out by default.
    pub rules_on: Vec<RuleId>,
    /// The tags that make a rule a problem: breaking it breaks the standard.
    pub problem_tags: Vec<String>,
    /// The tags that outweigh those.
    pub outweighed_by: Vec<String>,
    /// The success criteria that it requires.
    pub criteria: CriteriaByLevel,
    /// The clauses of EN 301 549 for these criteria.
    pub en301549: Clauses,
    /// The texts that the file comes from.
    pub source: Vec<StandardSource>,
}

/// The numbers of success criteria by level, in the order of WCAG.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CriteriaByLevel {
    /// Those of level A.
    pub a: Vec<String>,
    /// Those of level AA.
    pub aa: Vec<String>,
}

/// The clauses of a version of EN 301 549 for websites.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Clauses {
    /// The version, for example `v3.2.1`.
    pub version: String,
    /// The version of WCAG that clause 9 follows, for example `2.1`.
    pub wcag: String,
    /// The clauses in their order, each with its criterion.
    pub clauses: Vec<Clause>,
    /// Those among them whose numbers follow a rule and were not confirmed by the published text.
    #[serde(default)]
    pub unverified: Vec<String>,
}

/// A clause of EN 301 549 that requires a success criterion.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Clause {
    /// The number of the clause, for example `9.1.4.3`.
    pub number: String,
    /// The number of the criterion, for example `1.4.3`.
    pub criterion: String,
}

/// A text that a standard comes from.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct StandardSource {
    /// The title.
    pub title: String,
    /// The date of publication: a day, or a month.
    pub date: String,
    /// The address.
    pub url: String,
}

impl Standard {
    /// Returns every standard that this release knows, the one of old checks first.
    pub fn all() -> &'static [Self] {
        &STANDARDS
    }

    /// Returns the name of the version of EN 301 549 whose clauses are named: `EN 301 549 v3.2.1`.
    pub fn en301549_name(&self) -> String {
        format!("EN 301 549 {}", self.en301549.version)
    }

    /// Returns whether a criterion is required.
    pub fn requires(&self, criterion: &str) -> bool {
        let CriteriaByLevel { a, aa } = &self.criteria;
        a.iter().chain(aa).any(|number| number == criterion)
    }

    /// Returns the clause that requires a criterion, if one does.
    pub fn clause_of(&self, criterion: &str) -> Option<&Clause> {
        self.en301549.clauses.iter().find(|clause| clause.criterion == criterion)
    }

    /// Returns the clauses that require these criteria, in the same order.
    pub fn clauses_of(&self, criteria: &[String]) -> Vec<String> {
        criteria.iter().filter_map(|number| Some(self.clause_of(number)?.number.clone())).collect()
    }
}

static STANDARDS: LazyLock<Vec<Standard>> = LazyLock::new(|| {
    let files = [
        include_str!("../../standards/wcag21-aa.toml"),
        include_str!("../../standards/wcag22-aa.toml"),
        include_str!("../../standards/en301549-v4.toml"),
    ];
    // The files are compiled in and a test reads them: a build whose tests pass never panics here.
    files.map(|file| toml::from_str(file).unwrap_or_else(|error| panic!("core/standards: {error}"))).into()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_its_file_and_the_first_is_that_of_old_checks() {
        let ids: Vec<StandardId> = Standard::all().iter().map(|standard| standard.id).collect();
        assert_eq!(ids, StandardId::KNOWN);
        assert_eq!(ids[0], StandardId::default());
        assert!(Standard::all()[0].may_be_default);
    }

    #[test]
    fn a_standard_of_a_later_release_keeps_its_word_and_is_judged_by_the_default() {
        let later: StandardId = serde_json::from_str(r#""wcag30-silver""#).unwrap();
        assert!(later.standard().is_none());
        assert_eq!((later.name(), later.effective().id), ("wcag30-silver", StandardId::default()));
        assert_eq!(StandardId::known("wcag30-silver"), None);
    }

    #[test]
    fn clauses_follow_the_criteria_and_none_is_marked_that_is_not_there() {
        for standard in Standard::all() {
            for clause in &standard.en301549.clauses {
                assert_eq!(clause.number, format!("9.{}", clause.criterion), "{}", standard.name);
            }
            for number in &standard.en301549.unverified {
                assert!(standard.en301549.clauses.iter().any(|clause| clause.number == *number), "{number}");
            }
            assert!(!standard.source.is_empty(), "{}", standard.name);
        }
    }
}
