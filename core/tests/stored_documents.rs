//! Every type that is read from what is stored reads past fields of a later release, and what is written back keeps them.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

use std::{collections::BTreeSet, fmt::Debug, fs, path::Path};

use a11ycheck_core::domain::{Failure, Findings, Outcome, Plan};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

/// Documents that are read and written back.
const WRITTEN_BACK: [&str; 1] = ["Plan"];
/// Documents that are stored once and only read from then on.
const STORED_ONCE: [&str; 3] = ["Failure", "Findings", "Outcome"];
/// What these consist of. A part of what is written back carries `UnknownFields` of its own.
const PARTS: [&str; 14] = [
    "Area",
    "DiffSummary",
    "Engine",
    "Features",
    "Finding",
    "Fingerprint",
    "FixedRule",
    "Limits",
    "PageOutcome",
    "PreviousScan",
    "RuleFacts",
    "ScreenshotRef",
    "Totals",
    "UncheckedFrame",
];
/// Single values: texts and numbers. Enums that are stored as words are not among them, as `stored_words!` reads those.
const VALUES: [&str; 9] =
    ["Impact", "IsoDuration", "Key", "PlanCode", "PlatformKey", "RuleId", "RuleKind", "ScreenshotId", "SiteUrl"];
/// What reads the operator's file, and is strict: nothing of it is stored.
const OPERATORS_FILE: [&str; 5] = ["PlanEntry", "FeaturesEntry", "LimitsEntry", "FrequencyEntry", "File"];

/// Adds a field to every object of a document, but for those whose keys are ids of rules.
fn add_fields(value: &mut Value, is_by_rule: bool) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields.iter_mut() {
                add_fields(value, matches!(name.as_str(), "rules" | "needs_review" | "left_out"));
            }
            if !is_by_rule {
                fields.insert("later".to_owned(), json!({"deep": [1, null, "later"]}));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| add_fields(item, false)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn later(document: &Value) -> Value {
    let mut later = document.clone();
    add_fields(&mut later, false);
    later
}

/// Reads past the fields of a later release.
fn is_read<T: Serialize + DeserializeOwned + PartialEq + Debug>(document: &Value) {
    let known: T = serde_json::from_value(document.clone()).unwrap();
    assert_eq!(serde_json::to_value(&known).unwrap(), *document, "the example has every field");
    assert_eq!(serde_json::from_value::<T>(later(document)).unwrap(), known);
}

/// Keeps them as well.
fn is_kept<T: Serialize + DeserializeOwned>(document: &Value) {
    let later = later(document);
    let read: T = serde_json::from_value(later.clone()).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), later);
}

fn failure() -> Value {
    json!({
        "code": "tls", "message": "It has expired.", "cause": "certificate_expired", "redirected_to": "www.a.example",
    })
}

fn plan() -> Value {
    json!({
        "code": "pro",
        "name": "Pro",
        "features": {
            "api": true, "exports": true, "white_label": false, "statement_drafts": false, "acr_drafts": false,
        },
        "limits": {
            "sites": 15, "pages_per_check": 100, "check_frequency": "weekly", "history_months": 12, "seats": 3,
            "manual_check_interval": "PT1H", "requests_per_minute": 60, "files_per_minute": 20,
        },
    })
}

fn outcome() -> Value {
    json!({
        "pages_scanned": 2,
        "totals": {"critical": 1, "serious": 2, "moderate": 3, "minor": 4},
        "diff": {
            "previous": {"id": "scan_01M2CV1Z000000000000000000", "finished_at": "2027-06-01T09:00:00Z", "total": 9},
            "new": 1,
            "fixed": 2,
            "remaining": 3,
            "carried": 1,
            "not_comparable_now": 4,
            "not_comparable_before": 5,
            "fixed_rules": [{"rule": "label", "help": "Labels", "count": 2}],
        },
        "engine": {"axe": "4.11", "browser": "Chromium"},
    })
}

fn findings() -> Value {
    json!({
        "engine": {"axe": "4.11", "browser": "Chromium"},
        "pages": [
            {"url": "https://a.example/", "title": "A", "error": null, "frames_not_checked": 0, "left_out": {"label": 3}},
            {"url": "https://a.example/b", "title": "", "error": failure(), "frames_not_checked": 1, "left_out": {},
             "unchecked_frames": [{"url": "https://ads.example/", "reason": "timeout"}], "still_changing": true,
             "unanswered": ["https://tracker.example/t.js"]},
        ],
        "rules": {
            "label": {
                "impact": "serious", "tags": ["wcag2a"], "help": "Labels", "description": "Labels", "help_url": "https://r.example",
            },
        },
        "items": [{
            "rule": "label",
            "page": 0,
            "selector": "#a",
            "html": "<input id=a>",
            "failure_summary": "Add a label.",
            "fingerprint": {"version": 2, "tight": "00", "loose": "01", "outline": "03", "template": "02"},
            "area": {"x": 1, "y": 2, "width": 3, "height": 4},
            "screenshot": {"id": 1, "width": 3, "height": 4},
            "is_new": true,
        }],
        "needs_review": {"label": 2},
        "stack": ["shopify"],
        "screen": [1280, 720],
        "ran": ["image-alt", "label"],
    })
}

#[test]
fn what_is_stored_once_is_read_whatever_a_later_release_has_added() {
    is_read::<Failure>(&failure());
    is_read::<Outcome>(&outcome());
    is_read::<Findings>(&findings());
}

#[test]
fn what_is_written_back_keeps_what_a_later_release_has_added() {
    let known: Plan = serde_json::from_value(plan()).unwrap();
    assert_eq!(serde_json::to_value(known).unwrap(), plan(), "the example has every field");
    is_kept::<Plan>(&plan());
}

#[test]
fn a_severity_of_a_later_release_is_neither_hidden_nor_an_error() {
    let mut document = findings();
    document["rules"]["label"]["impact"] = json!("blocker");
    let read: Findings = serde_json::from_value(document).unwrap();
    assert_eq!((read.totals().moderate, read.totals().total()), (4, 4));
}

/// Who makes another type readable by serde decides here whether it is stored, and how.
#[test]
fn every_type_that_serde_reads_is_listed() {
    let listed: BTreeSet<&str> =
        [&WRITTEN_BACK[..], &STORED_ONCE, &PARTS, &VALUES, &OPERATORS_FILE].into_iter().flatten().copied().collect();
    let mut found = BTreeSet::new();
    let domain = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/domain");
    let paths = |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let files = paths(&domain).into_iter().flat_map(|path| if path.is_dir() { paths(&path) } else { vec![path] });
    for file in files {
        let text = fs::read_to_string(file).unwrap();
        for (derive, _) in text.match_indices("#[derive(") {
            let rest = &text[derive..];
            let is_read = rest[..rest.find(")]").unwrap()].contains("Deserialize");
            let names = ["struct ", "enum "].into_iter().filter_map(|item| Some((rest.find(item)?, item.len())));
            let (at, length) = names.min().unwrap();
            let name = rest[at + length..].split(|c: char| !c.is_alphanumeric()).next().unwrap();
            if is_read && name != "UnknownFields" {
                found.insert(name.to_owned());
            }
        }
    }
    assert_eq!(found.iter().map(String::as_str).collect::<BTreeSet<_>>(), listed);
}
