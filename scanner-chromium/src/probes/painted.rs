//! Contrast that axe-core could not compute (text on pictures, gradients and overlaps), decided by pictures of the text; and links that it
//! could not compare with the text around them, decided by what the same pictures say of both.
//!
//! `painted.js` finds the texts, paints them and puts their colours back; `glyphs.rs` computes what the pictures say. The page's
//! scripts and animations stand still meanwhile. What moves all the same, or may, is left to a person.

use std::{
    collections::{HashMap, HashSet},
    io::Cursor,
    sync::Arc,
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use image::{ImageFormat as PictureFormat, ImageReader, Limits, Rgb, RgbImage, imageops::crop_imm};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{
    task::JoinHandle,
    time::{Duration, Instant},
};

use super::glyphs::{Contrast, FIRST, Measured, Paints, Text, Verdict, paint_for};
use crate::{
    axe::AxeError,
    browser::{Outcome, Tab, evaluate},
    cdp::{
        CdpError,
        commands::{Clip, ImageFormat},
    },
    evidence::Rect,
};

const PAINTED: &str = include_str!("painted.js");
/// An expression for whether axe-core left a contrast open on an element of the page itself. If not, the probes have run and found nothing to do.
const IS_OPEN: &str = "(() => {
    const rules = ['color-contrast', 'link-in-text-block'];
    const isOpen = outcome.results.incomplete.some(({ id, error, nodes }) => rules.includes(id) && !error && nodes.some(({ target }) => target.length === 1));
    outcome.probes?.inapplicable.push(...(isOpen ? [] : ['a11ycheck-text-contrast', 'a11ycheck-link-contrast']));
    return isOpen;
})()";
/// The contrast by which the colour of a link differs enough from that of the text around it (technique G183 of WCAG).
const LINK_CONTRAST: f64 = 3.0;
/// The contrast up to which two colours are one to a reader: such a link is not told apart by its colour.
const ONE_COLOUR: f64 = 1.05;

/// The number of texts of a page that are measured.
const MAX_TEXTS: usize = 2_000;
/// The time limit for all that is done about them.
const TIME: Duration = Duration::from_secs(28);
/// The part of the page's own time that is left for what is done with the page afterwards; a third of that time if it is short.
const RESERVE: Duration = Duration::from_secs(8);
/// The part of the probe's time that is left when the last picture is taken; half of it if it is short. What is pictured is bounded by numbers,
/// so that a check finds the same on most machines; of a page that takes longer all the same, the parts that were pictured by then are measured.
const ENDING: Duration = Duration::from_secs(4);
/// The number of parts of a page that are pictured.
const MAX_PARTS: usize = 30;
/// The pixels of all parts together: each is pictured up to three times, or four times if a text in it has a shadow.
const MAX_PIXELS: u64 = 64_000_000;
/// The pixels of a part: two or three pictures of one are decoded at a time.
const MAX_PART_PIXELS: u64 = 4_000_000;
/// The pixels of the parts that are pictured together: while their pictures are taken, those of as many more are measured.
const MAX_SHEET_PIXELS: u64 = 16_000_000;
/// The greatest height of a part in CSS pixels.
const MAX_HEIGHT: u32 = 4_000;
/// The pixels that cost about as much as a further picture: texts are pictured together where that adds fewer between them. A picture takes some
/// 30 ms of processor time, and 45 for each million of its pixels. Where that would be too many parts, each counts for more.
const PICTURE: u64 = 600_000;
/// The room around a text in CSS pixels.
const PADDING: u32 = 3;
/// The bytes that decoding a picture may take: those of the largest part, twice.
const MAX_DECODED: u64 = 2 * 4 * MAX_PART_PIXELS;

/// Returns whether there is a text for [`run_painted`] to measure.
///
/// # Errors
/// Those of the browser.
pub(crate) async fn is_contrast_open(tab: &Tab, main_world: i64, deadline: Instant) -> Result<bool, AxeError> {
    Ok(evaluate(tab, main_world, IS_OPEN, Outcome::Value, deadline).await?.result.value == true)
}

