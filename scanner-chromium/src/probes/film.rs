//! The frames of an animated picture (GIF, WebP or APNG), reduced to the brightness of each part of the picture in each
//! frame.
//!
//! The size that a file claims is compared with bounds before anything is decoded, and frames are decoded one at a
//! time.

use std::{io::Cursor, sync::LazyLock};

use image::{
    AnimationDecoder as _, Frames, ImageDecoder as _, ImageFormat, Limits, RgbaImage,
    codecs::{gif::GifDecoder, png::PngDecoder, webp::WebPDecoder},
    metadata::LoopCount,
};
use serde::Serialize;

use super::glyphs::luminance;

/// The greatest number of pixels of a picture.
const MAX_PIXELS: u64 = 4_000_000;
/// The greatest number of frames of a picture that are read.
const MAX_FRAMES: usize = 200;
/// The time, in milliseconds, after which no further frame is read.
const MAX_TIME: u64 = 12_000;
/// The greatest number of cells into which a picture is divided, across and down.
const MAX_CELLS: u32 = 40;
/// The longest delay, in milliseconds, that browsers replace by [`USUAL_DELAY`].
const SHORT_DELAY: u64 = 10;
/// The time, in milliseconds, for which browsers show a frame with a [short delay](SHORT_DELAY).
const USUAL_DELAY: u64 = 100;
/// The least difference in a channel with which two pixels count as different.
const DIFFERENT: u8 = 24;
/// The time, in milliseconds, for which something may move by itself (WCAG 2.2.2).
const MAY_MOVE: u64 = 5_000;
/// The least area, in CSS pixels, of a change that a reader can see.
const SEEN: f64 = 25.0;

/// An animated picture.
#[derive(Debug)]
pub(super) struct Film {
    /// Its width and height in pixels.
    pub(super) size: (u32, u32),
    /// The number of cells across and down.
    pub(super) grid: (usize, usize),
    /// The width and height of a cell in pixels. The last cell of a row or column may be smaller.
    pub(super) cell: (u32, u32),
    pub(super) frames: Vec<Still>,
    pub(super) plays: Plays,
    /// True if its frames were read to the last one.
    pub(super) is_whole: bool,
    /// True if the file is damaged, so that a browser may show something else.
    pub(super) is_damaged: bool,
    /// True if at least one of its pixels is not opaque.
    pub(super) is_transparent: bool,
    /// The number of pixels in which the frame that differs most from the first one does so.
    pub(super) changed: usize,
}

/// One frame.
#[derive(Debug)]
pub(super) struct Still {
    /// The time for which a browser shows it, in milliseconds.
    pub(super) millis: u64,
    /// The relative luminance of each cell on a white background, row by row.
    pub(super) cells: Vec<f64>,
}

/// The number of times that a browser plays a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Plays {
    Endless,
    Times(u64),
}

/// A movement that goes on for too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Movement {
    /// False if a frame is shown for more than five seconds, or if the file is damaged.
    is_sure: bool,
}

impl Film {
    /// Reads the frames of a file, and subtracts the number of decoded pixels from `budget`. Returns `None` for a
    /// picture with one frame, in another format, or beyond the bounds.
    pub(super) fn read(file: &[u8], budget: &mut u64) -> Option<Self> {
        let Opened { size, plays, mut frames } = Opened::open(file)?;
        let pixels = u64::from(size.0) * u64::from(size.1);
        let mut film = Self::empty(size, plays);
        let mut first: Option<RgbaImage> = None;
        loop {
            let is_enough = film.frames.len() >= MAX_FRAMES || film.cycle() >= MAX_TIME || *budget < pixels;
            if is_enough {
                film.is_whole = false;
                break;
            }
            let Some(frame) = frames.next() else { break };
            *budget -= pixels;
            let Some(frame) = frame.ok().filter(|frame| frame.buffer().dimensions() == size) else {
                (film.is_whole, film.is_damaged) = (false, true);
                break;
            };
            let (numerator, denominator) = frame.delay().numer_denom_ms();
            film.add(u64::from(numerator) / u64::from(denominator.max(1)), frame.buffer());
            if let Some(first) = &first {
                film.changed = film.changed.max(different(first, frame.buffer()));
            } else {
                first = Some(frame.into_buffer());
            }
        }
        (film.frames.len() > 1).then_some(film)
    }

