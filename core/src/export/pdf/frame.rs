//! The frame of a file: the brand at its head and foot, and the contents.

use std::collections::BTreeMap;

use super::{
    canvas::{Lettering, PAGE_HEIGHT, PAGE_WIDTH},
    chart::Border,
    flow::{BOTTOM, Flow, MARGIN},
    font::Face,
    picture::{Picture, Pictures},
    style::{QUIET, RULE, Style},
    text::{self, Place, Run},
};
use crate::{
    catalog::{Terms, fill},
    export::Brand,
};

/// The frame of a file, under its brand.
pub(super) struct Frame<'a> {
    brand: &'a Brand,
    logo: Option<Picture>,
    terms: &'static Terms,
}

/// The page of each place, from 0.
pub(super) type Pages = BTreeMap<Place, usize>;

impl<'a> Frame<'a> {
    /// Returns a frame, and adds the logo to `pictures`.
    pub(super) fn new(brand: &'a Brand, terms: &'static Terms, pictures: &mut Pictures) -> Self {
        let logo = brand.logo.as_ref().and_then(|logo| pictures.add("LOGO".to_owned(), logo.bytes()));
        Self { brand, logo, terms }
    }

    /// Returns the brand's name as it is shown.
    pub(super) fn name(&self) -> String {
        text::line(&self.brand.name, Brand::MAX_NAME)
    }

    /// Sets the head of the first page.
    pub(super) fn head(&self, flow: &mut Flow) {
        flow.band(self.brand.colour);
        match &self.logo {
            Some(logo) => flow.figure(logo, 44.0, Border::None, self.name()),
            None => {
                let style = Style { after: 10.0, ..Style::LEAD };
                flow.paragraph(&[Run::bold(self.name())], style);
            }
        }
        flow.space(14.0);
    }

    /// Draws the foot of every page. Nothing may be set after this.
    pub(super) fn footers(&self, flow: &mut Flow) {
        let count = flow.canvas.pages.len();
        let style = Lettering { face: Face::Regular, size: 9.0, colour: QUIET };
        let (y, width) = (PAGE_HEIGHT - BOTTOM + 22.0, PAGE_WIDTH - 2.0 * MARGIN);
        for page in 0..count {
            let numbers = [("page", (page + 1).to_string()), ("pages", count.to_string())];
            let numbers = numbers.each_ref().map(|(name, value)| (*name, value.as_str()));
            let number = fill(&self.terms.label.page_of, &numbers);
            let right = PAGE_WIDTH - MARGIN - Face::Regular.width(&number, 9.0);
            let name = fitting(&self.name(), width - Face::Regular.width(&number, 9.0) - 20.0);
            flow.canvas.amend(page, |canvas| {
                canvas.stroke(&[(MARGIN, y), (PAGE_WIDTH - MARGIN, y)], 0.5, RULE);
                canvas.text(MARGIN, y + 15.0, style, name);
                canvas.text(right, y + 15.0, style, number);
            });
        }
    }
}

/// Sets a whole file. The contents show page numbers that are known only once everything is set, so it is set twice; the
/// numbers take no more room the second time, so nothing moves.
pub(super) fn set_twice(set: impl Fn(&Pages) -> Flow) -> Flow {
    let first = set(&Pages::new());
    set(&first.places.iter().map(|(place, (page, _))| (*place, *page)).collect())
}

/// Sets a line of the contents.
pub(super) fn entry(flow: &mut Flow, pages: &Pages, place: Place, title: Run) {
    let page = pages.get(&place).map_or_else(String::new, |page| (page + 1).to_string());
    flow.contents_entry(title.to(place), page);
}

/// Returns as much of a text in small print as fits into this width.
fn fitting(text: &str, width: f32) -> String {
    let mut shown: String = text.chars().map(|character| Face::Regular.shown(character)).collect();
    while Face::Regular.width(&shown, 9.0) > width && shown.pop().is_some() {}
    shown
}