/// Measures texts whose contrast axe-core could not compute, on a page on which axe-core and the other probes have run. What is decided leaves
/// axe-core's open elements; what fails is added to the problems of the probes, and what lies on both sides of the limit to what a person
/// decides. Afterwards the page is as it was. What goes wrong in it costs this probe on this page, and nothing else.
///
/// # Errors
/// Those of the browser, but not that the time was over.
pub(crate) async fn run_painted(tab: &Tab, main_world: i64, deadline: Instant) -> Result<(), AxeError> {
    let now = Instant::now();
    let times = Times::of(deadline.saturating_duration_since(now));
    if times.all.is_zero() {
        return Ok(());
    }
    // While a page is hidden, its layers beyond the pixel that is drawn (boxes that scroll, bars that blur what is behind them) may be
    // missing in the first picture after its colours have changed: in some 5 of 117 on a busy machine.
    tab.show(deadline).await?;
    let page = Page { tab, world: main_world, deadline: now + times.all, pictured_by: now + times.pictures };
    let measured = match page.measure().await {
        Err(CdpError::TimedOut { .. }) => Ok(None),
        measured => measured,
    };
    // Whatever happened, the page, or another that has taken its place, goes on as it was.
    let ended = match measured {
        Ok(None) => {
            let end = "globalThis.painted?.end(); delete globalThis.painted";
            evaluate(tab, main_world, end, Outcome::Value, deadline).await.map(|_| ())
        }
        _ => Ok(()),
    };
    tab.show(deadline).await?;
    tab.unfreeze(deadline).await?;
    measured?;
    Ok(ended?)
}

/// The time for all that is done about the texts of a page, and the part of it until the last picture.
#[derive(Debug, PartialEq, Eq)]
struct Times {
    all: Duration,
    pictures: Duration,
}

impl Times {
    /// Returns the times on a page that has this much of its own left.
    fn of(left: Duration) -> Self {
        let all = (left - RESERVE.min(left / 3)).min(TIME);
        Self { all, pictures: all - ENDING.min(all / 2) }
    }
}

/// The answer of `painted.js`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Seen {
    texts: Vec<Text>,
    links: Vec<Link>,
    /// The number of times that a box has to be scrolled for texts beyond its edge.
    steps: usize,
}

/// A link and the text around it, by their numbers among the texts.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Link {
    number: usize,
    other: usize,
    /// True if styles say that both stand on the same background.
    is_same_ground: bool,
}

/// A page whose texts are painted.
#[derive(Debug, Clone, Copy)]
struct Page<'a> {
    tab: &'a Tab,
    world: i64,
    deadline: Instant,
    pictured_by: Instant,
}

