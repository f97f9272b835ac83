//! The last pages: every page of the check, and the notes on it.

use std::cmp::Reverse;

use super::{Composer, MAX_TITLE};
use crate::{
    export::pdf::{
        flow::Flow,
        style::Style,
        table::{Align, Cell, RowHeads, Table, columns},
        text::{self, Place, Run},
        tree::Tag,
    },
    locale::Locale,
    report::PageView,
};

/// The most pages that are listed because they have most problems; a last row counts the rest, which the exports list.
const MAX_WORST: usize = 20;
/// The most pages that are listed because something about them is to be noted.
const MAX_NOTED: usize = 40;
/// The most frames of one page that are named beside their number; the JSON of the report has more.
const MAX_FRAMES: usize = 3;
/// The most addresses without a response that are named for one page; the JSON of the report has more.
const MAX_UNANSWERED: usize = 3;
/// The most characters of an address that belongs to a page.
const MAX_PART_ADDRESS: usize = 80;
/// The most characters of the address that leads to a dead link.
const MAX_LINKED_FROM: usize = 200;

impl Composer<'_> {
    pub(super) fn pages(&self, flow: &mut Flow) {
        let label = &self.terms.label;
        let report = self.source.report;
        let lacks: Vec<_> = report.pages.iter().map(|page| self.lack(page)).collect();
        flow.within(Tag::Section, None, |flow| {
            flow.heading(2, Some(Place::Pages), None, &[Run::bold(label.pages.as_str())]);
            let any_lack = lacks.iter().any(Option::is_some);
            let (mut noted, mut worst): (Vec<_>, Vec<_>) =
                report.pages.iter().zip(&lacks).partition(|(_, lack)| lack.is_some());
            noted.truncate(MAX_NOTED);
            worst.sort_by_key(|(page, _)| Reverse(page.issues));
            worst.truncate(MAX_WORST);
            let listed = noted.len() + worst.len();
            let listed_issues: u64 = noted.iter().chain(&worst).map(|(page, _)| page.issues).sum();
            let mut rows: Vec<_> = worst
                .into_iter()
                .chain(noted)
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
            let rest = report.pages.len() - listed;
            if rest > 0 {
                let pages = self.terms.counted(&self.terms.count.page, rest as u64);
                let issues = report.pages.iter().map(|page| page.issues).sum::<u64>() - listed_issues;
                let mut row = vec![Cell::text(format!("+ {pages}")), Cell::text(issues.to_string())];
                row.extend(any_lack.then(|| Cell::text("–")));
                rows.push(row);
            }
            let mut head = vec![Cell::head(label.page.as_str()), Cell::head(label.problems.as_str())];
            // “Not checked” would be wrong for a page that was checked in a state that was not final.
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

    /// Returns what was not checked of a page, or was checked in a state that was not final; `None` if there is nothing to report.
    fn lack(&self, page: &PageView) -> Option<String> {
        if let Some(error) = &page.error {
            let reason = self.terms.failure(error);
            return Some(match &page.linked_from {
                Some(from) => {
                    format!("{reason}\n{}: {}", self.terms.label.linked_from, text::line(from, MAX_LINKED_FROM))
                }
                None => reason.into_owned(),
            });
        }
        let label = &self.terms.label;
        let count = page.frames_not_checked_count;
        let frames =
            page.frames_not_checked.iter().take(MAX_FRAMES).map(|frame| {
                format!("\n{}: {}", text::line(&frame.url, MAX_PART_ADDRESS), self.terms.code(frame.reason))
            });
        let unchecked = || format!("{}: {count}{}", label.frames_not_checked, frames.collect::<String>());
        let named = page.unanswered.iter().take(MAX_UNANSWERED);
        let addresses = named.map(|address| format!("\n{}", text::line(address, MAX_PART_ADDRESS)));
        let unanswered = || format!("{}:{}", label.unanswered, addresses.collect::<String>());
        let notes = [
            page.cover.as_ref().map(|cover| cover.message.clone()),
            page.still_changing.then(|| label.still_changing.clone()),
            (!page.unanswered.is_empty()).then(unanswered),
            (count > 0).then(unchecked),
        ];
        let notes: Vec<String> = notes.into_iter().flatten().collect();
        (!notes.is_empty()).then(|| notes.join("\n"))
    }

    pub(super) fn notes(&self, flow: &mut Flow) {
        let label = &self.terms.label;
        flow.within(Tag::Section, None, |flow| {
            flow.heading(2, Some(Place::Notes), None, &[Run::bold(label.notes.as_str())]);
            if !self.source.report.needs_review.is_empty() {
                flow.heading(3, None, None, &[Run::bold(label.needs_review.as_str())]);
                flow.paragraph(&[Run::regular(label.needs_review_note.as_str())], Style::BODY);
                self.to_review(flow);
            }
            flow.paragraph(&[Run::bold(self.terms.disclaimer.as_str())], Style::BODY);
        });
    }

    fn to_review(&self, flow: &mut Flow) {
        let label = &self.terms.label;
        let rows = self.source.report.needs_review.iter().map(|undecided| {
            let title = Run::regular(text::line(&undecided.title, MAX_TITLE));
            let locale = self.differing(if undecided.has_card { self.terms.locale } else { Locale::En });
            vec![
                Cell { locale, ..Cell::new(vec![title]) },
                Cell::new(vec![Run::mono(text::line(undecided.rule.as_str(), 80))]),
                Cell::text(undecided.count.to_string()),
            ]
        });
        flow.table(&Table {
            columns: columns(&[(0.5, Align::Left), (0.34, Align::Left), (0.16, Align::Right)]),
            head: Some([&label.summary, &label.rule, &label.elements].map(|name| Cell::head(name.as_str())).into()),
            rows: rows.collect(),
            row_heads: RowHeads::First,
        });
    }
}
