//! CSV for Jira's importer, a row per problem rule: `Summary,Issue Type,Priority,Description`, and `Labels`
//! once for each label, as in the files that Jira itself exports.

use std::io;

use ::csv::{Terminator, WriterBuilder};

use super::{
    cell::cell,
    issues::{Issues, TicketPlace},
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
    rows.write_record(["Summary", "Issue Type", "Priority", "Description", "Labels", "Labels", "Labels"])?;
    for rule in issues.problems() {
        let [first, second, third] = rule.labels();
        rows.write_record([
            &*cell(&summary(rule)),
            "Bug",
            priority(rule.severity()),
            &cell(&description(issues, rule)),
            &first,
            &second,
            &third,
        ])?;
    }
    rows.flush()
}

/// Returns the summary of a rule, without markup: Jira shows summaries as they are. The severity is in the priority and in
/// a label.
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

/// The lines around texts without markup.
const OPEN: &str = "{noformat}\n";
const CLOSE: &str = "{noformat}\n";

/// Returns the description of a rule: its texts, its places and the first of its elements, as many as there is room for, and the
/// disclaimer.
fn description(issues: &Issues<'_>, rule: &PreparedRule<'_>) -> String {
    let foot = format!("\n{}\n_{}_", text(&issues.standard_line()), text(&issues.terms.disclaimer));
    let count = rule.count();

    let mut description = head(issues, rule);
    // The line does not grow when fewer elements are left out.
    let used = length(&description) + length(&further(issues, count)) + length(&foot);
    let mut room = MAX_DESCRIPTION.saturating_sub(used);
    // Hostile selectors and sources must leave room for the list of elements.
    let room_of_list = room / 2;
    for place in rule.ticket_places(issues.terms) {
        let block = block_of(&place);
        let Some(left) = room.checked_sub(length(&block)).filter(|left| *left >= room_of_list) else { break };
        room = left;
        description.push_str(&block);
    }
    description.push('\n');
    room = room.saturating_sub(1);
    let mut listed = 0;
    let elements = rule.elements.get(..Issues::MAX_LISTED).unwrap_or(&rule.elements);
    for on_page in elements.chunk_by(|(_, one), (_, next)| one.page == next.page) {
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
        description.push_str(&further(issues, count - listed));
    }
    description + &foot
}

/// Returns the line with the number of elements that are not listed, and with the address of the list of all.
fn further(issues: &Issues<'_>, count: u64) -> String {
    let label = &issues.terms.label;
    let number = text(&fill(&label.further_elements, &[("n", &count.to_string())]));
    match issues.source.rest {
        Some(rest) => format!("\n{number} · {}: {}\n", text(&label.full_list), link(rest)),
        None => format!("\n{number}\n"),
    }
}

/// Returns the list item of a place, with what was found there, and the source of one element below it.
fn block_of(TicketPlace { what, reach, found, html }: &TicketPlace) -> String {
    let found = found.as_ref().map(|found| format!(". {}", prose(found))).unwrap_or_default();
    let item = format!("* {}: {}{found}\n", text(what), text(reach));
    let block = if html.is_empty() { String::new() } else { format!("{OPEN}{}\n{CLOSE}", unformatted(html)) };
    // As it will be in the file, so that its length is known.
    cell(&format!("{item}{block}")).into_owned()
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
    add(&label.found_on, &issues.terms.counted(&issues.terms.count.page, rule.pages_listed() as u64));
    let number = issues.terms.counted(&issues.terms.count.place, rule.places.len() as u64);
    add(&label.places, &text(&number));
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