    fn empty(size: (u32, u32), plays: Plays) -> Self {
        let cell = (size.0.div_ceil(MAX_CELLS), size.1.div_ceil(MAX_CELLS));
        let count = |length: u32, part: u32| usize::try_from(length.div_ceil(part)).unwrap_or_default();
        Self {
            size,
            grid: (count(size.0, cell.0), count(size.1, cell.1)),
            cell,
            frames: Vec::new(),
            plays,
            is_whole: true,
            is_damaged: false,
            is_transparent: false,
            changed: 0,
        }
    }

    fn add(&mut self, millis: u64, picture: &RgbaImage) {
        let (columns, rows) = self.grid;
        let as_bytes = |pixels: u32| usize::try_from(pixels).unwrap_or_default() * 4;
        let mut cells = vec![0.0; columns * rows];
        // Cells get the sum of their pixels, row by row, and then the average.
        for (y, row) in (0u32..).zip(picture.as_raw().chunks_exact(as_bytes(self.size.0))) {
            let line = usize::try_from(y / self.cell.1).unwrap_or_default() * columns;
            for (sum, pixels) in cells[line..].iter_mut().zip(row.chunks(as_bytes(self.cell.0))) {
                for pixel in pixels.chunks_exact(4) {
                    *sum += brightness(pixel);
                    self.is_transparent |= pixel[3] != u8::MAX;
                }
            }
        }
        // The last cell of a row or column has the remaining pixels.
        let length = |number: usize, part: u32, whole: u32| {
            let before = u32::try_from(number).unwrap_or_default() * part;
            f64::from(part.min(whole - before))
        };
        for (number, sum) in cells.iter_mut().enumerate() {
            let (column, row) = (number % columns, number / columns);
            *sum /= length(column, self.cell.0, self.size.0) * length(row, self.cell.1, self.size.1);
        }
        let millis = if millis <= SHORT_DELAY { USUAL_DELAY } else { millis };
        self.frames.push(Still { millis, cells });
    }

    /// Returns the time that all frames take that were read, in milliseconds.
    pub(super) fn cycle(&self) -> u64 {
        self.frames.iter().map(|frame| frame.millis).sum()
    }

    /// Returns the movement of the picture if it is drawn with this width and height in CSS pixels. Returns `None` if
    /// the movement takes at most five seconds, or is too small to be seen.
    pub(super) fn movement(&self, (width, height): (f64, f64)) -> Option<Movement> {
        let changed = u32::try_from(self.changed).map_or(f64::MAX, f64::from);
        if changed * self.scale_across(width) * self.scale_down(height) < SEEN {
            return None;
        }
        // After the last time, the last frame stays, so that its delay does not count.
        let last = self.frames.last().map_or(0, |frame| frame.millis);
        let lasts = match self.plays {
            Plays::Endless => u64::MAX,
            Plays::Times(times) => times.saturating_mul(self.cycle()).saturating_sub(last),
        };
        let is_steady = self.frames.iter().all(|frame| frame.millis <= MAY_MOVE);
        (lasts > MAY_MOVE).then_some(Movement { is_sure: is_steady && !self.is_damaged })
    }

    /// Returns the width of one of its pixels in CSS pixels, if it is drawn with this width.
    pub(super) fn scale_across(&self, width: f64) -> f64 {
        width / f64::from(self.size.0)
    }

    /// Returns the height of one of its pixels in CSS pixels, if it is drawn with this height.
    pub(super) fn scale_down(&self, height: f64) -> f64 {
        height / f64::from(self.size.1)
    }
}

/// A file whose frames can be read.
struct Opened<'a> {
    size: (u32, u32),
    plays: Plays,
    frames: Frames<'a>,
}

impl<'a> Opened<'a> {
    /// Opens a file. Returns `None` if it can't be animated, or if it is larger than the bounds.
    fn open(file: &'a [u8]) -> Option<Self> {
        match image::guess_format(file).ok()? {
            ImageFormat::Gif => {
                let mut decoder = GifDecoder::new(Cursor::new(file)).ok()?;
                let size = bounded(decoder.dimensions())?;
                // Enough for three pictures: the canvas, the drawing on it, and a frame, which need not be larger.
                decoder.set_limits(limits(3 * 4 * u64::from(size.0) * u64::from(size.1))).ok()?;
                Some(Self { size, plays: plays_of_gif(file), frames: decoder.into_frames() })
            }
            ImageFormat::WebP => {
                let decoder = WebPDecoder::new(Cursor::new(file)).ok()?;
                let size = bounded(decoder.dimensions())?;
                let plays = plays(decoder.loop_count());
                decoder.has_animation().then(|| Self { size, plays, frames: decoder.into_frames() })
            }
            ImageFormat::Png => {
                let decoder = PngDecoder::with_limits(Cursor::new(file), limits(4 * 4 * MAX_PIXELS)).ok()?;
                let size = bounded(decoder.dimensions())?;
                if !decoder.is_apng().ok()? {
                    return None;
                }
                let decoder = decoder.apng().ok()?;
                Some(Self { size, plays: plays(decoder.loop_count()), frames: decoder.into_frames() })
            }
            _ => None,
        }
    }
}

