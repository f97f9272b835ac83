//! What is new since the previous check, with numbers that add up, and the trend.

use super::{Composer, MAX_TITLE, day};
use crate::{
    export::pdf::{
        chart::{CHART_HEIGHT, Point},
        flow::Flow,
        style::Style,
        table::{Align, Cell, RowHeads, Table, columns},
        text::{self, Place, Run},
        tree::Tag,
    },
    report::{Group, brief::Changes},
};

impl Composer<'_> {
    pub(super) fn changes(&self, flow: &mut Flow) {
        let Some(changes) = &self.brief.changes else { return };
        let (words, label) = (&self.words.changes, &self.terms.label);
        flow.within(Tag::Section, None, |flow| {
            let balance = self.balance(changes);
            flow.titled_table(2, Some(Place::Changes), &words.title, &balance);
            for note in &changes.notes {
                flow.paragraph(&[Run::regular(note.as_str())], Style::BODY);
            }
            if changes.new.is_empty() {
                flow.paragraph(&[Run::regular(words.nothing.as_str())], Style::BODY);
            } else {
                let heads = [&label.new, &self.words.todo.place, &label.elements];
                flow.table(&Table {
                    columns: columns(&[(0.5, Align::Left), (0.36, Align::Left), (0.14, Align::Right)]),
                    head: Some(heads.map(|name| Cell::head(name.as_str())).into()),
                    rows: changes.new.iter().map(|group| self.new_line(group)).collect(),
                    row_heads: RowHeads::First,
                });
            }
            if !changes.fixed.is_empty() {
                let row = |title: &str, count: u64| {
                    vec![Cell::text(text::line(title, MAX_TITLE)), Cell::text(count.to_string())]
                };
                flow.table(&Table {
                    columns: columns(&[(0.86, Align::Left), (0.14, Align::Right)]),
                    head: Some([&label.fixed, &label.elements].map(|name| Cell::head(name.as_str())).into()),
                    rows: changes.fixed.iter().map(|rule| row(&rule.title, rule.count)).collect(),
                    row_heads: RowHeads::First,
                });
            }
            self.development(flow);
        });
    }

    /// Returns the table in which each row adds up to its total.
    fn balance(&self, changes: &Changes<'_>) -> Table {
        let (words, label) = (&self.words.changes, &self.terms.label);
        let heads = ["", &label.new, &label.fixed, &label.remaining, &words.not_comparable, &label.total];
        let row = |name: String, new: String, fixed: String, balance: crate::report::brief::Balance| {
            let counts = [balance.remaining, balance.not_comparable, balance.total].map(|count| count.to_string());
            let cells = [new, fixed].into_iter().chain(counts).map(Cell::text);
            [Cell::head(name)].into_iter().chain(cells).collect()
        };
        let before = format!("{} ({})", label.previous_check, day(changes.previous_date));
        let count = (0.13, Align::Right);
        Table {
            columns: columns(&[
                (0.3, Align::Left),
                count,
                count,
                (0.16, Align::Right),
                (0.16, Align::Right),
                (0.12, Align::Right),
            ]),
            head: Some(heads.map(Cell::head).into()),
            rows: vec![
                row(before, "–".to_owned(), changes.before.alone.to_string(), changes.before),
                row(words.this_check.clone(), changes.now.alone.to_string(), "–".to_owned(), changes.now),
            ],
            row_heads: RowHeads::First,
        }
    }

    fn new_line(&self, group: &Group) -> Vec<Cell> {
        let title = Run::regular(format!("{}. {}", group.rank, text::line(&group.title, MAX_TITLE)));
        let linked = self.has_section(group.rank);
        let title = if linked { title.to(Place::Rule(group.rank)) } else { title };
        let place = group.places.first().map(|place| self.address(&place.page));
        vec![
            Cell { locale: self.locale_of(group), ..Cell::new(vec![title]) },
            Cell::new(place.into_iter().collect()),
            Cell::text(group.new_count.to_string()),
        ]
    }

    fn development(&self, flow: &mut Flow) {
        let trend = &self.source.report.trend;
        if trend.len() < 2 {
            return;
        }
        let label = &self.terms.label;
        // The chart stays on the page of its heading.
        flow.heading_before(3, None, (None, &[Run::bold(label.trend.as_str())]), CHART_HEIGHT + 8.0);
        let points: Vec<_> = trend.iter().map(|check| Point { date: day(check.date), value: check.total }).collect();
        let values = points
            .iter()
            .map(|point| format!("{}: {}", point.date, self.terms.counted(&self.terms.count.problem, point.value)));
        let alternative = format!("{}. {}", label.trend, values.collect::<Vec<_>>().join("; "));
        flow.chart(&points, alternative);
    }
}
