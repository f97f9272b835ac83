//! The shots of a page that show the elements chosen for pictures.
//!
//! A shot costs processor time by itself and for each of its pixels, of which one at twice the size has four times as many. Elements share one
//! where that costs less than two.

/// The room around an element in CSS pixels, so that one sees where it is.
const PADDING: u32 = 16;
/// The smallest part of a page that a picture shows, in CSS pixels, as far as the page has as much: less shows an icon
/// and not where it is.
const MIN_WIDTH: u32 = 320;
const MIN_HEIGHT: u32 = 160;
/// The greatest edges in CSS pixels of an element that is shown at twice its size: half of the smallest picture.
const SMALL_WIDTH: u32 = MIN_WIDTH / 2;
const SMALL_HEIGHT: u32 = MIN_HEIGHT / 2;
/// The edge in CSS pixels below which there is nothing to see: texts for screen readers are clipped to one by one.
const MIN_EDGE: u32 = 4;
/// The greatest edges of a picture in CSS pixels. Of a larger element, the upper left part is shown.
const MAX_WIDTH: u32 = 1_280;
const MAX_HEIGHT: u32 = 720;
/// The number of shots of one page.
pub(crate) const MAX_SHOTS: usize = 6;
/// The greatest distance in CSS pixels from the top of the first element of a shot to the bottom of the last, by the
/// scale of the shot. It bounds the memory that a shot takes.
const MAX_SHOT_HEIGHT: [u32; 2] = [4_000, 1_000];
/// The pixels that cost about as much as a further shot. Measured: one of a small part of a page takes some 20 ms of processor time, with
/// measuring the page afterwards 25, and a million pixels take 40.
const SHOT: u64 = 600_000;
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

/// An element by its number among those of its page: rule after rule, in the order in which axe-core returns them, those that fail before
/// those that it could not decide about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ElementNumber(pub(crate) usize);

/// A part of the page of which the browser takes a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shot {
    pub(crate) clip: Rect,
    /// The number of pixels for one CSS pixel.
    pub(crate) scale: u32,
    pub(crate) crops: Vec<Crop>,
}

/// The part of a shot that shows one element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Crop {
    pub(crate) element: ElementNumber,
    /// The part of the page that is shown.
    pub(crate) area: Rect,
    /// The position of the element itself, as far as it can be seen.
    pub(crate) outlined: Rect,
    /// The number of pixels of its picture for one CSS pixel.
    pub(crate) scale: u32,
}

impl Rect {
    pub(crate) const fn right(self) -> u32 {
        self.x.saturating_add(self.width)
    }

    pub(crate) const fn bottom(self) -> u32 {
        self.y.saturating_add(self.height)
    }

    /// Returns the area that both cover, if there is one.
    pub(crate) fn common(self, other: Self) -> Option<Self> {
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        let (right, bottom) = (self.right().min(other.right()), self.bottom().min(other.bottom()));
        (x < right && y < bottom).then(|| Self { x, y, width: right - x, height: bottom - y })
    }

    /// Returns the smallest area that has both in it.
    pub(crate) fn with(self, other: Self) -> Self {
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        let (right, bottom) = (self.right().max(other.right()), self.bottom().max(other.bottom()));
        Self { x, y, width: right - x, height: bottom - y }
    }
}

/// Returns the shots to take of these elements on a page of this size, with the parts to cut out of them: those of elements
/// that fail, which are numbered below `undecided`, then those of the others, each from the top of the page down. So what
/// fails has its pictures if the time is over before the last shot. Elements beyond the greatest number of shots are left
/// out, and so are those that nobody can see.
pub(crate) fn plan(
    elements: impl IntoIterator<Item = (ElementNumber, Rect)>,
    undecided: ElementNumber,
    page: Rect,
) -> Vec<Shot> {
    let crops = elements.into_iter().filter(|(_, area)| is_visible(*area));
    let crops = crops.filter_map(|(element, area)| Some(crop(element, area.common(page)?, page)));
    let alone = crops.map(|crop| Shot { clip: crop.area, scale: crop.scale, crops: vec![crop] });
    let fails = |shot: &Shot| shot.crops.iter().any(|crop| crop.element < undecided);
    let (failing, others): (Vec<Shot>, Vec<Shot>) = alone.partition(fails);
    let mut shots = shared(failing);
    shots.extend(others);
    let mut shots = shared(shots);
    shots.sort_by_key(|shot| (!fails(shot), shot.clip.y, shot.clip.x, shot.scale));
    shots.truncate(MAX_SHOTS);
    for shot in &mut shots {
        shot.crops.sort_by_key(|crop| (crop.area.y, crop.area.x, crop.element));
    }
    shots
}

