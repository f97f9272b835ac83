//! Page two: what to do, place by place.

use super::{Composer, MAX_TITLE};
use crate::{
    catalog::fill,
    export::pdf::{
        flow::{Flow, TOP},
        style::{Style, of_severity},
        table::{Align, Cell, RowHeads, Table, columns},
        text::{self, Place, Run},
        tree::Tag,
    },
    report::brief::TodoLine,
};

/// The most characters of what stands at a place.
const MAX_WHAT: usize = 90;

impl Composer<'_> {
    pub(super) fn todo(&self, flow: &mut Flow) {
        let (todo, words) = (&self.brief.todo, &self.words.todo);
        if todo.lines.is_empty() {
            return;
        }
        if flow.y > TOP {
            flow.add_page();
        }
        let label = &self.terms.label;
        flow.within(Tag::Section, None, |flow| {
            flow.heading(2, Some(Place::Todo), None, &[Run::bold(words.title.as_str())]);
            flow.paragraph(&[Run::regular(words.note.as_str())], Style::BODY);
            let heads = [&words.what, &words.place, &label.elements, &words.fixer, &words.effort];
            flow.table(&Table {
                columns: columns(&[
                    (0.37, Align::Left),
                    (0.26, Align::Left),
                    (0.14, Align::Right),
                    (0.12, Align::Left),
                    (0.11, Align::Left),
                ]),
                head: Some(heads.map(|name| Cell::head(name.as_str())).into()),
                rows: todo.lines.iter().map(|line| self.todo_line(line)).collect(),
                row_heads: RowHeads::First,
            });
            if todo.further > 0 {
                let further = fill(&words.further, &[("n", &todo.further.to_string())]);
                flow.paragraph(&[Run::regular(further)], Style::BODY);
            }
        });
    }

    fn todo_line(&self, line: &TodoLine<'_>) -> Vec<Cell> {
        let title = Run::bold(text::line(&line.group.title, MAX_TITLE));
        let linked = self.has_section(line.group.rank);
        let title = if linked { title.to(Place::Rule(line.group.rank)) } else { title };
        let mut what = vec![title, Run::regular(format!("\n{}", text::line(&line.what, MAX_WHAT)))];
        if let Some(quick) = &line.quick {
            what.push(Run::bold(format!("\n{quick}")));
        }
        if line.is_new {
            what.extend([
                Run::regular("\n "),
                Run::badge(self.terms.label.new.as_str(), of_severity(line.group.severity)),
            ]);
        }
        let place = match line.place.pages {
            0 | 1 => vec![self.address(&line.place.page)],
            _ => {
                let reach = fill(&self.words.todo.for_example, &[("pages", &line.reach)]);
                vec![Run::regular(format!("{reach}\n")), self.address(&line.place.page)]
            }
        };
        vec![
            Cell { locale: self.locale_of(line.group), ..Cell::new(what) },
            Cell::new(place),
            Cell::text(line.place.count.to_string()),
            Cell::text(line.fixer.map_or("–", |fixer| self.words.fixer(fixer))),
            Cell::text(line.effort.map_or("–", |effort| effort.letter())),
        ]
    }
}
