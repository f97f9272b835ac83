//! The contents of the long form.

use super::{Composer, MAX_TITLE};
use crate::{
    export::pdf::{
        flow::Flow,
        frame::{Pages, entry},
        text::{self, Place, Run},
        tree::Tag,
    },
    report::Group,
};

impl Composer<'_> {
    pub(super) fn contents(&self, flow: &mut Flow, pages: &Pages) {
        flow.within(Tag::Section, None, |flow| {
            let title = [Run::bold(self.terms.label.contents.as_str())];
            flow.heading(2, Some(Place::Contents), None, &title);
            flow.within(Tag::Contents, None, |flow| {
                for (place, name, rules) in self.sections() {
                    entry(flow, pages, place, Run::bold(name));
                    for group in rules {
                        let title = format!("{}. {}", group.rank, text::line(&group.title, MAX_TITLE));
                        flow.indented(14.0, |flow| entry(flow, pages, Place::Rule(group.rank), Run::regular(title)));
                    }
                }
            });
        });
    }

    /// Returns the sections of the long form with their names and their rules, in their order.
    fn sections(&self) -> Vec<(Place, &str, &[Group])> {
        let (label, words, report) = (&self.terms.label, self.words, self.source.report);
        let none: &[Group] = &[];
        let mut sections: Vec<(Place, &str, &[Group])> = vec![(Place::Overview, &label.overview, none)];
        if !self.brief.todo.lines.is_empty() {
            sections.push((Place::Todo, &words.todo.title, none));
        }
        if self.brief.changes.is_some() {
            sections.push((Place::Changes, &words.changes.title, none));
        }
        sections.push((Place::Problems, &label.problems, &report.groups));
        if !report.advisory.is_empty() {
            sections.push((Place::Recommendations, &label.recommendations, &report.advisory));
        }
        sections.extend([(Place::Pages, label.pages.as_str(), none), (Place::ByHand, &words.by_hand.title, none)]);
        if !self.brief.waiting.is_empty() {
            sections.push((Place::Waiting, &label.needs_review, none));
        }
        sections.extend([
            (Place::Law, words.law.title.as_str(), none),
            (Place::Glossary, &words.glossary.title, none),
            (Place::Method, &words.method.title, none),
        ]);
        sections
    }
}
