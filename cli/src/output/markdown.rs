//! A summary in Markdown: for comments, wikis, and the job summary of GitHub Actions.

use std::io::{self, Write};

use a11ycheck_core::{
    domain::Impact,
    export::markdown::{code, link, prose, text},
};

use super::text::verdict;
use crate::run::{Kind, PageState, Run, RunFinding, Since};

/// No bound, for files.
pub(super) const UNBOUNDED: usize = usize::MAX;
/// The most elements that a rule lists.
const MAX_LISTED: usize = 10;
/// The most pages that are listed as not checked.
const MAX_PAGES: usize = 50;

/// Writes the summary, at most `max` bytes: it is cut before a rule, and says how many rules are missing.
pub(super) fn write(run: &Run, max: usize, out: &mut dyn Write) -> io::Result<()> {
    const ROOM_FOR_THE_REST: usize = 200;
    let mut room = max.saturating_sub(ROOM_FOR_THE_REST);
    let mut sections = sections(run).into_iter();
    let mut separator: &[u8] = b"";
    while let Some(section) = sections.next() {
        if section.len() > room {
            let rest = sections.len() + 1;
            return writeln!(out, "\n{rest} further sections have no room here: the other formats have all.");
        }
        room = room.saturating_sub(section.len() + 1);
        out.write_all(separator)?;
        out.write_all(section.as_bytes())?;
        separator = b"\n";
    }
    Ok(())
}

fn sections(run: &Run) -> Vec<String> {
    let mut sections = vec![head(run)];
    sections.extend(not_checked(run));
    let mut rules: Vec<_> = run.rules.iter().filter(|(_, rule)| rule.elements > 0).collect();
    rules.sort_by_key(|(_, rule)| (rule.kind, std::cmp::Reverse(rule.impact), std::cmp::Reverse(rule.elements)));
    for (id, rule) in rules {
        let findings: Vec<&RunFinding> = run.findings.iter().filter(|finding| &finding.rule == id).collect();
        let kind = if rule.kind == Kind::Recommendation { "recommendation" } else { rule.impact.as_str() };
        let mut section = format!("### {} ({}, {})\n\n", text(&rule.title), code(id.as_str()), kind);
        section.push_str(&format!("{}\n\n", counts(rule.elements, &findings)));
        if !rule.how_to_fix.is_empty() {
            section.push_str(&format!("{}\n\n", prose(&rule.how_to_fix)));
        }
        for finding in findings.iter().take(MAX_LISTED) {
            let url = run.page_of(finding).map_or("", |page| page.url.as_str());
            let mark = match (&finding.accepted, finding.since) {
                (Some(accepted), _) => format!(" — accepted: {}", text(&accepted.reason)),
                (None, Since::New) => " — new".to_owned(),
                (None, Since::Known | Since::NotCompared) => String::new(),
            };
            section.push_str(&format!("- {}: {}{mark}\n", link(url), code(&finding.selector)));
        }
        if rule.elements > MAX_LISTED as u64 {
            section.push_str(&format!("- and {} more\n", rule.elements - MAX_LISTED.min(findings.len()) as u64));
        }
        if !rule.help_url.is_empty() {
            section.push_str(&format!("\n{}\n", link(&rule.help_url)));
        }
        sections.push(section);
    }
    sections.push(format!("> {}\n", text(&run.disclaimer)));
    sections
}

fn head(run: &Run) -> String {
    let checked = run.pages.iter().filter(|page| page.state == PageState::Checked).count();
    let totals = &run.totals;
    let mut head = format!("## Accessibility: {}\n\n", text(&verdict(run)));
    head.push_str(
        "| Pages checked | Not checked | Critical | Serious | Moderate | Minor |\n|---|---|---|---|---|---|\n",
    );
    head.push_str(&format!(
        "| {checked} | {} | {} | {} | {} | {} |\n",
        run.exit.pages_not_checked,
        of(totals.critical, Impact::Critical),
        of(totals.serious, Impact::Serious),
        of(totals.moderate, Impact::Moderate),
        of(totals.minor, Impact::Minor),
    ));
    if let Some(baseline) = &run.baseline {
        head.push_str(&format!(
            "\nNew: {}. Known to the baseline: {}. Solved: {}.\n",
            baseline.new,
            baseline.known,
            baseline.solved.len()
        ));
    }
    for notice in &run.notices {
        head.push_str(&format!("\n{}\n", text(&notice.message)));
    }
    head
}

/// Returns the number in bold if it says that something severe is there.
fn of(count: u64, impact: Impact) -> String {
    if count > 0 && impact >= Impact::Serious { format!("**{count}**") } else { count.to_string() }
}

fn not_checked(run: &Run) -> Option<String> {
    let pages: Vec<_> = run.pages_not_checked().collect();
    if pages.is_empty() {
        return None;
    }
    let mut section = "### Pages that were not checked\n\n".to_owned();
    for page in pages.iter().take(MAX_PAGES) {
        let reason = page.failure_message.as_deref().unwrap_or_default();
        section.push_str(&format!("- {}: {}\n", link(&page.url), text(reason)));
    }
    if pages.len() > MAX_PAGES {
        section.push_str(&format!("- and {} more\n", pages.len() - MAX_PAGES));
    }
    Some(section)
}

fn counts(elements: u64, findings: &[&RunFinding]) -> String {
    let mut pages: Vec<usize> = findings.iter().map(|finding| finding.page).collect();
    pages.dedup();
    let noun = |count: u64, noun: &str| if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") };
    format!("{} on {}", noun(elements, "element"), noun(pages.len() as u64, "page"))
}
