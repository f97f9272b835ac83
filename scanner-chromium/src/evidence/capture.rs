//! Shots of a page, after axe-core has finished with it.
//!
//! Pages change while they are pictured, so their scripts and animations are stopped from before the elements are measured until after the
//! last shot, and what moved nevertheless is measured again and shot once more, or left out. (In a browser that does not
//! [paint the whole document](crate::browser) by itself, a shot beyond the viewport makes the page lay itself out again, and it gets `resize`
//! events for that.)

use std::sync::Arc;

use base64::{DecodeError, Engine as _, prelude::BASE64_STANDARD};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Duration, Instant};

use super::{
    cut::{COVER, Capture},
    fields::{FieldWatch, FieldsError},
    plan::{ElementNumber, Rect, Shot, plan},
};
use crate::{
    browser::{Outcome, Tab, evaluate},
    cdp::{
        CdpError,
        commands::{Clip, Evaluated, GetLayoutMetrics, ImageFormat},
    },
};

const PAINT: &str = include_str!("paint.js");
const MEASURE: &str = include_str!("measure.js");

/// The time limit for all pictures of a page: many times what a healthy page takes, and no great loss with another.
const TIME: Duration = Duration::from_secs(16);
/// The number of times that pictures of what has moved are tried.
const ATTEMPTS: u32 = 2;
/// The greatest height of a page's picture, in CSS pixels: elements further down have pictures of their own.
const MAX_SCREEN_HEIGHT: u32 = 4_000;
/// The quality of a page's picture, in percent: enough to recognise it, not to read it closely.
const SCREEN_QUALITY: u32 = 60;
/// The greatest size of a page's picture, in bytes.
const MAX_SCREEN: usize = 2 * 1024 * 1024;
/// The distance by which the viewport is extended when it is asked what of an element can be seen, in CSS pixels.
const REACH: u32 = 1_000_000;

/// A picture of a page as a visitor sees it, in WebP.
#[derive(Debug, Clone)]
pub(crate) struct Screen {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// The number of pixels for 100 CSS pixels.
    pub(crate) scale_percent: u16,
    pub(crate) webp: Vec<u8>,
}

/// The pictures that are wanted of a page.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub(crate) elements: Vec<ElementNumber>,
    /// The first number of the elements that axe-core could not decide about: they come last.
    pub(crate) undecided: ElementNumber,
    /// The greatest number of shots of elements, without shots that have to be taken again.
    pub(crate) shots: usize,
    pub(crate) page: PagePicture,
}

/// The picture of a page that is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PagePicture {
    /// None.
    LeftOut,
    /// One at half its size, on which elements can be marked.
    Half,
    /// One at its own size.
    Full,
}

/// The pictures of a page.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    pub(crate) captures: Vec<Capture>,
    pub(crate) page: Option<Shown>,
}

/// The picture of a page, and where its elements are on it.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) screen: Screen,
    /// The area of each element by its number; `None` for one that is not shown, or was not where it had been measured.
    pub(crate) areas: Vec<Option<Rect>>,
}