fn bounded(size: (u32, u32)) -> Option<(u32, u32)> {
    (1..=MAX_PIXELS).contains(&(u64::from(size.0) * u64::from(size.1))).then_some(size)
}

fn limits(bytes: u64) -> Limits {
    let mut limits = Limits::default();
    limits.max_alloc = Some(bytes);
    limits
}

fn plays(count: LoopCount) -> Plays {
    match count {
        LoopCount::Infinite => Plays::Endless,
        LoopCount::Finite(times) => Plays::Times(u64::from(times.get())),
    }
}

/// Returns how often browsers play a GIF: once if the file has no number, and otherwise once more than the number says;
/// 0 means without end. The decoder is not used for this, since it reports a file without a number as endless.
fn plays_of_gif(file: &[u8]) -> Plays {
    const LOOPS: [&[u8]; 2] = [b"\x21\xff\x0bNETSCAPE2.0\x03\x01", b"\x21\xff\x0bANIMEXTS1.0\x03\x01"];
    let length = LOOPS[0].len();
    let said = file.windows(length + 2).find(|block| LOOPS.iter().any(|name| block.starts_with(name)));
    match said.map(|block| u16::from_le_bytes([block[length], block[length + 1]])) {
        None => Plays::Times(1),
        Some(0) => Plays::Endless,
        Some(again) => Plays::Times(u64::from(again) + 1),
    }
}

/// Returns the relative luminance of a pixel on a white background, as WCAG defines it.
fn brightness(pixel: &[u8]) -> f64 {
    // A table of the values of a channel, since computing them for every pixel would be too slow.
    static LINEAR: LazyLock<[f64; 256]> = LazyLock::new(|| {
        std::array::from_fn(|value| luminance([f64::from(u8::try_from(value).unwrap_or(u8::MAX)); 3]))
    });
    let [red, green, blue] = [0, 1, 2].map(|channel| LINEAR[usize::from(pixel[channel])]);
    let opaque = 0.0722f64.mul_add(blue, 0.2126f64.mul_add(red, 0.7152 * green));
    let part = f64::from(pixel[3]) / 255.0;
    opaque.mul_add(part, 1.0 - part)
}

/// Returns the number of pixels that differ between two pictures of the same size. Pixels that are transparent in both
/// do not count.
fn different(one: &RgbaImage, other: &RgbaImage) -> usize {
    let pairs = one.as_raw().chunks_exact(4).zip(other.as_raw().chunks_exact(4));
    let differ = |one: &[u8], other: &[u8]| one.iter().zip(other).any(|(one, other)| one.abs_diff(*other) >= DIFFERENT);
    pairs.filter(|(one, other)| (one[3] > 0 || other[3] > 0) && differ(one, other)).count()
}

#[cfg(test)]
mod tests {
    use image::{
        Delay, Frame, Rgba,
        codecs::gif::{GifEncoder, Repeat},
    };

    use super::*;

    const SIZE: (u32, u32) = (60, 40);
    /// The size in which a pixel takes a CSS pixel.
    const DRAWN: (f64, f64) = (60.0, 40.0);

    /// Returns a GIF in these greys, each shown for so many milliseconds.
    fn gif(greys: &[u8], millis: u32, repeat: Option<Repeat>) -> Vec<u8> {
        let mut file = Vec::new();
        let mut encoder = GifEncoder::new(&mut file);
        if let Some(repeat) = repeat {
            encoder.set_repeat(repeat).unwrap();
        }
        for grey in greys {
            let picture = RgbaImage::from_pixel(SIZE.0, SIZE.1, Rgba([*grey, *grey, *grey, u8::MAX]));
            encoder.encode_frame(Frame::from_parts(picture, 0, 0, Delay::from_numer_denom_ms(millis, 1))).unwrap();
        }
        // It ends the file.
        drop(encoder);
        file
    }

