//! Pictures: decoded within bounds, and written without loss, because most show text.

use std::{
    collections::BTreeMap,
    io::{Cursor, Write},
};

use flate2::{Compression, write::ZlibEncoder};
use image::{DynamicImage, ImageFormat, ImageReader, Limits, imageops::FilterType};
use printpdf::{DictItem, ExternalStream, ExternalXObject, XObject, XObjectId};

/// The pictures of one file, by the name of their resource.
#[derive(Debug, Default)]
pub(super) struct Pictures {
    pub(super) resources: BTreeMap<XObjectId, XObject>,
    /// The number of pixels that may still be decoded.
    budget: u64,
}

/// A picture that is ready to be set.
#[derive(Debug, Clone)]
pub(super) struct Picture {
    pub(super) id: XObjectId,
    /// The width in pixels.
    pub(super) width: u32,
    /// The height in pixels.
    pub(super) height: u32,
}

/// The most bytes of a picture file that is read.
const MAX_BYTES: usize = 16 << 20;
/// The most pixels of an edge of a picture that is read.
const MAX_EDGE: u32 = 8_000;
/// The most pixels of a picture that is read.
const MAX_PIXELS: u64 = 16_000_000;
/// The most pixels of all pictures of a file.
const MAX_ALL_PIXELS: u64 = 80_000_000;
/// The most pixels of an edge in the file: more than paper shows.
const MAX_SHOWN_EDGE: u32 = 1_600;

impl Pictures {
    pub(super) fn new() -> Self {
        Self { resources: BTreeMap::new(), budget: MAX_ALL_PIXELS }
    }

    /// Adds a picture. Returns `None` if it can't be read, or is larger than what is left of the bounds; this is logged.
    pub(super) fn add(&mut self, name: String, bytes: &[u8]) -> Option<Picture> {
        let image = match decode(bytes, self.budget) {
            Ok(image) => image,
            Err(error) => {
                tracing::warn!(picture = name, %error, "a picture is left out of a PDF");
                return None;
            }
        };
        self.budget = self.budget.saturating_sub(pixels(image.width(), image.height()));
        let image = if image.width().max(image.height()) > MAX_SHOWN_EDGE {
            image.resize(MAX_SHOWN_EDGE, MAX_SHOWN_EDGE, FilterType::Triangle)
        } else {
            image
        };
        let (width, height) = (image.width(), image.height());
        let id = XObjectId(name);
        self.resources.insert(id.clone(), resource(image)?);
        Some(Picture { id, width, height })
    }
}

