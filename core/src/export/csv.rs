//! A row per element and nothing else, for spreadsheets and imports: contract, "Issue export files". The disclaimer stands in
//! the file's name, and in a header of the answer.

use std::io;

use ::csv::{Terminator, WriterBuilder};

use super::{cell::cell, issues::Issues};
use crate::domain::RuleKind;

/// Without it, Excel reads UTF-8 as the computer's old code page.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

const COLUMNS: [&str; 10] = [
    "rule",
    "type",
    "severity",
    "wcag",
    "title",
    "page_url",
    "selector",
    "html",
    "failure_summary",
    "new_since_previous_check",
];

pub(super) fn write(issues: &Issues<'_>, out: &mut impl io::Write) -> io::Result<()> {
    out.write_all(BYTE_ORDER_MARK)?;
    // RFC 4180 ends lines so.
    let mut rows = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(out);
    rows.write_record(COLUMNS)?;
    for rule in &issues.rules {
        let (id, wcag, title) = (cell(rule.id()), rule.wcag.join(" "), cell(rule.texts.title));
        // Elements of a page stand together.
        for on_page in rule.ranked.elements.chunk_by(|(_, one), (_, next)| one.page == next.page) {
            let page = on_page.first().map_or("", |(_, finding)| issues.page_url(finding));
            let page = cell(page);
            for (_, finding) in on_page {
                rows.write_record([
                    &*id,
                    word(rule.ranked.kind),
                    rule.severity().as_str(),
                    &wcag,
                    &title,
                    &page,
                    &cell(&finding.selector),
                    &cell(&finding.html),
                    &cell(&finding.failure_summary),
                    if finding.is_new { "yes" } else { "no" },
                ])?;
            }
        }
    }
    rows.flush()
}

const fn word(kind: RuleKind) -> &'static str {
    match kind {
        RuleKind::Problem => "problem",
        RuleKind::Recommendation => "recommendation",
    }
}