impl Page<'_> {
    /// Returns `None` if something went wrong in the page.
    async fn measure(self) -> Result<Option<()>, CdpError> {
        let limits = json!({
            // The open elements that are read, those that are measured, the boxes of one, those that may be named and kept, the milliseconds
            // in which nothing may move, those in which a frame is awaited, the greatest distance from the page's corner, the elements that are
            // read in a link, the rows of 50 pixels of a line of text, the steps in which texts that stand on others are looked for, the number
            // of times that boxes are scrolled, the room above and beside a text there, the distance up to which texts are beside each other,
            // the elements and the levels that are painted by selectors of their own, the selectors of a rule, the pixels of all canvases
            // that are read, and the elements of each level around a text among which one that stays in the window is looked for.
            "seen": 3_000,
            "texts": MAX_TEXTS,
            "boxes": 20,
            "nodes": MAX_TEXTS,
            "kept": 50,
            "watched": 50,
            "frame": 200,
            "place": 100_000,
            "parts": 200,
            "rows": 60,
            "overprints": 500_000,
            "steps": 20,
            "margin": 8,
            "near": 4,
            "painted": 400,
            "depth": 60,
            "selectors": 50,
            "canvases": 4_000_000,
            "around": 200,
        });
        let Some(seen) = self.evaluate(&format!("({PAINTED})({limits})")).await? else { return Ok(None) };
        let Seen { mut texts, links, steps } = serde_json::from_value(seen).unwrap_or_default();
        if parts(&texts).is_empty() && steps == 0 {
            return Ok(Some(()));
        }
        self.tab.freeze(self.deadline).await?;
        let mut found = parts(&texts);
        for step in 0..steps {
            let Some(more) = self.evaluate(&format!("painted.find({step})")).await? else { return Ok(None) };
            let more: Vec<Text> = serde_json::from_value(more).unwrap_or_default();
            found.extend(parts(&more).into_iter().map(|part| part.in_step(step, texts.len())));
            texts.extend(more);
        }
        if let Some(Rect { x, y, width, height }) = self.pictured_alone(&found) {
            self.tab.show_part(Clip { x, y, width, height, scale: 1.0 }, self.deadline).await?;
        }
        let texts = Arc::new(texts);
        let Some(measured) = self.measure_parts(found, &texts).await? else { return Ok(None) };
        let Some(lost) = self.evaluate("painted.end()").await? else { return Ok(None) };
        if steps > 0 {
            // With this frame the page gets its events of scrolling, while its scripts stand still.
            self.draw_frame().await?;
        }
        let lost: HashSet<usize> = serde_json::from_value(lost).unwrap_or_default();
        let measured = measured.into_iter().filter(|(number, _)| !lost.contains(number)).collect();
        let (of_texts, of_links) = (judge(&texts, &measured), judge_links(&links, &measured));
        let settle = format!("painted.settle({}, {})", Value::from(of_texts), Value::from(of_links));
        Ok(self.evaluate(&settle).await?.map(|_| ()))
    }

    /// Returns the part of the page that has all of these in it, if to draw it takes no more than to draw the window.
    fn pictured_alone(self, parts: &[Part]) -> Option<Rect> {
        let all = parts.iter().map(|part| part.clip).reduce(Rect::with)?;
        let viewport = self.tab.viewport();
        let window = u64::from(viewport.width()) * u64::from(viewport.height());
        // What is pictured is drawn in any case.
        (parts.len() == 1 || (is_part(all) && all.width <= MAX_HEIGHT && pixels(all) <= window)).then_some(all)
    }

    /// Has the browser draw the page as it is now.
    async fn draw_frame(self) -> Result<(), CdpError> {
        let clip = Clip { x: 0, y: 0, width: 1, height: 1, scale: 1.0 };
        self.tab.capture(ImageFormat::Png { optimize_for_speed: true }, clip, self.deadline).await?;
        Ok(())
    }

    /// Measures the texts of these parts; `None` after an exception. Parts for which there is no time are left out.
    async fn measure_parts(
        self,
        parts: Vec<Part>,
        texts: &Arc<Vec<Text>>,
    ) -> Result<Option<Vec<(usize, Measured)>>, CdpError> {
        let (mut measured, mut under_way) = (Vec::new(), None::<JoinHandle<_>>);
        for sheet in sheets(parts) {
            match self.pictures(sheet, texts).await {
                Ok(Some(Sheet { measured: at_once, pictured })) => {
                    measured.extend(at_once);
                    let texts = Arc::clone(texts);
                    let next = tokio::task::spawn_blocking(move || {
                        pictured.into_iter().filter_map(|one| one.measured(&texts)).flatten().collect()
                    });
                    // One sheet is pictured while another is measured, and no more pictures than theirs are kept.
                    measured.extend(finished(under_way.replace(next)).await);
                }
                Ok(None) => return Ok(None),
                // What is pictured by then can be measured: the parts with most texts.
                Err(CdpError::TimedOut { .. }) => break,
                Err(error) => return Err(error),
            }
        }
        measured.extend(finished(under_way).await);
        Ok(Some(measured))
    }

    /// Returns the value of an expression, or of what it promises; `None` after an exception.
    async fn evaluate(self, expression: &str) -> Result<Option<Value>, CdpError> {
        let mut evaluated = evaluate(self.tab, self.world, expression, Outcome::Promise, self.deadline).await?;
        if let Some(exception) = evaluated.exception() {
            tracing::warn!(exception, "The contrast of texts could not be measured on a page");
            return Ok(None);
        }
        Ok(Some(evaluated.result.value.take()))
    }

    /// Takes the pictures of some parts of the page; `None` after an exception. Texts of which the first picture says all are measured at once.
    async fn pictures(self, parts: Vec<Part>, texts: &Arc<Vec<Text>>) -> Result<Option<Sheet>, CdpError> {
        // To paint the texts in another way takes as long as several pictures: all parts in the one, then all in the next.
        let Some(painted) = self.shots(&css(FIRST), parts.iter()).await? else { return Ok(None) };
        let of_parts = Arc::clone(texts);
        let looking = tokio::task::spawn_blocking(move || {
            let (mut measured, mut left) = (Vec::new(), Vec::new());
            for (part, png) in parts.into_iter().zip(painted) {
                let (at_once, others) = part.measured_at_once(&of_parts, &png);
                measured.extend(at_once);
                left.extend(others.map(|others| (others, Picture { clip: part.clip, png })));
            }
            (measured, left)
        });
        let Ok((measured, left)) = looking.await else { return Ok(Some(Sheet::default())) };
        let (parts, painted): (Vec<Part>, Vec<Picture>) = left.into_iter().unzip();
        if parts.is_empty() {
            return Ok(Some(Sheet { measured, pictured: Vec::new() }));
        }
        let Some(bare) = self.shots("bare", parts.iter()).await? else { return Ok(None) };
        let shadowed = parts.iter().filter(|part| part.has_shadow(texts));
        let plain =
            if shadowed.clone().count() == 0 { Some(Vec::new()) } else { self.shots("plain", shadowed).await? };
        let Some(plain) = plain else { return Ok(None) };
        let of_parts = Arc::clone(texts);
        let choosing = tokio::task::spawn_blocking(move || {
            let behind = parts.iter().zip(&bare).flat_map(|(part, png)| {
                let bare = decoded(png);
                part.behind(&of_parts, bare.as_ref()).collect::<Vec<_>>()
            });
            let colour = paint_for(behind);
            (parts, bare, colour)
        });
        let Ok((parts, bare, colour)) = choosing.await else {
            return Ok(Some(Sheet { measured, pictured: Vec::new() }));
        };
        let painted = if colour == FIRST {
            painted
        } else {
            let Some(again) = self.shots(&css(colour), parts.iter()).await? else { return Ok(None) };
            parts.iter().zip(again).map(|(part, png)| Picture { clip: part.clip, png }).collect()
        };
        let mut plain = plain.into_iter();
        let pictured = parts.into_iter().zip(bare).zip(painted).map(|((part, bare), painted)| {
            let plain = part.has_shadow(texts).then(|| plain.next().unwrap_or_default());
            Pictured { part, bare, plain, painted, colour }
        });
        Ok(Some(Sheet { measured, pictured: pictured.collect() }))
    }

    /// Takes a picture of each of these parts, with the texts of the page painted in this way; `None` after an exception.
    async fn shots<'a>(
        self,
        way: &str,
        parts: impl Iterator<Item = &'a Part>,
    ) -> Result<Option<Vec<Vec<u8>>>, CdpError> {
        if self.evaluate(&format!("painted.paint('{way}')")).await?.is_none() {
            return Ok(None);
        }
        let (mut shots, mut scrolled) = (Vec::new(), None);
        for part in parts {
            if part.step != scrolled {
                if !self.scroll(scrolled, part.step).await? {
                    return Ok(None);
                }
                scrolled = part.step;
            }
            let Rect { x, y, width, height } = part.clip;
            let clip = Clip { x, y, width, height, scale: 1.0 };
            let format = ImageFormat::Png { optimize_for_speed: true };
            if Instant::now() >= self.pictured_by {
                return Err(CdpError::TimedOut { method: "Page.captureScreenshot" });
            }
            // One that was begun is waited for: as it ends, it sets what is drawn to what that was before.
            let data = self.tab.capture(format, clip, self.deadline).await?;
            shots.push(BASE64_STANDARD.decode(data).unwrap_or_default());
        }
        Ok(self.scroll(scrolled, None).await?.then_some(shots))
    }

    /// Scrolls a box from one place to the next, and back first. Returns false after an exception.
    async fn scroll(self, from: Option<usize>, to: Option<usize>) -> Result<bool, CdpError> {
        if from.is_some() && self.evaluate("painted.scrollBack()").await?.is_none() {
            return Ok(false);
        }
        let Some(step) = to else { return Ok(true) };
        let is_scrolled = self.evaluate(&format!("painted.scroll({step})")).await?.is_some();
        if is_scrolled {
            // On a busy machine, the next picture may otherwise show the box as it was before.
            self.draw_frame().await?;
        }
        Ok(is_scrolled)
    }
}

