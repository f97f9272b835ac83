//! Rules of a run, with their texts.

use a11ycheck_core::domain::{Impact, RuleFacts, RuleKind, UndecidedReason};
use serde::{Deserialize, Serialize};

/// A rule that elements break, or about which the engine could not decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rule {
    /// Whether breaking it breaks WCAG at level A or AA.
    pub kind: Kind,
    /// The severity.
    pub impact: Impact,
    /// The problem in one line, in the language of the run.
    pub title: String,
    /// The explanation, in the language of the run.
    pub summary: String,
    /// The steps that fix the problem, in the language of the run.
    pub how_to_fix: String,
    /// The numbers of WCAG success criteria that the rule tests, for example `1.4.3`.
    pub wcag: Vec<String>,
    /// The number of elements that fail, those that were left out included.
    pub elements: u64,
    /// The number of elements that the engine could not judge.
    #[serde(default)]
    pub undecided: u32,
    /// Why it could not, the most frequent reason first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undecided_reasons: Vec<UndecidedReason>,
    /// The tags of the engine, for example `wcag2aa`.
    pub tags: Vec<String>,
    /// The short English text of the engine.
    pub help: String,
    /// The longer English text of the engine.
    pub description: String,
    /// The address at which the engine explains the rule; empty if there is none.
    pub help_url: String,
}

/// The kind of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Breaking the rule breaks WCAG at level A or AA: counted in totals.
    Problem,
    /// Breaking the rule does not (AAA, best practice, experimental): counted in no total.
    Recommendation,
}

impl From<RuleKind> for Kind {
    fn from(kind: RuleKind) -> Self {
        match kind {
            RuleKind::Problem => Self::Problem,
            RuleKind::Recommendation => Self::Recommendation,
        }
    }
}

impl Rule {
    /// Returns the facts about the rule as core has them.
    pub fn facts(&self) -> RuleFacts {
        RuleFacts::new(self.impact, &self.tags).with_texts(&self.help, &self.description).with_help_url(&self.help_url)
    }
}
