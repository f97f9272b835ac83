//! W3C's Evaluation and Report Language (EARL 1.0) as JSON-LD, with the words that ACT implementation reports use.
//!
//! A rule is `earl:passed` or `earl:inapplicable` on a page only where the engine says so and nothing stands against it: the page was
//! checked whole. Nothing is claimed about a rule that ended with an error there, nor about other pages.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Write},
};

use a11ycheck_core::{catalog::criterion, domain::RuleId, locale::Locale, timestamp};
use serde::Serialize;
use serde_json::{Value, json};

use super::json;
use crate::run::{Page, PageState, Rule, Run, RunFinding};

const ASSERTOR: &str = "https://docs.rs/a11ycheck-cli";

#[derive(Serialize)]
struct Document {
    #[serde(rename = "@context")]
    context: Value,
    #[serde(rename = "@graph")]
    graph: Vec<Value>,
}

/// Elements of a rule on a page.
#[derive(Default)]
struct OfPage<'a> {
    failed: BTreeMap<&'a RuleId, Vec<&'a RunFinding>>,
    undecided: BTreeMap<&'a RuleId, Vec<&'a RunFinding>>,
}

pub(super) fn write(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    let mut of_pages: Vec<OfPage<'_>> = run.pages.iter().map(|_| OfPage::default()).collect();
    for finding in &run.findings {
        if let Some(page) = of_pages.get_mut(finding.page) {
            page.failed.entry(&finding.rule).or_default().push(finding);
        }
    }
    for finding in &run.undecided {
        if let Some(page) = of_pages.get_mut(finding.page) {
            page.undecided.entry(&finding.rule).or_default().push(finding);
        }
    }
    let mut graph = vec![json!({
        "@id": ASSERTOR,
        "@type": ["Software", "Assertor"],
        "title": "a11ycheck",
        "hasVersion": run.tools.a11ycheck.version,
        "description": format!("{} in {}", run.tools.engine.in_words(), run.tools.browser.as_deref().unwrap_or("no browser")),
    })];
    let mut tested: BTreeSet<&RuleId> = BTreeSet::new();
    for (number, (page, of_page)) in run.pages.iter().zip(&of_pages).enumerate() {
        let subject = format!("_:page{}", number + 1);
        graph.push(json!({
            "@id": subject,
            "@type": ["TestSubject", "sch:WebPage"],
            "source": page.url,
            "title": page.title,
        }));
        for (rule, outcome, findings) in outcomes(page, of_page) {
            tested.insert(rule);
            graph.push(assertion(run, &subject, rule, outcome, &findings));
        }
    }
    let cases = tested.into_iter().map(|id| test_case(id, run.rules.get(id)));
    graph.extend(cases);
    json::pretty(&Document { context: context(), graph }, out)
}

/// Returns what can be said about a page, by rule.
fn outcomes<'a>(page: &'a Page, of_page: &OfPage<'a>) -> Vec<(&'a RuleId, &'static str, Vec<&'a RunFinding>)> {
    if page.state != PageState::Checked {
        return Vec::new();
    }
    let mut outcomes: Vec<(&RuleId, &'static str, Vec<&RunFinding>)> = Vec::new();
    let mut said: BTreeSet<&RuleId> = BTreeSet::new();
    for (rule, findings) in &of_page.failed {
        said.insert(rule);
        outcomes.push((rule, "earl:failed", findings.clone()));
    }
    for rule in page.left_out.keys().filter(|rule| !of_page.failed.contains_key(rule)) {
        said.insert(rule);
        outcomes.push((rule, "earl:failed", Vec::new()));
    }
    for (rule, findings) in of_page.undecided.iter().filter(|(rule, _)| !of_page.failed.contains_key(*rule)) {
        if said.insert(rule) {
            outcomes.push((rule, "earl:cantTell", findings.clone()));
        }
    }
    if !page.is_partly_checked() {
        // What a probe that recognises some failures does not name has not passed.
        let may_pass =
            |rule: &RuleId| a11ycheck_core::catalog::rule(rule.as_str()).is_none_or(|entry| !entry.only_fails);
        let met = page.passed.iter().filter(|rule| may_pass(rule)).map(|rule| (rule, "earl:passed"));
        let not_met_with = page.inapplicable.iter().map(|rule| (rule, "earl:inapplicable"));
        let silent = met.chain(not_met_with).filter(|(rule, _)| !said.contains(rule));
        outcomes.extend(silent.map(|(rule, outcome)| (rule, outcome, Vec::new())));
    }
    outcomes
}

fn assertion(run: &Run, subject: &str, rule: &RuleId, outcome: &str, findings: &[&RunFinding]) -> Value {
    let mut result = json!({
        "@type": "TestResult",
        "outcome": outcome,
        "date": timestamp::text(run.finished_at),
    });
    if !findings.is_empty() {
        result["pointer"] = findings
            .iter()
            .map(|finding| json!({ "@type": "ptr:CSSSelectorPointer", "expression": finding.selector }))
            .collect();
    }
    if let Some(message) = findings.first().map(|finding| &finding.message).filter(|message| !message.is_empty()) {
        result["description"] = message.as_str().into();
    }
    json!({
        "@type": "Assertion",
        "mode": "earl:automatic",
        "assertedBy": ASSERTOR,
        "subject": subject,
        "test": test_id(rule),
        "result": result,
    })
}

fn test_id(rule: &RuleId) -> String {
    format!("_:rule-{rule}")
}

fn test_case(id: &RuleId, rule: Option<&Rule>) -> Value {
    let wcag = rule.map(|rule| rule.wcag.clone()).or_else(|| {
        // A rule that found nothing has no facts in the run.
        a11ycheck_core::catalog::rule(id.as_str()).map(|entry| entry.wcag.clone())
    });
    let requirements: Vec<String> = wcag.unwrap_or_default().iter().filter_map(|number| requirement(number)).collect();
    let mut case = json!({ "@id": test_id(id), "@type": "TestCase", "title": id.as_str(), "isPartOf": requirements });
    if let Some(url) = rule.map(|rule| &rule.help_url).filter(|url| !url.is_empty()) {
        case["source"] = url.as_str().into();
    }
    case
}

/// Returns the address of a success criterion: its name in WCAG 2.2, with hyphens.
fn requirement(number: &str) -> Option<String> {
    let name = criterion(number)?.name(Locale::En).to_lowercase();
    let words: Vec<&str> =
        name.split(|character: char| !character.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    Some(format!("https://www.w3.org/TR/WCAG22/#{}", words.join("-")))
}

/// Returns the words of this document: they are in it, so that no reader has to fetch them.
fn context() -> Value {
    let iri = |id: &str| json!({ "@id": id, "@type": "@id" });
    json!({
        "@vocab": "http://www.w3.org/ns/earl#",
        "earl": "http://www.w3.org/ns/earl#",
        "dct": "http://purl.org/dc/terms/",
        "ptr": "http://www.w3.org/2009/pointers#",
        "sch": "https://schema.org/",
        "xsd": "http://www.w3.org/2001/XMLSchema#",
        "title": "dct:title",
        "description": "dct:description",
        "hasVersion": "dct:hasVersion",
        "date": { "@id": "dct:date", "@type": "xsd:dateTime" },
        "isPartOf": iri("dct:isPartOf"),
        "source": iri("dct:source"),
        "assertedBy": iri("earl:assertedBy"),
        "mode": iri("earl:mode"),
        "outcome": iri("earl:outcome"),
        "subject": iri("earl:subject"),
        "test": iri("earl:test"),
        "expression": "ptr:expression",
    })
}
