//! What stands in the file, part by part.

mod closing;
mod opening;
mod rules;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::{
    PdfSource,
    canvas::{Lettering, PAGE_HEIGHT, PAGE_WIDTH},
    flow::{BOTTOM, Flow, MARGIN},
    font::Face,
    picture::{Picture, Pictures},
    source::Brand,
    style::{QUIET, RULE},
    text::{self, Place},
};
use crate::{
    catalog::{Terms, fill, terms},
    locale::Locale,
    report::Group,
};

/// The source with what is derived from it.
pub(super) struct Composer<'a> {
    source: PdfSource<'a>,
    terms: &'static Terms,
    logo: Option<Picture>,
    /// By the number of the example.
    pictures: BTreeMap<u64, Picture>,
    /// The pages of places, as an earlier pass found them.
    pages: BTreeMap<Place, usize>,
}

impl<'a> Composer<'a> {
    /// Takes the source's pictures into `pictures`.
    pub(super) fn new(source: PdfSource<'a>, pictures: &mut Pictures) -> Self {
        let logo = source.brand.logo.as_ref().and_then(|logo| pictures.add("LOGO".to_owned(), logo));
        let examples = source.report.groups.iter().chain(&source.report.advisory).flat_map(|group| &group.examples);
        let of_examples = examples
            .filter_map(|example| {
                let bytes = (source.pictures)(example.id)?;
                Some((example.id, pictures.add(format!("E{}", example.id), bytes)?))
            })
            .collect();
        Self { source, terms: terms(source.report.locale), logo, pictures: of_examples, pages: BTreeMap::new() }
    }

    /// Sets the whole file. The contents tell pages that are known only once all is set, so it is set twice; numbers take
    /// no more room the second time, so nothing moves.
    pub(super) fn compose(mut self) -> Flow {
        let first = self.set();
        self.pages = first.places.iter().map(|(place, (page, _))| (*place, *page)).collect();
        self.set()
    }

    /// What the file is called.
    pub(super) fn title(&self) -> String {
        format!("{}: {}", self.terms.label.report_title, text::line(&self.source.report.title, MAX_TITLE))
    }

    fn set(&self) -> Flow {
        let mut flow = Flow::new(self.source.brand.colour.readable_on_white());
        self.overview(&mut flow);
        self.fix_first(&mut flow);
        self.contents(&mut flow);
        self.problems(&mut flow);
        self.recommendations(&mut flow);
        self.pages(&mut flow);
        self.notes(&mut flow);
        self.footers(&mut flow);
        flow
    }

    /// The sections with headings, in their order.
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

    /// The language of a group's texts, where it differs from the file's: axe-core's own are English.
    fn locale_of(&self, group: &Group) -> Option<Locale> {
        self.differing(if group.has_card { self.terms.locale } else { Locale::En })
    }

    fn differing(&self, locale: Locale) -> Option<Locale> {
        Some(locale).filter(|locale| *locale != self.terms.locale)
    }

    fn brand(&self) -> String {
        text::line(&self.source.brand.name, Brand::MAX_NAME)
    }

    fn footers(&self, flow: &mut Flow) {
        let count = flow.canvas.pages.len();
        let style = Lettering { face: Face::Regular, size: 9.0, colour: QUIET };
        let (y, width) = (PAGE_HEIGHT - BOTTOM + 22.0, PAGE_WIDTH - 2.0 * MARGIN);
        for page in 0..count {
            let numbers = [("page", (page + 1).to_string()), ("pages", count.to_string())];
            let numbers = numbers.each_ref().map(|(name, value)| (*name, value.as_str()));
            let number = fill(&self.terms.label.page_of, &numbers);
            let right = PAGE_WIDTH - MARGIN - Face::Regular.width(&number, 9.0);
            let name = fitting(&self.brand(), width - Face::Regular.width(&number, 9.0) - 20.0);
            flow.canvas.amend(page, |canvas| {
                canvas.stroke(&[(MARGIN, y), (PAGE_WIDTH - MARGIN, y)], 0.5, RULE);
                canvas.text(MARGIN, y + 15.0, style, name);
                canvas.text(right, y + 15.0, style, number);
            });
        }
    }
}

/// Characters of a title that are shown.
const MAX_TITLE: usize = 160;

/// A date that is read alike everywhere: ISO 8601.
fn day(date: DateTime<Utc>) -> String {
    date.format("%Y-%m-%d").to_string()
}

/// As much of a text in small print as this width holds.
fn fitting(text: &str, width: f32) -> String {
    let mut shown: String = text.chars().map(|character| Face::Regular.shown(character)).collect();
    while Face::Regular.width(&shown, 9.0) > width && shown.pop().is_some() {}
    shown
}
