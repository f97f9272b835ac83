//! Flashes of an animated picture, as WCAG counts them (2.3.1).
//!
//! A general flash is a pair of opposing changes of the relative luminance by at least 0.1, where the darker side is
//! below 0.80. More than three flashes within a second may cause seizures if they cover, at the same time, more than a
//! quarter of any field of 341 by 256 CSS pixels. The changes of each cell of the picture are counted separately. A
//! cell has the average of its pixels, so that fine patterns, which WCAG excepts, cancel out. Red flashes are not
//! looked for.

use std::collections::HashMap;

use serde::Serialize;

use super::film::{Film, Plays};

/// The least change of luminance that counts.
const CHANGE: f64 = 0.1;
/// The luminance below which the darker side of a change must be.
const DARK: f64 = 0.8;
/// The width and height of the field of vision, in CSS pixels.
const FIELD: (f64, f64) = (341.0, 256.0);
/// The greatest area in the field of vision that may flash, in CSS pixels: a quarter of it.
const MAY_FLASH: f64 = 21_824.0;
/// The least area with which a result is certain. It is larger than the limit, because cells at the edges of a picture
/// are counted as whole cells and may be smaller.
const SURELY_FLASHES: f64 = 1.25 * MAY_FLASH;
/// The least number of changes within a second that are certainly more than three flashes.
const SURELY_MANY: usize = 8;
/// The least number of changes within a second that may be more than three flashes.
const MANY: usize = 7;
/// One second, in milliseconds.
const SECOND: u64 = 1_000;
/// The greatest number of frames whose changes are counted; those of repetitions count again.
const MAX_STEPS: usize = 600;

/// Flashes that may be too many.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Flashes {
    /// True if the picture certainly exceeds the limits when nothing else is drawn over or behind it.
    pub(super) is_sure: bool,
    /// The number of flashes within a second of the cell that has the most.
    rate: f64,
    /// The area that flashes in the field of vision where it is largest, in CSS pixels.
    area: f64,
}

/// Returns the flashes of a picture that is drawn with this width and height in CSS pixels. Returns `None` if they are
/// within the limits of number and area.
pub(super) fn flashes(film: &Film, (width, height): (f64, f64)) -> Option<Flashes> {
    if width * height <= MAY_FLASH {
        return None;
    }
    let steps = timeline(film);
    let cells = film.grid.0 * film.grid.1;
    let mut flashing = vec![false; cells];
    let mut most = 0;
    // Cells with the same changes at the same times: only these are certain to flash together.
    let mut together = HashMap::<Changes, Vec<usize>>::new();
    for (cell, is_flashing) in flashing.iter_mut().enumerate() {
        let changes = Changes::of(steps.iter().map(|(_, frame)| film.frames[*frame].cells[cell]));
        let times: Vec<u64> = changes.steps.iter().map(|step| steps[*step].0).collect();
        let fastest = within_a_second(&times);
        *is_flashing = fastest >= MANY;
        most = most.max(fastest);
        if fastest >= SURELY_MANY {
            together.entry(changes).or_default().push(cell);
        }
    }
    let cell = Cell {
        grid: film.grid,
        width: f64::from(film.cell.0) * film.scale_across(width),
        height: f64::from(film.cell.1) * film.scale_down(height),
    };
    let area = cell.area(&flashing, Rounding::Up);
    let is_certain = |group: &Vec<usize>| {
        let mut mask = vec![false; cells];
        group.iter().for_each(|cell| mask[*cell] = true);
        cell.area(&mask, Rounding::Down) >= SURELY_FLASHES
    };
    (area > MAY_FLASH).then(|| Flashes {
        is_sure: !film.is_damaged && !film.is_transparent && together.values().any(is_certain),
        rate: number(most) / 2.0,
        area: area.round(),
    })
}

