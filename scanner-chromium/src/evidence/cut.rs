//! The way from shots of a page to pictures of its elements.

use std::{io::Cursor, sync::Arc};

use fast_image_resize::{
    FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer,
    images::{Image as Pixels, ImageRef},
};
use image::{DynamicImage, ImageFormat, ImageReader, Limits, Rgb, RgbImage, codecs::webp::WebPEncoder};

use super::plan::{Crop, ElementNumber, Rect, Shot};

/// The colour that is painted over a value: neither black nor white, so that it is seen on any page, and not the grey
/// of a border.
pub(super) const COVER: [u8; 3] = [160; 3];

/// The colours of the outline around an element, from inside: the dark one is seen on a light page, the light one on a
/// dark page, as their contrast is above 8 : 1 (WCAG 2.1, 1.4.11 asks for 3 : 1).
const OUTLINE: [[u8; 3]; 2] = [[153, 0, 102], [255; 3]];
/// The width of each of its colours in CSS pixels.
const OUTLINE_WIDTH: u32 = 2;
/// The room in CSS pixels between an element and its outline, so that an outline or shadow of its own is seen.
const OUTLINE_GAP: u32 = 2;

/// The greatest width of a picture in pixels: what a report shows beside its text.
const MAX_WIDTH: u32 = 800;
/// The greatest size of one picture in bytes. A larger one is scaled down.
const MAX_BYTES: usize = 120_000;
/// The width in pixels below which a picture is not scaled down further, but left out.
const MIN_WIDTH: u32 = 100;
/// The number of bytes that decoding a shot may take: those of the largest that `plan` makes, twice.
const MAX_DECODED: u64 = 2 * 4 * 1_280 * 4_000;

/// A shot as the browser returned it.
#[derive(Debug)]
pub(crate) struct Capture {
    pub(crate) shot: Shot,
    /// The picture as PNG, in the scale of the shot.
    pub(crate) png: Vec<u8>,
    /// The areas on the page that are painted over.
    pub(crate) covers: Arc<[Rect]>,
}

/// A picture of an element, which is outlined in it, in lossless WebP, since most show text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Picture {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// The number of pixels for 100 CSS pixels.
    pub(crate) scale_percent: u16,
    pub(crate) webp: Vec<u8>,
}

/// Cuts the elements out of the shots. A picture that can't be read, shows one colour only, or stays too large is left
/// out. This takes processor time.
pub(crate) fn cut_out(captures: Vec<Capture>) -> Vec<(ElementNumber, Picture)> {
    captures.into_iter().flat_map(|capture| cut_out_of(&capture)).collect()
}

fn cut_out_of(Capture { shot, png, covers }: &Capture) -> Vec<(ElementNumber, Picture)> {
    let mut image = match decode(png) {
        Ok(image) => image,
        Err(error) => {
            tracing::debug!(%error, "a shot of a page could not be read");
            return Vec::new();
        }
    };
    for cover in covers.iter().filter_map(|cover| cover.common(shot.clip)) {
        paint(&mut image, within(shot, cover), COVER);
    }
    // The methods of `DynamicImage` are compiled in the crate `image`, which is optimised in development builds too; those of
    // `RgbImage` are compiled here.
    let image = DynamicImage::from(image);
    let mut pictures = Vec::<(ElementNumber, Picture)>::new();
    let mut previous: Option<Crop> = None;
    for crop in &shot.crops {
        // One element often breaks several rules.
        if previous.is_some_and(|previous| (previous.area, previous.outlined) == (crop.area, crop.outlined))
            && let Some((_, picture)) = pictures.last()
        {
            let picture = picture.clone();
            pictures.push((crop.element, picture));
            continue;
        }
        let Rect { x, y, width, height } = within(shot, crop.area);
        // The browser may have returned less than the clip.
        if x + width > image.width() || y + height > image.height() {
            continue;
        }
        if let Some(picture) = picture(&image.crop_imm(x, y, width, height), crop) {
            pictures.push((crop.element, picture));
            previous = Some(*crop);
        }
    }
    pictures
}

