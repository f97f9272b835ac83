//! `JUnit`'s XML, as CI servers read it: a suite for each page, in it a case for the page and one for each rule that elements break.
//!
//! A page that was not checked is an error, elements that count are a failure, and what is accepted, or known to the baseline of a gate
//! for new findings, is skipped with the reason. Recommendations fail nothing. There are no times: equal runs give equal files.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use a11ycheck_core::domain::RuleId;
use quick_xml::{
    Writer,
    events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event, attributes::Attribute},
    name::QName,
};

use super::{
    path::path_of,
    safe::{clipped_line, for_xml, one_line},
};
use crate::run::{Kind, Page, PageState, Run, RunFinding, Since};

/// The most elements that all cases name together, and that one case names: GitLab takes 30 MB.
const MAX_ELEMENTS: usize = 20_000;
const MAX_OF_CASE: usize = 10;
/// The most cases beside those of pages. What is above it is counted in the suite's page.
const MAX_CASES: usize = 30_000;
const MAX_TEXT: usize = 200;

/// The elements of a page that break a rule.
struct Case<'a> {
    rule: &'a RuleId,
    findings: Vec<&'a RunFinding>,
}

/// What a case is in the end.
enum Verdict<'a> {
    /// Elements that count.
    Failed(Vec<&'a RunFinding>),
    /// No element counts, for this reason.
    Skipped(String),
}

pub(super) fn write(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    let mut by_page: BTreeMap<usize, BTreeMap<&RuleId, Vec<&RunFinding>>> = BTreeMap::new();
    for finding in &run.findings {
        by_page.entry(finding.page).or_default().entry(&finding.rule).or_default().push(finding);
    }
    let all: usize = by_page.values().map(BTreeMap::len).sum();
    let named = (MAX_ELEMENTS / all.max(1)).clamp(1, MAX_OF_CASE);
    let mut room = MAX_CASES;
    let suites: Vec<(&Page, Vec<Case<'_>>, usize)> = run
        .pages
        .iter()
        .enumerate()
        .filter(|(_, page)| page.state != PageState::DeadLink)
        .map(|(at, page)| {
            let rules = by_page.remove(&at).unwrap_or_default();
            let taken = rules.len().min(room);
            room -= taken;
            let left_out = rules.len() - taken;
            (page, rules.into_iter().take(taken).map(|(rule, findings)| Case { rule, findings }).collect(), left_out)
        })
        .collect();

    let mut xml = Writer::new_with_indent(out, b' ', 1);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let counts: Vec<Counts> = suites.iter().map(|(page, cases, _)| Counts::of(run, page, cases)).collect();
    let total = counts.iter().fold(Counts::default(), Counts::with);
    let mut root = BytesStart::new("testsuites");
    root.push_attribute(("name", "a11ycheck"));
    total.push_to(&mut root);
    xml.write_event(Event::Start(root))?;
    for ((page, cases, left_out), counts) in suites.iter().zip(&counts) {
        suite(&mut xml, run, page, cases, *left_out, counts, named)?;
    }
    xml.write_event(Event::End(BytesEnd::new("testsuites")))?;
    xml.into_inner().write_all(b"\n")
}

fn suite<W: Write>(
    xml: &mut Writer<W>,
    run: &Run,
    page: &Page,
    cases: &[Case<'_>],
    left_out: usize,
    counts: &Counts,
    named: usize,
) -> io::Result<()> {
    let path = path_of(page);
    let mut start = BytesStart::new("testsuite");
    attribute(&mut start, "name", &clipped_line(&page.url, MAX_TEXT));
    counts.push_to(&mut start);
    xml.write_event(Event::Start(start))?;

    let checked = case(&path, "page is checked");
    if page.state == PageState::NotChecked {
        xml.write_event(Event::Start(checked))?;
        let reason = page.failure_message.as_deref().unwrap_or_default();
        let code = page.failure.as_ref().map_or("", |failure| failure.code.as_str());
        element(xml, "error", code, reason, &page.url)?;
        xml.write_event(Event::End(BytesEnd::new("testcase")))?;
    } else if left_out > 0 {
        xml.write_event(Event::Start(checked))?;
        let text = format!("{left_out} further rules fail on this page and have no case: the format json has all.");
        plain(xml, "system-out", &text)?;
        xml.write_event(Event::End(BytesEnd::new("testcase")))?;
    } else {
        xml.write_event(Event::Empty(checked))?;
    }
    for Case { rule, findings } in cases {
        xml.write_event(Event::Start(case(&path, rule.as_str())))?;
        let title = run.rules.get(*rule).map_or(rule.as_str(), |rule| rule.title.as_str());
        match verdict(run, findings) {
            Verdict::Failed(counting) => {
                let message = format!("{title} ({})", elements(counting.len()));
                let impact = counting.first().map_or("", |finding| finding.impact.as_str());
                element(xml, "failure", impact, &message, &list(run, rule, &counting, named))?;
            }
            Verdict::Skipped(reason) => {
                let mut skipped = BytesStart::new("skipped");
                attribute(&mut skipped, "message", &clipped_line(&format!("{title}: {reason}"), 2 * MAX_TEXT));
                xml.write_event(Event::Empty(skipped))?;
                plain(xml, "system-out", &list(run, rule, findings, named))?;
            }
        }
        xml.write_event(Event::End(BytesEnd::new("testcase")))?;
    }
    xml.write_event(Event::End(BytesEnd::new("testsuite")))
}

fn verdict<'a>(run: &Run, findings: &[&'a RunFinding]) -> Verdict<'a> {
    if findings.first().is_some_and(|finding| finding.kind == Kind::Recommendation) {
        return Verdict::Skipped("recommendation".to_owned());
    }
    let is_tolerated =
        |finding: &RunFinding| finding.accepted.is_some() || (run.gate.new_only && finding.since == Since::Known);
    let counting: Vec<_> = findings.iter().copied().filter(|finding| !is_tolerated(finding)).collect();
    if !counting.is_empty() {
        return Verdict::Failed(counting);
    }
    let mut reasons: Vec<String> = Vec::new();
    for finding in findings {
        let reason = match &finding.accepted {
            Some(accepted) if accepted.note.is_empty() => format!("accepted ({})", accepted.reason),
            Some(accepted) => format!("accepted ({}): {}", accepted.reason, one_line(&accepted.note)),
            None => "known to the baseline".to_owned(),
        };
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    Verdict::Skipped(reasons.join("; "))
}