/// A part of a page with texts, by their places in the list of all.
#[derive(Debug)]
struct Part {
    clip: Rect,
    texts: Vec<usize>,
    /// The place to which a box is scrolled for it, if one is.
    step: Option<usize>,
}

impl Part {
    /// Returns a part of a list that begins with this text, as seen where a box is scrolled to this place.
    fn in_step(mut self, step: usize, first: usize) -> Self {
        self.texts.iter_mut().for_each(|place| *place += first);
        Self { step: Some(step), ..self }
    }

    fn texts<'a>(&self, texts: &'a [Text]) -> impl Iterator<Item = &'a Text> {
        self.texts.iter().filter_map(|place| texts.get(*place))
    }

    /// Returns what a picture with the texts in [`FIRST`] says of them, by their numbers, and the part with those of which it does not say
    /// enough, if there are any.
    fn measured_at_once(&self, texts: &[Text], png: &[u8]) -> (Vec<(usize, Measured)>, Option<Self>) {
        let Some(painted) = decoded(png) else { return (Vec::new(), None) };
        let (mut measured, mut left) = (Vec::new(), Vec::new());
        // Boxes of texts may lie over each other without end; those of an ordinary page are smaller than the part.
        let mut pixels_left = MAX_PART_PIXELS;
        for (place, text) in self.texts.iter().filter_map(|place| Some((*place, texts.get(*place)?))) {
            let boxes = text.rects.iter().map(|[.., width, height]| u64::from(*width) * u64::from(*height)).sum();
            let rest = pixels_left.checked_sub(boxes);
            pixels_left = rest.unwrap_or(pixels_left);
            match rest.and_then(|_| text.alone(self.clip, &painted, FIRST)) {
                Some(paints) => measured.extend(text.measure(&paints).map(|own| (text.number, own))),
                None => left.push(place),
            }
        }
        let clip = left.iter().filter_map(|place| clip_of(&texts[*place])).reduce(Rect::with);
        (measured, clip.map(|clip| Self { clip, texts: left, step: self.step }))
    }

    fn has_shadow(&self, texts: &[Text]) -> bool {
        self.texts(texts).any(|text| text.has_shadow)
    }

    /// Returns a quarter of the pixels of the part without texts that are where the texts are.
    fn behind(&self, texts: &[Text], bare: Option<&RgbImage>) -> impl Iterator<Item = Rgb<u8>> {
        let rects = self.texts(texts).flat_map(|text| &text.rects);
        rects.flat_map(move |[left, top, width, height]| {
            let (x, y) = (left.saturating_sub(self.clip.x), top.saturating_sub(self.clip.y));
            let places = (y..y + height).step_by(2).flat_map(move |y| (x..x + width).step_by(2).map(move |x| (x, y)));
            places.filter_map(move |(x, y)| bare?.get_pixel_checked(x, y).copied())
        })
    }
}