/// Returns the pixels of a shot that show a part of its clip.
const fn within(Shot { clip, scale, .. }: &Shot, part: Rect) -> Rect {
    Rect {
        x: (part.x - clip.x) * *scale,
        y: (part.y - clip.y) * *scale,
        width: part.width * *scale,
        height: part.height * *scale,
    }
}

/// Paints these pixels of an image, as far as it has them.
fn paint(image: &mut RgbImage, pixels: Rect, colour: [u8; 3]) {
    for y in pixels.y..pixels.bottom().min(image.height()) {
        for x in pixels.x..pixels.right().min(image.width()) {
            image.put_pixel(x, y, Rgb(colour));
        }
    }
}

fn decode(png: &[u8]) -> Result<RgbImage, image::ImageError> {
    let mut reader = ImageReader::with_format(Cursor::new(png), ImageFormat::Png);
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_DECODED);
    reader.limits(limits);
    Ok(reader.decode()?.into_rgb8())
}

/// Returns the picture of a part of a shot, in the scale of the crop, or smaller if it is too large.
fn picture(part: &DynamicImage, crop: &Crop) -> Option<Picture> {
    if is_of_one_colour(part) {
        return None;
    }
    let part = part.as_rgb8()?;
    let mut width = (crop.area.width * crop.scale).min(MAX_WIDTH);
    loop {
        let mut sized = if width == part.width() { part.clone() } else { resized(part, width)? };
        outline(&mut sized, crop);
        let (width_now, height) = sized.dimensions();
        let mut webp = Vec::new();
        sized.write_with_encoder(WebPEncoder::new_lossless(&mut webp)).ok()?;
        if webp.len() <= MAX_BYTES {
            let scale_percent = u16::try_from(width_now * 100 / crop.area.width.max(1)).ok()?;
            return Some(Picture { width: width_now, height, scale_percent, webp });
        }
        if width * 3 / 4 < MIN_WIDTH {
            return None;
        }
        width = width * 3 / 4;
    }
}

/// Returns an image in this width; `None` of one without pixels. The crate `image` takes ten times as long.
fn resized(image: &RgbImage, width: u32) -> Option<RgbImage> {
    let height = u64::from(image.height()) * u64::from(width);
    let height = (height + u64::from(image.width()) / 2) / u64::from(image.width().max(1));
    let height = u32::try_from(height).ok()?.max(1);
    let source = ImageRef::new(image.width(), image.height(), image.as_raw(), PixelType::U8x3).ok()?;
    let mut pixels = Pixels::new(width, height, PixelType::U8x3);
    let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::Bilinear));
    Resizer::new().resize(&source, &mut pixels, &options).ok()?;
    RgbImage::from_raw(width, height, pixels.into_vec())
}

/// Draws the outline around the element: outside of it, so that nothing of it is hidden, except where the picture ends
/// there. No line is drawn where the element goes on beyond the picture.
fn outline(image: &mut RgbImage, crop: &Crop) {
    let (width, height) = image.dimensions();
    let scaled = |position: u32, pixels: u32, css: u32| {
        u32::try_from(u64::from(position) * u64::from(pixels) / u64::from(css.max(1))).unwrap_or(u32::MAX)
    };
    let across = |x: u32| scaled(x, width, crop.area.width);
    let down = |y: u32| scaled(y, height, crop.area.height);
    let line = OUTLINE_WIDTH * crop.scale;
    let all = line * 2 + OUTLINE_GAP * crop.scale;
    let (area, element) = (crop.area, crop.outlined);
    // The outer edges of the outline.
    let left = across(element.x - area.x).saturating_sub(all);
    let top = down(element.y - area.y).saturating_sub(all);
    let goes_right = element.right() > area.right();
    let goes_down = element.bottom() > area.bottom();
    let right = if goes_right { width + all } else { (across(element.right() - area.x) + all).min(width) };
    let bottom = if goes_down { height + all } else { (down(element.bottom() - area.y) + all).min(height) };
    for (colour, inset) in OUTLINE.into_iter().rev().zip([0, line]) {
        let (left, top) = (left + inset, top + inset);
        let (right, bottom) = (right.saturating_sub(inset), bottom.saturating_sub(inset));
        let (across, down) = (right.saturating_sub(left), bottom.saturating_sub(top));
        let sides = [
            Rect { x: left, y: top, width: across, height: line },
            Rect { x: left, y: bottom.saturating_sub(line), width: across, height: line },
            Rect { x: left, y: top, width: line, height: down },
            Rect { x: right.saturating_sub(line), y: top, width: line, height: down },
        ];
        for side in sides {
            paint(image, side, colour);
        }
    }
}

