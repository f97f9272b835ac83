//! The pages worth a line: those with the most problems, those that were not checked, and those with something to note.

use super::{Composer, MAX_TITLE};
use crate::{
    export::pdf::{
        flow::Flow,
        style::Style,
        table::{Align, Cell, RowHeads, Table, columns},
        text::{self, Place, Run},
        tree::Tag,
    },
    report::PageView,
};

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
        let (words, lists) = (&self.words.pages, &self.brief.pages);
        flow.within(Tag::Section, None, |flow| {
            let worst = self.worst();
            let room = if worst.rows.is_empty() { 0.0 } else { flow.table_start(&worst) + 45.0 };
            let title = [Run::bold(self.terms.label.pages.as_str())];
            flow.heading_before(2, Some(Place::Pages), (None, &title), room);
            if worst.rows.is_empty() {
                let checked = self.terms.counted(&self.terms.count.page, lists.rest.0);
                flow.paragraph(&[Run::regular(format!("{}: {checked}", self.words.opening.clear_pages))], Style::BODY);
            } else {
                flow.titled_table(3, None, &words.worst, &worst);
            }
            if !lists.not_checked.listed.is_empty() {
                flow.titled_table(3, None, &words.not_checked, &self.not_checked());
            }
            if !lists.noted.is_empty() {
                flow.titled_table(3, None, &words.noted, &self.noted());
            }
        });
    }

    fn worst(&self) -> Table {
        let (label, lists) = (&self.terms.label, &self.brief.pages);
        let listed = lists.worst.iter().map(|page| vec![self.page(page), Cell::text(page.issues.to_string())]);
        let mut rows: Vec<Vec<Cell>> = listed.collect();
        let (rest, issues) = lists.rest;
        if rest > 0 && !rows.is_empty() {
            let pages = self.terms.counted(&self.terms.count.page, rest);
            rows.push(vec![Cell::text(format!("+ {pages}")), Cell::text(issues.to_string())]);
        }
        Table {
            columns: columns(&[(0.82, Align::Left), (0.18, Align::Right)]),
            head: Some([&label.page, &label.problems].map(|name| Cell::head(name.as_str())).into()),
            rows,
            row_heads: RowHeads::First,
        }
    }

    fn not_checked(&self) -> Table {
        let (label, lists) = (&self.terms.label, &self.brief.pages.not_checked);
        let reason = |page: &PageView| {
            let reason = page.error.as_ref().map(|error| self.terms.failure(error)).unwrap_or_default();
            match &page.linked_from {
                Some(from) => format!("{reason}\n{}: {}", label.linked_from, text::line(from, MAX_LINKED_FROM)),
                None => reason.into_owned(),
            }
        };
        let listed = lists.listed.iter().map(|page| vec![self.page(page), Cell::text(reason(page))]);
        let mut rows: Vec<Vec<Cell>> = listed.collect();
        if lists.rest > 0 {
            let pages = self.terms.counted(&self.terms.count.page, lists.rest);
            rows.push(vec![Cell::text(format!("+ {pages}")), Cell::text("–")]);
        }
        Table {
            columns: columns(&[(0.42, Align::Left), (0.58, Align::Left)]),
            head: Some([&label.page, &label.not_checked].map(|name| Cell::head(name.as_str())).into()),
            rows,
            row_heads: RowHeads::First,
        }
    }

    fn noted(&self) -> Table {
        let label = &self.terms.label;
        let rows = self.brief.pages.noted.iter().map(|page| vec![self.page(page), Cell::text(self.note(page))]);
        Table {
            columns: columns(&[(0.42, Align::Left), (0.58, Align::Left)]),
            head: Some([&label.page, &label.notes].map(|name| Cell::head(name.as_str())).into()),
            rows: rows.collect(),
            row_heads: RowHeads::First,
        }
    }

    fn page(&self, page: &PageView) -> Cell {
        let mut runs = vec![self.address(&page.url)];
        let title = text::line(&page.title, MAX_TITLE);
        if !title.is_empty() {
            runs.push(Run::regular(format!("   {title}")));
        }
        Cell::new(runs)
    }

    /// Returns what was not checked of a page, or was checked in a state that was not final.
    fn note(&self, page: &PageView) -> String {
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
        notes.into_iter().flatten().collect::<Vec<_>>().join("\n")
    }
}