/// The parts of a page that are pictured together.
#[derive(Debug, Default)]
struct Sheet {
    /// What was measured at once, by the numbers of the texts.
    measured: Vec<(usize, Measured)>,
    /// The parts with the other texts.
    pictured: Vec<Pictured>,
}

/// A part of a page, with its pictures.
#[derive(Debug)]
struct Pictured {
    part: Part,
    bare: Vec<u8>,
    /// With neither texts nor shadows, if a text has one.
    plain: Option<Vec<u8>>,
    /// Of the part, or of more around it.
    painted: Picture,
    colour: Rgb<u8>,
}

/// A picture of a part of a page.
#[derive(Debug)]
struct Picture {
    clip: Rect,
    png: Vec<u8>,
}

impl Picture {
    /// Returns this part of it.
    fn decoded(&self, part: Rect) -> Option<RgbImage> {
        let picture = decoded(&self.png)?;
        let (x, y) = (part.x.checked_sub(self.clip.x)?, part.y.checked_sub(self.clip.y)?);
        Some(if part == self.clip { picture } else { crop_imm(&picture, x, y, part.width, part.height).to_image() })
    }
}

impl Pictured {
    /// Returns what the pictures say about the texts, by their numbers; `None` if one of them can't be read.
    fn measured(self, texts: &[Text]) -> Option<Vec<(usize, Measured)>> {
        let Self { part, bare, plain, painted, colour } = self;
        let plain = match plain {
            Some(png) => Some(decoded(&png)?),
            None => None,
        };
        let paints =
            Paints { clip: part.clip, bare: decoded(&bare)?, plain, painted: painted.decoded(part.clip)?, colour };
        Some(part.texts(texts).filter_map(|text| Some((text.number, text.measure(&paints)?))).collect())
    }
}

/// Returns what was measured in a sheet. A panic over its pixels leaves its texts to a person.
async fn finished(measuring: Option<JoinHandle<Vec<(usize, Measured)>>>) -> Vec<(usize, Measured)> {
    match measuring {
        Some(measuring) => measuring.await.unwrap_or_default(),
        None => Vec::new(),
    }
}