#[derive(Debug, thiserror::Error)]
pub(super) enum PictureError {
    #[error("larger than the bounds")]
    TooLarge,
    #[error("neither PNG nor JPEG nor WebP")]
    UnknownFormat,
    #[error(transparent)]
    Decode(#[from] image::ImageError),
}

/// Decodes a picture within the bounds and of at most `budget` pixels.
pub(super) fn decode(bytes: &[u8], budget: u64) -> Result<DynamicImage, PictureError> {
    if bytes.len() > MAX_BYTES {
        return Err(PictureError::TooLarge);
    }
    let format = image::guess_format(bytes)?;
    if !matches!(format, ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::WebP) {
        return Err(PictureError::UnknownFormat);
    }
    let (width, height) = ImageReader::with_format(Cursor::new(bytes), format).into_dimensions()?;
    let pixels = pixels(width, height);
    if width.max(height) > MAX_EDGE || pixels > MAX_PIXELS.min(budget) {
        return Err(PictureError::TooLarge);
    }
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    // Eight bytes for each pixel (16 bits in four channels), and as much again to work with.
    limits.max_alloc = Some(MAX_PIXELS * 16);
    reader.limits(limits);
    Ok(reader.decode()?)
}

fn pixels(width: u32, height: u32) -> u64 {
    u64::from(width) * u64::from(height)
}

/// Returns the picture as the file holds it: eight bits each of red, green and blue, with transparent parts turned white.
fn resource(image: DynamicImage) -> Option<XObject> {
    let (width, height) = (image.width(), image.height());
    let pixels = if image.color().has_alpha() {
        let over_white = |part: u8, alpha: u8| {
            let blended = (u16::from(part) * u16::from(alpha) + 255 * (255 - u16::from(alpha)) + 127) / 255;
            u8::try_from(blended).unwrap_or(u8::MAX)
        };
        let flat = |pixel: [u8; 4]| [pixel[0], pixel[1], pixel[2]].map(|part| over_white(part, pixel[3]));
        image.into_rgba8().pixels().flat_map(|pixel| flat(pixel.0)).collect()
    } else {
        image.into_rgb8().into_raw()
    };
    let content = compressed(&pixels, usize::try_from(width).ok()? * 3).ok()?;
    let integer = |value: u32| DictItem::Int(i64::from(value));
    let name = |text: &str| DictItem::Name(text.into());
    let dict = |entries: &[(&str, DictItem)]| {
        entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect::<BTreeMap<_, _>>()
    };
    let parameters = dict(&[
        ("Predictor", integer(15)),
        ("Colors", integer(3)),
        ("BitsPerComponent", integer(8)),
        ("Columns", integer(width)),
    ]);
    let dict = dict(&[
        ("Type", name("XObject")),
        ("Subtype", name("Image")),
        ("Width", integer(width)),
        ("Height", integer(height)),
        ("ColorSpace", name("DeviceRGB")),
        ("BitsPerComponent", integer(8)),
        ("Filter", name("FlateDecode")),
        ("DecodeParms", DictItem::Dict { map: parameters }),
    ]);
    let stream = ExternalStream { dict, content, compress: false };
    Some(XObject::External(ExternalXObject { stream, width: None, height: None, dpi: None }))
}

/// Compresses pixels with PNG's "up" filter: most rows of a screenshot are like the one above.
fn compressed(pixels: &[u8], row_bytes: usize) -> std::io::Result<Vec<u8>> {
    const UP: u8 = 2;
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(4));
    let mut above = vec![0; row_bytes];
    let mut filtered = Vec::with_capacity(row_bytes + 1);
    for row in pixels.chunks_exact(row_bytes.max(1)) {
        filtered.clear();
        filtered.push(UP);
        filtered.extend(row.iter().zip(&above).map(|(part, above)| part.wrapping_sub(*above)));
        encoder.write_all(&filtered)?;
        above.copy_from_slice(row);
    }
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut file = Cursor::new(Vec::new());
        DynamicImage::new_rgba8(width, height).write_to(&mut file, ImageFormat::Png).unwrap();
        file.into_inner()
    }

    #[test]
    fn pictures_of_the_formats_that_browsers_take_are_read() {
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP] {
            let mut file = Cursor::new(Vec::new());
            DynamicImage::new_rgb8(3, 2).write_to(&mut file, format).unwrap();
            let picture = Pictures::new().add("a".to_owned(), &file.into_inner()).unwrap();
            assert_eq!((picture.width, picture.height), (3, 2), "{format:?}");
        }
    }

    #[test]
    fn a_broken_or_huge_picture_is_left_out() {
        let mut pictures = Pictures::new();
        let mut cut = png(100, 100);
        cut.truncate(cut.len() / 2);
        for bytes in [b"".as_slice(), b"<svg/>", b"GIF89a", &cut, &png(8_001, 1)] {
            assert!(pictures.add("a".to_owned(), bytes).is_none());
        }
        // A small file that unpacks to far more than is read.
        let mut bomb = Cursor::new(Vec::new());
        DynamicImage::new_luma8(5_000, 5_000).write_to(&mut bomb, ImageFormat::Png).unwrap();
        assert!(pictures.add("a".to_owned(), &bomb.into_inner()).is_none());
        assert!(pictures.resources.is_empty());
    }

    #[test]
    fn all_pictures_together_are_bounded() {
        let mut pictures = Pictures { budget: 250, ..Pictures::default() };
        let taken = (0..8).filter(|n| pictures.add(n.to_string(), &png(10, 10)).is_some()).count();
        assert_eq!(taken, 2);
        assert!(pictures.add("small".to_owned(), &png(7, 7)).is_some());
    }

    #[test]
    fn what_can_be_seen_through_becomes_white() {
        let XObject::External(object) = resource(DynamicImage::new_rgba8(1, 1)).unwrap() else { panic!("no stream") };
        let mut row = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::ZlibDecoder::new(object.stream.content.as_slice()), &mut row)
            .unwrap();
        assert_eq!(row, [2, 255, 255, 255]);
    }
}