/// Returns these shots with those together that cost less so, and, as long as there are more than the greatest number, those that cost the least
/// more.
fn shared(mut shots: Vec<Shot>) -> Vec<Shot> {
    loop {
        let pairs = (1..shots.len()).flat_map(|other| (0..other).map(move |one| (one, other)));
        let dearer = |&(one, other): &(usize, usize)| {
            let (one, other) = (&shots[one], &shots[other]);
            Some(cost(&together(one, other)?) - cost(one) - cost(other))
        };
        let best = pairs.filter_map(|pair| Some((dearer(&pair)?, pair))).min();
        match best {
            Some((dearer, (one, other))) if dearer < 0 || shots.len() > MAX_SHOTS => {
                let other = shots.remove(other);
                if let Some(both) = together(&shots[one], &other) {
                    let crops = std::mem::take(&mut shots[one].crops).into_iter().chain(other.crops).collect();
                    shots[one] = Shot { crops, ..both };
                }
            }
            _ => return shots,
        }
    }
}

/// Returns the cost of a shot, in pixels.
fn cost(shot: &Shot) -> i64 {
    let pixels = u64::from(shot.clip.width) * u64::from(shot.clip.height) * u64::from(shot.scale * shot.scale);
    i64::try_from(pixels.saturating_add(SHOT)).unwrap_or(i64::MAX)
}

/// Returns whether there is something to see of an element.
pub(crate) fn is_visible(area: Rect) -> bool {
    area.width.min(area.height) >= MIN_EDGE && area.x < FARTHEST && area.y < FARTHEST
}

fn crop(element: ElementNumber, area: Rect, page: Rect) -> Crop {
    let is_small = area.width <= SMALL_WIDTH && area.height <= SMALL_HEIGHT;
    let (x, width) = surroundings([area.x, area.width], [MIN_WIDTH, MAX_WIDTH], page.width);
    let (y, height) = surroundings([area.y, area.height], [MIN_HEIGHT, MAX_HEIGHT], page.height);
    Crop { element, area: Rect { x, y, width, height }, outlined: area, scale: if is_small { 2 } else { 1 } }
}

/// Returns the start and length of what is shown around an element, in one direction: the element in the middle, as far
/// as the page goes on to both sides.
fn surroundings([start, length]: [u32; 2], [least, most]: [u32; 2], page: u32) -> (u32, u32) {
    let padded = length.saturating_add(2 * PADDING);
    let shown = padded.clamp(least, most).min(page);
    let before = if padded > shown { PADDING } else { (shown - length) / 2 };
    (start.saturating_sub(before).min(page - shown), shown)
}

