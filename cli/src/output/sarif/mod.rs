//! SARIF 2.1.0 (errata 01), as GitHub code scanning takes it.
//!
//! GitHub refuses a whole file for one address with a scheme where it wants a path, so pages are paths ([`path_of`]); their addresses
//! are in messages, logical locations and properties. Of the fingerprints it uses `primaryLocationLineHash` alone. Elements that the
//! engine could not judge are no results: a person has to look at them, and the text and the reports list them.

mod model;

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
    io::{self, Write},
};

use a11ycheck_core::domain::{Impact, RuleId};

use self::model::{
    ArtifactLocation, Automation, Descriptor, Driver, Invocation, Level, Location, Log, LogicalLocation, Message,
    MultiformatMessage, Notification, PhysicalLocation, Region, ResultProperties, RuleProperties, SarifResult,
    SarifRun, Snippet, Suppression, Tool,
};
use super::{
    json,
    path::path_of,
    safe::{clipped_line, one_line},
};
use crate::run::{Kind, NoticeLevel, Page, Rule, Run, RunFinding, Since};

/// The most results of a run that GitHub takes.
const MAX_RESULTS: usize = 25_000;
/// The most characters of a rule's texts that GitHub takes.
const MAX_RULE_TEXT: usize = 1_000;
/// The most tags of a rule that GitHub takes.
const MAX_TAGS: usize = 20;
/// The most characters of an element's source, so that [`MAX_RESULTS`] stay below 10 MB when they are compressed.
const MAX_SNIPPET: usize = 300;
/// The most characters of a message.
const MAX_MESSAGE: usize = 1_000;

pub(super) fn write(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    json::pretty(&log(run), out)
}

fn log(run: &Run) -> Log<'_> {
    let index: BTreeMap<&RuleId, usize> = run.rules.keys().enumerate().map(|(at, id)| (id, at)).collect();
    let paths: Vec<String> = run.pages.iter().map(path_of).collect();
    // Counted over all elements, so that what is left out changes no fingerprint.
    let mut seen: HashMap<(usize, &str), u32> = HashMap::new();
    let mut findings: Vec<(u32, &RunFinding)> = Vec::with_capacity(run.findings.len());
    for finding in &run.findings {
        let number = seen.entry((finding.page, &finding.key)).or_default();
        *number += 1;
        findings.push((*number, finding));
    }
    // Stable: equal ones stay in the order of the run.
    findings.sort_by_key(|(_, finding)| (finding.kind, Reverse(finding.impact)));
    let left_out = findings.len().saturating_sub(MAX_RESULTS);
    findings.truncate(MAX_RESULTS);
    let results = findings.into_iter().map(|(number, finding)| result(run, finding, number, &index, &paths));
    Log {
        schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        version: "2.1.0",
        runs: vec![SarifRun {
            results: results.collect(),
            tool: Tool {
                driver: Driver {
                    name: "a11ycheck",
                    semantic_version: &run.tools.a11ycheck.version,
                    information_uri: "https://docs.rs/a11ycheck-cli",
                    language: run.settings.locale.code(),
                    rules: run.rules.iter().map(|(id, rule)| descriptor(id, rule)).collect(),
                },
            },
            invocations: vec![Invocation {
                execution_successful: true,
                exit_code: run.exit.code,
                tool_execution_notifications: notifications(run, left_out, &paths),
            }],
            automation_details: Automation { id: "a11ycheck/" },
            column_kind: "unicodeCodePoints",
        }],
    }
}

fn descriptor<'a>(id: &'a RuleId, rule: &'a Rule) -> Descriptor<'a> {
    let bounded = |text: &str| Message { text: clipped_line(text, MAX_RULE_TEXT) };
    let standards = rule.wcag.iter().map(|number| format!("wcag/{number}"));
    let tags = std::iter::once("accessibility".to_owned()).chain(standards).chain(rule.tags.iter().cloned());
    let plain = rule.how_to_fix.replace('`', "");
    Descriptor {
        id,
        short_description: bounded(&rule.title),
        full_description: bounded(if rule.summary.is_empty() { &rule.title } else { &rule.summary }),
        help: MultiformatMessage {
            text: clipped_line(if plain.is_empty() { &rule.title } else { &plain }, MAX_RULE_TEXT),
            markdown: help(rule),
        },
        help_uri: Some(rule.help_url.as_str()).filter(|url| url.starts_with("https://")),
        default_configuration: model::Configuration { level: level(rule.kind, rule.impact) },
        properties: RuleProperties {
            tags: tags.take(MAX_TAGS).collect(),
            problem_severity: match level(rule.kind, rule.impact) {
                Level::Error => "error",
                Level::Warning => "warning",
                Level::Note => "recommendation",
            },
        },
    }
}