fn is_of_one_colour(image: &DynamicImage) -> bool {
    let (bytes, pixel) = (image.as_bytes(), usize::from(image.color().bytes_per_pixel()));
    // Each pixel is compared with the next, all at once.
    bytes.len() <= pixel || bytes[pixel..] == bytes[..bytes.len() - pixel]
}

#[cfg(test)]
mod tests {
    use super::{super::plan::Crop, *};

    fn rect([x, y, width, height]: [u32; 4]) -> Rect {
        Rect { x, y, width, height }
    }

    /// Returns a shot in which nothing is outlined but what is beyond the picture.
    fn capture(clip: [u32; 4], image: &RgbImage, crops: &[[u32; 4]]) -> Capture {
        let mut png = Cursor::new(Vec::new());
        image.write_to(&mut png, ImageFormat::Png).unwrap();
        let crops = crops.iter().enumerate().map(|(number, area)| {
            let area = rect(*area);
            Crop { element: ElementNumber(number), area, outlined: beyond(area), scale: 1 }
        });
        let shot = Shot { clip: rect(clip), scale: 1, crops: crops.collect() };
        Capture { shot, png: png.into_inner(), covers: Arc::default() }
    }

    /// Returns a position outside of a picture, so that its outline is not seen.
    fn beyond(area: Rect) -> Rect {
        Rect { x: area.right() + 50, y: area.bottom() + 50, width: 900, height: 900 }
    }

    /// Returns a white image with a red square of 20 pixels at 30, 40.
    fn page() -> RgbImage {
        RgbImage::from_fn(100, 100, |x, y| {
            Rgb(if (30..50).contains(&x) && (40..60).contains(&y) { [255, 0, 0] } else { [255; 3] })
        })
    }

    #[test]
    fn an_element_is_cut_out_where_it_stands() {
        let pictures = cut_out(vec![capture([10, 1_000, 100, 100], &page(), &[[35, 1_035, 30, 30]])]);
        let [(element, picture)] = &pictures[..] else { panic!("{pictures:?}") };
        assert_eq!((*element, picture.width, picture.height), (ElementNumber(0), 30, 30));
        let shown = image::load_from_memory_with_format(&picture.webp, ImageFormat::WebP).unwrap().into_rgb8();
        assert_eq!((shown.get_pixel(4, 10).0, shown.get_pixel(5, 10).0), ([255; 3], [255, 0, 0]));
    }

