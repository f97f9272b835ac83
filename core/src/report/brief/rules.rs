//! The rules: those that are shown with their places, and those that have a line.

use super::{Brief, todo::quick};
use crate::{
    catalog::{brief, fill, terms},
    report::{Example, Group, PlaceView, Report, Thing},
};

/// A rule that is shown with its places.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ShownRule<'a> {
    /// The rule.
    pub group: &'a Group,
    /// The places that are shown, each once, those with new elements first: at most [`ShownRule::MAX_PLACES`].
    pub places: Vec<ShownPlace<'a>>,
    /// The number of elements at other places.
    pub further: u64,
    /// A mark for a rule that one cheap change clears on many pages.
    pub quick: Option<String>,
    /// A sentence with the rules that go away with this one.
    pub also: Option<String>,
    /// The name of the link to further reading, which no other link has.
    pub more: String,
}

/// A place with the element that stands for it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ShownPlace<'a> {
    /// The place.
    pub place: &'a PlaceView,
    /// The element.
    pub example: &'a Example,
    /// What stands there: what was measured, or else the element in words. Hostile text.
    pub what: String,
    /// What the picture of the element shows. Hostile text.
    pub picture: String,
    /// The sentence that names the control that was pressed before the element appeared, with `code` in backticks; `None` for what the
    /// page shows by itself. Hostile text.
    pub opened: Option<String>,
    /// What was found on the element, if that is one sentence that neither `what` nor the place before says; `code` is in
    /// backticks. Hostile text.
    pub found: Option<&'a str>,
}

/// A rule that has a line.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RuleLine<'a> {
    /// The rule.
    pub group: &'a Group,
    /// A sentence with the rule with which it goes away.
    pub goes_away: Option<String>,
}

impl<'a> ShownRule<'a> {
    /// The greatest number of places.
    pub const MAX_PLACES: usize = 3;

    fn new(group: &'a Group, report: &'a Report) -> Self {
        let words = &brief(report.locale).rule;
        let example_of = |place: &PlaceView| group.examples.iter().find(|example| example.id == place.id);
        let mut places: Vec<_> = group
            .places
            .iter()
            .filter_map(|place| Some(ShownPlace::new(place, example_of(place)?, report)))
            .take(Self::MAX_PLACES)
            .collect();
        let mut before = None;
        for place in &mut places {
            let is_again = place.found == before;
            before = place.found;
            place.found = before.filter(|_| !is_again);
        }
        let shown: u64 = places.iter().map(|shown| shown.place.count).sum();
        let with_it = report.groups.iter().filter(|other| other.goes_away_with == Some(group.rank));
        let titles: Vec<&str> = with_it.map(|other| other.title.as_str()).collect();
        let only = group.places.first().filter(|_| group.n == 1);
        Self {
            group,
            further: group.count.saturating_sub(shown),
            quick: only.and_then(|place| quick(group, place, report)),
            also: (!titles.is_empty()).then(|| fill(&words.also, &[("rules", &titles.join("; "))])),
            more: fill(&words.more, &[("rule", &group.title)]),
            places,
        }
    }
}

impl<'a> ShownPlace<'a> {
    fn new(place: &'a PlaceView, example: &'a Example, report: &Report) -> Self {
        let thing = Thing::of(&example.html).in_words(report.locale);
        let picture = fill(&brief(report.locale).rule.picture, &[("thing", &thing)]);
        let opened = example.opened_by.as_ref().map(|control| terms(report.locale).opened(control));
        let details = example.details.as_deref().unwrap_or_default();
        let found = opened.as_deref().and_then(|opened| details.strip_prefix(opened)).unwrap_or(details).trim();
        // The sentence about what was measured would say the same again, and several are as good as said by the rule.
        let is_shown = !found.is_empty() && !found.contains('\n') && place.measured.is_none();
        let what = place.measured.clone().unwrap_or(thing);
        Self { place, example, what, picture, opened, found: is_shown.then_some(found) }
    }
}

impl<'a> RuleLine<'a> {
    pub(super) fn new(group: &'a Group, report: &Report) -> Self {
        let with = group.goes_away_with.and_then(|rank| {
            let rule = report.groups.iter().chain(&report.advisory).find(|other| other.rank == rank)?;
            let values = [("rank", rank.to_string()), ("rule", rule.title.clone())];
            let values = values.each_ref().map(|(name, value)| (*name, value.as_str()));
            Some(fill(&brief(report.locale).rule.goes_away, &values))
        });
        Self { group, goes_away: with }
    }
}

/// Returns the problems that are shown with their places, and the others.
pub(super) fn split(report: &Report) -> (Vec<ShownRule<'_>>, Vec<RuleLine<'_>>) {
    let (mut shown, mut others, mut new) = (Vec::new(), Vec::new(), 0);
    for group in &report.groups {
        let is_own = group.goes_away_with.is_none();
        if is_own && shown.len() < Brief::MAX_RULES {
            shown.push(ShownRule::new(group, report));
        } else if group.new_count > 0 && report.diff.previous_id.is_some() && new < Brief::MAX_NEW_RULES {
            // What is new is shown, wherever it stands.
            new += 1;
            shown.push(ShownRule::new(group, report));
        } else {
            others.push(RuleLine::new(group, report));
        }
    }
    (shown, others)
}
