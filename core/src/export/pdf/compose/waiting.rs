//! What waits for a person because the engine could not decide.

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
    report::brief::Waiting,
};

/// The most characters of a reason.
const MAX_REASON: usize = 300;

impl Composer<'_> {
    pub(super) fn waiting(&self, flow: &mut Flow) {
        if self.brief.waiting.is_empty() {
            return;
        }
        let label = &self.terms.label;
        let table = Table {
            columns: columns(&[(0.84, Align::Left), (0.16, Align::Right)]),
            head: Some([&label.rule, &label.elements].map(|name| Cell::head(name.as_str())).into()),
            rows: self.brief.waiting.iter().map(|waiting| self.waiting_line(waiting)).collect(),
            row_heads: RowHeads::First,
        };
        flow.within(Tag::Section, None, |flow| {
            let start = flow.table_start(&table) + 3.0 * Style::BODY.leading;
            let title = [Run::bold(label.needs_review.as_str())];
            flow.heading_before(2, Some(Place::Waiting), (None, &title), start);
            flow.paragraph(&[Run::regular(label.needs_review_note.as_str())], Style::BODY);
            flow.table(&table);
        });
    }

    fn waiting_line(&self, waiting: &Waiting<'_>) -> Vec<Cell> {
        let undecided = waiting.undecided;
        let mut runs = vec![Run::bold(text::line(&undecided.title, MAX_TITLE))];
        for reason in &waiting.reasons {
            runs.push(Run::regular(format!("\n{}: {}", text::line(&reason.text, MAX_REASON), reason.count)));
        }
        let locale = self.differing(if undecided.has_card { self.terms.locale } else { Locale::En });
        vec![Cell { locale, ..Cell::new(runs) }, Cell::text(undecided.count.to_string())]
    }
}