/// Returns the parts of a page that show these texts, within the bounds: those with most texts.
fn parts(texts: &[Text]) -> Vec<Part> {
    let mut clips: Vec<(usize, Rect)> =
        texts.iter().enumerate().filter_map(|(place, text)| Some((place, clip_of(text)?))).collect();
    clips.sort_by_key(|(place, clip)| (clip.y, clip.x, *place));
    let mut picture = PICTURE;
    let mut parts = grouped(&clips, picture);
    // From the largest part on, whatever fits into one is in one.
    while parts.len() > MAX_PARTS && picture < MAX_PART_PIXELS {
        picture *= 2;
        parts = grouped(&clips, picture);
    }
    parts.sort_by_key(|part| std::cmp::Reverse(part.texts.len()));
    let mut left = MAX_PIXELS;
    parts.retain(|part| {
        let fits = pixels(part.clip) <= left;
        left -= if fits { pixels(part.clip) } else { 0 };
        fits
    });
    parts.truncate(MAX_PARTS);
    parts
}

/// Returns the part of a page that has all boxes of a text, with some room around them; `None` if it is too large for one picture.
fn clip_of(text: &Text) -> Option<Rect> {
    let left = text.rects.iter().map(|rect| rect[0]).min()?.saturating_sub(PADDING);
    let top = text.rects.iter().map(|rect| rect[1]).min()?.saturating_sub(PADDING);
    let right = text.rects.iter().map(|rect| rect[0].saturating_add(rect[2])).max()?.saturating_add(PADDING);
    let bottom = text.rects.iter().map(|rect| rect[1].saturating_add(rect[3])).max()?.saturating_add(PADDING);
    let clip = Rect { x: left, y: top, width: right.saturating_sub(left), height: bottom.saturating_sub(top) };
    is_part(clip).then_some(clip)
}

fn is_part(clip: Rect) -> bool {
    clip.height <= MAX_HEIGHT && pixels(clip) <= MAX_PART_PIXELS
}

/// Returns the parts into which these texts, in this order, are divided for the least cost in pixels, if a picture costs as much as so many.
fn grouped(clips: &[(usize, Rect)], picture: u64) -> Vec<Part> {
    /// The cheapest way to picture the texts up to one.
    struct Way {
        cost: u64,
        /// The number of texts before the last part, and the part.
        before: usize,
        clip: Rect,
    }
    let mut ways = Vec::<Way>::with_capacity(clips.len());
    for (end, (_, last)) in clips.iter().enumerate() {
        let mut best = None::<Way>;
        let mut clip = *last;
        for (before, (_, first)) in clips[..=end].iter().enumerate().rev() {
            clip = clip.with(*first);
            if !is_part(clip) {
                break;
            }
            let earlier = before.checked_sub(1).map_or(0, |at| ways[at].cost);
            let cost = earlier + pixels(clip) + picture;
            if best.as_ref().is_none_or(|best| cost < best.cost) {
                best = Some(Way { cost, before, clip });
            }
        }
        ways.extend(best);
    }
    let mut parts = Vec::new();
    let mut end = clips.len();
    while let Some(Way { before, clip, .. }) = end.checked_sub(1).and_then(|at| ways.get(at)) {
        parts.push(Part {
            clip: *clip,
            texts: clips[*before..end].iter().map(|(place, _)| *place).collect(),
            step: None,
        });
        end = *before;
    }
    parts.reverse();
    parts
}

/// Returns these parts, in their order, in groups that are pictured together.
fn sheets(parts: Vec<Part>) -> Vec<Vec<Part>> {
    let mut sheets = Vec::<Vec<Part>>::new();
    let mut left = 0;
    for part in parts {
        let size = pixels(part.clip);
        match sheets.last_mut().filter(|_| size <= left) {
            Some(sheet) => sheet.push(part),
            None => {
                left = MAX_SHEET_PIXELS;
                sheets.push(vec![part]);
            }
        }
        left = left.saturating_sub(size);
    }
    sheets
}

fn pixels(clip: Rect) -> u64 {
    u64::from(clip.width) * u64::from(clip.height)
}