    fn read(file: &[u8]) -> Option<Film> {
        Film::read(file, &mut 10_000_000)
    }

    #[test]
    fn a_film_has_the_frames_and_the_times_of_browsers() {
        let film = read(&gif(&[0, 255, 0], 0, Some(Repeat::Infinite))).unwrap();
        assert_eq!((film.size, film.grid, film.cell), (SIZE, (30, 40), (2, 1)));
        assert_eq!((film.frames.len(), film.cycle(), film.plays), (3, 300, Plays::Endless));
        assert!(film.is_whole && !film.is_damaged && !film.is_transparent);
        let is_all = |frame: usize, level: f64| film.frames[frame].cells.iter().all(|cell| (cell - level).abs() < 1e-9);
        assert!(is_all(0, 0.0) && is_all(1, 1.0) && is_all(2, 0.0), "{:?}", film.frames);
        assert_eq!(read(&gif(&[0, 255], 20, None)).unwrap().plays, Plays::Times(1));
        assert_eq!(read(&gif(&[0, 255], 20, Some(Repeat::Finite(3)))).unwrap().plays, Plays::Times(4));
    }

    #[test]
    fn a_movement_counts_if_it_is_seen_for_more_than_five_seconds() {
        let endless = Some(Repeat::Infinite);
        let sure = |is_sure| Some(Movement { is_sure });
        for (greys, millis, repeat, drawn, expected) in [
            (&[0, 255][..], 500, endless, DRAWN, sure(true)),
            // The last frame stays, so that it is five seconds at most.
            (&[0, 255], 500, Some(Repeat::Finite(4)), DRAWN, None),
            (&[0, 255], 500, Some(Repeat::Finite(5)), DRAWN, sure(true)),
            (&[0, 255], 500, None, DRAWN, None),
            (&[0, 9, 99, 0, 9, 99], 1_000, None, DRAWN, None),
            (&[0, 9, 99, 0, 9, 99, 0], 1_000, None, DRAWN, sure(true)),
            (&[90, 100, 90], 500, endless, DRAWN, None),
            (&[0, 255], 500, endless, (4.0, 4.0), None),
            (&[0, 255], 6_000, endless, DRAWN, sure(false)),
        ] {
            let film = read(&gif(greys, millis, repeat)).unwrap();
            assert_eq!(film.movement(drawn), expected, "{greys:?} {millis} {repeat:?}");
        }
    }

    #[test]
    fn a_file_that_claims_or_holds_too_much_is_read_in_part_or_not_at_all() {
        let good = gif(&[0, 255, 0, 255], 500, Some(Repeat::Infinite));
        let mut huge = good.clone();
        huge[6..10].fill(0xee);
        let mut still = Cursor::new(Vec::new());
        RgbaImage::new(9, 9).write_to(&mut still, ImageFormat::Png).unwrap();
        for file in
            [&huge, &still.into_inner(), &gif(&[0], 500, Some(Repeat::Infinite)), &Vec::new(), &b"GIF89a".to_vec()]
        {
            assert!(read(file).is_none());
        }
        let cut = read(&good[..good.len() - 20]).unwrap();
        assert!(cut.is_damaged && !cut.is_whole);
        assert_eq!(cut.movement(DRAWN), Some(Movement { is_sure: false }));
        let long = read(&gif(&[0, 255].repeat(150), 20, None)).unwrap();
        assert_eq!((long.frames.len(), long.is_whole, long.is_damaged), (MAX_FRAMES, false, false));
        let slow = read(&gif(&[0, 255].repeat(10), 2_000, None)).unwrap();
        assert_eq!((slow.cycle(), slow.is_whole), (MAX_TIME, false));
        // Two frames of all pixels fit into what may be decoded.
        let mut budget = 2 * 60 * 40 + 1;
        let short = Film::read(&good, &mut budget).unwrap();
        assert_eq!((short.frames.len(), short.is_whole, budget), (2, false, 1));
    }

    #[test]
    fn what_is_transparent_is_seen_in_front_of_white() {
        let bright =
            [[0, 0, 0, 0], [0, 0, 0, 255], [255, 255, 255, 255], [0, 0, 0, 51]].map(|pixel| brightness(&pixel));
        for (bright, expected) in bright.into_iter().zip([1.0, 0.0, 1.0, 0.8]) {
            assert!((bright - expected).abs() < 1e-9, "{bright} for {expected}");
        }
    }
}
