//! Markdown with a section per problem rule, each fit for one GitHub issue: contract §9.4.

use std::io;

use super::{
    issues::{Issues, TicketPlace},
    markdown::{block, code, link, prose, text},
    text::length,
};
use crate::{catalog::fill, domain::Finding, report::PreparedRule};

/// The most characters that GitHub accepts as the body of an issue.
const MAX_SECTION: usize = 65_536;

pub(super) fn write(issues: &Issues<'_>, out: &mut impl io::Write) -> io::Result<()> {
    let name = text(issues.source.site.display_name());
    write!(out, "# {name}\n\n> {}\n", text(&issues.terms.disclaimer))?;
    write!(out, "\n{}\n", text(&issues.standard_line()))?;
    let mut has_problems = false;
    for rule in issues.problems() {
        has_problems = true;
        write!(out, "\n{}", section(issues, rule))?;
    }
    if !has_problems {
        write!(out, "\n{}\n", text(&issues.terms.label.no_problems))?;
    }
    Ok(())
}

/// Returns the section of a rule: its texts, its places, and the first of its elements, as many as there is room for.
fn section(issues: &Issues<'_>, rule: &PreparedRule<'_>) -> String {
    let labels = format!("\nLabels: {}\n", rule.labels().join(", "));
    let count = rule.count();

    let mut section = head(issues, rule);
    // The line does not grow when fewer elements are left out.
    let mut room = MAX_SECTION.saturating_sub(length(&section) + length(&further(issues, count)) + length(&labels));
    let mut listed = 0;
    for finding in rule.findings().take(Issues::MAX_LISTED) {
        let line = item(issues, finding);
        let Some(left) = room.checked_sub(length(&line)) else { break };
        room = left;
        section.push_str(&line);
        listed += 1;
    }
    if listed < count {
        section.push_str(&further(issues, count - listed));
    }
    section + &labels
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

fn head(issues: &Issues<'_>, rule: &PreparedRule<'_>) -> String {
    let label = &issues.terms.label;
    let texts = &rule.texts;
    let mut parts = vec![
        format!("## [{}] {} ({})\n", rule.severity(), text(texts.title), text(rule.id())),
        format!("{}\n", prose(texts.summary)),
    ];
    if !texts.how_to_fix.is_empty() {
        parts.push(format!("**{}:** {}\n", text(&label.how_to_fix), prose(texts.how_to_fix)));
    }
    if let Some(example) = texts.example {
        parts.push(block(example, if example.starts_with('<') { "html" } else { "css" }));
    }
    if let (Some(tip), Some(platform)) = (rule.platform_tip, issues.platform()) {
        let heading = text(&fill(&label.platform_tip, &[("platform", platform)]));
        parts.push(format!("**{heading}:** {}\n", prose(tip)));
    }
    let standards = rule.standards();
    if !standards.is_empty() {
        parts.push(format!("**{}:** {}\n", text(&label.references), text(&standards)));
    }
    let help = &rule.facts.help_url;
    if !help.is_empty() {
        parts.push(format!("**{}:** {}\n", text(&label.learn_more), link(help)));
    }
    parts.push(format!("**{}:**\n", text(&places_heading(issues, rule))));
    parts.push(rule.ticket_places(issues.terms).map(|place| item_of(&place)).collect());
    parts.push(String::new());
    parts.join("\n")
}

/// Returns the list item of a place, with what was found there, and the source of one element below it.
fn item_of(TicketPlace { what, reach, found, html }: &TicketPlace) -> String {
    let found = found.as_ref().map(|found| format!(". {}", prose(found))).unwrap_or_default();
    // Another bullet than that of the elements, which would otherwise be items of the same list.
    let item = format!("* {}: {}{found}\n", code(what), text(reach));
    if html.is_empty() {
        return item;
    }
    // Two blanks make the block a part of the item.
    let block: String = block(html, "html").lines().map(|line| format!("  {line}\n")).collect();
    format!("{item}\n{block}")
}

/// Returns the number of places, and that of elements.
fn places_heading(issues: &Issues<'_>, rule: &PreparedRule<'_>) -> String {
    let count = &issues.terms.count;
    let places = issues.terms.counted(&count.place, rule.places.len() as u64);
    format!("{places} · {}", issues.terms.counted(&count.element, rule.count()))
}

fn item(issues: &Issues<'_>, finding: &Finding) -> String {
    format!("- [ ] {} — {}\n", link(issues.page_url(finding)), code(&finding.selector))
}
