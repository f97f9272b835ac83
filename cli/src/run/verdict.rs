//! What was decided about a run: baseline, accepted findings, gate, exit code.

use a11ycheck_core::domain::{Impact, RuleId};
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

/// What a run ended with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Exit {
    /// The exit code: 0 if all was checked and the gate holds, 1 if the gate failed, 3 if the gate holds for what was checked, but
    /// more pages than are allowed were not checked. A run that could not be carried out (2) has no result.
    pub code: u8,
    /// True if the gate failed, whatever the code is.
    pub gate_failed: bool,
    /// The number of pages that were asked for and not checked, whatever the code is.
    pub pages_not_checked: u64,
    /// The number of pages that may remain unchecked.
    pub allowed_unchecked: u64,
}

/// What the gate decided.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Gate {
    /// The least severity of findings that count; absent if there is no gate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Impact>,
    /// True if only findings count that the baseline does not have.
    #[serde(default)]
    pub new_only: bool,
    /// The groups of findings that were counted, each with the setting that decided. Empty without a gate.
    #[serde(default)]
    pub lines: Vec<GateLine>,
}

/// A group of findings that the gate counted together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GateLine {
    /// The setting that decided, as the configuration writes it, for example `gate.max` or `gate.rules.color-contrast`.
    pub setting: String,
    /// The rule, if the setting is one of a rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleId>,
    /// The pattern of pages, if the setting is one of pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<String>,
    /// The number of findings that count.
    pub counted: u64,
    /// The greatest number that is permitted.
    pub max: u64,
}

impl GateLine {
    /// Returns whether the group keeps within its number.
    pub const fn holds(&self) -> bool {
        self.counted <= self.max
    }
}

impl Gate {
    /// Returns whether every group keeps within its number.
    pub fn holds(&self) -> bool {
        self.lines.iter().all(GateLine::holds)
    }
}

/// The comparison with the baseline.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Baseline {
    /// The file, as it was named.
    pub file: String,
    /// The number of elements that it does not have.
    pub new: u64,
    /// The number of elements that it has.
    pub known: u64,
    /// Its entries that no element matches although their pages were checked: they can be removed.
    #[serde(default)]
    pub solved: Vec<Solved>,
    /// The number of its entries whose pages were not checked in this run. They are kept.
    #[serde(default)]
    pub not_compared: u64,
}

/// An entry of the baseline that no element matches any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Solved {
    /// The rule.
    pub rule: RuleId,
    /// The page, as the baseline names it.
    pub page: String,
    /// The selector, as the baseline shortened it.
    pub selector: String,
}

/// An accepted finding of the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Accept {
    /// The rule.
    pub rule: RuleId,
    /// The selector; absent if a template is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// The key of the template; absent if a selector is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// The pattern of pages; absent if it is valid on every page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<String>,
    /// The reason: `false-positive`, `not-ours`, `planned` or `wont-fix`. Later versions may add words.
    pub reason: String,
    /// What the configuration notes about it; empty if it notes nothing.
    #[serde(default)]
    pub note: String,
    /// The last day on which it is valid; absent if it does not expire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<NaiveDate>,
    /// True if that day has passed: the findings that it matches count again.
    #[serde(default)]
    pub expired: bool,
    /// The number of findings that it matches.
    pub matched: u64,
}

/// Something that readers should know beside the findings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Notice {
    /// How much it matters.
    pub level: NoticeLevel,
    /// One English sentence that says what to do. Hostile where it quotes a page.
    pub message: String,
}

/// How much a notice matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum NoticeLevel {
    /// Something to know.
    Note,
    /// Something to correct.
    Warning,
}
