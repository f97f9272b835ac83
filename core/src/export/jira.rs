//! CSV for Jira's importer, a row per problem rule: `Summary,Issue Type,Priority,Description,Labels`.

use std::io;

use ::csv::{Terminator, WriterBuilder};

use super::{
    cell::cell,
    issues::Issues,
    text::{clip, length, one_line},
    wiki::{link, prose, text, unformatted},
};
use crate::{catalog::fill, domain::Impact, report::PreparedRule};

/// The most characters that Jira accepts as a description.
const MAX_DESCRIPTION: usize = 32_767;
/// The most characters that Jira accepts as a summary.
const MAX_SUMMARY: usize = 255;

// No byte order mark: the importer would take it for a part of the first column's name, and `Summary` is required.
pub(super) fn write(issues: &Issues<'_>, out: &mut impl io::Write) -> io::Result<()> {
    let mut rows = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(out);
    rows.write_record(["Summary", "Issue Type", "Priority", "Description", "Labels"])?;
    for rule in issues.problems() {
        rows.write_record([
            &*cell(&summary(rule)),
            "Bug",
            priority(rule.severity()),
            &cell(&description(issues, rule)),
            // The importer splits labels at blanks.
            &rule.labels().join(" "),
        ])?;
    }
    rows.flush()
}

/// Returns the summary of a rule, without markup: Jira shows summaries as they are.
fn summary(rule: &PreparedRule<'_>) -> String {
    clip(&one_line(&rule.headline()), MAX_SUMMARY / 2).to_owned()
}

/// Returns the name of one of Jira's own priorities.
const fn priority(severity: Impact) -> &'static str {
    match severity {
        Impact::Critical => "Highest",
        Impact::Serious => "High",
        Impact::Moderate => "Medium",
        Impact::Minor => "Low",
    }
}

/// Returns the description of a rule: its texts, as many of its elements as there is room for, and the disclaimer.
fn description(issues: &Issues<'_>, rule: &PreparedRule<'_>) -> String {
    const OPEN: &str = "{noformat}\n";
    const CLOSE: &str = "{noformat}\n";
    let label = &issues.terms.label;
    let further = |count: u64| format!("\n{}\n", text(&fill(&label.further_elements, &[("n", &count.to_string())])));
    let foot = format!("\n{}\n_{}_", text(&issues.standard_line()), text(&issues.terms.disclaimer));
    let count = rule.count();

    let mut description = head(issues, rule);
    // The line does not grow when fewer elements are left out.
    let mut room = MAX_DESCRIPTION.saturating_sub(length(&description) + length(&further(count)) + length(&foot));
    let mut listed = 0;
    for on_page in rule.elements.chunk_by(|(_, one), (_, next)| one.page == next.page) {
        let mut opening = on_page.first().map(|(_, finding)| format!("{}\n{OPEN}", link(issues.page_url(finding))));
        for (_, finding) in on_page {
            let line = format!("{}{}\n", opening.as_deref().unwrap_or(""), cell(&unformatted(&finding.selector)));
            let closing = if opening.is_some() { length(CLOSE) } else { 0 };
            let Some(left) = room.checked_sub(length(&line) + closing) else { break };
            room = left;
            description.push_str(&line);
            opening = None;
            listed += 1;
        }
        if opening.is_some() {
            break;
        }
        description.push_str(CLOSE);
    }
    if listed < count {
        description.push_str(&further(count - listed));
    }
    description + &foot
}

fn head(issues: &Issues<'_>, rule: &PreparedRule<'_>) -> String {
    let label = &issues.terms.label;
    let texts = &rule.texts;
    let mut head = format!("{}\n\n", prose(texts.summary));
    let mut add = |heading: &str, body: &str| head.push_str(&format!("*{}:* {body}\n\n", text(heading)));
    if !texts.how_to_fix.is_empty() {
        add(&label.how_to_fix, &prose(texts.how_to_fix));
    }
    if let Some(example) = texts.example {
        // The catalogue's own text, and no rule's example contains a macro.
        add(&label.example, &format!("{{noformat}}\n{example}\n{{noformat}}"));
    }
    if let (Some(tip), Some(platform)) = (rule.platform_tip, issues.platform()) {
        add(&fill(&label.platform_tip, &[("platform", platform)]), &prose(tip));
    }
    let standards = rule.standards();
    if !standards.is_empty() {
        add(&label.references, &text(&standards));
    }
    let help = &rule.facts.help_url;
    if !help.is_empty() {
        add(&label.learn_more, &link(help));
    }
    let places: String =
        rule.place_lines(issues.terms).map(|(what, reach)| format!("* {}: {}\n", text(&what), text(&reach))).collect();
    let number = issues.terms.counted(&issues.terms.count.place, rule.places.len() as u64);
    add(&label.places, &format!("{}\n\n{}", text(&number), places.trim_end()));
    add(&label.found_on, &issues.terms.counted(&issues.terms.count.page, rule.pages_listed() as u64));
    head
}

#[cfg(test)]
mod tests {
    use crate::catalog::rules;

    #[test]
    fn no_example_of_the_catalogue_leaves_its_block() {
        for (id, entry) in rules() {
            assert!(!entry.example.as_deref().is_some_and(|example| example.contains("{noformat")), "{id}");
        }
    }
}
