//! The choice of the elements that get pictures, for a whole check: those that its report can show.
//!
//! A report shows up to ten elements of a rule: one of each place to fix, then the first others. Which places come
//! first is known only when all pages are checked, so one element of each place gets a picture until there are many.
//! Elements that the previous check did not have are shown before others, and have room of their own.

use std::{
    collections::{HashMap, HashSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::Arc,
};

use a11ycheck_core::{
    domain::{Finding, RuleId},
    report::{Group, PlaceKey},
    scanner::KnownElements,
};

use super::plan::{ElementNumber, Rect, is_visible};

/// The number of places of one rule of which an element gets a picture.
const PLACES_PER_RULE: usize = 30;
/// The number of pages of one check that get a picture beside the start page.
const PAGES: u32 = 20;
/// The number of elements of one page that are compared with those of the previous check: some 0.1 ms each.
const COMPARED: u32 = 1_000;

/// An element that could get a picture.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate<'a> {
    pub(crate) element: ElementNumber,
    pub(crate) rule: &'a str,
    /// The selector of axe-core.
    pub(crate) selector: &'a str,
    pub(crate) html: &'a str,
    /// axe-core's description of the failure.
    pub(crate) summary: &'a str,
    pub(crate) area: Rect,
}

/// The key of elements that look alike: those of one source and size at one place in their documents that break one
/// rule, such as the logo of every page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Template(u64);

impl Template {
    /// Returns the template of an element with this selector, source and area that breaks this rule.
    pub(crate) fn of(rule: &str, selector: &str, html: &str, area: Rect) -> Self {
        let mut hasher = DefaultHasher::new();
        (rule, selector, html, area.width, area.height).hash(&mut hasher);
        Self(hasher.finish())
    }
}

/// The pictures that were taken in the check so far, or are being taken.
#[derive(Debug, Clone, Default)]
pub(crate) struct Quota {
    per_rule: HashMap<String, OfRule>,
    pages: u32,
    /// The elements of the previous check.
    known: Option<Arc<KnownElements>>,
}

#[derive(Debug, Clone, Default)]
struct OfRule {
    /// The number of elements that were seen, up to the number that a report shows.
    seen: usize,
    /// The number of those after them that the previous check did not have.
    new: usize,
    places: HashSet<PlaceKey>,
    templates: HashSet<Template>,
}

/// The elements of a page that are to be pictured.
#[derive(Debug, Default)]
pub(crate) struct Choice {
    pub(crate) elements: Vec<Chosen>,
    /// True if the page gets a picture, on which its elements can be marked.
    pub(crate) page: bool,
}

/// An element that is to be pictured.
#[derive(Debug)]
pub(crate) struct Chosen {
    pub(crate) element: ElementNumber,
    rule: String,
    place: PlaceKey,
    template: Template,
}

impl Quota {
    /// Returns the quota of a check of a site whose previous check had these elements, if there was one.
    pub(crate) fn after(known: Option<Arc<KnownElements>>) -> Self {
        Self { known, ..Self::default() }
    }