    #[test]
    fn an_element_is_outlined_in_two_colours_and_nothing_of_it_is_hidden() {
        let shown = |outlined: [u32; 4], scale: u32| {
            let twice =
                image::imageops::resize(&page(), 100 * scale, 100 * scale, image::imageops::FilterType::Nearest);
            let mut captured = capture([0, 0, 100, 100], &twice, &[[0, 0, 100, 100]]);
            captured.shot.scale = scale;
            captured.shot.crops[0].scale = scale;
            captured.shot.crops[0].outlined = rect(outlined);
            let (_, picture) = cut_out(vec![captured]).remove(0);
            assert_eq!((picture.width, u32::from(picture.scale_percent)), (100 * scale, 100 * scale));
            image::load_from_memory_with_format(&picture.webp, ImageFormat::WebP).unwrap().into_rgb8()
        };
        let [dark, light] = OUTLINE;
        let image = shown([30, 40, 20, 20], 1);
        let row =
            |image: &RgbImage, y: u32, xs: &[u32]| xs.iter().map(|x| image.get_pixel(*x, y).0).collect::<Vec<_>>();
        let red = [255, 0, 0];
        assert_eq!(
            row(&image, 50, &[24, 25, 26, 27, 28, 29, 30, 49, 50, 51, 52, 53, 54, 55]),
            [light, light, dark, dark, [255; 3], [255; 3], red, red, [255; 3], [255; 3], dark, dark, light, light]
        );
        let column: Vec<_> = [34, 36, 37, 40, 59, 62, 64].iter().map(|y| image.get_pixel(40, *y).0).collect();
        assert_eq!(column, [light, dark, dark, red, red, dark, light]);
        assert_eq!(
            row(&shown([30, 40, 20, 20], 2), 100, &[51, 52, 55, 60, 99, 104, 107, 108]),
            [light, dark, dark, red, red, dark, dark, light]
        );
        let at_corner = shown([0, 0, 50, 60], 1);
        assert_eq!(row(&at_corner, 30, &[0, 2, 4]), [light, dark, [255; 3]], "drawn inside where the picture ends");
        let beyond = shown([30, 40, 500, 500], 1);
        assert_eq!(row(&beyond, 70, &[26, 99]), [dark, [255; 3]], "no line where the element goes on");
    }

    #[test]
    fn what_is_covered_is_painted_over_before_anything_is_cut_out() {
        let covers = [[40, 1_040, 5, 5], [0, 0, 9, 9], [105, 1_095, 900, 900]].map(rect);
        let covered =
            Capture { covers: covers.into(), ..capture([10, 1_000, 100, 100], &page(), &[[35, 1_035, 30, 30]]) };
        let pictures = cut_out(vec![covered]);
        let shown = image::load_from_memory_with_format(&pictures[0].1.webp, ImageFormat::WebP).unwrap().into_rgb8();
        let at = |x, y| shown.get_pixel(x, y).0;
        assert_eq!([at(4, 5), at(5, 5), at(9, 9), at(10, 10)], [[255; 3], COVER, COVER, [255, 0, 0]]);
    }

    #[test]
    fn a_picture_of_nothing_is_left_out_and_so_is_what_the_page_no_longer_has() {
        let crops = [[0, 0, 20, 20], [90, 90, 30, 30], [500, 500, 20, 20]];
        assert_eq!(cut_out(vec![capture([0, 0, 600, 600], &page(), &crops)]), []);
    }

    #[test]
    fn elements_at_one_place_show_the_same_picture() {
        let pictures = cut_out(vec![capture([0, 0, 100, 100], &page(), &[[20, 30, 40, 40], [20, 30, 40, 40]])]);
        assert_eq!(pictures.len(), 2);
        assert_eq!(pictures[0].1, pictures[1].1);
    }

    #[test]
    fn a_picture_full_of_noise_is_made_smaller_until_it_fits() {
        let mut state = 1_u32;
        let noise = RgbImage::from_fn(1_000, 700, |_, _| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let [_, a, b, c] = state.to_le_bytes();
            Rgb([a, b, c])
        });
        let pictures = cut_out(vec![capture([0, 0, 1_000, 700], &noise, &[[0, 0, 1_000, 700]])]);
        let picture = &pictures[0].1;
        assert!(picture.webp.len() <= MAX_BYTES && picture.width >= MIN_WIDTH, "{} wide", picture.width);
        assert_eq!(picture.height, picture.width * 7 / 10);
    }

    #[test]
    fn what_is_no_picture_costs_nothing_but_itself() {
        let broken = Capture { png: b"\x89PNG\r\n\x1a\n".to_vec(), ..capture([0, 0, 9, 9], &page(), &[[0, 0, 9, 9]]) };
        assert_eq!(cut_out(vec![broken]), []);
    }
}
