//! The way from shots of a page to pictures of its elements.

use std::{io::Cursor, sync::Arc};

use image::{
    DynamicImage, ImageFormat, ImageReader, Limits, Rgb, RgbImage, codecs::webp::WebPEncoder, imageops::FilterType,
};

use super::plan::{ElementNumber, Rect, Shot};

/// The colour that is painted over a value: neither black nor white, so that it is seen on any page, and not the grey
/// of a border.
pub(super) const COVER: [u8; 3] = [160; 3];

/// The greatest width of a picture in pixels: what a report shows beside its text.
const MAX_WIDTH: u32 = 800;
/// The greatest size of one picture in bytes. A larger one is scaled down.
const MAX_BYTES: usize = 120_000;
/// The width in pixels below which a picture is not scaled down further, but left out.
const MIN_WIDTH: u32 = 100;
/// The number of bytes that decoding a shot may take: those of the largest that `plan` makes, twice.
const MAX_DECODED: u64 = 2 * 4 * 2_560 * 3_000;

/// A shot as the browser returned it.
#[derive(Debug)]
pub(crate) struct Capture {
    pub(crate) shot: Shot,
    /// The picture as PNG, one pixel for each CSS pixel.
    pub(crate) png: Vec<u8>,
    /// The areas on the page that are painted over.
    pub(crate) covers: Arc<[Rect]>,
}

/// A picture of an element, in lossless WebP, since most show text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Picture {
    pub(crate) width: u32,
    pub(crate) height: u32,
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
        paint(&mut image, cover.x - shot.clip.x, cover.y - shot.clip.y, cover);
    }
    let mut pictures = Vec::<(ElementNumber, Picture)>::new();
    let mut previous = None;
    for crop in &shot.crops {
        // One element often breaks several rules.
        if previous == Some(crop.area)
            && let Some((_, picture)) = pictures.last()
        {
            let picture = picture.clone();
            pictures.push((crop.element, picture));
            continue;
        }
        let (x, y) = (crop.area.x - shot.clip.x, crop.area.y - shot.clip.y);
        if x >= image.width() || y >= image.height() {
            continue;
        }
        let (width, height) = (crop.area.width.min(image.width() - x), crop.area.height.min(image.height() - y));
        let part = image::imageops::crop_imm(&image, x, y, width, height).to_image();
        if let Some(picture) = picture(part) {
            pictures.push((crop.element, picture));
            previous = Some(crop.area);
        }
    }
    pictures
}

/// Paints over a part of the image as large as the cover. The browser may have returned less than the clip.
fn paint(image: &mut RgbImage, left: u32, top: u32, cover: Rect) {
    let (right, bottom) = ((left + cover.width).min(image.width()), (top + cover.height).min(image.height()));
    for y in top..bottom {
        for x in left..right {
            image.put_pixel(x, y, Rgb(COVER));
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

fn picture(part: RgbImage) -> Option<Picture> {
    if is_of_one_colour(&part) {
        return None;
    }
    let mut part = DynamicImage::from(part);
    if part.width() > MAX_WIDTH {
        part = part.resize(MAX_WIDTH, u32::MAX, FilterType::Triangle);
    }
    loop {
        let mut webp = Vec::new();
        part.write_with_encoder(WebPEncoder::new_lossless(&mut webp)).ok()?;
        if webp.len() <= MAX_BYTES {
            return Some(Picture { width: part.width(), height: part.height(), webp });
        }
        if part.width() < 2 * MIN_WIDTH {
            return None;
        }
        part = part.resize(part.width() / 2, u32::MAX, FilterType::Triangle);
    }
}

fn is_of_one_colour(image: &RgbImage) -> bool {
    let mut pixels = image.pixels();
    let first = pixels.next().copied().unwrap_or(Rgb([0; 3]));
    pixels.all(|pixel| *pixel == first)
}

#[cfg(test)]
mod tests {
    use super::{super::plan::Crop, *};

    fn rect([x, y, width, height]: [u32; 4]) -> Rect {
        Rect { x, y, width, height }
    }

    fn capture(clip: [u32; 4], image: &RgbImage, crops: &[[u32; 4]]) -> Capture {
        let mut png = Cursor::new(Vec::new());
        image.write_to(&mut png, ImageFormat::Png).unwrap();
        let crops = crops
            .iter()
            .enumerate()
            .map(|(number, area)| Crop { element: ElementNumber(number), area: rect(*area) })
            .collect();
        Capture { shot: Shot { clip: rect(clip), crops }, png: png.into_inner(), covers: Arc::default() }
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
