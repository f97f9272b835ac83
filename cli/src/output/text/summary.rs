//! The summary: what to fix first, what is new, what was not checked, where the files are, and the verdict.

use std::io;

use a11ycheck_core::report::{Report, brief::Brief};

use super::lines::{Lines, Paint, clipped};
use crate::{
    output::{WriteOptions, safe::one_line},
    run::{GateLine, NoticeLevel, PageState, Run},
};

/// The most places, pages and notices that the summary lists, so that it fits one screen of 24 lines.
const MAX_PLACES: usize = 3;
const MAX_PAGES: usize = 3;
const MAX_NOTICES: usize = 3;
const MAX_FILES: usize = 4;

pub(super) fn summary(lines: &mut Lines<'_>, run: &Run, report: &Report, options: &WriteOptions) -> io::Result<()> {
    fix_first(lines, report)?;
    numbers(lines, run, report)?;
    not_checked(lines, run)?;
    for notice in run.notices.iter().take(MAX_NOTICES) {
        let word = if notice.level == NoticeLevel::Warning { "warning: " } else { "note: " };
        lines.wrapped("", &format!("{word}{}", notice.message))?;
    }
    if run.notices.len() > MAX_NOTICES {
        lines.line(&[Paint::dim(&format!("and {} more notices", run.notices.len() - MAX_NOTICES))])?;
    }
    for (format, file) in options.files.iter().take(MAX_FILES) {
        lines.marked("", &format!("written: {}", file.display()), Some(format.as_str()))?;
    }
    if options.files.len() > MAX_FILES {
        lines.line(&[Paint::dim(&format!("and {} more files", options.files.len() - MAX_FILES))])?;
    }
    Ok(())
}

fn fix_first(lines: &mut Lines<'_>, report: &Report) -> io::Result<()> {
    let brief = Brief::new(report);
    if brief.todo.lines.is_empty() {
        return Ok(());
    }
    lines.line(&[Paint::bold("Fix first")])?;
    for (number, line) in (1..).zip(brief.todo.lines.iter().take(MAX_PLACES)) {
        let reach = if line.place.pages > 1 { &line.reach } else { &line.place.page };
        let count = line.place.count;
        let what = format!("{number}. {}: {}", one_line(&line.group.title), one_line(&line.what));
        lines.marked("  ", &what, Some(&format!("{count} ×")))?;
        lines.marked("     ", reach, line.is_new.then_some("new"))?;
    }
    let further = (brief.todo.lines.len().saturating_sub(MAX_PLACES)) as u64 + brief.todo.further;
    if further > 0 {
        lines.line(&[Paint::dim(&format!("  and {} more", counted(further, "place")))])?;
    }
    Ok(())
}

fn numbers(lines: &mut Lines<'_>, run: &Run, report: &Report) -> io::Result<()> {
    let totals = &run.totals;
    let parts: Vec<String> = [
        (totals.critical, "critical"),
        (totals.serious, "serious"),
        (totals.moderate, "moderate"),
        (totals.minor, "minor"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, word)| format!("{count} {word}"))
    .collect();
    let checked = run.pages.iter().filter(|page| page.state == PageState::Checked).count() as u64;
    let mut sentence = format!("{} checked", counted(checked, "page"));
    if checked == 0 {
        // Where nothing was looked at, nothing was found either.
        "No page was checked".clone_into(&mut sentence);
    } else if totals.total() == 0 {
        sentence.push_str(": no problem found");
    } else {
        let places = counted(report.places, "place");
        let problems = counted(totals.total(), "problem");
        sentence.push_str(&format!(": {problems} in {places} to fix ({})", parts.join(", ")));
    }
    lines.wrapped("", &sentence)?;
    let mut further = Vec::new();
    let recommendations: u64 = report.advisory.iter().map(|group| group.count).sum();
    let review: u64 = run.rules.values().map(|rule| u64::from(rule.undecided)).sum();
    let accepted = run.findings.iter().filter(|finding| finding.accepted.is_some()).count() as u64;
    if let Some(baseline) = &run.baseline {
        let solved = match baseline.solved.len() {
            0 => String::new(),
            count => format!(", {count} solved (can be removed from it)"),
        };
        further.push(format!("{} new, {} known to the baseline{solved}", baseline.new, baseline.known));
    }
    if recommendations > 0 {
        further.push(counted(recommendations, "recommendation"));
    }
    if accepted > 0 {
        further.push(format!("{accepted} accepted"));
    }
    if review > 0 {
        further.push(format!("{review} to review by hand (--show review)"));
    }
    if further.is_empty() { Ok(()) } else { lines.wrapped("", &further.join(", ")) }
}

fn not_checked(lines: &mut Lines<'_>, run: &Run) -> io::Result<()> {
    let pages: Vec<_> = run.pages_not_checked().collect();
    if !pages.is_empty() {
        lines.line(&[Paint::bold("Not checked")])?;
    }
    for page in pages.iter().take(MAX_PAGES) {
        lines.address("  ", &page.url)?;
        lines.wrapped("    ", page.failure_message.as_deref().unwrap_or_default())?;
    }
    if pages.len() > MAX_PAGES {
        lines.line(&[Paint::dim(&format!("  and {} more", pages.len() - MAX_PAGES))])?;
    }
    let partly = run.pages.iter().filter(|page| page.is_partly_checked()).count() as u64;
    if partly > 0 {
        let verb = if partly == 1 { "was" } else { "were" };
        let sentence = format!(
            "{} {verb} checked in part: the formats html and json say what is missing",
            counted(partly, "page")
        );
        lines.wrapped("", &sentence)?;
    }
    Ok(())
}

/// Returns the verdict in one line of at most 80 columns: what decided, and what was not checked.
pub(in crate::output) fn verdict(run: &Run) -> String {
    let failed: Vec<&GateLine> = run.gate.lines.iter().filter(|line| !line.holds()).collect();
    let missing = match run.exit.pages_not_checked {
        0 => String::new(),
        1 => "1 page was not checked".to_owned(),
        count => format!("{count} pages were not checked"),
    };
    let counted_by_gate: u64 = run.gate.lines.iter().map(|line| line.counted).sum();
    let verdict = if run.exit.gate_failed {
        let why = match failed.as_slice() {
            [] => "the gate does not hold".to_owned(),
            [line, further @ ..] => {
                let more = if further.is_empty() { String::new() } else { format!(", and {} more", further.len()) };
                let new = if run.gate.new_only { " new" } else { "" };
                let verb = if line.counted == 1 { "finding counts" } else { "findings count" };
                format!("{}{new} {verb}, {} allowed by {}{more}", line.counted, line.max, one_line(&line.setting))
            }
        };
        joined("failed", &why, &missing)
    } else if run.exit.code == 3 {
        joined("incomplete", &missing, "")
    } else if run.gate.lines.is_empty() && run.gate.level.is_none() {
        joined("done", "there is no gate", &missing)
    } else {
        let why = match counted_by_gate {
            0 if run.gate.new_only => "no new finding counts".to_owned(),
            0 => "no finding counts".to_owned(),
            1 => "1 finding, within the gate".to_owned(),
            count => format!("{count} findings, within the gate"),
        };
        joined("passed", &why, &missing)
    };
    clipped(&verdict, 80)
}

fn joined(word: &str, why: &str, missing: &str) -> String {
    if missing.is_empty() { format!("{word}: {why}") } else { format!("{word}: {why}; {missing}") }
}

fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