    /// Chooses among the elements of the page at this address, and counts those that it returns.
    pub(crate) fn choose<'a>(&mut self, page_url: &str, candidates: impl Iterator<Item = Candidate<'a>>) -> Choice {
        let mut choice = Choice::default();
        let mut to_compare = if self.known.is_some() { COMPARED } else { 0 };
        let mut has_example = false;
        for candidate in candidates.filter(|candidate| is_visible(candidate.area)) {
            let Candidate { element, rule, selector, html, summary, area } = candidate;
            if !self.per_rule.contains_key(rule) {
                self.per_rule.insert(rule.to_owned(), OfRule::default());
            }
            let Some(of_rule) = self.per_rule.get_mut(rule) else { continue };
            let id = RuleId::new(rule);
            let is_early = of_rule.seen < Group::MAX_EXAMPLES;
            let mut is_new = false;
            if !is_early
                && of_rule.new < Group::MAX_EXAMPLES
                && to_compare > 0
                && let Some(known) = &self.known
            {
                to_compare -= 1;
                is_new = !known.may_have(&Finding::new(id.clone(), 0, page_url, selector, html, ""));
            }
            let is_certain = is_early || is_new;
            if !is_certain && of_rule.places.len() >= PLACES_PER_RULE {
                continue;
            }
            of_rule.seen += usize::from(is_early);
            of_rule.new += usize::from(is_new);
            let place = PlaceKey::of(&id, page_url, selector, html, summary);
            if !is_certain && of_rule.places.contains(&place) {
                continue;
            }
            has_example = true;
            of_rule.places.insert(place);
            let template = Template::of(rule, selector, html, area);
            if of_rule.templates.insert(template) {
                choice.elements.push(Chosen { element, rule: rule.to_owned(), place, template });
            }
        }
        if has_example && self.pages < PAGES {
            self.pages += 1;
            choice.page = true;
        }
        choice
    }

    /// Counts the elements of a page of the previous check that keep their pictures, and the page's own if it has one.
    pub(crate) fn keep(&mut self, page_url: &str, elements: &[&Finding], has_page: bool) {
        for element in elements.iter().filter(|element| element.screenshot.is_some()) {
            let of_rule = self.per_rule.entry(element.rule.as_str().to_owned()).or_default();
            of_rule.seen = (of_rule.seen + 1).min(Group::MAX_EXAMPLES);
            of_rule.places.insert(PlaceKey::of(
                &element.rule,
                page_url,
                &element.selector,
                &element.html,
                &element.failure_summary,
            ));
        }
        self.pages += u32::from(has_page);
    }

    /// Takes back what was counted for elements that got no picture, so that others like them may get one.
    pub(crate) fn release(&mut self, without_picture: impl IntoIterator<Item = Chosen>) {
        for Chosen { rule, place, template, .. } in without_picture {
            if let Some(of_rule) = self.per_rule.get_mut(&rule) {
                of_rule.places.remove(&place);
                of_rule.templates.remove(&template);
            }
        }
    }

    /// Takes back what was counted for a page that got no picture.
    pub(crate) const fn release_page(&mut self) {
        self.pages = self.pages.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use a11ycheck_core::domain::{Findings, PageOutcome, ScreenshotId, ScreenshotRef, Tool};

    use super::*;

    const PAGE: &str = "https://a.example/";
    const AREA: Rect = Rect { x: 0, y: 10, width: 20, height: 20 };

    /// Returns the numbers of the elements that are chosen of a page with elements of these rules, selectors and sources.
    fn chosen(quota: &mut Quota, elements: &[(&str, String, String)]) -> Vec<usize> {
        let candidates = elements.iter().enumerate().map(|(number, (rule, selector, html))| Candidate {
            element: ElementNumber(number),
            rule,
            selector,
            html,
            summary: "",
            area: AREA,
        });
        quota.choose(PAGE, candidates).elements.into_iter().map(|chosen| chosen.element.0).collect()
    }

    /// An image of its own, which is a place of its own.
    fn photo(number: usize) -> (&'static str, String, String) {
        ("image-alt", format!("#p{number}"), format!("<img src={number}.jpg>"))
    }

    /// One of the lists that a template repeats, which are one place.
    fn list(number: usize) -> (&'static str, String, String) {
        ("list", format!("#l{number}"), "<ul class=menu>".to_owned())
    }

    #[test]
    fn as_many_elements_are_pictured_as_a_report_shows_and_then_one_of_each_further_place() {
        let mut quota = Quota::default();
        let lists: Vec<_> = (0..50).map(list).collect();
        assert_eq!(chosen(&mut quota, &lists), (0..Group::MAX_EXAMPLES).collect::<Vec<_>>());
        let other = ("list", "#other".to_owned(), "<ol>".to_owned());
        assert_eq!(chosen(&mut quota, &[list(90), other.clone(), other, list(91)]), [1]);
        let photos: Vec<_> = (0..50).map(photo).collect();
        assert_eq!(chosen(&mut quota, &photos).len(), PLACES_PER_RULE, "no rule takes the room of the others");
    }

    #[test]
    fn a_new_element_after_hundreds_of_old_ones_of_its_place_is_pictured() {
        let page: Vec<_> = (0..300).map(list).collect();
        let items =
            page.iter().map(|(rule, selector, html)| Finding::new(RuleId::new(*rule), 0, PAGE, selector, html, ""));
        let findings =
            Findings::new(Tool::axe_core("", "")).with_pages([PageOutcome::checked(PAGE, "")]).with_items(items);
        let mut quota = Quota::after(Some(Arc::new(KnownElements::of(&findings))));
        let fresh = ("list", "#fresh".to_owned(), "<ul class=menu><li>new</li></ul>".to_owned());
        let with_new: Vec<_> = page.into_iter().chain([fresh]).collect();
        assert_eq!(chosen(&mut quota, &with_new), (0..Group::MAX_EXAMPLES).chain([300]).collect::<Vec<_>>());
    }

    #[test]
    fn what_every_page_repeats_is_pictured_once() {
        let mut quota = Quota::default();
        let page: Vec<_> = (0..3).map(list).collect();
        assert_eq!(chosen(&mut quota, &page).len(), 3);
        assert_eq!(chosen(&mut quota, &page), [0_usize; 0]);
    }

    #[test]
    fn what_got_no_picture_gets_one_on_the_next_page() {
        let mut quota = Quota::default();
        let page = [list(0), photo(0)];
        let candidates = |element: usize| Candidate {
            element: ElementNumber(element),
            rule: page[element].0,
            selector: &page[element].1,
            html: &page[element].2,
            summary: "",
            area: AREA,
        };
        let Choice { elements, page: has_picture } = quota.choose(PAGE, [0, 1].into_iter().map(candidates));
        assert!(has_picture && elements.len() == 2);
        quota.release(elements.into_iter().skip(1));
        assert_eq!(chosen(&mut quota, &page), [1]);
    }

    #[test]
    fn pictures_that_are_kept_count_as_taken() {
        let picture = ScreenshotRef::new(ScreenshotId(1), 4, 3);
        let kept: Vec<_> = (0..PLACES_PER_RULE - 1)
            .map(|number| {
                let (rule, selector, html) = photo(number);
                let mut finding = Finding::new(RuleId::new(rule), 1, PAGE, &selector, &html, "");
                finding.screenshot = Some(picture);
                finding
            })
            .collect();
        let mut quota = Quota::default();
        quota.keep(PAGE, &kept.iter().collect::<Vec<_>>(), true);
        let page: Vec<_> = (100..150).map(photo).collect();
        assert_eq!(chosen(&mut quota, &page), [0]);
        assert_eq!(quota.pages, 2);
        let mut without = kept[0].clone();
        without.screenshot = None;
        let mut quota = Quota::default();
        quota.keep(PAGE, &[&without], false);
        assert_eq!(chosen(&mut quota, &page).len(), PLACES_PER_RULE);
    }

    #[test]
    fn pages_with_examples_get_a_picture_until_there_are_many() {
        let mut quota = Quota::default();
        let pictured = (0..50).filter(|number| {
            let (rule, selector, html) = photo(*number);
            let candidate = Candidate {
                element: ElementNumber(0),
                rule,
                selector: &selector,
                html: &html,
                summary: "",
                area: AREA,
            };
            let without = quota.choose(PAGE, std::iter::empty());
            quota.choose(PAGE, [candidate].into_iter()).page && !without.page
        });
        assert_eq!(pictured.count(), PAGES as usize);
    }
}
