//! The contrast of a text, computed from pictures of it in known colours.
//!
//! A text is pictured twice: not at all, and in a colour that is far from what is behind the texts. The difference says of each pixel
//! how much of it is text, and how much of that shows through whatever is above it; the pixels without text say what it stands
//! on. From both follows how the text's own colour appears on each pixel, on any background. A line of two pixels around each letter
//! makes the pixels beside it count, too, and leaves a whole pixel of thin letters. Shadows are behind a text and not in that colour:
//! where there are some, a third picture has neither text nor shadow. Of a field all of the ground is in the known colour, on which its text
//! may be anywhere.
//!
//! Where the picture with the texts shows letters on one colour and nothing else, it says by itself what the text stands on ([`Text::alone`]).

use std::{collections::HashMap, ops::RangeInclusive};

use image::{Rgb, RgbImage, imageops::crop_imm};
use serde::Deserialize;

use crate::evidence::Rect;

/// The difference in a channel above which two pixels are not the same.
const SAME: f64 = 4.0;
/// The difference in a channel from which a colour is far enough from what is behind the text: a share of it is known to a hundredth.
const FAR: i16 = 96;
/// The shares of the paint that a pixel may have, as far as they are known.
const SHARE: RangeInclusive<f64> = -0.05..=1.05;
/// The colour in which texts are painted first. It is one that pages do not have: what has it in the picture is a letter.
pub(super) const FIRST: Rgb<u8> = Rgb([233, 12, 214]);
/// The colours in which texts are painted: no colour is less than [`FAR`] from two of them.
const COLOURS: [Rgb<u8>; 8] = [
    FIRST,
    Rgb([0, 255, 0]),
    Rgb([255, 255, 0]),
    Rgb([0, 255, 255]),
    Rgb([255, 0, 0]),
    Rgb([0, 0, 255]),
    Rgb([0, 0, 0]),
    Rgb([255, 255, 255]),
];
/// The share of a text's greatest presence from which a pixel belongs to a letter, and what is next to it may be the edge of one.
const LETTER: f64 = 0.5;
/// The part of a box, one pixel among so many, that has to be of the one colour of its ground.
const GROUND: usize = 20;
/// The share of a text's greatest presence from which a pixel is wholly text.
const WHOLE: f64 = 0.9;
/// The fewest pixels that are wholly text from which something is said.
const FEWEST: usize = 8;
/// The pixels, one among so many, that may differ without a reason: more, and what is behind the text moves.
const UNSTEADY: usize = 200;
/// The share of a text's length, in percent, that has to be seen.
const SEEN: usize = 90;
/// The share of a colour from which nothing shows through it.
const OPAQUE: f64 = 0.995;
/// The amount by which a contrast must be below the limit: colours are whole numbers, and so is what is computed from them.
const MARGIN: f64 = 0.05;
/// The difference of contrasts below which there is only one.
const ONE: f64 = 0.005;

/// A text of a page, as `painted.js` describes it.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Text {
    pub(super) number: usize,
    /// Its boxes: left, top, width and height on the page in CSS pixels.
    pub(super) rects: Vec<[u32; 4]>,
    /// Red, green and blue up to 255, and the alpha up to 1.
    colour: [f64; 4],
    /// The product of the opacities of what it is in.
    opacity: f64,
    /// The size of its font in CSS pixels.
    size: f64,
    /// The contrast that it needs.
    least: f64,
    pub(super) has_shadow: bool,
    /// True if it is measured to be compared with another text, and its own contrast is not in question.
    #[serde(default)]
    pub(super) is_compared: bool,
    /// True if all of its ground is painted in place of letters: it is the field of a form.
    #[serde(default)]
    is_field: bool,
}

/// The pictures of a part of a page.
#[derive(Debug)]
pub(super) struct Paints {
    /// The part of the page.
    pub(super) clip: Rect,
    /// Without its texts.
    pub(super) bare: RgbImage,
    /// Without its texts and their shadows, if there are any.
    pub(super) plain: Option<RgbImage>,
    /// With its texts in `colour`.
    pub(super) painted: RgbImage,
    pub(super) colour: Rgb<u8>,
}

