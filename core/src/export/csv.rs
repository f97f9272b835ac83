//! A row per element and nothing else, for spreadsheets and imports: contract §9.4. The disclaimer is in the name of the
//! file, and in a header of the response.

use std::io;

use ::csv::{Terminator, WriterBuilder};

use super::{cell::cell, issues::Issues};
use crate::domain::RuleKind;

/// The byte order mark, without which Excel reads UTF-8 as the computer's old code page.
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
    // The line end of RFC 4180.
    let mut rows = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(out);
    rows.write_record(COLUMNS)?;
    for rule in issues.rules() {
        let (id, wcag, title) = (cell(rule.id()), rule.wcag.join(" "), cell(rule.texts.title));
        // The elements of a page are next to each other.
        for on_page in rule.elements.chunk_by(|(_, one), (_, next)| one.page == next.page) {
            let page = on_page.first().map_or("", |(_, finding)| issues.page_url(finding));
            let page = cell(page);
            for (_, finding) in on_page {
                rows.write_record([
                    &*id,
                    word(rule.kind),
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