/// Returns a shot that shows what both show, still without crops; `None` if it is too large.
fn together(one: &Shot, other: &Shot) -> Option<Shot> {
    let (clip, scale) = (one.clip.with(other.clip), one.scale.max(other.scale));
    let [own_size, twice] = MAX_SHOT_HEIGHT;
    let most = if scale > 1 { twice } else { own_size };
    (clip.height <= most && clip.width <= MAX_WIDTH).then_some(Shot { clip, scale, crops: Vec::new() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL_FAIL: ElementNumber = ElementNumber(usize::MAX);
    const PAGE: Rect = Rect { x: 0, y: 0, width: 1_280, height: 60_000 };

    fn rect([x, y, width, height]: [u32; 4]) -> Rect {
        Rect { x, y, width, height }
    }

    fn numbered(areas: &[[u32; 4]]) -> Vec<(ElementNumber, Rect)> {
        areas.iter().enumerate().map(|(number, area)| (ElementNumber(number), rect(*area))).collect()
    }

    fn clips(areas: &[[u32; 4]]) -> Vec<([u32; 4], u32)> {
        let shots = plan(numbered(areas), ALL_FAIL, PAGE);
        shots.iter().map(|shot| ([shot.clip.x, shot.clip.y, shot.clip.width, shot.clip.height], shot.scale)).collect()
    }

    fn crop_of(area: [u32; 4], page: Rect) -> ([u32; 4], u32) {
        let crop = plan([(ElementNumber(0), rect(area))], ALL_FAIL, page)[0].crops[0];
        ([crop.area.x, crop.area.y, crop.area.width, crop.area.height], crop.scale)
    }

    #[test]
    fn an_icon_is_shown_with_what_is_around_it_at_twice_its_size() {
        assert_eq!(crop_of([600, 500, 20, 20], PAGE), ([450, 430, 320, 160], 2));
        assert_eq!(crop_of([600, 500, 161, 20], PAGE), ([521, 430, 320, 160], 1));
        assert_eq!(crop_of([600, 500, 400, 300], PAGE), ([584, 484, 432, 332], 1));
    }

    #[test]
    fn a_picture_ends_where_the_page_ends_and_shows_the_upper_left_part_of_what_is_too_large() {
        assert_eq!(crop_of([0, 3, 20, 20], PAGE), ([0, 0, 320, 160], 2));
        assert_eq!(crop_of([1_270, 59_990, 10, 10], PAGE), ([960, 59_840, 320, 160], 2));
        assert_eq!(crop_of([1_270, 0, 500, 10], PAGE).0, [960, 0, 320, 160]);
        assert_eq!(crop_of([10, 10, 20, 20], rect([0, 0, 200, 100])), ([0, 0, 200, 100], 2));
        assert_eq!(crop_of([0, 1_000, 1_280, 5_000], PAGE), ([0, 984, 1_280, 720], 1));
    }

    #[test]
    fn neighbours_share_a_shot_and_what_is_far_away_gets_its_own() {
        let (near, beside, far) = ([100, 200, 50, 20], [500, 210, 200, 20], [0, 5_000, 200, 10]);
        assert_eq!(clips(&[far, near, beside]), [([0, 130, 760, 170], 2), ([0, 4_925, 320, 160], 1)]);
    }

    #[test]
    fn elements_share_a_shot_where_that_costs_less() {
        let icon_below = |y: u32| {
            [clips(&[[600, 500, 400, 300], [600, 850 + y, 20, 20]]), clips(&[[600, 500, 20, 20], [600, y, 20, 20]])]
        };
        let counts = |y: u32| icon_below(y).map(|shots| shots.len());
        assert_eq!(counts(600), [2, 1], "twice the size of the large one is dearer than a shot");
        assert_eq!(counts(1_400), [2, 2]);
        let lines: Vec<[u32; 4]> = (0..20).map(|line| [0, 900 * line, 1_200, 20]).collect();
        assert_eq!(clips(&lines).len(), MAX_SHOTS, "more than the greatest number share in any case");
        assert_eq!(plan(numbered(&lines), ALL_FAIL, PAGE).iter().flat_map(|shot| &shot.crops).count(), 20);
    }

    #[test]
    fn what_could_not_be_decided_is_in_the_shot_of_what_fails_beside_it() {
        let shots =
            plan(numbered(&[[0, 100, 300, 20], [0, 140, 300, 20], [0, 3_000, 300, 20]]), ElementNumber(1), PAGE);
        let shown = |shot: &Shot| shot.crops.iter().map(|crop| crop.element.0).collect::<Vec<_>>();
        assert_eq!(shots.iter().map(shown).collect::<Vec<_>>(), [vec![0, 1], vec![2]]);
    }

    #[test]
    fn what_fails_has_its_shots_before_what_could_not_be_decided() {
        let far_apart: Vec<[u32; 4]> = (0..8).map(|number| [0, 4_000 * number, 50, 20]).collect();
        let elements = numbered(&far_apart);
        let shown = |undecided| {
            let shots = plan(elements.iter().rev().copied(), ElementNumber(undecided), PAGE);
            shots.iter().flat_map(|shot| &shot.crops).map(|crop| crop.element.0).collect::<Vec<_>>()
        };
        assert_eq!(shown(4), [0, 1, 2, 3, 4, 5]);
        assert_eq!(shown(8), shown(4));
        let mut swapped: Vec<_> = elements.clone();
        for (number, (element, _)) in swapped.iter_mut().enumerate() {
            *element = ElementNumber((number + 4) % 8);
        }
        let shots = plan(swapped, ElementNumber(4), PAGE);
        let tops: Vec<u32> = shots.iter().map(|shot| shot.crops[0].outlined.y).collect();
        assert_eq!(tops, [16_000, 20_000, 24_000, 28_000, 0, 4_000], "those further down the page fail");
    }

    #[test]
    fn what_nobody_can_see_is_not_pictured() {
        let hidden = [[0, 0, 1, 1], [u32::MAX, 0, 50, 50], [0, FARTHEST, 50, 50], [5, 5, 100, 3], [2_000, 5, 50, 50]];
        assert_eq!(clips(&hidden), []);
    }

    proptest! {
        #[test]
        fn shots_stay_within_their_bounds_and_hold_what_is_cut_out_of_them(
            areas in prop::collection::vec((0_u32..3_000, 0_u32..60_000, 0_u32..u32::MAX, 0_u32..u32::MAX), 0..60),
            page in (1_u32..3_000, 1_u32..70_000),
            undecided in 0_usize..60,
        ) {
            let areas: Vec<_> = areas.into_iter().map(|(x, y, width, height)| [x, y, width, height]).collect();
            let page = rect([0, 0, page.0, page.1]);
            let shots = plan(numbered(&areas), ElementNumber(undecided), page);
            prop_assert!(shots.len() <= MAX_SHOTS);
            for Shot { clip, scale, crops } in &shots {
                prop_assert!(clip.height <= MAX_SHOT_HEIGHT[0] && clip.width <= MAX_WIDTH);
                prop_assert!(clip.common(page) == Some(*clip) && (*scale == 1 || clip.height <= MAX_SHOT_HEIGHT[1]));
                for Crop { area, outlined, scale: own, .. } in crops {
                    prop_assert!(clip.with(*area) == *clip && area.width <= MAX_WIDTH && area.height <= MAX_HEIGHT);
                    prop_assert!(area.width >= MIN_WIDTH.min(page.width) && area.height >= MIN_HEIGHT.min(page.height));
                    prop_assert!(area.common(*outlined).is_some() && own <= scale);
                }
            }
        }
    }
}
