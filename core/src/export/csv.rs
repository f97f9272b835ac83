//! A row per element and nothing else, for spreadsheets and imports: contract §9.4. The disclaimer is in the name of the
//! file, and in a header of the response.

use std::{borrow::Cow, io};

use ::csv::{Terminator, WriterBuilder};

use super::{cell::cell, issues::Issues};
use crate::{
    domain::{AcceptReason, Acceptance, Finding, RuleKind},
    locale::Locale,
    report::opened,
};

/// The byte order mark, without which Excel reads UTF-8 as the computer's old code page.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The columns of every file.
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

/// The columns that follow where elements can be accepted: a reason means that this one is.
const ACCEPTED: [&str; 3] = ["accepted", "accepted_note", "accepted_until"];

/// What stands for a reason of a later release.
const UNKNOWN: &str = "other";

pub(super) fn write(issues: &Issues<'_>, out: &mut impl io::Write) -> io::Result<()> {
    out.write_all(BYTE_ORDER_MARK)?;
    // The line end of RFC 4180.
    let mut rows = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(out);
    let accepted = issues.source.accepted;
    rows.write_record(COLUMNS.iter().chain(accepted.map_or(&[][..], |_| &ACCEPTED)))?;
    for rule in issues.rules() {
        let (id, wcag, title) = (cell(rule.id()), rule.wcag.join(" "), cell(rule.texts.title));
        // The elements of a page are next to each other.
        for on_page in rule.elements.chunk_by(|(_, one), (_, next)| one.page == next.page) {
            let page = on_page.first().map_or("", |(_, finding)| issues.page_url(finding));
            let page = cell(page);
            for (number, finding) in on_page {
                for field in [
                    &*id,
                    word(rule.kind),
                    rule.severity().as_str(),
                    &wcag,
                    &title,
                    &page,
                    &cell(&finding.selector),
                    &cell(&finding.html),
                    &cell(&summary(finding)),
                    if finding.is_new { "yes" } else { "no" },
                ] {
                    rows.write_field(field)?;
                }
                if let Some(accepted) = accepted {
                    for field in decided(accepted.of(*number)) {
                        rows.write_field(&*field)?;
                    }
                }
                // Ends the row.
                rows.write_record(None::<&[u8]>)?;
            }
        }
    }
    rows.flush()
}

/// Returns the engine's account of an element, after the control that was pressed before it appeared: no column may be added for
/// that (contract §15.2). Both are in English, as the column is.
fn summary(finding: &Finding) -> Cow<'_, str> {
    opened(finding, Locale::En).map_or(Cow::Borrowed(&*finding.failure_summary), |state| {
        format!("{state}\n{}", finding.failure_summary).into()
    })
}

/// Returns the fields of [`ACCEPTED`]; empty ones for an element that is not accepted.
fn decided(accepted: Option<&Acceptance>) -> [Cow<'_, str>; 3] {
    let Some(Acceptance { reason, note, until }) = accepted else { return Default::default() };
    let until = until.map(|until| until.to_string()).unwrap_or_default();
    [reason.map_or(UNKNOWN, AcceptReason::as_str).into(), cell(note), until.into()]
}

const fn word(kind: RuleKind) -> &'static str {
    match kind {
        RuleKind::Problem => "problem",
        RuleKind::Recommendation => "recommendation",
    }
}