/// Returns the verdicts on the contrast of texts, in the form that `painted.js` takes.
fn judge(texts: &[Text], measured: &HashMap<usize, Measured>) -> Vec<Value> {
    let of_text = |text: &Text| {
        let contrast = measured.get(&text.number).filter(|_| !text.is_compared)?.contrast;
        Some(said(text.number, text.verdict(contrast), contrast))
    };
    texts.iter().filter_map(of_text).collect()
}

/// Returns the verdicts on links. A link has passed if each of its pixels differs enough from each of the text around it, or what is behind
/// the one from what is behind the other; it fails if none does. One whose colour is that of the text is left to axe-core, and so is
/// one where a measure is missing.
fn judge_links(links: &[Link], measured: &HashMap<usize, Measured>) -> Vec<Value> {
    let of_link = |link: &Link| {
        let (own, other) = (measured.get(&link.number)?, measured.get(&link.other)?);
        let colours = own.shown.contrast(other.shown);
        let grounds =
            if link.is_same_ground { Contrast { least: 1.0, most: 1.0 } } else { own.behind.contrast(other.behind) };
        if colours.most <= ONE_COLOUR {
            return None;
        }
        let verdict = match (colours.verdict(LINK_CONTRAST), grounds.verdict(LINK_CONTRAST)) {
            (Verdict::Passed, _) | (_, Verdict::Passed) => Verdict::Passed,
            (Verdict::Failed, Verdict::Failed) => Verdict::Failed,
            (Verdict::Open | Verdict::Failed, Verdict::Open | Verdict::Failed) => Verdict::Open,
        };
        Some(said(link.number, verdict, colours))
    };
    links.iter().filter_map(of_link).collect()
}

fn said(number: usize, verdict: Verdict, contrast: Contrast) -> Value {
    let is = match verdict {
        Verdict::Failed => "failed",
        Verdict::Passed => "passed",
        Verdict::Open => "open",
    };
    // Two places, cut off as axe-core does: 4.499 is not 4.5.
    let [least, most] = [contrast.least, contrast.most].map(|contrast| (contrast * 100.0).floor() / 100.0);
    json!({ "number": number, "is": is, "least": least, "most": most })
}

/// Returns a colour as the browser writes it.
fn css(Rgb([red, green, blue]): Rgb<u8>) -> String {
    format!("rgb({red}, {green}, {blue})")
}

fn decoded(png: &[u8]) -> Option<RgbImage> {
    let mut reader = ImageReader::with_format(Cursor::new(png), PictureFormat::Png);
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_DECODED);
    reader.limits(limits);
    Some(reader.decode().ok()?.into_rgb8())
}

#[cfg(test)]
mod tests {
    use super::{super::glyphs::Range, *};

    fn text(number: usize, rect: [u32; 4]) -> Text {
        let text = json!({
            "number": number, "rects": [rect], "colour": [0, 0, 0, 1], "opacity": 1, "size": 16, "least": 4.5, "hasShadow": false,
        });
        serde_json::from_value(text).unwrap()
    }

    #[test]
    fn a_page_with_little_time_has_its_share_measured() {
        let of = |left: u64| {
            let Times { all, pictures } = Times::of(Duration::from_millis(left));
            [all.as_millis(), pictures.as_millis()]
        };
        assert_eq!(of(50_000), [28_000, 24_000]);
        assert_eq!(of(24_000), [16_000, 12_000]);
        assert_eq!(of(6_000), [4_000, 2_000]);
        assert_eq!(of(0), [0, 0]);
    }

    #[test]
    fn neighbours_share_a_picture_and_the_most_texts_come_first() {
        let texts = [text(0, [10, 9_000, 50, 20]), text(1, [10, 10, 50, 20]), text(2, [300, 60, 50, 20])];
        let parts = parts(&texts);
        assert_eq!(parts.iter().map(|part| part.texts.clone()).collect::<Vec<_>>(), [vec![1, 2], vec![0]]);
        assert_eq!(parts[0].clip, Rect { x: 7, y: 7, width: 346, height: 76 });
    }

    #[test]
    fn texts_are_pictured_for_the_fewest_pixels_and_none_is_lost_because_there_are_many() {
        // Each by itself is near to the next, but all of them would be one picture of the page.
        let steps: Vec<Text> = (0..10).map(|number: u32| text(0, [120 * number, 400 * number, 60, 20])).collect();
        let taken = parts(&steps);
        assert!(taken.len() > 1 && taken.iter().map(|part| pixels(part.clip)).sum::<u64>() < 2_000_000, "{taken:?}");
        let scattered: Vec<Text> =
            (0..60).map(|number| text(0, [if number % 2 == 0 { 0 } else { 500 }, 1_900 * number, 60, 20])).collect();
        // No two of them would share a picture for its own sake.
        let taken = parts(&scattered);
        assert!(taken.len() <= MAX_PARTS);
        assert_eq!(taken.iter().map(|part| part.texts.len()).sum::<usize>(), scattered.len());
    }

