//! Published reports about other implementations, whose consistency is computed again.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::w3c::Published;

/// Returns a rule of a report with one approved test case for each pair of an expected and a reported outcome.
fn rule(id: &str, consistency: Option<&str>, cases: &[(&str, &str)]) -> Value {
    let case = |(expected, said): &(&str, &str)| {
        json!({
            "testCaseId": "a", "testCaseApproved": true, "expected": expected,
            "procedureResults": [{ "procedureName": "check", "outcomes": [said] }],
        })
    };
    json!({
        "ruleId": id,
        "procedureNames": ["check"],
        "consistency": consistency,
        "accessibilityRequirements": { "correct": true, "expected": ["WCAG2:keyboard"] },
        "testCaseResults": cases.iter().map(case).collect::<Vec<_>>(),
    })
}

fn report(rules: &[Value]) -> Published {
    serde_json::from_value(json!({ "name": "A tool", "vendor": { "name": "x" }, "actRuleMapping": rules })).unwrap()
}

#[test]
fn a_report_is_counted_as_it_was_published() {
    let mut unmapped = rule("dddddd", Some("partial"), &[("failed", "failed")]);
    unmapped["accessibilityRequirements"]["correct"] = json!(false);
    let mut untested = rule("eeeeee", None, &[]);
    untested["procedureNames"] = json!([]);
    let report = report(&[
        rule(
            "aaaaaa",
            Some("complete"),
            &[("failed", "failed"), ("passed", "passed"), ("inapplicable", "inapplicable")],
        ),
        rule("bbbbbb", Some("partial"), &[("failed", "cantTell"), ("passed", "passed")]),
        rule("cccccc", None, &[("failed", "failed"), ("passed", "failed")]),
        unmapped,
        untested,
    ]);
    assert_eq!(report.compare(), ["A tool: 5 of 5 rules counted as published"]);
}

#[test]
fn one_wrong_outcome_in_a_report_costs_the_rule_and_is_named() {
    let right = [("failed", "failed"), ("passed", "passed"), ("inapplicable", "untested")];
    let wrong = [("failed", "failed"), ("passed", "passed"), ("inapplicable", "failed")];
    let report = report(&[rule("aaaaaa", Some("partial"), &right), rule("bbbbbb", Some("partial"), &wrong)]);
    assert_eq!(
        report.compare(),
        ["A tool bbbbbb: published Some(Partial), counted Inconsistent", "A tool: 1 of 2 rules counted as published"]
    );
}

#[test]
fn the_criteria_of_rules_are_those_that_a_report_expects() {
    let mut unknown = rule("bbbbbb", None, &[]);
    unknown["accessibilityRequirements"] = Value::Null;
    let report = report(&[rule("aaaaaa", None, &[]), unknown]);
    let keyboard = BTreeSet::from(["WCAG2:keyboard".to_owned()]);
    assert_eq!(report.criteria(), BTreeMap::from([("aaaaaa".to_owned(), keyboard)]));
}
