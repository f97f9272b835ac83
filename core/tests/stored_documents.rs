//! Every type that is read from stored data ignores fields of a later release, and keeps them if it is written back.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

use std::{collections::BTreeSet, fmt::Debug, fs, path::Path};

use a11ycheck_core::{
    domain::{
        Assignment, Failure, Finding, Findings, JudgedElement, Judgement, Outcome, Plan, PreviousScan, WorkChange,
        compare,
    },
    id::ScanId,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

/// Documents that are read and written back.
const WRITTEN_BACK: [&str; 1] = ["Plan"];
/// Documents that are stored once and only read after that.
const STORED_ONCE: [&str; 7] =
    ["Assignment", "Failure", "Findings", "JudgedElement", "Judgement", "Outcome", "WorkChange"];
/// What holds some of these for the minutes in which a batch can be undone.
const OF_BATCHES: [&str; 1] = ["BatchContent"];
/// The parts of these. A part of a document that is written back carries `UnknownFields` of its own.
const PARTS: [&str; 19] = [
    "Area",
    "AxeCheck",
    "Cover",
    "DiffSummary",
    "FailureFacts",
    "Features",
    "Finding",
    "Fingerprint",
    "FixedRule",
    "Limits",
    "OpenedBy",
    "PageOutcome",
    "PreviousScan",
    "RuleFacts",
    "ScreenshotRef",
    "Tool",
    "Totals",
    "UncheckedFrame",
    "UndecidedReason",
];
/// Single values: texts and numbers. Enums that are stored as words are not among them, because `stored_words!` reads those.
const VALUES: [&str; 12] = [
    "CheckNeed",
    "CheckOutcome",
    "CriterionNumber",
    "Impact",
    "IsoDuration",
    "Key",
    "PlanCode",
    "PlatformKey",
    "RuleId",
    "RuleKind",
    "ScreenshotId",
    "SiteUrl",
];
/// The types that read the operator's file, and are strict: none of them is stored.
const OPERATORS_FILE: [&str; 5] = ["PlanEntry", "FeaturesEntry", "LimitsEntry", "FrequencyEntry", "File"];

/// The types of accepted findings, which are read from the command line's settings and results. No store keeps them.
const ACCEPTED: [&str; 3] = ["AcceptReason", "AcceptedElement", "AcceptedFinding"];

/// The types of the files in `core/standards/`, which are compiled in and never stored.
const STANDARDS: [&str; 5] = ["Clause", "Clauses", "CriteriaByLevel", "Standard", "StandardSource"];

/// Adds a field to every object of a document, except those whose keys are ids of rules or names of values.
fn add_fields(value: &mut Value, is_by_rule: bool) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields.iter_mut() {
                add_fields(
                    value,
                    matches!(name.as_str(), "rules" | "needs_review" | "left_out" | "undecided_reasons" | "values"),
                );
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

/// Asserts that fields of a later release are ignored.
fn is_read<T: Serialize + DeserializeOwned + PartialEq + Debug>(document: &Value) {
    let known: T = serde_json::from_value(document.clone()).unwrap();
    assert_eq!(serde_json::to_value(&known).unwrap(), *document, "the example has every field");
    assert_eq!(serde_json::from_value::<T>(later(document)).unwrap(), known);
}

/// Asserts that they are kept as well.
fn is_kept<T: Serialize + DeserializeOwned>(document: &Value) {
    let later = later(document);
    let read: T = serde_json::from_value(later.clone()).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), later);
}

fn failure() -> Value {
    json!({
        "code": "tls", "message": "It has expired.", "cause": "certificate_expired", "redirected_to": "www.a.example",
        "facts": {
            "status": 404, "host": "b.example", "port": 25, "limit_mb": 20, "error": "CONNECTION_RESET", "agent": "a11ycheck",
            "product": "Cloudflare", "is_of_robots": true,
        },
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
        "engine": {"name": "axe-core", "axe": "4.11", "browser": "Chromium", "a11ycheck": "0.1.0"},
    })
}