    #[test]
    fn a_link_is_decided_only_where_every_pixel_of_it_and_of_the_text_agrees() {
        let measured = |shown: [f64; 2], behind: [f64; 2]| Measured {
            contrast: Contrast { least: 1.0, most: 21.0 },
            shown: Range { least: shown[0], most: shown[1] },
            behind: Range { least: behind[0], most: behind[1] },
        };
        let judged = |own: Measured, other: Measured, is_same_ground: bool| {
            let link = Link { number: 0, other: 1, is_same_ground };
            judge_links(&[link], &[(0, own), (1, other)].into())
                .first()
                .map(|said| said["is"].as_str().unwrap().to_owned())
        };
        let text = measured([0.0; 2], [0.2, 1.0]);
        let is = |is: &str| Some(is.to_owned());
        assert_eq!(judged(measured([0.05; 2], [0.3, 0.9]), text, true), is("failed"), "2:1 on the same gradient");
        assert_eq!(judged(measured([0.05; 2], [0.3, 0.9]), text, false), is("open"), "the gradient may tell it apart");
        assert_eq!(judged(measured([0.2; 2], [0.3, 0.9]), text, true), is("passed"), "5:1");
        assert_eq!(judged(measured([0.05, 0.2], [0.3, 0.9]), text, true), is("open"));
        assert_eq!(judged(measured([0.0; 2], [0.3, 0.9]), text, true), None, "one colour");
        let flat = measured([0.0; 2], [1.0; 2]);
        assert_eq!(judged(measured([0.05; 2], [0.1; 2]), flat, false), is("passed"), "an area of its own");
        assert_eq!(judged(measured([0.05; 2], [0.9; 2]), flat, false), is("failed"), "one that nobody sees");
        assert_eq!(
            judge_links(&[Link { number: 0, other: 9, is_same_ground: true }], &[(0, flat)].into()),
            Vec::<Value>::new()
        );
    }

    #[test]
    fn boxes_of_texts_that_lie_over_each_other_are_looked_at_within_bounds() {
        let texts: Vec<Text> = (0..8).map(|number| text(number, [0, 0, 1_000, 1_000])).collect();
        let part = Part { clip: Rect { x: 0, y: 0, width: 1_003, height: 1_003 }, texts: (0..8).collect(), step: None };
        let mut png = Cursor::new(Vec::new());
        RgbImage::from_pixel(1_003, 1_003, Rgb([255; 3])).write_to(&mut png, PictureFormat::Png).unwrap();
        let (_, others) = part.measured_at_once(&texts, &png.into_inner());
        assert_eq!(others.map(|others| others.texts), Some(vec![4, 5, 6, 7]));
    }

    #[test]
    fn a_page_of_any_size_costs_so_many_pixels_and_no_more() {
        let texts: Vec<Text> = (0..5_000).map(|number| text(0, [0, 100 * number, 1_200, 80])).collect();
        let parts = parts(&texts);
        assert!(parts.iter().all(|part| pixels(part.clip) <= MAX_PART_PIXELS));
        assert!(parts.len() <= MAX_PARTS && parts.iter().map(|part| pixels(part.clip)).sum::<u64>() <= MAX_PIXELS);
        assert!(super::parts(&[text(0, [0, 0, u32::MAX, u32::MAX])]).is_empty());
        assert!(super::parts(&[]).is_empty());

        let total = parts.len();
        let sheets = sheets(parts);
        let size = |sheet: &Vec<Part>| sheet.iter().map(|part| pixels(part.clip)).sum::<u64>();
        assert!(sheets.iter().all(|sheet| size(sheet) <= MAX_SHEET_PIXELS));
        assert_eq!(sheets.iter().map(Vec::len).sum::<usize>(), total);
        let small: Vec<Text> = (0..6).map(|number: u32| text(0, [0, 2_000 * number, 100, 20])).collect();
        assert_eq!(super::sheets(super::parts(&small)).len(), 1, "small ones share a sheet");
    }
}
