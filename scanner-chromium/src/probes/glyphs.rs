//! The contrast of a text, computed from pictures of it in known colours.
//!
//! A text is pictured twice: not at all, and in a colour that is far from what is behind the texts. The difference says of each pixel
//! how much of it is text, and how much of that shows through whatever is above it; the pixels without text say what it stands
//! on. From both follows how the text's own colour appears on each pixel, on any background. A line of two pixels around each letter
//! makes the pixels beside it count, too, and leaves a whole pixel of thin letters. Shadows are behind a text and not in that colour:
//! where there are some, a third picture has neither text nor shadow. Of a field all of the ground is in the known colour, on which its text
//! may be anywhere.

use std::ops::RangeInclusive;

use image::{Rgb, RgbImage};
use serde::Deserialize;

use crate::evidence::Rect;

/// The difference in a channel above which two pixels are not the same.
const SAME: f64 = 4.0;
/// The difference in a channel from which a colour is far enough from what is behind the text: a share of it is known to a hundredth.
const FAR: i16 = 96;
/// The shares of the paint that a pixel may have, as far as they are known.
const SHARE: RangeInclusive<f64> = -0.05..=1.05;
/// The colours in which texts are painted: no colour is less than [`FAR`] from two of them.
const COLOURS: [Rgb<u8>; 8] = [
    Rgb([255, 0, 255]),
    Rgb([0, 255, 0]),
    Rgb([255, 255, 0]),
    Rgb([0, 255, 255]),
    Rgb([255, 0, 0]),
    Rgb([0, 0, 255]),
    Rgb([0, 0, 0]),
    Rgb([255, 255, 255]),
];
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
        let of_paint = channels.map(|at| paint[at] - plain[at]);
        let change = channels.map(|at| painted[at] - plain[at]);
        // The share of the paint that explains the change best, by least squares.
        let weight = of_paint.iter().map(|way| way * way).sum::<f64>();
        let presence = channels.iter().map(|at| of_paint[*at] * change[*at]).sum::<f64>() / weight.max(1.0);
        let is_explained = SHARE.contains(&presence)
            && channels.iter().all(|at| presence.mul_add(-of_paint[*at], change[*at]).abs() <= SAME);
        let is_same = self.has_shadow || channels.iter().all(|at| (behind[*at] - plain[*at]).abs() <= SAME);
        let can_tell = of_paint.iter().any(|way| way.abs() >= f64::from(FAR));
        if !is_explained || !is_same || !can_tell {
            seen.unsteady += 1;
            return false;
        }
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
            Rgb([0, 1, 2].map(|at| {
                let (paint, own) = (f64::from(colour.0[at]), f64::from(own[at]));
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is within 0 and 255")]
                let mixed = opacity.mul_add(paint - own, own).round() as u8;
                mixed
            }))
        });
        Paints { clip: CLIP, bare, plain: None, painted, colour }
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
