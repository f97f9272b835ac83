//! The last pages: every page of the check, and what has to be known about it.

use super::{Composer, MAX_TITLE};
use crate::{
    catalog::describe,
    export::pdf::{
        flow::Flow,
        style::Style,
        table::{Align, Cell, RowHeads, Table, columns},
        text::{self, Place, Run},
        tree::Tag,
    },
    locale::Locale,
};

/// Pages in the table of all pages; a row tells how many more there are.
const MAX_PAGES: usize = 500;
/// Frames of one page that are named beside their number; the JSON of the report has more.
const MAX_FRAMES: usize = 3;
/// Addresses without an answer that are named of one page; the JSON of the report has more.
const MAX_UNANSWERED: usize = 3;
/// Characters of an address that belongs to a page.
const MAX_PART_ADDRESS: usize = 80;
/// Characters of the address that leads to a dead link.
const MAX_LINKED_FROM: usize = 200;

impl Composer<'_> {
    pub(super) fn pages(&self, flow: &mut Flow) {
        let label = &self.terms.label;
        let report = self.source.report;
        let lacks: Vec<_> = (0..report.pages.len()).map(|page| self.lack(page)).collect();
        flow.within(Tag::Section, None, |flow| {
            flow.heading(2, Some(Place::Pages), None, &[Run::bold(label.pages.as_str())]);
            let any_lack = lacks.iter().any(Option::is_some);
            let mut rows: Vec<_> = report
                .pages
                .iter()
                .zip(&lacks)
                .take(MAX_PAGES)
                .map(|(page, lack)| {
                    let mut runs = vec![Run::address(&page.url)];
                    let title = text::line(&page.title, MAX_TITLE);
                    if !title.is_empty() {
                        runs.insert(0, Run::regular(format!("{title}\n")));
                    }
                    let issues = if page.error.is_some() { "–".to_owned() } else { page.issues.to_string() };
                    let mut row = vec![Cell::new(runs), Cell::text(issues)];
                    if any_lack {
                        row.push(Cell::text(lack.as_deref().unwrap_or("–")));
                    }
                    row
                })
                .collect();
            if let Some(rest) = report.pages.get(MAX_PAGES..).filter(|rest| !rest.is_empty()) {
                let pages = self.terms.counted(&self.terms.count.page, rest.len() as u64);
                let issues: u64 = rest.iter().map(|page| page.issues).sum();
                let mut row = vec![Cell::text(format!("+ {pages}")), Cell::text(issues.to_string())];
                row.extend(any_lack.then(|| Cell::text("–")));
                rows.push(row);
            }
            let mut head = vec![Cell::head(label.page.as_str()), Cell::head(label.problems.as_str())];
            // Of a page that was checked as it stood, nothing was left out.
            let any_note = report.pages.iter().any(|page| page.still_changing || !page.unanswered.is_empty());
            let lack = if any_note { &label.notes } else { &label.not_checked };
            head.extend(any_lack.then(|| Cell::head(lack.as_str())));
            let parts = match any_lack {
                true => columns(&[(0.5, Align::Left), (0.18, Align::Right), (0.32, Align::Left)]),
                false => columns(&[(0.8, Align::Left), (0.2, Align::Right)]),
            };
            flow.table(&Table { columns: parts, head: Some(head), rows, row_heads: RowHeads::First });
        });
    }

    /// What of a page was not checked, or not as it would have been in the end.
    fn lack(&self, page: usize) -> Option<String> {
        let view = self.source.report.pages.get(page)?;
        if let Some(error) = &view.error {
            let reason = self.terms.failure(error);
            return Some(match &view.linked_from {
                Some(from) => {
                    format!("{reason}\n{}: {}", self.terms.label.linked_from, text::line(from, MAX_LINKED_FROM))
                }
                None => reason.into_owned(),
            });
        }
        let outcome = self.source.findings.pages.get(page).filter(|outcome| outcome.url == view.url)?;
        let label = &self.terms.label;
        let count = outcome.frames_not_checked;
        let frames =
            outcome.unchecked_frames.iter().take(MAX_FRAMES).map(|frame| {
                format!("\n{}: {}", text::line(&frame.url, MAX_PART_ADDRESS), self.terms.code(frame.reason))
            });
        let unchecked = || format!("{}: {count}{}", label.frames_not_checked, frames.collect::<String>());
        let named = outcome.unanswered.iter().take(MAX_UNANSWERED);
        let addresses = named.map(|address| format!("\n{}", text::line(address, MAX_PART_ADDRESS)));
        let unanswered = || format!("{}:{}", label.unanswered, addresses.collect::<String>());
        let cover = outcome.cover.map(|cover| self.terms.cover(&cover));
        let notes = [
            cover,
            outcome.still_changing.then(|| label.still_changing.clone()),
            (!outcome.unanswered.is_empty()).then(unanswered),
            (count > 0).then(unchecked),
        ];
        let notes: Vec<String> = notes.into_iter().flatten().collect();
        (!notes.is_empty()).then(|| notes.join("\n"))
    }

    pub(super) fn notes(&self, flow: &mut Flow) {
        let label = &self.terms.label;
        flow.within(Tag::Section, None, |flow| {
            flow.heading(2, Some(Place::Notes), None, &[Run::bold(label.notes.as_str())]);
            if !self.source.findings.needs_review.is_empty() {
                flow.heading(3, None, None, &[Run::bold(label.needs_review.as_str())]);
                flow.paragraph(&[Run::regular(label.needs_review_note.as_str())], Style::BODY);
                self.to_review(flow);
            }
            flow.paragraph(&[Run::bold(self.terms.disclaimer.as_str())], Style::BODY);
        });
    }

    fn to_review(&self, flow: &mut Flow) {
        let label = &self.terms.label;
        let findings = self.source.findings;
        let rows = findings.needs_review.iter().filter_map(|(rule, count)| {
            let texts = describe(rule, findings.rules.get(rule)?, self.terms.locale);
            let title = Run::regular(text::line(texts.title, MAX_TITLE));
            let locale = self.differing(if texts.has_card { self.terms.locale } else { Locale::En });
            Some(vec![
                Cell { locale, ..Cell::new(vec![title]) },
                Cell::new(vec![Run::mono(text::line(rule.as_str(), 80))]),
                Cell::text(count.to_string()),
            ])
        });
        let rows: Vec<_> = rows.collect();
        if rows.is_empty() {
            return;
        }
        flow.table(&Table {
            columns: columns(&[(0.5, Align::Left), (0.34, Align::Left), (0.16, Align::Right)]),
            head: Some([&label.summary, &label.rule, &label.elements].map(|name| Cell::head(name.as_str())).into()),
            rows,
            row_heads: RowHeads::First,
        });
    }
}