fn judged_element() -> Value {
    json!({
        "rule": "label",
        "page": "https://a.example/",
        "selector": "#a",
        "html": "<input id=a>",
        "keys": {"version": 2, "tight": "00", "loose": "01", "outline": "03", "content": "04", "template": "02"},
        "occurrence": 1,
        "reasons": ["any explicit-label"],
        "summary": "05",
    })
}

fn judgement() -> Value {
    json!({
        "id": "jdg_01M2CV1Z000000000000000000",
        "team": "team_01M2CV1Z000000000000000000",
        "site": "site_01M2CV1Z000000000000000000",
        "element": judged_element(),
        "reach": "template",
        "verdict": "planned",
        "note": "The new theme mends it.",
        "until": "2027-12-31",
        "person": "pers_01M2CV1Z000000000000000000",
        "author": "Jo",
        "at": "2027-06-01T09:00:00Z",
    })
}

fn assignment() -> Value {
    json!({
        "id": "asg_01M2CV1Z000000000000000000",
        "team": "team_01M2CV1Z000000000000000000",
        "site": "site_01M2CV1Z000000000000000000",
        "element": judged_element(),
        "scope": "rule",
        "assignee": "pers_01M2CV1Z000000000000000000",
        "state": "doing",
        "since": "2027-06-01T09:00:00Z",
        "due": "2027-12-31",
        "reopened_by": "scan_01M2CV1Z000000000000000000",
        "author": "Jo",
        "at": "2027-06-01T09:00:00Z",
    })
}

fn work_change() -> Value {
    json!({"assignee": "pers_01M2CV1Z000000000000000000", "state": "done", "due": null})
}

fn findings() -> Value {
    json!({
        "engine": {"name": "axe-core", "axe": "4.11", "browser": "Chromium", "a11ycheck": "0.1.0"},
        "pages": [
            {"url": "https://a.example/", "title": "A", "error": null, "frames_not_checked": 0, "left_out": {"label": 3},
             "cover": {"kind": "consent", "percent": 90}},
            {"url": "https://a.example/b", "title": "", "error": failure(), "frames_not_checked": 1, "left_out": {},
             "unchecked_frames": [{"url": "https://ads.example/", "reason": "timeout"}], "still_changing": true,
             "unanswered": ["https://tracker.example/t.js"]},
            {"url": "https://a.example/c", "title": "", "error": failure(), "frames_not_checked": 0, "left_out": {},
             "linked_from": "https://a.example/"},
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
            "checks": [{
                "id": "aria-required-children", "need": "any", "outcome": "fail", "key": "unallowed",
                "values": {"values": ["button"]},
            }],
            "fingerprint": {"version": 2, "tight": "00", "loose": "01", "outline": "03", "content": "04", "template": "02"},
            "area": {"x": 1, "y": 2, "width": 3, "height": 4},
            "screenshot": {"id": 1, "width": 3, "height": 4},
            "is_new": true,
            "opened_by": {"name": "Menu", "selector": "#menu"},
        }],
        "needs_review": {"label": 2},
        "undecided": [{
            "rule": "label",
            "page": 0,
            "selector": "#b",
            "html": "<input id=b>",
            "failure_summary": "",
            "checks": [{"id": "explicit-label", "need": "all", "outcome": "incomplete"}],
            "fingerprint": {"version": 2, "tight": "04", "loose": "05", "outline": "07", "content": "08", "template": "06"},
            "area": null,
            "screenshot": null,
            "is_new": false,
        }],
        "undecided_reasons": {"label": [{"check": "explicit-label", "key": "reason", "count": 2}]},
        "stack": ["shopify"],
        "screen": [1280, 720],
        "ran": ["image-alt", "label"],
        "standard": "wcag22-aa",
    })
}

#[test]
fn what_is_stored_once_is_read_whatever_a_later_release_has_added() {
    is_read::<Failure>(&failure());
    is_read::<Outcome>(&outcome());
    is_read::<JudgedElement>(&judged_element());
    is_read::<Findings>(&findings());
    is_read::<Judgement>(&judgement());
    is_read::<Assignment>(&assignment());
    is_read::<WorkChange>(&work_change());
}