/// The reason why a page is not pictured.
#[derive(Debug, thiserror::Error)]
enum EvidenceError {
    #[error("the browser did not do it")]
    Refused(#[from] CdpError),
    #[error("it is not known where the page shows values")]
    Fields(#[from] FieldsError),
    #[error("the elements could not be measured: {0}")]
    Measured(String),
    #[error("what the page says of its elements has another shape than expected")]
    Shape(#[from] serde_json::Error),
    #[error("a picture is not in base64")]
    Unreadable(#[from] DecodeError),
}

/// Rectangles with left, top, width and height; `None` for an element that is not shown.
type Areas = Vec<Option<[u32; 4]>>;

/// The result of `measure.js`.
#[derive(Debug, Default, Deserialize)]
struct Measured {
    /// Those of each element of the page.
    areas: Areas,
    /// Those of the part that can be seen of each element that was asked for.
    visible: Areas,
}

/// Takes the pictures, with the values of fields painted over. A picture that can't be taken is missing; a check does
/// not fail because of that. The page's scripts and animations stay stopped afterwards, until [`Tab::unfreeze`], and no more than a pixel of it is
/// drawn, until [`Tab::show`].
pub(crate) async fn pictures(tab: &Tab, wanted: Wanted, deadline: Instant) -> Taken {
    if wanted.elements.is_empty() && wanted.page == PagePicture::LeftOut {
        return Taken::default();
    }
    match try_pictures(tab, wanted, deadline.min(Instant::now() + TIME)).await {
        Ok(taken) => taken,
        Err(error) => {
            tracing::debug!(error = &error as &dyn std::error::Error, "a page is not pictured");
            Taken::default()
        }
    }
}

async fn try_pictures(tab: &Tab, wanted: Wanted, deadline: Instant) -> Result<Taken, EvidenceError> {
    tab.freeze(deadline).await?;
    // Between two shots, too, the browser would draw the window.
    tab.hide(deadline).await?;
    // Before anything is pictured, until everything is.
    let fields = FieldWatch::begin(tab, deadline).await?;
    let photographer =
        Photographer { tab, world: fields.top(), undecided: wanted.undecided, most: wanted.shots, deadline };
    let mut captures = Vec::new();
    let mut page = None;
    let mut missing = wanted.elements;
    for _ in 0..ATTEMPTS {
        let before = match photographer.measure(&missing).await {
            Ok(measured) => measured,
            // The start page has a picture even if nothing can be marked on it.
            Err(error) if wanted.page == PagePicture::Full => {
                tracing::debug!(error = &error as &dyn std::error::Error, "the elements of a page are not pictured");
                Measured::default()
            }
            Err(error) => return Err(error),
        };
        let size = photographer.page_size().await?;
        let bare = photographer.page(wanted.page, size).await;
        let Shots { kept, moved, after } = photographer.shots(&missing, &before, size).await;
        captures.extend(kept);
        missing = moved;
        let after = match after {
            Some(after) => after,
            None if bare.is_some() => photographer.measure(&[]).await.unwrap_or_default().areas,
            None => before.areas.clone(),
        };
        let still: Areas =
            (0..).zip(&before.areas).map(|(at, was)| was.filter(|_| after.get(at) == Some(was))).collect();
        let is_steady = missing.is_empty() && still == before.areas;
        page = bare.map(|bare| (bare, still));
        if is_steady {
            break;
        }
    }
    let covers = fields.end().await?;
    let page = match page {
        Some((bare, areas)) => photographer.painted(bare, &covers).await.map(|screen| {
            let areas = areas.into_iter().map(|area| area.map(rect)).collect();
            Shown { screen, areas }
        }),
        None => None,
    };
    let covers: Arc<[Rect]> = covers.into();
    captures.iter_mut().for_each(|capture: &mut Capture| capture.covers = Arc::clone(&covers));
    Ok(Taken { captures, page })
}

const fn rect([x, y, width, height]: [u32; 4]) -> Rect {
    Rect { x, y, width, height }
}

/// A page's picture as the browser took it: WebP in base64.
struct Bare {
    width: u32,
    height: u32,
    scale: f64,
    webp: String,
}

/// The shots of some elements.
struct Shots {
    /// Those that show their elements where they had been measured.
    kept: Vec<Capture>,
    /// The elements that were elsewhere by then.
    moved: Vec<ElementNumber>,
    /// The areas of all elements after the last shot, if there was one.
    after: Option<Areas>,
}

/// The taking of pictures of a page whose scripts are stopped.
struct Photographer<'a> {
    tab: &'a Tab,
    /// Our world in the top document.
    world: i64,
    undecided: ElementNumber,
    /// The greatest number of shots of elements.
    most: usize,
    deadline: Instant,
}

impl Photographer<'_> {
    /// Returns where the page's elements are, and what can be seen of these.
    async fn measure(&self, elements: &[ElementNumber]) -> Result<Measured, EvidenceError> {
        let numbers: Vec<usize> = elements.iter().map(|element| element.0).collect();
        let expression = format!("({MEASURE})({}, {REACH})", Value::from(numbers));
        let measured = evaluate(self.tab, self.world, &expression, Outcome::Promise, self.deadline).await?;
        match (measured.exception(), measured.text()) {
            (Some(exception), _) => Err(EvidenceError::Measured(exception)),
            (None, text) => Ok(serde_json::from_str(text.unwrap_or_default())?),
        }
    }

    async fn page_size(&self) -> Result<Rect, EvidenceError> {
        let content = self.tab.session().call(GetLayoutMetrics {}, self.deadline).await?.css_content_size;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts of floats saturate")]
        let (width, height) = (content.width.ceil() as u32, content.height.ceil() as u32);
        let viewport = self.tab.viewport();
        Ok(Rect { x: 0, y: 0, width: width.max(viewport.width()), height: height.max(viewport.height()) })
    }

    /// Takes the shots of these elements, and measures again after each.
    async fn shots(&self, elements: &[ElementNumber], before: &Measured, size: Rect) -> Shots {
        let mut shots = Shots { kept: Vec::new(), moved: Vec::new(), after: None };
        let visible =
            elements.iter().zip(&before.visible).filter_map(|(element, area)| Some((*element, rect((*area)?))));
        for mut shot in plan(visible, self.undecided, size).into_iter().take(self.most) {
            let taken = async { Ok::<_, EvidenceError>((self.decoded(&shot).await?, self.measure(&[]).await?.areas)) };
            let (png, after) = match taken.await {
                Ok(taken) => taken,
                Err(error) => {
                    // Further ones would fail in the same way.
                    tracing::debug!(error = &error as &dyn std::error::Error, "a page could not be pictured");
                    break;
                }
            };
            shot.crops.retain(|crop| {
                let is_there = before.areas.get(crop.element.0) == after.get(crop.element.0);
                if !is_there {
                    shots.moved.push(crop.element);
                }
                is_there
            });
            shots.after = Some(after);
            if !shot.crops.is_empty() {
                shots.kept.push(Capture { shot, png, covers: Arc::default() });
            }
        }
        shots
    }

    async fn decoded(&self, shot: &Shot) -> Result<Vec<u8>, EvidenceError> {
        let format = ImageFormat::Png { optimize_for_speed: true };
        Ok(BASE64_STANDARD.decode(self.capture(shot.clip, f64::from(shot.scale), format).await?)?)
    }

    /// Takes the picture of the whole page, from its top down to the greatest height.
    async fn page(&self, wanted: PagePicture, size: Rect) -> Option<Bare> {
        let height = size.height.min(MAX_SCREEN_HEIGHT);
        let (scale, divisor) = match wanted {
            PagePicture::LeftOut => return None,
            PagePicture::Half => (0.5, 2),
            PagePicture::Full => (1.0, 1),
        };
        // The edges of a page at half its size are a whole number of pixels, too.
        let width = self.tab.viewport().width().next_multiple_of(divisor);
        let clip = Rect { width, height: height.next_multiple_of(divisor), ..size };
        let (width, height) = (clip.width / divisor, clip.height / divisor);
        match self.capture(clip, scale, ImageFormat::Webp { quality: SCREEN_QUALITY }).await {
            Ok(webp) => Some(Bare { width, height, scale, webp }),
            Err(error) => {
                tracing::debug!(error = &error as &dyn std::error::Error, "the page itself could not be pictured");
                None
            }
        }
    }

    /// Paints the covers over the picture. The browser does it, since no other part of ours can make such a picture as
    /// small.
    async fn painted(&self, bare: Bare, covers: &[Rect]) -> Option<Screen> {
        let Bare { width, height, scale, mut webp } = bare;
        let page = Rect { x: 0, y: 0, width: self.tab.viewport().width(), height: MAX_SCREEN_HEIGHT };
        // Whole pixels, so that no edge of a value shines through.
        let scaled = |start: u32, end: u32| {
            let (start, end) = ((f64::from(start) * scale).floor(), (f64::from(end) * scale).ceil());
            (start, end - start)
        };
        let covers: Vec<Value> = covers
            .iter()
            .filter_map(|cover| cover.common(page))
            .map(|cover| {
                let ((x, width), (y, height)) = (scaled(cover.x, cover.right()), scaled(cover.y, cover.bottom()));
                json!({ "x": x, "y": y, "width": width, "height": height })
            })
            .collect();
        if !covers.is_empty() {
            let [red, green, blue] = COVER;
            let quality = f64::from(SCREEN_QUALITY) / 100.0;
            let expression =
                format!("({PAINT})('{webp}', {}, 'rgb({red}, {green}, {blue})', {quality})", Value::from(covers));
            let painted = evaluate(self.tab, self.world, &expression, Outcome::Promise, self.deadline).await;
            webp = match painted.as_ref().map(Evaluated::text) {
                Ok(Some(webp)) => webp.to_owned(),
                other => {
                    tracing::debug!(error = ?other.err(), "values could not be painted over in the picture of a page");
                    return None;
                }
            };
        }
        match BASE64_STANDARD.decode(webp) {
            Ok(webp) if webp.len() <= MAX_SCREEN => {
                let scale_percent = if scale < 1.0 { 50 } else { 100 };
                Some(Screen { width, height, scale_percent, webp })
            }
            Ok(webp) => {
                tracing::debug!(bytes = webp.len(), "the picture of a page is too large");
                None
            }
            Err(error) => {
                tracing::debug!(%error, "the picture of a page could not be read");
                None
            }
        }
    }

    /// Takes a picture, in base64.
    async fn capture(&self, clip: Rect, scale: f64, format: ImageFormat) -> Result<String, CdpError> {
        let Rect { x, y, width, height } = clip;
        self.tab.capture(format, Clip { x, y, width, height, scale }, self.deadline).await
    }
}
