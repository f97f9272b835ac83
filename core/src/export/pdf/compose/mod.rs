//! The content of the report's file, part by part.

mod closing;
mod opening;
mod rules;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::{
    PdfSource,
    flow::Flow,
    frame::{Frame, Pages, set_twice},
    picture::{Picture, Pictures},
    text::{self, Place},
};
use crate::{
    catalog::{Terms, terms},
    locale::Locale,
    report::Group,
};

/// The source, with what is derived from it.
pub(super) struct Composer<'a> {
    source: PdfSource<'a>,
    terms: &'static Terms,
    frame: Frame<'a>,
    /// The pictures, by the number of the example.
    pictures: BTreeMap<u64, Picture>,
}

impl<'a> Composer<'a> {
    /// Returns a composer, and adds the source's pictures to `pictures`.
    pub(super) fn new(source: PdfSource<'a>, pictures: &mut Pictures) -> Self {
        let terms = terms(source.report.locale);
        let frame = Frame::new(source.brand, terms, pictures);
        let examples = source.report.groups.iter().chain(&source.report.advisory).flat_map(|group| &group.examples);
        let of_examples = examples
            .filter_map(|example| {
                let bytes = (source.pictures)(example.id)?;
                Some((example.id, pictures.add(format!("E{}", example.id), bytes)?))
            })
            .collect();
        Self { source, terms, frame, pictures: of_examples }
    }

    /// Sets the whole file.
    pub(super) fn compose(&self) -> Flow {
        set_twice(|pages| self.set(pages))
    }

    /// Returns the title of the file.
    pub(super) fn title(&self) -> String {
        format!("{}: {}", self.terms.label.report_title, text::line(&self.source.report.title, MAX_TITLE))
    }

    fn set(&self, pages: &Pages) -> Flow {
        let mut flow = Flow::new(self.source.brand.colour.readable_on_white());
        self.overview(&mut flow);
        self.fix_first(&mut flow);
        self.contents(&mut flow, pages);
        self.problems(&mut flow);
        self.recommendations(&mut flow);
        self.pages(&mut flow);
        self.notes(&mut flow);
        self.frame.footers(&mut flow);
        flow
    }

    /// Returns the sections with headings, in their order.
    fn sections(&self) -> impl Iterator<Item = (Place, &'a str)> + use<'a> {
        let label = &self.terms.label;
        let report = self.source.report;
        let sections = [
            (Place::Overview, &label.overview, true),
            (Place::FixFirst, &label.fix_first, !report.groups.is_empty()),
            (Place::Problems, &label.problems, true),
            (Place::Recommendations, &label.recommendations, !report.advisory.is_empty()),
            (Place::Pages, &label.pages, true),
            (Place::Notes, &label.notes, true),
        ];
        sections.into_iter().filter(|(_, _, exists)| *exists).map(|(place, name, _)| (place, name.as_str()))
    }

    /// Returns the language of a group's texts if it differs from the file's: axe-core's own texts are English.
    fn locale_of(&self, group: &Group) -> Option<Locale> {
        self.differing(if group.has_card { self.terms.locale } else { Locale::En })
    }

    fn differing(&self, locale: Locale) -> Option<Locale> {
        Some(locale).filter(|locale| *locale != self.terms.locale)
    }
}

/// The most characters of a title that are shown.
const MAX_TITLE: usize = 160;

/// Formats a date so that it is read alike everywhere: ISO 8601.
fn day(date: DateTime<Utc>) -> String {
    date.format("%Y-%m-%d").to_string()
}