/// Returns the colour in which texts are painted: the one that the fewest of these pixels behind them are near to.
pub(super) fn paint_for(behind: impl IntoIterator<Item = Rgb<u8>>) -> Rgb<u8> {
    let mut near = [0_usize; COLOURS.len()];
    for pixel in behind {
        if let Some(at) = COLOURS.iter().position(|paint| !is_far(pixel, *paint)) {
            near[at] += 1;
        }
    }
    let fewest = near.iter().enumerate().min_by_key(|(_, count)| **count);
    COLOURS[fewest.map_or(0, |(at, _)| at)]
}

fn is_far(one: Rgb<u8>, other: Rgb<u8>) -> bool {
    one.0.iter().zip(other.0).any(|(one, other)| (i16::from(*one) - i16::from(other)).abs() >= FAR)
}

/// Returns the one colour on which letters in the other colour stand in this area of a picture: that of every pixel but those of letters and at
/// their edges. `None` if the area has anything else. `opacity` is that of the text.
fn ground(area: Rect, painted: &RgbImage, colour: Rgb<u8>, opacity: f64) -> Option<Rgb<u8>> {
    let mut counts = HashMap::<Rgb<u8>, usize>::new();
    for (x, y) in places(area) {
        let pixel = *painted.get_pixel(x, y);
        if is_far(pixel, colour) {
            *counts.entry(pixel).or_default() += 1;
        }
    }
    // Of two that are as frequent, always the same one.
    let (ground, count) = counts.into_iter().max_by_key(|(pixel, count)| (*count, pixel.0))?;
    let share = |x, y| {
        let [paint, behind, seen] =
            [colour, ground, *painted.get_pixel_checked(x, y)?].map(|colour| colour.0.map(f64::from));
        share_of(paint, behind, seen)
    };
    // The letter at whose edge a pixel is may be that of a text beside the area.
    let is_letter = |x: u32, y: u32| {
        let mut near = (y.saturating_sub(1)..=y + 1).flat_map(|y| (x.saturating_sub(1)..=x + 1).map(move |x| (x, y)));
        share(x, y).is_some() && near.any(|(x, y)| share(x, y).is_some_and(|share| share >= opacity * LETTER))
    };
    let is_flat = places(area).all(|(x, y)| *painted.get_pixel(x, y) == ground || is_letter(x, y));
    (is_flat && count * GROUND >= places(area).count()).then_some(ground)
}

fn places(area: Rect) -> impl Iterator<Item = (u32, u32)> {
    (area.y..area.bottom()).flat_map(move |y| (area.x..area.right()).map(move |x| (x, y)))
}

/// Returns the share of the paint that explains best how a pixel differs from what is behind it, by least squares; `None` if none explains it.
fn share_of(paint: [f64; 3], behind: [f64; 3], pixel: [f64; 3]) -> Option<f64> {
    let channels = [0, 1, 2];
    let of_paint = channels.map(|at| paint[at] - behind[at]);
    let change = channels.map(|at| pixel[at] - behind[at]);
    let weight = of_paint.iter().map(|way| way * way).sum::<f64>();
    let share = channels.iter().map(|at| of_paint[*at] * change[*at]).sum::<f64>() / weight.max(1.0);
    let is_explained =
        SHARE.contains(&share) && channels.iter().all(|at| share.mul_add(-of_paint[*at], change[*at]).abs() <= SAME);
    is_explained.then_some(share)
}

/// The contrast and the luminances of a text, as measured in its pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Measured {
    /// The contrast of its letters with what is behind them.
    pub(super) contrast: Contrast,
    /// The luminance of its letters as a reader sees them.
    pub(super) shown: Range,
    /// The luminance of what is behind them.
    pub(super) behind: Range,
}

/// The least and the greatest contrast.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Contrast {
    pub(super) least: f64,
    pub(super) most: f64,
}

/// The least and the greatest relative luminance of some pixels, as WCAG defines it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Range {
    pub(super) least: f64,
    pub(super) most: f64,
}

impl Range {
    const EMPTY: Self = Self { least: f64::INFINITY, most: f64::NEG_INFINITY };

