//! Rules of axe-core: how they are named, what breaking one means, and what axe-core says of them.

use std::{
    borrow::{Borrow, Cow},
    fmt,
};

use serde::{Deserialize, Deserializer, Serialize};

/// How hard a problem hits the people it hits; axe-core's four steps. Ordered: `Minor` is least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "axe-core's own words")]
pub enum Impact {
    Minor,
    Moderate,
    Serious,
    Critical,
}

impl Impact {
    /// All steps, the gravest first.
    pub const ALL: [Self; 4] = [Self::Critical, Self::Serious, Self::Moderate, Self::Minor];

    /// axe-core's word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Minor => "minor",
            Self::Moderate => "moderate",
            Self::Serious => "serious",
            Self::Critical => "critical",
        }
    }

    /// Reads a stored word. Findings are stored once and never written back, so one of a later release need not be kept: it is
    /// taken for moderate, as a rule is for which axe-core has no impact, which neither hides nor dramatises it.
    fn stored<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = <Cow<'de, str>>::deserialize(deserializer)?;
        Ok(Self::ALL.into_iter().find(|impact| impact.as_str() == word).unwrap_or(Self::Moderate))
    }
}

impl fmt::Display for Impact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The id of an axe-core rule, for example `color-contrast`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RuleId(String);

impl RuleId {
    /// Characters of an id that are accepted of a scanner, and of a tag.
    pub const MAX: usize = 200;

    /// Takes axe-core's id as it is.
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    /// axe-core's id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Borrow<str> for RuleId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// Whether breaking a rule breaks WCAG at level A or AA.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleKind {
    /// It does: counted in every total.
    Problem,
    /// It does not (AAA, best practice, experimental): shown apart, counted in no total.
    Recommendation,
}

/// What axe-core says of a rule, as of the version that ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleFacts {
    /// A constant of the rule in axe-core.
    #[serde(deserialize_with = "Impact::stored")]
    pub impact: Impact,
    /// axe-core's tags: `wcag2a`, `wcag143`, `EN-9.1.4.3`, `best-practice` …
    pub tags: Vec<String>,
    /// axe-core's short English text, for rules that the catalogue does not know.
    pub help: String,
    /// axe-core's longer English text, likewise.
    pub description: String,
    /// Where axe-core explains the rule; empty for a rule of another engine that is explained nowhere.
    pub help_url: String,
}

impl RuleFacts {
    /// Tags that are accepted of a scanner.
    pub const MAX_TAGS: usize = 100;
    /// Characters of each of the texts, and of the address, that are accepted of a scanner.
    pub const MAX_TEXT: usize = 2_000;

    /// Problem or recommendation: design §4. A best-practice or experimental tag outweighs a WCAG tag beside it.
    pub fn kind(&self) -> RuleKind {
        let has = |wanted: &[&str]| self.tags.iter().any(|tag| wanted.contains(&tag.as_str()));
        if has(&["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"])
            && !has(&["best-practice", "experimental", "deprecated"])
        {
            RuleKind::Problem
        } else {
            RuleKind::Recommendation
        }
    }

    /// The WCAG success criteria that the tags name, for example `1.4.3`, in the order of the tags.
    pub fn wcag(&self) -> Vec<String> {
        self.tags.iter().filter_map(|tag| criterion(tag)).collect()
    }

    /// The EN 301 549 clauses that the tags name, for example `9.1.4.3`, in the order of the tags.
    pub fn en301549(&self) -> Vec<String> {
        self.tags.iter().filter_map(|tag| tag.strip_prefix("EN-9.").map(|rest| format!("9.{rest}"))).collect()
    }
}

/// `wcag143` is 1.4.3 and `wcag1410` is 1.4.10; `wcag2a` and `wcag21aa` are levels, not criteria.
fn criterion(tag: &str) -> Option<String> {
    let digits = tag.strip_prefix("wcag")?;
    if !(3..=4).contains(&digits.len()) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(format!("{}.{}.{}", &digits[..1], &digits[1..2], &digits[2..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(tags: &[&str]) -> RuleFacts {
        RuleFacts {
            impact: Impact::Serious,
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            help: String::new(),
            description: String::new(),
            help_url: String::new(),
        }
    }

    #[test]
    fn a_wcag_a_or_aa_rule_is_a_problem_and_anything_else_a_recommendation() {
        assert_eq!(facts(&["cat.color", "wcag2aa", "wcag143"]).kind(), RuleKind::Problem);
        assert_eq!(facts(&["wcag22aa", "wcag258"]).kind(), RuleKind::Problem);
        assert_eq!(facts(&["wcag2aaa", "wcag146"]).kind(), RuleKind::Recommendation);
        assert_eq!(facts(&["cat.semantics", "best-practice"]).kind(), RuleKind::Recommendation);
        assert_eq!(facts(&["wcag2a", "wcag131", "experimental"]).kind(), RuleKind::Recommendation);
        assert_eq!(facts(&["wcag2a-obsolete"]).kind(), RuleKind::Recommendation);
    }

    #[test]
    fn criteria_and_clauses_are_read_from_tags() {
        let facts = facts(&["wcag2aa", "wcag21aa", "wcag143", "wcag1410", "EN-301-549", "EN-9.1.4.3"]);
        assert_eq!(facts.wcag(), ["1.4.3", "1.4.10"]);
        assert_eq!(facts.en301549(), ["9.1.4.3"]);
    }
}
