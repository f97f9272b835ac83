//! What to do, place by place.

use std::{cmp::Reverse, collections::HashMap};

use crate::{
    catalog::{Effort, Fixer, brief, fill, terms},
    ranking::weight_of,
    report::{Group, PlaceView, Report},
};

/// The list of what to do.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Todo<'a> {
    /// The lines, at most [`Todo::MAX_LINES`]: what weighs most by severity and pages first, of equal ones what has more
    /// elements. At most [`Todo::MAX_OF_RULE`] are of one rule as long as others have places. Places whose elements are all accepted
    /// have none.
    pub lines: Vec<TodoLine<'a>>,
    /// The number of places that have no line; those of rules that go away with another, and accepted ones, are not counted.
    pub further: u64,
}

/// A place to fix.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TodoLine<'a> {
    /// The rule.
    pub group: &'a Group,
    /// The place.
    pub place: &'a PlaceView,
    /// What stands there: what was measured, or else the element in words. Hostile text.
    pub what: String,
    /// The number of pages in words, with its noun; one page is named by [`PlaceView::page`].
    pub reach: String,
    /// The craft that repairs it.
    pub fixer: Option<Fixer>,
    /// The work that it takes.
    pub effort: Option<Effort>,
    /// A mark for what is cheap and reaches far.
    pub quick: Option<String>,
    /// True if the previous check did not have one of its elements.
    pub is_new: bool,
}

impl<'a> Todo<'a> {
    /// The greatest number of lines.
    pub const MAX_LINES: usize = 10;
    /// The number of lines of one rule that come before any further one of it.
    pub const MAX_OF_RULE: usize = 3;

    pub(super) fn new(report: &'a Report) -> Self {
        let groups = report.groups.iter().filter(|group| group.goes_away_with.is_none());
        let of_group = |group: &'a Group| {
            let open = group.places.iter().filter(|place| !place.is_accepted());
            open.map(move |place| (group, place))
        };
        let mut places: Vec<(&Group, &PlaceView)> = groups.clone().flat_map(of_group).collect();
        let order = |group: &Group, place: &PlaceView| {
            (Reverse(weight_of(group.severity) * place.pages), Reverse(place.count), group.rank, place.id)
        };
        places.sort_by_key(|(group, place)| order(group, place));
        let mut of_rule: HashMap<u64, usize> = HashMap::new();
        let (mut lines, mut later) = (Vec::new(), Vec::new());
        for (group, place) in places {
            let lines_of_rule = of_rule.entry(group.rank).or_default();
            *lines_of_rule += 1;
            if *lines_of_rule <= Self::MAX_OF_RULE { lines.push((group, place)) } else { later.push((group, place)) }
        }
        lines.extend(later);
        lines.truncate(Self::MAX_LINES);
        lines.sort_by_key(|(group, place)| order(group, place));
        let all: u64 = groups.map(|group| group.n - group.accepted_places).sum();
        let lines: Vec<_> = lines.into_iter().map(|(group, place)| TodoLine::new(group, place, report)).collect();
        Self { further: all.saturating_sub(lines.len() as u64), lines }
    }
}

impl<'a> TodoLine<'a> {
    fn new(group: &'a Group, place: &'a PlaceView, report: &'a Report) -> Self {
        let terms = terms(report.locale);
        Self {
            group,
            place,
            what: place.in_words(report.locale),
            reach: terms.counted(&terms.count.page, place.pages),
            fixer: group.fixer,
            effort: group.effort,
            quick: quick(group, place, report),
            is_new: place.new_count > 0,
        }
    }
}

/// Returns a mark if the place is cheap and reaches far: little work, at least three pages and a tenth of those checked.
pub(super) fn quick(group: &Group, place: &PlaceView, report: &Report) -> Option<String> {
    const LEAST_PAGES: u64 = 3;
    let checked = report.pages.iter().filter(|page| page.error.is_none()).count() as u64;
    let reaches_far = place.pages >= LEAST_PAGES && place.pages * 10 >= checked;
    let is_quick = group.effort == Some(Effort::Small) && reaches_far;
    let terms = terms(report.locale);
    let pages = || terms.counted(&terms.count.page, place.pages);
    is_quick.then(|| fill(&brief(report.locale).todo.quick, &[("pages", &pages())]))
}

impl PlaceView {
    /// Returns what stands at the place: what was measured, or else the element in words. Hostile text.
    pub fn in_words(&self, locale: crate::locale::Locale) -> String {
        self.measured.clone().unwrap_or_else(|| self.thing.in_words(locale))
    }
}