    fn add(&mut self, value: f64) {
        self.least = self.least.min(value);
        self.most = self.most.max(value);
    }

    /// Returns the contrast of each of these pixels with each of the others.
    pub(super) fn contrast(self, other: Self) -> Contrast {
        let (dark, light) = if self.most <= other.least { (self, other) } else { (other, self) };
        let least = if dark.most <= light.least { ratio(dark.most, light.least) } else { 1.0 };
        Contrast { least, most: ratio(self.least, other.most).max(ratio(other.least, self.most)) }
    }
}

/// The verdict on the contrast of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Every pixel is below the limit.
    Failed,
    /// None is.
    Passed,
    /// Some are.
    Open,
}

impl Contrast {
    /// Returns what a contrast says where this much is needed.
    pub(super) fn verdict(self, needed: f64) -> Verdict {
        if self.most < needed - MARGIN {
            Verdict::Failed
        } else if self.least >= needed {
            Verdict::Passed
        } else {
            Verdict::Open
        }
    }
}

impl Text {
    /// Returns the verdict on the contrast of the text.
    pub(super) fn verdict(&self, contrast: Contrast) -> Verdict {
        // A colour that nothing shows through, on one ground, is computed from nothing but whole numbers.
        let is_exact = self.is_opaque() && contrast.most - contrast.least < ONE;
        if is_exact && contrast.most < self.least { Verdict::Failed } else { contrast.verdict(self.least) }
    }

    /// Returns whether nothing shows through the text.
    fn is_opaque(&self) -> bool {
        self.colour[3] * self.opacity >= OPAQUE
    }

    /// Returns the pictures of the text alone, made from this one of a part of the page with all texts in one colour; `None` if it does not
    /// say what the text stands on. It does where each box of the text shows letters on one colour that is far from theirs, and nothing else.
    pub(super) fn alone(&self, clip: Rect, painted: &RgbImage, colour: Rgb<u8>) -> Option<Paints> {
        if self.has_shadow || self.is_field {
            return None;
        }
        // Places in the picture.
        let boxes = self.rects.iter().map(|[left, top, width, height]| {
            Some(Rect { x: left.checked_sub(clip.x)?, y: top.checked_sub(clip.y)?, width: *width, height: *height })
        });
        let boxes: Vec<Rect> = boxes.collect::<Option<_>>()?;
        let all = boxes.iter().copied().reduce(Rect::with)?;
        if all.right() > painted.width() || all.bottom() > painted.height() {
            return None;
        }
        let own = crop_imm(painted, all.x, all.y, all.width, all.height).to_image();
        let mut bare = own.clone();
        for area in boxes {
            let ground = ground(area, painted, colour, self.opacity)?;
            places(area).for_each(|(x, y)| bare.put_pixel(x - all.x, y - all.y, ground));
        }
        let clip = Rect { x: clip.x + all.x, y: clip.y + all.y, ..all };
        Some(Paints { clip, bare, plain: None, painted: own, colour })
    }

    /// Returns the contrast of the text on these pictures; `None` if it is not seen whole there, if something beside it changes
    /// between them, or if its own colour cannot be told.
    pub(super) fn measure(&self, paints: &Paints) -> Option<Measured> {
        // How much of a shadow shows through the text is not known, nor what of a field it covers.
        if self.has_shadow && (self.is_field || !self.is_opaque()) {
            return None;
        }
        let mut seen = Seen::default();
        for rect in &self.rects {
            self.look(*rect, paints, &mut seen)?;
        }
        let is_steady = seen.unsteady * UNSTEADY <= seen.pixels;
        let is_whole = seen.parts_with_text * 100 >= seen.parts * SEEN;
        let Seen { least, most, shown, behind, .. } = seen;
        let measured = Measured { contrast: Contrast { least, most }, shown, behind };
        (is_steady && is_whole && seen.whole >= FEWEST).then_some(measured)
    }

