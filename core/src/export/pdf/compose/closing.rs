//! The last page: the law in three lines, ten words, and how the check was made.

use super::{Composer, MAX_TITLE};
use crate::export::pdf::{
    flow::Flow,
    style::Style,
    table::{Align, Cell, RowHeads, Table, columns},
    text::{self, Place, Run},
    tree::Tag,
};

impl Composer<'_> {
    pub(super) fn closing(&self, flow: &mut Flow) {
        flow.within(Tag::Section, None, |flow| {
            let title = [Run::bold(self.words.law.title.as_str())];
            flow.heading(2, Some(Place::Law), None, &title);
            let lines = self.brief.law.map(|line| [Run::regular(line)]);
            flow.bullets(lines.iter().map(<[Run; 1]>::as_slice));
        });
        flow.within(Tag::Section, None, |flow| {
            flow.heading(2, Some(Place::Glossary), None, &[Run::bold(self.words.glossary.title.as_str())]);
            let words =
                self.brief.glossary.map(|entry| [Run::bold(format!("{}: ", entry.word)), Run::regular(entry.meaning)]);
            flow.bullets(words.iter().map(<[Run; 2]>::as_slice));
        });
        flow.within(Tag::Section, None, |flow| self.method(flow));
    }

    fn method(&self, flow: &mut Flow) {
        let words = &self.words.method;
        flow.heading(2, Some(Place::Method), None, &[Run::bold(words.title.as_str())]);
        flow.paragraph(&[Run::regular(words.text.as_str())], Style::BODY);
        flow.paragraph(&[Run::regular(words.all_elements.as_str())], Style::BODY);
        let rows = self.facts().into_iter().map(|(name, fact)| vec![Cell::head(name), Cell::text(fact)]);
        flow.table(&Table {
            columns: columns(&[(0.3, Align::Left), (0.7, Align::Left)]),
            head: None,
            rows: rows.collect(),
            row_heads: RowHeads::First,
        });
        let disclaimer = [Run::bold(self.terms.disclaimer.as_str())];
        flow.paragraph(&disclaimer, Style::BODY);
    }

    fn facts(&self) -> Vec<(&str, String)> {
        let (report, label) = (self.source.report, &self.terms.label);
        let dead = report.pages.iter().filter(|page| page.linked_from.is_some()).count();
        let failed = report.pages.iter().filter(|page| page.error.is_some()).count() - dead;
        let checked = report.pages.len() - failed - dead;
        let aside = [(&label.not_checked, failed), (&label.dead_links, dead)];
        let aside = aside.iter().filter(|(_, count)| *count > 0).map(|(name, count)| format!("{name}: {count}"));
        let aside = aside.collect::<Vec<_>>().join(", ");
        let pages = if aside.is_empty() { checked.to_string() } else { format!("{checked} ({aside})") };
        let program = report.engine.program();
        let with = [Some(&*program), report.engine.browser.as_deref(), self.source.generated_by];
        let with = with.into_iter().flatten().collect::<Vec<_>>().join(", ");
        let mut facts: Vec<(&str, String)> = vec![(&label.pages_checked, pages)];
        if let Some(platform) = &report.platform_name {
            facts.push((&label.platform, text::line(platform, MAX_TITLE)));
        }
        facts.extend([
            (label.standard.as_str(), self.source.report.standard.name().to_owned()),
            (&label.checked_with, text::line(&with, 200)),
            (&label.prepared_by, self.frame.name()),
        ]);
        facts
    }
}