/// Returns the instants at which frames are shown, in milliseconds from the start, each with the index of its frame.
/// They cover all frames once, and the first second of a repetition, if there is one.
fn timeline(film: &Film) -> Vec<(u64, usize)> {
    let times = match film.plays {
        // If frames are missing at the end, the repetition does not follow the last frame that was read.
        _ if !film.is_whole => 1,
        Plays::Endless => u64::MAX,
        Plays::Times(times) => times,
    };
    let end = film.cycle() + SECOND;
    let mut steps = Vec::new();
    let mut now = 0;
    for _ in 0..times {
        for (number, frame) in film.frames.iter().enumerate() {
            if now > end || steps.len() >= MAX_STEPS {
                return steps;
            }
            steps.push((now, number));
            now += frame.millis;
        }
    }
    steps
}

/// The changes of a cell's luminance. Each of them opposes the one before.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Changes {
    /// True if the first change makes the cell brighter.
    begins_up: bool,
    /// The indices in the timeline at which the changes take place.
    steps: Vec<usize>,
}

impl Changes {
    fn of(levels: impl Iterator<Item = f64>) -> Self {
        let mut changes = Self { begins_up: false, steps: Vec::new() };
        let mut is_up = None;
        // The least and the greatest luminance since the latest change.
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for (step, level) in levels.enumerate() {
            (low, high) = (low.min(level), high.max(level));
            let rises = is_up != Some(true) && level - low >= CHANGE && low < DARK;
            let falls = is_up != Some(false) && high - level >= CHANGE && level < DARK;
            if rises || falls {
                changes.begins_up |= rises && changes.steps.is_empty();
                changes.steps.push(step);
                is_up = Some(rises);
                (low, high) = (level, level);
            }
        }
        changes
    }
}

/// Returns the greatest number of these instants, which are in order, that lie within one second.
fn within_a_second(times: &[u64]) -> usize {
    let mut first = 0;
    let mut most = 0;
    for (last, time) in times.iter().enumerate() {
        while time - times[first] >= SECOND {
            first += 1;
        }
        most = most.max(last - first + 1);
    }
    most
}

/// The cells of a picture as they are drawn, in CSS pixels.
#[derive(Debug, Clone, Copy)]
struct Cell {
    grid: (usize, usize),
    width: f64,
    height: f64,
}

/// The treatment of cells that are only partly in a field of vision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rounding {
    /// They count as in it.
    Up,
    /// They count as outside of it.
    Down,
}

impl Cell {
    /// Returns the area of the marked cells in the field of vision where it is largest, in CSS pixels.
    fn area(self, mask: &[bool], rounding: Rounding) -> f64 {
        let (columns, rows) = self.grid;
        let fits = |cells: f64, length: f64, field: f64| match rounding {
            Rounding::Down => cells * length <= field,
            Rounding::Up => (cells - 1.0) * length < field,
        };
        let count = |most: usize, length: f64, field: f64| {
            (1..=most).take_while(|count| fits(number(*count), length, field)).count()
        };
        let across = count(columns, self.width, FIELD.0);
        let down = count(rows, self.height, FIELD.1);
        // Prefix sums: the number of marked cells above and to the left of each corner of a cell.
        let line = columns + 1;
        let mut sums = vec![0usize; line * (rows + 1)];
        for row in 0..rows {
            for column in 0..columns {
                let at = row * line + column;
                let marked = usize::from(mask[row * columns + column]);
                sums[at + line + 1] = sums[at + line] + sums[at + 1] + marked - sums[at];
            }
        }
        let mut most = 0;
        for top in 0..=rows - down {
            for left in 0..=columns - across {
                let (above, below) = (top * line + left, (top + down) * line + left);
                most = most.max(sums[below + across] + sums[above] - sums[above + across] - sums[below]);
            }
        }
        number(most) * self.width * self.height
    }
}

/// Returns a number of cells or changes as `f64`, exactly: there are some thousands at most.
fn number(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::MAX, f64::from)
}

#[cfg(test)]
mod tests {
    use super::{super::film::Still, *};

    const DRAWN: (f64, f64) = (400.0, 320.0);