#[test]
fn what_is_written_back_keeps_what_a_later_release_has_added() {
    let known: Plan = serde_json::from_value(plan()).unwrap();
    assert_eq!(serde_json::to_value(known).unwrap(), plan(), "the example has every field");
    is_kept::<Plan>(&plan());
}

/// Returns the documents of completed checks that a release has left, as rows of its database.
fn left_by(release: &str) -> Vec<Value> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../storage-postgres/tests/fixtures");
    let rows = fs::read_to_string(fixtures.join(release).join("07_findings.json")).unwrap();
    let rows: Vec<Value> = serde_json::from_str(&rows).unwrap();
    rows.into_iter().map(|mut row| row["document"]["gzip of this JSON"].take()).collect()
}

/// Returns the same elements as this release reads them from a page.
fn found_again(stored: &Value) -> Findings {
    let mut now: Findings = serde_json::from_value(stored.clone()).unwrap();
    let text = |item: &Value, name: &str| item[name].as_str().unwrap().to_owned();
    now.items = stored["items"]
        .as_array()
        .unwrap()
        .iter()
        .zip(&now.items)
        .map(|(item, read)| {
            let [selector, html, summary] = ["selector", "html", "failure_summary"].map(|name| text(item, name));
            Finding::new(read.rule.clone(), read.page, &now.pages[read.page].url, &selector, &html, &summary)
        })
        .collect();
    now
}

/// Otherwise, everybody who upgrades would be shown hundreds of new problems on the first day.
#[test]
fn the_check_after_an_upgrade_finds_nothing_new_and_nothing_fixed() {
    let mut stored = left_by("release-0.1.0");
    assert_eq!(stored.len(), 2);
    // With data that that release did not mask yet.
    let mut of_people = stored[1].clone();
    of_people["pages"][0]["url"] = json!("https://atelier.example.com/?session_id=4f2a");
    let fingerprint = json!({"tight": "00", "loose": "01", "template": "02"});
    for (selector, html) in [
        ("input[value=\"Jane Doe\"]", "<input type=\"text\" value=\"Jane Doe\">"),
        ("input[value=\"Jane Roe\"]", "<input type=\"text\" value=\"Jane Roe\">"),
        ("#jane\\@example\\.org > input", "<input data-mail=\"jane@example.org\">"),
        ("input[name=\"card\"]", "<input name=\"card\" placeholder=\"4111 1111 1111 1111\">"),
    ] {
        of_people["items"].as_array_mut().unwrap().push(json!({
            "rule": "label", "page": 0, "selector": selector, "html": html, "failure_summary": "Fix jane@example.org.",
            "fingerprint": fingerprint, "area": null, "screenshot": null, "is_new": false,
        }));
    }
    stored.push(of_people);
    for document in stored {
        let before: Findings = serde_json::from_value(document.clone()).unwrap();
        assert!(before.items.iter().all(|item| item.fingerprint.version == 1));
        assert!(!format!("{before:?}").to_lowercase().contains("jane"), "{before:?}");
        let mut now = found_again(&document);
        let total = before.totals().total();
        let base = PreviousScan::new(ScanId::generate(chrono::Utc::now()), chrono::Utc::now(), total);
        let summary = compare(&mut now, &before, base);
        assert_eq!((summary.new, summary.fixed, summary.remaining), (0, 0, total), "{summary:?}");
        assert!(now.items.iter().all(|item| !item.is_new));
    }
}

#[test]
fn a_severity_of_a_later_release_is_neither_hidden_nor_an_error() {
    let mut document = findings();
    document["rules"]["label"]["impact"] = json!("blocker");
    let read: Findings = serde_json::from_value(document).unwrap();
    assert_eq!((read.totals().moderate, read.totals().total()), (4, 4));
}

/// A further type that serde reads is listed here, with whether and how it is stored.
#[test]
fn every_type_that_serde_reads_is_listed() {
    let lists = [&WRITTEN_BACK[..], &STORED_ONCE, &OF_BATCHES, &PARTS, &VALUES, &OPERATORS_FILE, &ACCEPTED, &STANDARDS];
    let listed: BTreeSet<&str> = lists.into_iter().flatten().copied().collect();
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
