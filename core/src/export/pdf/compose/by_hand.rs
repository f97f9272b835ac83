//! What no machine tests, and how a person does.

use super::Composer;
use crate::export::pdf::{
    flow::Flow,
    style::Style,
    table::{Align, Cell, RowHeads, Table, columns},
    text::{Place, Run},
    tree::Tag,
};

impl Composer<'_> {
    pub(super) fn by_hand(&self, flow: &mut Flow) {
        let words = &self.words.by_hand;
        let rows = self.brief.by_hand.iter().map(|test| {
            let criteria = format!("\nWCAG {}", test.criteria.join(", "));
            vec![Cell::new(vec![Run::bold(test.title), Run::regular(criteria)]), Cell::text(test.how)]
        });
        let table = Table {
            columns: columns(&[(0.26, Align::Left), (0.74, Align::Left)]),
            head: None,
            rows: rows.collect(),
            row_heads: RowHeads::First,
        };
        flow.within(Tag::Section, None, |flow| {
            let start = flow.table_start(&table) + 3.0 * Style::BODY.leading;
            let title = [Run::bold(words.title.as_str())];
            flow.heading_before(2, Some(Place::ByHand), (None, &title), start);
            flow.paragraph(&[Run::regular(words.note.as_str())], Style::BODY);
            flow.table(&table);
        });
    }
}