    /// Returns an endless film of `frames` frames of equal length; `level` returns the luminance of a column in a
    /// frame.
    fn film(frames: usize, millis: u64, level: impl Fn(usize, usize) -> f64) -> Film {
        let still = |frame| Still { millis, cells: (0..1_600).map(|cell| level(frame, cell % 40)).collect() };
        Film {
            size: (400, 320),
            grid: (40, 40),
            cell: (10, 8),
            frames: (0..frames).map(still).collect(),
            plays: Plays::Endless,
            is_whole: true,
            is_damaged: false,
            is_transparent: false,
            changed: 128_000,
        }
    }

    /// Returns a film that is dark and bright as a whole, in turn.
    fn blinking(millis: u64, dark: f64, bright: f64) -> Film {
        film(2, millis, |frame, _| if frame == 0 { dark } else { bright })
    }

    #[test]
    fn flashes_count_by_their_number_change_and_darkness() {
        let said = |film: &Film| flashes(film, DRAWN).map(|flashes| (flashes.rate, flashes.is_sure));
        for (millis, dark, bright, expected) in [
            (100, 0.0, 1.0, Some((5.0, true))),
            (140, 0.0, 1.0, Some((4.0, true))),
            (150, 0.0, 1.0, Some((3.5, false))),
            (170, 0.0, 1.0, None),
            (100, 0.5, 0.59, None),
            (100, 0.5, 0.61, Some((5.0, true))),
            (100, 0.85, 1.0, None),
        ] {
            assert_eq!(said(&blinking(millis, dark, bright)), expected, "{millis} {dark} {bright}");
        }
        // Steps in one direction are one change.
        let stairs = [0.0, 0.2, 0.4, 0.6, 0.4, 0.2];
        assert_eq!(said(&film(6, 50, |frame, _| stairs[frame])), Some((3.5, false)));
    }

    #[test]
    fn flashes_count_by_their_area_at_one_time() {
        let whole = blinking(100, 0.0, 1.0);
        // The field of vision has 35 by 32 cells at most.
        let area = |film: &Film, drawn| flashes(film, drawn).map(|flashes| (flashes.area, flashes.is_sure));
        assert_eq!(area(&whole, DRAWN), Some((89_600.0, true)));
        assert_eq!(area(&whole, (145.0, 145.0)), None);
        assert_eq!(area(&whole, (150.0, 150.0)), Some((22_500.0, false)));
        let strip =
            |columns: usize| film(2, 100, move |frame, column| if frame == 0 || column >= columns { 0.0 } else { 1.0 });
        assert_eq!(area(&strip(8), DRAWN), None);
        assert_eq!(area(&strip(10), DRAWN), Some((25_600.0, false)));
        assert_eq!(area(&strip(11), DRAWN), Some((28_160.0, true)));
        // A wave flashes everywhere, and nowhere at once.
        let wave = film(4, 50, |frame, column| if (frame + column) % 4 < 2 { 0.0 } else { 1.0 });
        assert_eq!(area(&wave, DRAWN), Some((89_600.0, false)));
    }

    #[test]
    fn what_is_not_known_of_a_film_is_not_certain() {
        let is_sure = |film: &Film| flashes(film, DRAWN).map(|flashes| flashes.is_sure);
        assert_eq!(is_sure(&Film { is_transparent: true, ..blinking(100, 0.0, 1.0) }), Some(false));
        assert_eq!(is_sure(&Film { is_damaged: true, ..blinking(100, 0.0, 1.0) }), Some(false));
        // Two frames that are seen once, or of which it is not known what follows.
        assert_eq!(is_sure(&Film { plays: Plays::Times(2), ..blinking(100, 0.0, 1.0) }), None);
        assert_eq!(is_sure(&Film { plays: Plays::Times(5), ..blinking(100, 0.0, 1.0) }), Some(true));
        assert_eq!(is_sure(&Film { is_whole: false, ..blinking(100, 0.0, 1.0) }), None);
    }
}
