//! Rules of axe-core: their ids, what breaking one means, and the texts of axe-core about them.

use std::{
    borrow::{Borrow, Cow},
    fmt,
};

use serde::{Deserialize, Deserializer, Serialize};

use super::{Standard, StandardId};

/// The severity of a problem for the people it affects, in the four levels of axe-core. Ordered, with `Minor` as the
/// least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Severity", extend("enum" = Self::ALL)))]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "axe-core's own words")]
pub enum Impact {
    Minor,
    Moderate,
    Serious,
    Critical,
}

impl Impact {
    /// All levels, the most severe first.
    pub const ALL: [Self; 4] = [Self::Critical, Self::Serious, Self::Moderate, Self::Minor];

    /// Returns the word that axe-core uses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Minor => "minor",
            Self::Moderate => "moderate",
            Self::Serious => "serious",
            Self::Critical => "critical",
        }
    }

    /// Deserialises a stored word. Findings are stored once and never written back, so a level of a later release need
    /// not be kept: it becomes moderate, like a rule for which axe-core has no impact, which neither hides nor
    /// exaggerates it.
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(transparent)]
pub struct RuleId(String);

impl RuleId {
    /// The greatest number of characters that are accepted from a scanner for an id or a tag.
    pub const MAX: usize = 200;

    /// Takes an id of axe-core as it is.
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    /// Returns the id as text.
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

/// The kind of a rule: whether breaking it breaks WCAG at level A or AA.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleKind {
    /// Breaking the rule breaks WCAG at level A or AA: counted in every total.
    Problem,
    /// Breaking the rule does not (AAA, best practice, experimental): shown apart, counted in no total.
    Recommendation,
}

/// The facts about a rule in the version of axe-core that ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RuleFacts {
    /// The impact, which is constant for a rule.
    #[serde(deserialize_with = "Impact::stored")]
    pub impact: Impact,
    /// The tags: `wcag2a`, `wcag143`, `EN-9.1.4.3`, `best-practice` …
    pub tags: Vec<String>,
    /// The short English text of axe-core, for rules that the catalogue does not know.
    pub help: String,
    /// The longer English text of axe-core, for rules that the catalogue does not know.
    pub description: String,
    /// The address at which axe-core explains the rule; empty for a rule of another engine without such an address.
    pub help_url: String,
}

impl RuleFacts {
    /// The greatest number of tags that are accepted from a scanner.
    pub const MAX_TAGS: usize = 100;
    /// The greatest number of characters that are accepted from a scanner for each text and for the address.
    pub const MAX_TEXT: usize = 2_000;

    /// Makes facts of the impact and the tags, which are all that a rule needs whose texts are in the catalogue.
    pub fn new(impact: Impact, tags: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let tags = tags.into_iter().map(Into::into).collect();
        Self { impact, tags, help: String::new(), description: String::new(), help_url: String::new() }
    }

    /// Sets the texts for a rule that the catalogue does not know: a short one, and a longer one.
    #[must_use]
    pub fn with_texts(self, help: impl Into<String>, description: impl Into<String>) -> Self {
        Self { help: help.into(), description: description.into(), ..self }
    }

    /// Sets the address at which the engine explains the rule.
    #[must_use]
    pub fn with_help_url(self, help_url: impl Into<String>) -> Self {
        Self { help_url: help_url.into(), ..self }
    }

    /// Returns the kind of the rule in a check against the default standard (decision 0015). A best-practice, experimental or
    /// deprecated tag outweighs a WCAG tag.
    pub fn kind(&self) -> RuleKind {
        self.kind_in(StandardId::default().effective())
    }

    /// Returns the kind of the rule in a check against this standard.
    pub fn kind_in(&self, standard: &Standard) -> RuleKind {
        let has = |wanted: &[String]| self.tags.iter().any(|tag| wanted.contains(tag));
        if has(&standard.problem_tags) && !has(&standard.outweighed_by) {
            RuleKind::Problem
        } else {
            RuleKind::Recommendation
        }
    }

    /// Returns the WCAG success criteria that the tags name, for example `1.4.3`, in the order of the tags.
    pub fn wcag(&self) -> Vec<String> {
        self.tags.iter().filter_map(|tag| criterion(tag)).collect()
    }

    /// Returns the EN 301 549 clauses that the tags name, for example `9.1.4.3`, in the order of the tags.
    pub fn en301549(&self) -> Vec<String> {
        self.tags.iter().filter_map(|tag| tag.strip_prefix("EN-9.").map(|rest| format!("9.{rest}"))).collect()
    }

    /// Returns the paragraphs of the original Section 508 standards that the tags name, for example `1194.22(a)` for
    /// `section508.22.a`, in the order of the tags.
    pub fn section508(&self) -> Vec<String> {
        let paragraph = |tag: &String| {
            let (section, letter) = tag.strip_prefix("section508.")?.split_once('.')?;
            Some(format!("1194.{section}({letter})"))
        };
        self.tags.iter().filter_map(paragraph).collect()
    }

    /// Returns the tests of Trusted Tester v5 that the tags name, for example `7.a` for `TT7.a`, in the order of the tags.
    pub fn trusted_tester(&self) -> Vec<String> {
        let starts_with_digit = |test: &&str| test.starts_with(|first: char| first.is_ascii_digit());
        self.tags.iter().filter_map(|tag| tag.strip_prefix("TT").filter(starts_with_digit).map(str::to_owned)).collect()
    }

    /// Returns the tests of RGAA 4 that the tags name, for example `1.1.1` for `RGAA-1.1.1`, in the order of the tags.
    pub fn rgaa(&self) -> Vec<String> {
        self.tags.iter().filter_map(|tag| tag.strip_prefix("RGAA-").map(str::to_owned)).collect()
    }
}

/// Returns the success criterion of a tag: `wcag143` is 1.4.3 and `wcag1410` is 1.4.10; `wcag2a` and `wcag21aa` are
/// levels, not criteria.
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

    #[test]
    fn what_other_standards_ask_is_read_from_tags() {
        let facts = facts(&["section508", "section508.22.a", "TTv5", "TT7.a", "TT7.b", "RGAAv4", "RGAA-1.1.1"]);
        assert_eq!(facts.section508(), ["1194.22(a)"]);
        assert_eq!(facts.trusted_tester(), ["7.a", "7.b"]);
        assert_eq!(facts.rgaa(), ["1.1.1"]);
    }
}
