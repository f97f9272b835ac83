//! The rules that have a line: other problems, and recommendations.

use super::{Composer, MAX_TITLE};
use crate::{
    export::pdf::{
        flow::Flow,
        style::{Style, of_severity},
        table::{Align, Cell, RowHeads, Table, columns},
        text::{self, Place, Run},
        tree::Tag,
    },
    report::brief::RuleLine,
};

impl Composer<'_> {
    pub(super) fn other_rules(&self, flow: &mut Flow) {
        let words = &self.words.rule;
        self.lines(flow, Place::OtherRules, [&words.others, &words.others_note], &self.brief.other_rules);
    }

    pub(super) fn recommendations(&self, flow: &mut Flow) {
        let label = &self.terms.label;
        let title = [&label.recommendations, &label.recommendations_note];
        self.lines(flow, Place::Recommendations, title, &self.brief.recommendations);
    }

    fn lines(&self, flow: &mut Flow, place: Place, [title, note]: [&String; 2], lines: &[RuleLine<'_>]) {
        if lines.is_empty() {
            return;
        }
        let label = &self.terms.label;
        let rows = lines.iter().map(|line| {
            let group = line.group;
            let title = format!("{}. {}", group.rank, text::line(&group.title, MAX_TITLE));
            let mut runs = vec![Run::web(title, &group.help)];
            runs.extend(
                line.goes_away.as_ref().map(|with| Run::regular(format!("\n{}", text::line(with, 2 * MAX_TITLE)))),
            );
            vec![
                Cell { locale: self.locale_of(group), ..Cell::new(runs) },
                Cell::new(vec![Run::badge(self.terms.severity(group.severity), of_severity(group.severity))]),
                Cell::text(group.n.to_string()),
                Cell::text(group.count.to_string()),
                Cell::text(group.pages.len().to_string()),
            ]
        });
        let heads = [&label.rule, &label.severity, &label.places, &label.elements, &label.pages];
        let table = Table {
            columns: columns(&[
                (0.46, Align::Left),
                (0.19, Align::Left),
                (0.11, Align::Right),
                (0.13, Align::Right),
                (0.11, Align::Right),
            ]),
            head: Some(heads.map(|name| Cell::head(name.as_str())).into()),
            rows: rows.collect(),
            row_heads: RowHeads::First,
        };
        flow.within(Tag::Section, None, |flow| {
            // Room for two lines of the note.
            let start = flow.table_start(&table) + 3.0 * Style::BODY.leading;
            flow.heading_before(2, Some(place), (None, &[Run::bold(title.as_str())]), start);
            flow.paragraph(&[Run::regular(note.as_str())], Style::BODY);
            flow.table(&table);
        });
    }
}
