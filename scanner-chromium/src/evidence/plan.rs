//! The choice of the elements of a page that get pictures, and of the few shots that show them.
//!
//! A shot costs about as much for one element as for many that are close together (measured: 20–60 ms, and some 30 ms
//! for each further thousand rows), so neighbours share one, and a template with a picture from one page gets no other
//! on the next.

use std::{
    collections::{HashMap, HashSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

/// The number of elements of one rule that get pictures on one page: a report shows no more of a rule.
const PER_RULE: usize = 5;
/// The number of elements of one rule that get pictures in one check, each of another template: more than a report
/// shows.
const PER_RULE_AND_CHECK: u32 = 20;
/// The margin around an element in CSS pixels, so that one sees where it is.
const PADDING: u32 = 16;
/// The edge in CSS pixels below which there is nothing to see: texts for screen readers are clipped to one by one.
const MIN_EDGE: u32 = 4;
/// The greatest edges of a picture in CSS pixels. Of a larger element, the upper left part is shown.
const MAX_WIDTH: u32 = 1_280;
const MAX_HEIGHT: u32 = 720;
/// The number of shots of one page.
const MAX_SHOTS: usize = 4;
/// The greatest distance in CSS pixels from the top of the first element of a shot to the bottom of the last. It bounds
/// the memory that a shot takes.
const MAX_SHOT_HEIGHT: u32 = 3_000;
/// The distance in CSS pixels between two elements beyond which separate shots are cheaper.
const MAX_GAP: u32 = 700;
/// The greatest distance from the page's corner in CSS pixels. Nobody looks farther away, and the browser's numbers
/// lose precision there.
const FARTHEST: u32 = 1_000_000;

/// A rectangle on the page, in CSS pixels from its top left corner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rect {
    pub(crate) x: u32,
    pub(crate) y: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

/// An element that fails, by its number among those of its page: rule after rule, in the order in which axe-core returns them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ElementNumber(pub(crate) usize);

/// An element that could get a picture.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate<'a> {
    pub(crate) element: ElementNumber,
    pub(crate) rule: &'a str,
    pub(crate) html: &'a str,
    pub(crate) area: Rect,
}

/// The key of elements that look alike: those of one source and size that break one rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Template(u64);

impl Template {
    /// Returns the template of an element with this source and area that breaks this rule.
    pub(crate) fn of(rule: &str, html: &str, area: Rect) -> Self {
        let mut hasher = DefaultHasher::new();
        (rule, html, area.width, area.height).hash(&mut hasher);
        Self(hasher.finish())
    }
}

/// The pictures that were taken in the check so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Quota {
    templates: HashSet<Template>,
    per_rule: HashMap<String, u32>,
}

impl Quota {
    /// Returns whether the element may get a picture, and counts it if so.
    fn admits(&mut self, candidate: &Candidate<'_>) -> bool {
        if self.per_rule.get(candidate.rule).is_some_and(|taken| *taken >= PER_RULE_AND_CHECK)
            || !self.templates.insert(Template::of(candidate.rule, candidate.html, candidate.area))
        {
            return false;
        }
        *self.per_rule.entry(candidate.rule.to_owned()).or_default() += 1;
        true
    }
}

/// A part of the page of which the browser takes a picture.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Shot {
    pub(crate) clip: Rect,
    pub(crate) crops: Vec<Crop>,
}

/// The part of a shot that shows one element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Crop {
    pub(crate) element: ElementNumber,
    /// Its position on the page, including the padding.
    pub(crate) area: Rect,
}

impl Rect {
    const fn right(self) -> u32 {
        self.x.saturating_add(self.width)
    }

    const fn bottom(self) -> u32 {
        self.y.saturating_add(self.height)
    }

    /// Returns the area that both cover, if there is one.
    pub(crate) fn common(self, other: Self) -> Option<Self> {
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        let (right, bottom) = (self.right().min(other.right()), self.bottom().min(other.bottom()));
        (x < right && y < bottom).then(|| Self { x, y, width: right - x, height: bottom - y })
    }

    fn with(self, other: Self) -> Self {
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        let (right, bottom) = (self.right().max(other.right()), self.bottom().max(other.bottom()));
        Self { x, y, width: right - x, height: bottom - y }
    }
}