    /// Looks at one of the text's boxes.
    fn look(&self, [left, top, width, height]: [u32; 4], paints: &Paints, seen: &mut Seen) -> Option<()> {
        let (x, y) = (left.checked_sub(paints.clip.x)?, top.checked_sub(paints.clip.y)?);
        let size = paints.bare.dimensions();
        if [Some(&paints.painted), paints.plain.as_ref()].into_iter().flatten().any(|other| other.dimensions() != size)
        {
            return None;
        }
        if x + width > size.0 || y + height > size.1 {
            return None;
        }
        let part = self.part_width();
        let mut parts = vec![false; usize::try_from(width.div_ceil(part)).ok()?];
        for row in y..y + height {
            for column in x..x + width {
                if self.look_at(column, row, paints, seen) {
                    parts[usize::try_from((column - x) / part).ok()?] = true;
                }
            }
        }
        // A last part that is narrow may hold the room after a letter and nothing else.
        if parts.len() > 1 && width % part != 0 && width % part < part / 2 && parts.last() == Some(&false) {
            parts.pop();
        }
        seen.parts += parts.len();
        seen.parts_with_text += parts.iter().filter(|part| **part).count();
        Some(())
    }

    /// Returns the width of the parts of a line of which each has a letter.
    fn part_width(&self) -> u32 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts of floats saturate")]
        let twice = (self.size * 2.0) as u32;
        twice.clamp(16, 1_000)
    }

    /// Looks at a pixel, and returns whether it is wholly text.
    fn look_at(&self, x: u32, y: u32, paints: &Paints, seen: &mut Seen) -> bool {
        let pixel = |image: &RgbImage| image.get_pixel(x, y).0.map(f64::from);
        let (behind, painted) = (pixel(&paints.bare), pixel(&paints.painted));
        // What the painted text stands on.
        let plain = paints.plain.as_ref().map_or(behind, pixel);
        let paint = paints.colour.0.map(f64::from);
        seen.pixels += 1;
        let channels = [0, 1, 2];
        let is_same = self.has_shadow || channels.iter().all(|at| (behind[*at] - plain[*at]).abs() <= SAME);
        let can_tell = channels.iter().any(|at| (paint[*at] - plain[*at]).abs() >= f64::from(FAR));
        let presence = share_of(paint, plain, painted).filter(|_| is_same && can_tell);
        let Some(presence) = presence else {
            seen.unsteady += 1;
            return false;
        };
        if presence < self.opacity * WHOLE {
            // Something is above the field, or beside its ground.
            seen.unsteady += usize::from(self.is_field);
            return false;
        }
        let [red, green, blue, alpha] = self.colour;
        let own = [red, green, blue];
        // At the edge of a letter, a part of the pixel is text: what it would be if all of it were is what a reader sees inside.
        let part = (presence / self.opacity).min(1.0);
        let shown = channels.map(|at| {
            if self.has_shadow {
                return own[at];
            }
            (alpha * presence * (own[at] - behind[at]) / part + behind[at]).clamp(0.0, 255.0)
        });
        let ground = luminance(behind);
        let contrast = ratio(luminance(shown), ground);
        // What is wholly opaque has its own colour, at the edge of a letter too.
        seen.shown.add(luminance(if self.is_opaque() { own } else { shown }));
        seen.behind.add(ground);
        seen.least = seen.least.min(contrast);
        seen.most = seen.most.max(contrast);
        seen.whole += 1;
        true
    }
}

/// The pixels that were seen of a text so far.
#[derive(Debug)]
struct Seen {
    pixels: usize,
    unsteady: usize,
    /// The pixels that are wholly text.
    whole: usize,
    parts: usize,
    parts_with_text: usize,
    least: f64,
    most: f64,
    shown: Range,
    behind: Range,
}

impl Default for Seen {
    fn default() -> Self {
        Self {
            pixels: 0,
            unsteady: 0,
            whole: 0,
            parts: 0,
            parts_with_text: 0,
            least: f64::INFINITY,
            most: 0.0,
            shown: Range::EMPTY,
            behind: Range::EMPTY,
        }
    }
}

