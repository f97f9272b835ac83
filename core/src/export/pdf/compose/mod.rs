//! The content of the report's file, a file of code for each section. What is shown, in which order and with which texts, is
//! decided in [`report::brief`](crate::report::brief).

mod by_hand;
mod changes;
mod closing;
mod contents;
mod full;
mod opening;
mod pages;
mod rules;
mod tables;
mod todo;
mod waiting;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::{
    Detail, PdfSource,
    flow::Flow,
    frame::{Frame, Pages, set_twice},
    picture::{Picture, Pictures},
    text::{self, Run},
};
use crate::{
    catalog::{BriefTerms, Terms, brief, terms},
    locale::Locale,
    report::{Example, Group, brief::Brief},
};

/// The source, with what is derived from it.
pub(super) struct Composer<'a> {
    source: PdfSource<'a>,
    brief: Brief<'a>,
    terms: &'static Terms,
    words: &'static BriefTerms,
    frame: Frame<'a>,
    /// The pictures, by the number of the example.
    pictures: BTreeMap<u64, Picture>,
    /// The picture of the first page.
    screen: Option<Picture>,
}

impl<'a> Composer<'a> {
    /// Returns a composer, and adds the source's pictures to `pictures`.
    pub(super) fn new(source: PdfSource<'a>, pictures: &mut Pictures) -> Self {
        let report = source.report;
        let (brief, frame) = (Brief::new(report), Frame::new(source.brand, terms(report.locale), pictures));
        let screen = source.screen.and_then(|bytes| pictures.add("SCREEN".to_owned(), bytes));
        let shown: Vec<&Example> = match source.detail {
            Detail::Brief => brief.rules.iter().flat_map(|rule| &rule.places).map(|place| place.example).collect(),
            Detail::Full => report.groups.iter().chain(&report.advisory).flat_map(|group| &group.examples).collect(),
        };
        let of_examples = shown
            .into_iter()
            .filter_map(|example| {
                let bytes = (source.pictures)(example.id)?;
                Some((example.id, pictures.add(format!("E{}", example.id), bytes)?))
            })
            .collect();
        let words = self::brief(report.locale);
        Self { source, brief, terms: terms(report.locale), words, frame, pictures: of_examples, screen }
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
        self.opening(&mut flow);
        self.todo(&mut flow);
        if self.source.detail == Detail::Full {
            self.contents(&mut flow, pages);
        }
        self.changes(&mut flow);
        match self.source.detail {
            Detail::Brief => {
                self.rules(&mut flow);
                self.other_rules(&mut flow);
                self.recommendations(&mut flow);
            }
            Detail::Full => self.full_rules(&mut flow),
        }
        self.pages(&mut flow);
        self.by_hand(&mut flow);
        self.waiting(&mut flow);
        self.closing(&mut flow);
        self.frame.footers(&mut flow);
        flow
    }

    /// Returns whether the rule with this rank has a section of its own, to which links can lead.
    fn has_section(&self, rank: u64) -> bool {
        match self.source.detail {
            Detail::Brief => self.brief.rules.iter().any(|rule| rule.group.rank == rank),
            Detail::Full => true,
        }
    }

    /// Returns the address of a page of the site as it is shown: without the part that all of them share.
    fn address(&self, address: &str) -> Run {
        let mut shown = Run::address(address);
        let site = self.source.report.url.trim_end_matches('/');
        if let Some(path) = address.strip_prefix(site).filter(|path| path.starts_with('/')) {
            shown.text = text::line(path, MAX_PATH);
        }
        shown
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
/// The most characters of a page's address without its site.
const MAX_PATH: usize = 120;

/// Formats a date so that it is read alike everywhere: ISO 8601.
fn day(date: DateTime<Utc>) -> String {
    date.format("%Y-%m-%d").to_string()
}