fn help(rule: &Rule) -> String {
    use a11ycheck_core::export::markdown::{link, prose};

    let mut parts = vec![prose(&rule.summary), prose(&rule.how_to_fix)];
    if !rule.help_url.is_empty() {
        parts.push(link(&rule.help_url));
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

fn level(kind: Kind, impact: Impact) -> Level {
    match (kind, impact) {
        (Kind::Recommendation, _) | (_, Impact::Minor) => Level::Note,
        (_, Impact::Moderate) => Level::Warning,
        (_, Impact::Serious | Impact::Critical) => Level::Error,
    }
}

fn result<'a>(
    run: &'a Run,
    finding: &'a RunFinding,
    number: u32,
    index: &BTreeMap<&RuleId, usize>,
    paths: &[String],
) -> SarifResult<'a> {
    let page = run.page_of(finding);
    let url = page.map_or("", |page| page.url.as_str());
    let title = run.rule_of(finding).map_or(finding.rule.as_str(), |rule| rule.title.as_str());
    let found = one_line(&finding.message.replace('`', ""));
    // Links in messages have brackets (3.11.6); texts of pages must make none.
    let message = format!("{title}: {found} ({url}, {})", finding.selector).replace(['[', ']'], "\u{fffd}");
    SarifResult {
        rule_id: &finding.rule,
        rule_index: index.get(&finding.rule).copied(),
        level: level(finding.kind, finding.impact),
        message: Message { text: clipped_line(&message, MAX_MESSAGE) },
        locations: vec![Location {
            physical_location: PhysicalLocation {
                artifact_location: ArtifactLocation::of(paths.get(finding.page).map_or("page", String::as_str)),
                region: Region { start_line: 1, snippet: Snippet { text: clipped_line(&finding.html, MAX_SNIPPET) } },
            },
            logical_locations: vec![LogicalLocation {
                fully_qualified_name: clipped_line(&finding.selector, MAX_SNIPPET),
                kind: "element",
            }],
        }],
        partial_fingerprints: [("primaryLocationLineHash", format!("{}:{number}", finding.key))].into(),
        baseline_state: match finding.since {
            Since::NotCompared => None,
            Since::New => Some("new"),
            Since::Known => Some("unchanged"),
        },
        suppressions: finding
            .accepted
            .iter()
            .map(|accepted| Suppression {
                kind: "external",
                status: "accepted",
                justification: justification(&accepted.reason, &accepted.note),
            })
            .collect(),
        properties: ResultProperties { page_url: url, page_title: page.map_or("", |page| page.title.as_str()) },
    }
}

fn justification(reason: &str, note: &str) -> String {
    if note.is_empty() { reason.to_owned() } else { format!("{reason}: {}", one_line(note)) }
}

fn notifications(run: &Run, left_out: usize, paths: &[String]) -> Vec<Notification> {
    let about = |level, text: &str, at: Option<&str>| Notification {
        level,
        message: Message { text: clipped_line(text, MAX_MESSAGE) },
        locations: at
            .map(|path| model::NotificationLocation {
                physical_location: model::Place { artifact_location: ArtifactLocation::of(path) },
            })
            .into_iter()
            .collect(),
    };
    let mut notifications = Vec::new();
    if left_out > 0 {
        let text = format!(
            "{left_out} findings are left out, the least severe ones: GitHub takes {MAX_RESULTS} of a run. The other formats have all."
        );
        notifications.push(about(Level::Warning, &text, None));
    }
    let not_checked = |page: &Page| page.failure.is_some() && page.linked_from.is_none();
    for (page, path) in run.pages.iter().zip(paths).filter(|(page, _)| not_checked(page)) {
        let reason = page.failure_message.as_deref().unwrap_or_default();
        notifications.push(about(
            Level::Error,
            &format!("The page {} was not checked: {reason}", page.url),
            Some(path.as_str()),
        ));
    }
    for notice in &run.notices {
        let level = if notice.level == NoticeLevel::Warning { Level::Warning } else { Level::Note };
        notifications.push(about(level, &notice.message, None));
    }
    notifications
}
