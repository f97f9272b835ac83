//! Findings of a run, with their marks.

use a11ycheck_core::domain::{Area, AxeCheck, Fingerprint, Impact, OpenedBy, RuleId, ScreenshotRef};
use serde::{Deserialize, Serialize};

use super::Kind;

/// One element that breaks one rule, or about which the engine could not decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunFinding {
    /// The rule; its texts are in [`Run::rules`](super::Run::rules).
    pub rule: RuleId,
    /// The kind of the rule.
    pub kind: Kind,
    /// The severity of the rule.
    pub impact: Impact,
    /// The index of the page in [`Run::pages`](super::Run::pages).
    pub page: usize,
    /// The location of the element: CSS selectors, from the outermost frame or shadow host inwards, joined by a space.
    pub selector: String,
    /// The source of the element. Hostile text.
    pub html: String,
    /// What was found, in the language of the run, a line for each sentence, with `code` in backticks; empty where nothing is
    /// known in that language. Hostile in its code.
    pub message: String,
    /// The description of the failure by the engine, in English.
    pub failure_summary: String,
    /// The checks of the engine that the element did not meet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<AxeCheck>,
    /// The key under which a baseline knows the element: it has neither the host nor what a deployment changes, and stays the same
    /// when the same build is checked under another address. Not unique: elements that look alike share it.
    pub key: String,
    /// The keys by which the element is recognised in another check.
    pub keys: Fingerprint,
    /// Whether the baseline has the element.
    #[serde(default)]
    pub since: Since,
    /// The accepted finding of the configuration that the element matches; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<AcceptedBy>,
    /// The place of the element on the page in CSS pixels, if it is visible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area: Option<Area>,
    /// The picture of the element, if one was taken. It is in [`Run::pictures`](super::Run::pictures) if it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<ScreenshotRef>,
    /// The control that was pressed before the element appeared; absent for what the page shows by itself. `message` names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened_by: Option<OpenedBy>,
}

/// Whether the baseline has an element.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Since {
    /// There was no baseline to compare with.
    #[default]
    NotCompared,
    /// The baseline does not have the element.
    New,
    /// The baseline has the element.
    Known,
}

/// Why an element counts in no gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AcceptedBy {
    /// The index in [`Run::accepts`](super::Run::accepts).
    pub accept: usize,
    /// The reason: `false-positive`, `not-ours`, `planned` or `wont-fix`. Later versions may add words.
    pub reason: String,
    /// What the configuration notes about it; empty if it notes nothing.
    #[serde(default)]
    pub note: String,
}
