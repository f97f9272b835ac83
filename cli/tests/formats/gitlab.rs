//! GitLab's two reports, by the rules of its own parsers: `ci/parsers/codequality` (`code_climate.rb`) and
//! `ci/parsers/accessibility/pa11y.rb`.

use std::collections::BTreeSet;

use a11ycheck_cli::{
    output::Format,
    run::{AcceptedBy, Run},
};
use proptest::prelude::*;
use serde_json::Value;

use crate::fixture::{CONTACT, GONE, HOME, HOSTILE, clean, json_of, many, ordinary, saying, written};

/// Asserts what GitLab's schema of an entry requires, and returns the fingerprints.
fn quality(run: &Run) -> Vec<String> {
    let bytes = written(Format::GitlabQuality, run);
    assert_eq!(bytes[0], b'[', "an array without a byte order mark");
    let report: Value = serde_json::from_slice(&bytes).unwrap();
    let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).unwrap().to_owned();
    let entries = report.as_array().unwrap().iter().map(|entry| {
        text(&entry["description"]);
        text(&entry["check_name"]);
        let severity = text(&entry["severity"]);
        assert!(["info", "minor", "major", "critical", "blocker"].contains(&severity.as_str()), "{severity}");
        let path = text(&entry["location"]["path"]);
        assert!(!path.starts_with(['.', '/']) && !path.contains(':'), "{path}");
        assert!(entry["location"]["lines"]["begin"].as_u64().unwrap() >= 1);
        text(&entry["fingerprint"])
    });
    entries.collect()
}

fn are_different(fingerprints: &[String]) -> bool {
    fingerprints.iter().collect::<BTreeSet<_>>().len() == fingerprints.len()
}

#[test]
fn every_element_that_is_not_accepted_is_an_entry_and_so_is_a_page_that_was_not_checked() {
    assert_eq!(quality(&ordinary()).len(), 5);
    assert_eq!(quality(&clean()).len(), 0);
    let report = json_of(Format::GitlabQuality, &ordinary());
    let severities: Vec<_> =
        report.as_array().unwrap().iter().map(|entry| entry["severity"].as_str().unwrap()).collect();
    assert_eq!(severities, ["blocker", "blocker", "critical", "info", "blocker"]);
    for text in HOSTILE {
        quality(&saying(text));
    }
}

#[test]
fn accepting_one_of_two_equal_elements_leaves_the_fingerprint_of_the_other() {
    let mut run = ordinary();
    run.findings[2].accepted = None;
    let before = quality(&run);
    run.findings[1].accepted = Some(AcceptedBy { accept: 0, reason: "planned".to_owned(), note: String::new() });
    let after = quality(&run);
    assert_eq!(after.len(), before.len() - 1);
    assert!(after.iter().all(|fingerprint| before.contains(fingerprint)));
}

#[test]
fn no_fingerprint_occurs_twice() {
    assert!(are_different(&quality(&many(2_000))));
}

/// GitLab compares whole objects.
#[test]
fn an_error_of_the_accessibility_report_stays_the_same_while_other_elements_come_and_go() {
    let run = ordinary();
    let report = json_of(Format::GitlabAccessibility, &run);
    assert_eq!((&report["total"], &report["passes"], &report["errors"]), (&3.into(), &0.into(), &4.into()));
    let logo = &report["results"][HOME][0];
    assert_eq!(logo["type"], "error");
    for field in ["code", "type", "typeCode", "message", "context", "selector", "runner", "runnerExtras"] {
        assert!(!logo[field].is_null(), "{field}");
    }
    assert_eq!(report["results"][GONE][0]["code"], "page-not-checked");
    let mut served = run.clone();
    served.pages[0].file = Some("dist/index.html".to_owned());
    let of_file = json_of(Format::GitlabAccessibility, &served);
    assert_eq!(&of_file["results"]["dist/index.html"][0], logo, "the port of a served folder is drawn");
    let mut fewer = run;
    fewer.findings.remove(1);
    fewer.rules.values_mut().for_each(|rule| rule.elements += 5);
    let after = json_of(Format::GitlabAccessibility, &fewer);
    assert_eq!(&after["results"][HOME][0], logo);
    assert_eq!(after["results"][CONTACT], report["results"][CONTACT]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn equal_keys_have_different_fingerprints(pages in proptest::collection::vec((0_usize..2, 0_u8..3, any::<bool>()), 0..30)) {
        let mut run = ordinary();
        let one = run.findings[0].clone();
        run.findings = pages.into_iter().map(|(page, key, is_accepted)| {
            let mut finding = one.clone();
            (finding.page, finding.key) = (page, key.to_string());
            let accepted = AcceptedBy { accept: 0, reason: "planned".to_owned(), note: String::new() };
            finding.accepted = is_accepted.then_some(accepted);
            finding
        }).collect();
        prop_assert!(are_different(&quality(&run)));
    }
}