/// Returns the contrast of two luminances, as WCAG defines it.
fn ratio(one: f64, other: f64) -> f64 {
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// Returns the relative luminance of a colour, as WCAG defines it.
pub(super) fn luminance(colour: [f64; 3]) -> f64 {
    let [red, green, blue] = colour.map(|channel| {
        let part = channel / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    });
    0.0722f64.mul_add(blue, 0.2126f64.mul_add(red, 0.7152 * green))
}

#[cfg(test)]
mod tests {
    use image::Rgb;

    use super::*;

    const CLIP: Rect = Rect { x: 100, y: 50, width: 40, height: 20 };

    /// Returns a text in the middle of [`CLIP`], every second column of which is wholly text.
    fn text(colour: [f64; 4], opacity: f64) -> Text {
        Text {
            number: 0,
            rects: vec![[104, 54, 32, 12]],
            colour,
            opacity,
            size: 8.0,
            least: 4.5,
            has_shadow: false,
            is_compared: false,
            is_field: false,
        }
    }

    /// Returns the pictures of such a text on a background, through what is above both.
    fn paints(opacity: f64, behind: impl Fn(u32, u32) -> [u8; 3]) -> Paints {
        let is_text = |x: u32, y: u32| x.is_multiple_of(2) && (4..36).contains(&x) && (4..16).contains(&y);
        let bare = RgbImage::from_fn(CLIP.width, CLIP.height, |x, y| Rgb(behind(x, y)));
        let colour = paint_for(bare.pixels().copied());
        let painted = RgbImage::from_fn(CLIP.width, CLIP.height, |x, y| {
            let own = behind(x, y);
            if !is_text(x, y) {
                return Rgb(own);
            }
            Rgb([0, 1, 2].map(|at| mixed(opacity, colour.0[at], own[at])))
        });
        Paints { clip: CLIP, bare, plain: None, painted, colour }
    }

    fn mixed(share: f64, paint: u8, behind: u8) -> u8 {
        let (paint, behind) = (f64::from(paint), f64::from(behind));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is within 0 and 255")]
        let mixed = share.mul_add(paint - behind, behind).round() as u8;
        mixed
    }

    fn measured(text: &Text, paints: &Paints) -> (f64, f64) {
        let Contrast { least, most } = text.measure(paints).unwrap().contrast;
        ((least * 100.0).round() / 100.0, (most * 100.0).round() / 100.0)
    }

    #[test]
    fn a_flat_background_gives_the_contrast_of_two_colours() {
        assert_eq!(measured(&text([118.0, 118.0, 118.0, 1.0], 1.0), &paints(1.0, |_, _| [255; 3])), (4.54, 4.54));
        assert_eq!(measured(&text([255.0, 255.0, 255.0, 1.0], 1.0), &paints(1.0, |_, _| [0; 3])), (21.0, 21.0));
    }

    #[test]
    fn a_gradient_gives_the_least_and_the_greatest() {
        let white = text([255.0, 255.0, 255.0, 1.0], 1.0);
        // From #181818 under the first column of letters to #cccccc under the last.
        let gradient = paints(1.0, |x, _| [u8::try_from(6 * x).unwrap(); 3]);
        assert_eq!(measured(&white, &gradient), (1.61, 17.76));
    }

    #[test]
    fn one_picture_says_the_same_as_two_where_letters_stand_on_one_colour_and_nothing_where_they_do_not() {
        let grey = text([118.0, 118.0, 118.0, 0.9], 1.0);
        let at_once = |text: &Text, paints: &Paints| {
            let paints = text.alone(CLIP, &paints.painted, paints.colour)?;
            text.measure(&paints)
        };
        let white = |_, _| [255; 3];
        assert!(at_once(&grey, &paints(1.0, white)).is_some());
        for (opacity, behind) in [(1.0, [255; 3]), (1.0, [12, 90, 40]), (0.5, [255; 3])] {
            let (text, paints) = (Text { opacity, ..grey.clone() }, paints(opacity, |_, _| behind));
            assert_eq!(at_once(&text, &paints), text.measure(&paints), "{behind:?} {opacity}");
        }
        // A letter of a text beside the box, and its edge within it.
        let mut beside = paints(1.0, white);
        for (x, share) in [(35, 0.5), (36, 1.0)] {
            let edge = Rgb([0, 1, 2].map(|at| mixed(share, beside.colour.0[at], 255)));
            (4..16).for_each(|y| beside.painted.put_pixel(x, y, edge));
        }
        assert_eq!(at_once(&grey, &beside), grey.measure(&paints(1.0, white)));

        // One level away from the letters, a colour beside them that no share of the paint makes, two grounds, and a gradient.
        let near = |pixel: [u8; 3]| move |x, y| if y == 4 && x == 21 { pixel } else { [255; 3] };
        let spaced = Text { rects: vec![[104, 52, 32, 14]], ..grey.clone() };
        let one_level = |_, y| if y == 2 { [254; 3] } else { [255; 3] };
        for (text, paints) in [
            (&spaced, paints(1.0, one_level)),
            (&grey, paints(1.0, near([255, 255, 0]))),
            (&grey, paints(1.0, |x, _| if x < 20 { [255; 3] } else { [255, 0, 255] })),
            (&grey, paints(1.0, |x, _| [u8::try_from(6 * x).unwrap(); 3])),
        ] {
            assert!(text.alone(CLIP, &paints.painted, paints.colour).is_none());
            assert!(text.measure(&paints).is_some(), "two pictures tell");
        }
        // What has the colour of the paint, or fills the box, says nothing of what is behind it.
        assert!(grey.alone(CLIP, &RgbImage::from_pixel(CLIP.width, CLIP.height, FIRST), FIRST).is_none());
        let shadowed = Text { has_shadow: true, ..grey.clone() };
        let field = Text { is_field: true, ..grey.clone() };
        for text in [shadowed, field] {
            assert!(text.alone(CLIP, &paints(1.0, white).painted, FIRST).is_none());
        }
        // Beyond the picture.
        assert!(grey.alone(Rect { x: 110, ..CLIP }, &paints(1.0, white).painted, FIRST).is_none());
    }

    #[test]
    fn alpha_and_opacity_make_a_colour_weaker_in_the_same_way() {
        let whole = measured(&text([128.0, 128.0, 128.0, 1.0], 1.0), &paints(1.0, |_, _| [255; 3]));
        let by_alpha = measured(&text([0.0, 0.0, 0.0, 0.498], 1.0), &paints(1.0, |_, _| [255; 3]));
        let by_opacity = measured(&text([0.0, 0.0, 0.0, 1.0], 0.498), &paints(0.498, |_, _| [255; 3]));
        assert!(
            (whole.0 - by_alpha.0).abs() < 0.05 && (whole.0 - by_opacity.0).abs() < 0.05,
            "{by_alpha:?} {by_opacity:?}"
        );
    }

    #[test]
    fn what_moves_is_hidden_or_is_cut_off_is_not_measured() {
        let black = text([0.0, 0.0, 0.0, 1.0], 1.0);
        let mut moved = paints(1.0, |_, _| [255; 3]);
        moved.painted = paints(1.0, |_, _| [90; 3]).painted;
        assert_eq!(black.measure(&moved), None, "the background is another");
        let covered = paints(0.5, |_, _| [255; 3]);
        assert_eq!(black.measure(&covered), None, "something is above it");
        let mut half = paints(1.0, |_, _| [255; 3]);
        for (x, y) in (16..40).flat_map(|x| (0..20).map(move |y| (x, y))) {
            half.painted.put_pixel(x, y, Rgb([255; 3]));
        }
        assert_eq!(black.measure(&half), None, "half of it is hidden");
        let beyond = Text { rects: vec![[90, 54, 32, 12]], ..black.clone() };
        assert_eq!(beyond.measure(&paints(1.0, |_, _| [255; 3])), None);
        let long = Text { rects: vec![[104, 54, 3_000, 12]], ..black };
        assert_eq!(long.measure(&paints(1.0, |_, _| [255; 3])), None);
    }

    #[test]
    fn of_a_field_all_of_the_ground_has_to_be_seen() {
        let field = Text { is_field: true, ..text([0.0, 0.0, 0.0, 1.0], 1.0) };
        let mut ground = paints(1.0, |_, _| [255; 3]);
        assert_eq!(field.measure(&ground), None, "every second column is something else");
        ground.painted = RgbImage::from_pixel(CLIP.width, CLIP.height, ground.colour);
        assert_eq!(measured(&field, &ground), (21.0, 21.0));
        let shadowed = Text { has_shadow: true, ..field.clone() };
        assert_eq!(shadowed.measure(&ground), None);
        let veil = ground.colour.0.map(|channel| channel / 2 + 127);
        ground.painted = RgbImage::from_pixel(CLIP.width, CLIP.height, Rgb(veil));
        assert_eq!(field.measure(&ground), None, "something is above it");
    }

    #[test]
    fn texts_are_painted_in_a_colour_that_tells_them_from_any_ground() {
        let black = text([0.0, 0.0, 0.0, 1.0], 1.0);
        for level in 0..512_u16 {
            let channel = |shift: u16| u8::try_from((level >> shift & 7) * 36).unwrap();
            let ground = [channel(0), channel(3), channel(6)];
            let expected = ratio(luminance(ground.map(f64::from)), 0.0);
            let found = black.measure(&paints(1.0, |_, _| ground)).unwrap().contrast;
            assert!(
                (found.least - expected).abs() < 0.01 && (found.most - expected).abs() < 0.01,
                "{ground:?}: {found:?}"
            );
        }
        let mut magenta = paints(1.0, |_, _| [250, 20, 250]);
        magenta.colour = Rgb([255, 0, 255]);
        magenta.painted = RgbImage::from_fn(CLIP.width, CLIP.height, |x, _| {
            if x.is_multiple_of(2) { magenta.colour } else { *magenta.bare.get_pixel(x, 0) }
        });
        assert_eq!(black.measure(&magenta), None, "the paint is nearly the ground");
    }

    #[test]
    fn two_texts_differ_by_their_pixels_that_are_nearest_and_farthest() {
        let range = |least, most| Range { least, most };
        let rounded =
            |Contrast { least, most }: Contrast| ((least * 100.0).round() / 100.0, (most * 100.0).round() / 100.0);
        assert_eq!(rounded(range(0.0, 0.0).contrast(range(1.0, 1.0))), (21.0, 21.0));
        assert_eq!(rounded(range(0.45, 0.95).contrast(range(0.0, 0.05))), (5.0, 20.0));
        assert_eq!(rounded(range(0.0, 0.2).contrast(range(0.15, 0.45))), (1.0, 10.0), "they overlap");
        let measured = text([255.0, 255.0, 255.0, 1.0], 1.0).measure(&paints(1.0, |_, _| [0; 3])).unwrap();
        assert!(measured.shown.least > 0.999 && measured.behind.most < 0.001, "{measured:?}");
    }

    #[test]
    fn only_what_lies_wholly_on_one_side_of_the_limit_is_decided() {
        let verdict = |least, most| Contrast { least, most }.verdict(4.5);
        assert_eq!(verdict(1.0, 4.4), Verdict::Failed);
        assert_eq!(verdict(1.0, 4.48), Verdict::Open, "too near to tell");
        assert_eq!(verdict(4.5, 21.0), Verdict::Passed);
        assert_eq!(verdict(4.49, 21.0), Verdict::Open);
        let (grey, one) = ([119.0, 119.0, 119.0, 1.0], Contrast { least: 4.478, most: 4.478 });
        assert_eq!(text(grey, 1.0).verdict(one), Verdict::Failed, "one opaque colour on one ground");
        assert_eq!(text(grey, 0.9).verdict(one), Verdict::Open);
        assert_eq!(text(grey, 1.0).verdict(Contrast { least: 4.4, ..one }), Verdict::Open);
    }

    #[test]
    fn a_text_with_a_shadow_is_measured_on_its_shadow_unless_it_is_transparent() {
        let white = Text { has_shadow: true, ..text([255.0, 255.0, 255.0, 1.0], 1.0) };
        let mut shadowed = paints(1.0, |_, _| [200; 3]);
        shadowed.plain = Some(std::mem::replace(&mut shadowed.bare, paints(1.0, |_, _| [20; 3]).bare));
        assert!(measured(&white, &shadowed).0 > 15.0);
        let pale = Text { colour: [255.0, 255.0, 255.0, 0.8], ..white };
        assert_eq!(pale.measure(&shadowed), None);
    }
}