/// Returns what was found, element by element.
fn list(run: &Run, rule: &RuleId, findings: &[&RunFinding], named: usize) -> String {
    let mut text = String::from("\n");
    for finding in findings.iter().take(named) {
        text.push_str(&clipped_line(&finding.selector, MAX_TEXT));
        text.push('\n');
        for line in [&finding.message, &finding.html] {
            let line = clipped_line(line, MAX_TEXT);
            if !line.is_empty() {
                text.push_str(&format!("    {line}\n"));
            }
        }
    }
    if findings.len() > named {
        text.push_str(&format!("and {} more\n", findings.len() - named));
    }
    if let Some(rule) = run.rules.get(rule).filter(|rule| !rule.help_url.is_empty()) {
        text.push_str(&format!("{}\n", rule.help_url));
    }
    text
}

fn elements(count: usize) -> String {
    if count == 1 { "1 element".to_owned() } else { format!("{count} elements") }
}

fn case(path: &str, name: &str) -> BytesStart<'static> {
    let mut case = BytesStart::new("testcase");
    attribute(&mut case, "classname", path);
    attribute(&mut case, "name", name);
    attribute(&mut case, "file", path);
    case
}

fn element<W: Write>(xml: &mut Writer<W>, name: &str, kind: &str, message: &str, text: &str) -> io::Result<()> {
    let mut start = BytesStart::new(name.to_owned());
    attribute(&mut start, "type", kind);
    attribute(&mut start, "message", &clipped_line(message, 2 * MAX_TEXT));
    xml.write_event(Event::Start(start))?;
    raw(xml, text)?;
    xml.write_event(Event::End(BytesEnd::new(name.to_owned())))
}

fn plain<W: Write>(xml: &mut Writer<W>, name: &str, text: &str) -> io::Result<()> {
    xml.write_event(Event::Start(BytesStart::new(name.to_owned())))?;
    raw(xml, text)?;
    xml.write_event(Event::End(BytesEnd::new(name.to_owned())))
}

fn raw<W: Write>(xml: &mut Writer<W>, text: &str) -> io::Result<()> {
    xml.write_event(Event::Text(BytesText::from_escaped(without_commands(text))))
}

fn attribute(start: &mut BytesStart<'_>, name: &str, value: &str) {
    start.push_attribute(Attribute { key: QName(name), value: without_commands(value).into() });
}

/// Escapes a text for an element or an attribute, and what a CI runner takes for a command: `##` in a line, `::` at its start.
fn without_commands(text: &str) -> String {
    let escaped = quick_xml::escape::escape(&*for_xml(text)).into_owned();
    escaped.replace("##", "#&#35;").replace("::", ":&#58;")
}

/// The numbers of cases of a suite.
#[derive(Default, Clone, Copy)]
struct Counts {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

impl Counts {
    fn of(run: &Run, page: &Page, cases: &[Case<'_>]) -> Self {
        let is_failed = |case: &&Case<'_>| matches!(verdict(run, &case.findings), Verdict::Failed(_));
        let failures = cases.iter().filter(is_failed).count();
        Self {
            tests: cases.len() + 1,
            failures,
            errors: usize::from(page.state == PageState::NotChecked),
            skipped: cases.len() - failures,
        }
    }

    fn with(self, other: &Self) -> Self {
        Self {
            tests: self.tests + other.tests,
            failures: self.failures + other.failures,
            errors: self.errors + other.errors,
            skipped: self.skipped + other.skipped,
        }
    }

    fn push_to(&self, start: &mut BytesStart<'_>) {
        let Self { tests, failures, errors, skipped } = *self;
        for (name, count) in [("tests", tests), ("failures", failures), ("errors", errors), ("skipped", skipped)] {
            start.push_attribute((name, count.to_string().as_str()));
        }
    }
}