/// Returns the shots to take, from the top of the page down, with the parts to cut out of them.
pub(crate) fn plan<'a>(candidates: impl Iterator<Item = Candidate<'a>>, quota: &mut Quota) -> Vec<Shot> {
    let mut per_rule = HashMap::<&str, usize>::new();
    // The quota if there were shots for all of them: what gets none is not counted.
    let mut supposed = quota.clone();
    let mut chosen: Vec<(Crop, Candidate<'a>)> = candidates
        .filter(|candidate| is_visible(candidate.area))
        .filter(|candidate| {
            let taken = per_rule.entry(candidate.rule).or_default();
            let is_admitted = *taken < PER_RULE && supposed.admits(candidate);
            *taken += usize::from(is_admitted);
            is_admitted
        })
        .map(|candidate| (Crop { element: candidate.element, area: padded(candidate.area) }, candidate))
        .collect();
    chosen.sort_by_key(|(crop, _)| (crop.area.y, crop.area.x, crop.element));
    let mut shots = Vec::<Shot>::new();
    for (crop, candidate) in chosen {
        if let Some(shot) = shots.last_mut().filter(|shot| belongs(shot, crop.area)) {
            shot.clip = shot.clip.with(crop.area);
            shot.crops.push(crop);
        } else if shots.len() < MAX_SHOTS {
            shots.push(Shot { clip: crop.area, crops: vec![crop] });
        } else {
            break;
        }
        quota.admits(&candidate);
    }
    shots
}

fn is_visible(area: Rect) -> bool {
    area.width.min(area.height) >= MIN_EDGE && area.x < FARTHEST && area.y < FARTHEST
}

fn padded(area: Rect) -> Rect {
    let (x, y) = (area.x.saturating_sub(PADDING), area.y.saturating_sub(PADDING));
    let width = (area.right().saturating_add(PADDING) - x).min(MAX_WIDTH);
    let height = (area.bottom().saturating_add(PADDING) - y).min(MAX_HEIGHT);
    Rect { x, y, width, height }
}

fn belongs(shot: &Shot, area: Rect) -> bool {
    let together = shot.clip.with(area);
    together.height <= MAX_SHOT_HEIGHT
        && together.width <= 2 * MAX_WIDTH
        && area.y.saturating_sub(shot.clip.bottom()) <= MAX_GAP
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RULES: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];
    /// Sources that differ, as beginnings of this text.
    const HTML: &str = match str::from_utf8(&[b'x'; 200]) {
        Ok(text) => text,
        Err(_) => "",
    };

    fn candidate(rule: usize, node: usize, [x, y, width, height]: [u32; 4]) -> Candidate<'static> {
        let element = ElementNumber(1_000 * rule + node);
        Candidate { element, rule: RULES[rule], html: &HTML[..node], area: Rect { x, y, width, height } }
    }

    fn clips(candidates: &[Candidate<'_>]) -> Vec<[u32; 4]> {
        let shots = plan(candidates.iter().copied(), &mut Quota::default());
        shots.iter().map(|shot| [shot.clip.x, shot.clip.y, shot.clip.width, shot.clip.height]).collect()
    }

    #[test]
    fn neighbours_share_a_shot_and_what_is_far_away_gets_its_own() {
        let near = candidate(0, 0, [100, 200, 50, 20]);
        let beside = candidate(1, 0, [300, 210, 50, 20]);
        let far = candidate(0, 1, [0, 5_000, 10, 10]);
        assert_eq!(clips(&[far, near, beside]), [[84, 184, 282, 62], [0, 4_984, 26, 42]]);
    }

    #[test]
    fn a_rule_that_fails_everywhere_leaves_room_for_the_others() {
        let many = (0..100).map(|node| candidate(0, node, [0, 10, 20, 20]));
        let one = candidate(1, 0, [0, 40, 20, 20]);
        let shots = plan(many.chain([one]), &mut Quota::default());
        assert_eq!(shots.len(), 1);
        let of_rule = |rule| shots[0].crops.iter().filter(|crop| crop.element.0 / 1_000 == rule).count();
        assert_eq!((of_rule(0), of_rule(1)), (PER_RULE, 1));
    }

    #[test]
    fn what_a_template_repeats_is_pictured_once_and_a_rule_so_many_times() {
        let mut quota = Quota::default();
        let mut page = |nodes: std::ops::Range<usize>| {
            let shots = plan(nodes.map(|node| candidate(0, node, [0, 10, 20, 20])), &mut quota);
            shots.iter().map(|shot| shot.crops.len()).sum::<usize>()
        };
        assert_eq!((page(0..5), page(0..5), page(0..8)), (5, 0, 3));
        let more: usize = (8..100).step_by(4).map(|from| page(from..from + 4)).sum();
        assert_eq!(8 + more, PER_RULE_AND_CHECK as usize);
    }

    #[test]
    fn what_gets_no_picture_on_a_page_with_too_many_places_gets_one_on_the_next() {
        let mut quota = Quota::default();
        let mut page = |gap: u32| {
            let candidates = (0..).zip(0..10).map(|(at, node)| candidate(node % 3, node, [0, at * gap, 20, 20]));
            let shots = plan(candidates, &mut quota);
            let crops = shots.iter().flat_map(|shot| &shot.crops);
            crops.map(|crop| crop.element.0 % 1_000).collect::<Vec<_>>()
        };
        assert_eq!(page(5_000), [0, 1, 2, 3], "a shot for each");
        assert_eq!(page(30), [4, 5, 6, 7, 8, 9]);
        assert_eq!(page(30), [0_usize; 0]);
    }

    #[test]
    fn what_nobody_can_see_is_not_pictured() {
        let hidden = [[0, 0, 1, 1], [u32::MAX, 0, 50, 50], [0, FARTHEST, 50, 50], [5, 5, 100, 3]];
        let candidates: Vec<_> = hidden.into_iter().enumerate().map(|(node, area)| candidate(0, node, area)).collect();
        assert_eq!(clips(&candidates), [[0_u32; 4]; 0]);
    }

    proptest! {
        #[test]
        fn shots_stay_within_their_bounds_and_hold_what_is_cut_out_of_them(
            areas in prop::collection::vec((0_u32..3_000, 0_u32..60_000, 0_u32..u32::MAX, 0_u32..u32::MAX), 0..60),
        ) {
            let candidates = areas.iter().enumerate().map(|(number, (x, y, width, height))| {
                candidate(number % 7, number, [*x, *y, *width, *height])
            });
            let shots = plan(candidates, &mut Quota::default());
            prop_assert!(shots.len() <= MAX_SHOTS);
            for Shot { clip, crops } in &shots {
                prop_assert!(clip.height <= MAX_SHOT_HEIGHT && clip.width <= 2 * MAX_WIDTH);
                for Crop { area, .. } in crops {
                    prop_assert!(clip.with(*area) == *clip && area.width <= MAX_WIDTH && area.height <= MAX_HEIGHT);
                }
            }
        }
    }
}
