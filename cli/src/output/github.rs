//! Annotations and job summary of GitHub Actions.
//!
//! A runner shows ten annotations of a kind for a step and drops the others without a word, so each is about a rule and not about an
//! element, the most severe come first, and the tenth says how many there are.

use std::{
    fs::File,
    io::{self, Write},
};

use a11ycheck_core::domain::Impact;

use super::{
    markdown,
    safe::{clipped_line, one_line},
};
use crate::run::{Kind, Page, Run, RunFinding, Since};

/// The most annotations of a kind that a step may have.
const MAX_OF_A_KIND: usize = 10;
/// The most bytes of a step's summary.
const MAX_SUMMARY: usize = 1024 * 1024;
const MAX_TEXT: usize = 1_000;

/// The kinds of annotations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Annotation {
    Error,
    Warning,
    Notice,
}

impl Annotation {
    const ALL: [Self; 3] = [Self::Error, Self::Warning, Self::Notice];

    const fn command(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Notice => "notice",
        }
    }
}

/// An annotation before it is escaped.
struct Line {
    kind: Annotation,
    file: Option<String>,
    title: String,
    message: String,
}

/// Writes the annotations: pages that were not checked, then a line for each rule with elements that count.
pub(super) fn annotations(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    let lines = lines(run);
    for kind in Annotation::ALL {
        let of_kind: Vec<&Line> = lines.iter().filter(|line| line.kind == kind).collect();
        let shown = if of_kind.len() > MAX_OF_A_KIND { MAX_OF_A_KIND - 1 } else { of_kind.len() };
        for line in &of_kind[..shown] {
            let file = line.file.as_ref().map(|file| format!("file={},line=1,", property(file))).unwrap_or_default();
            writeln!(out, "::{} {file}title={}::{}", kind.command(), property(&line.title), data(&line.message))?;
        }
        if of_kind.len() > shown {
            let rest = of_kind.len() - shown;
            writeln!(
                out,
                "::{} title=a11ycheck::And {rest} more: the job summary and the log have all.",
                kind.command()
            )?;
        }
    }
    Ok(())
}

/// Appends the job summary to its file, within what is left of GitHub's bound: it is cut before a rule.
///
/// # Errors
/// Those of the file.
pub(super) fn summary(run: &Run, mut file: &File) -> io::Result<()> {
    let there = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
    let mut text = Vec::new();
    markdown::write(run, MAX_SUMMARY.saturating_sub(there), &mut text)?;
    // At once, so that no other program writes between.
    if there + text.len() <= MAX_SUMMARY { file.write_all(&text) } else { Ok(()) }
}

fn lines(run: &Run) -> Vec<Line> {
    let mut lines: Vec<Line> = run.pages_not_checked().map(|page| not_checked(run, page)).collect();
    let counts =
        |finding: &&RunFinding| finding.accepted.is_none() && !(run.gate.new_only && finding.since == Since::Known);
    let mut rules: Vec<_> = run
        .rules
        .iter()
        .filter_map(|(id, rule)| {
            let findings: Vec<&RunFinding> =
                run.findings.iter().filter(|finding| &finding.rule == id).filter(counts).collect();
            let first = *findings.first()?;
            Some((id, rule, findings, first))
        })
        .collect();
    rules.sort_by_key(|(_, rule, findings, _)| {
        (rule.kind, std::cmp::Reverse(rule.impact), std::cmp::Reverse(findings.len()))
    });
    for (id, rule, findings, first) in rules {
        let kind = match (rule.kind, rule.impact) {
            (Kind::Recommendation, _) => Annotation::Notice,
            // A step that succeeds shows nothing in red.
            (_, Impact::Serious | Impact::Critical) if run.exit.gate_failed => Annotation::Error,
            _ => Annotation::Warning,
        };
        let mut pages: Vec<usize> = findings.iter().map(|finding| finding.page).collect();
        pages.dedup();
        let page = run.page_of(first);
        let url = page.map_or("", |page| page.url.as_str());
        let fix = one_line(&rule.how_to_fix.replace('`', ""));
        lines.push(Line {
            kind,
            file: page.and_then(|page| page.file.clone()),
            title: format!("{} ({id}, {})", rule.title, rule.impact),
            message: format!(
                "{} on {}, first {url} {}. {fix}",
                counted(findings.len(), "element"),
                counted(pages.len(), "page"),
                first.selector,
            ),
        });
    }
    lines
}

fn not_checked(run: &Run, page: &Page) -> Line {
    let is_allowed = run.exit.pages_not_checked <= run.exit.allowed_unchecked;
    Line {
        kind: if is_allowed { Annotation::Warning } else { Annotation::Error },
        file: page.file.clone(),
        title: "A page was not checked".to_owned(),
        message: format!("{}: {}", page.url, page.failure_message.as_deref().unwrap_or_default()),
    }
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Escapes the text of a command, as `ActionCommand.cs` of actions/runner reads it.
fn data(text: &str) -> String {
    let line = clipped_line(text, MAX_TEXT);
    // A line of ours begins with `::`, and is then read to its end; `##[` in it is looked for only in lines that are no command.
    line.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
