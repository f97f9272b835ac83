//! The parts of SARIF 2.1.0 that we write, with the names of its specification.

use std::collections::BTreeMap;

use a11ycheck_core::domain::RuleId;
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct Log<'a> {
    #[serde(rename = "$schema")]
    pub(super) schema: &'static str,
    pub(super) version: &'static str,
    pub(super) runs: Vec<SarifRun<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifRun<'a> {
    pub(super) tool: Tool<'a>,
    pub(super) automation_details: Automation,
    pub(super) invocations: Vec<Invocation>,
    pub(super) column_kind: &'static str,
    pub(super) results: Vec<SarifResult<'a>>,
}

#[derive(Serialize)]
pub(super) struct Tool<'a> {
    pub(super) driver: Driver<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Driver<'a> {
    pub(super) name: &'static str,
    pub(super) semantic_version: &'a str,
    pub(super) information_uri: &'static str,
    pub(super) language: &'static str,
    pub(super) rules: Vec<Descriptor<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Descriptor<'a> {
    pub(super) id: &'a RuleId,
    pub(super) short_description: Message,
    pub(super) full_description: Message,
    pub(super) help: MultiformatMessage,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) help_uri: Option<&'a str>,
    pub(super) default_configuration: Configuration,
    pub(super) properties: RuleProperties,
}

#[derive(Serialize)]
pub(super) struct Configuration {
    pub(super) level: Level,
}

#[derive(Serialize)]
pub(super) struct RuleProperties {
    pub(super) tags: Vec<String>,
    /// GitHub's name.
    #[serde(rename = "problem.severity")]
    pub(super) problem_severity: &'static str,
}

#[derive(Serialize)]
pub(super) struct Message {
    pub(super) text: String,
}

#[derive(Serialize)]
pub(super) struct MultiformatMessage {
    pub(super) text: String,
    pub(super) markdown: String,
}

#[derive(Serialize, Clone, Copy)]
#[serde(rename_all = "camelCase")]
pub(super) enum Level {
    Error,
    Warning,
    Note,
}

#[derive(Serialize)]
pub(super) struct Automation {
    pub(super) id: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Invocation {
    pub(super) execution_successful: bool,
    pub(super) exit_code: u8,
    pub(super) tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
pub(super) struct Notification {
    pub(super) level: Level,
    pub(super) message: Message,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) locations: Vec<NotificationLocation>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NotificationLocation {
    pub(super) physical_location: Place,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Place {
    pub(super) artifact_location: ArtifactLocation,
}

/// A path relative to the root of the repository. Never an address.
#[derive(Serialize)]
pub(super) struct ArtifactLocation {
    uri: String,
}

impl ArtifactLocation {
    pub(super) fn of(path: &str) -> Self {
        Self { uri: path.to_owned() }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifResult<'a> {
    pub(super) rule_id: &'a RuleId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rule_index: Option<usize>,
    pub(super) level: Level,
    pub(super) message: Message,
    pub(super) locations: Vec<Location>,
    pub(super) partial_fingerprints: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) baseline_state: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) suppressions: Vec<Suppression>,
    pub(super) properties: ResultProperties<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ResultProperties<'a> {
    pub(super) page_url: &'a str,
    pub(super) page_title: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Location {
    pub(super) physical_location: PhysicalLocation,
    pub(super) logical_locations: Vec<LogicalLocation>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PhysicalLocation {
    pub(super) artifact_location: ArtifactLocation,
    pub(super) region: Region,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    pub(super) start_line: u32,
    pub(super) snippet: Snippet,
}

#[derive(Serialize)]
pub(super) struct Snippet {
    pub(super) text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LogicalLocation {
    pub(super) fully_qualified_name: String,
    pub(super) kind: &'static str,
}

#[derive(Serialize)]
pub(super) struct Suppression {
    pub(super) kind: &'static str,
    /// `state` in drafts before errata 01.
    pub(super) status: &'static str,
    pub(super) justification: String,
}
