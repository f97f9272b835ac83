//! Shots of a page, after axe-core has finished with it.
//!
//! A shot beyond the viewport makes the browser draw more, for which the page gets `resize` events, though its layout
//! stays that of the viewport. So no finding depends on it: findings and boxes are complete before the first shot.

use std::sync::Arc;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Value, json};
use tokio::time::{Duration, Instant};

use super::{Capture, Rect, Shot, cut::COVER, fields::FieldWatch};
use crate::{
    browser::{Outcome, Tab, VIEWPORT, evaluate},
    cdp::{
        CdpError,
        commands::{CaptureScreenshot, Clip, Evaluated, GetLayoutMetrics, ImageFormat},
    },
};

const PAINT: &str = include_str!("paint.js");

/// The time limit for all shots of a page: many times what a healthy page takes, and no great loss with another.
const TIME: Duration = Duration::from_secs(8);
/// The greatest height of the first page's picture, in CSS pixels: elements further down have pictures of their own.
const MAX_SCREEN_HEIGHT: u32 = 4_000;
/// The quality of the first page's picture, in percent: enough to recognise it, not to read it closely.
const SCREEN_QUALITY: u32 = 60;
/// The greatest size of the first page's picture, in bytes.
const MAX_SCREEN: usize = 2 * 1024 * 1024;

/// A picture of the first page as a visitor sees it, in WebP.
#[derive(Debug, Clone)]
pub(crate) struct Screen {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) webp: Vec<u8>,
}

/// The pictures that are wanted of a page.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub(crate) shots: Vec<Shot>,
    /// True for a picture of the page itself.
    pub(crate) screen: bool,
}

/// Takes the pictures, with the values of fields painted over. A picture that can't be taken is missing; a check does
/// not fail because of that.
pub(crate) async fn pictures(tab: &Tab, wanted: Wanted, deadline: Instant) -> (Vec<Capture>, Option<Screen>) {
    let nothing = (Vec::new(), None);
    if wanted.shots.is_empty() && !wanted.screen {
        return nothing;
    }
    // Twice the time, as there are two kinds of pictures.
    let watched_until = deadline.min(Instant::now() + 2 * TIME);
    let fields = match FieldWatch::begin(tab, watched_until).await {
        Ok(fields) => fields,
        Err(error) => {
            tracing::debug!(error = &error as &dyn std::error::Error, "a page is not pictured");
            return nothing;
        }
    };
    let mut captures = shots(tab, wanted.shots, deadline).await;
    let bare = if wanted.screen { screen(tab, deadline).await } else { None };
    match fields.end().await {
        Ok(covers) => {
            let screen = match bare {
                Some(bare) => painted(tab, fields.top(), bare, &covers, deadline).await,
                None => None,
            };
            let covers: Arc<[Rect]> = covers.into();
            captures.iter_mut().for_each(|capture| capture.covers = Arc::clone(&covers));
            (captures, screen)
        }
        Err(error) => {
            tracing::debug!(error = &error as &dyn std::error::Error, "the pictures of a page are dropped");
            nothing
        }
    }
}

/// Takes the shots.
async fn shots(tab: &Tab, shots: Vec<Shot>, deadline: Instant) -> Vec<Capture> {
    let deadline = deadline.min(Instant::now() + TIME);
    let mut captures = Vec::new();
    for shot in shots {
        match capture(tab, shot.clip, ImageFormat::Png { optimize_for_speed: true }, deadline).await {
            Ok(data) => match BASE64_STANDARD.decode(data) {
                Ok(png) => captures.push(Capture { shot, png, covers: Arc::default() }),
                Err(error) => tracing::debug!(%error, "a shot of a page could not be read"),
            },
            Err(error) => {
                // Further ones would fail in the same way.
                tracing::debug!(%error, "a page could not be pictured");
                break;
            }
        }
    }
    captures
}

/// The first page's picture as the browser took it: WebP in base64.
struct Bare {
    width: u32,
    height: u32,
    webp: String,
}

/// Takes the picture of the whole page, from its top down to the greatest height.
async fn screen(tab: &Tab, deadline: Instant) -> Option<Bare> {
    let deadline = deadline.min(Instant::now() + TIME);
    match try_screen(tab, deadline).await {
        Ok(screen) => Some(screen),
        Err(error) => {
            tracing::debug!(%error, "the first page could not be pictured");
            None
        }
    }
}

/// Paints the covers over the picture. The browser does it, since no other part of ours can make such a picture as
/// small.
async fn painted(tab: &Tab, world: i64, bare: Bare, covers: &[Rect], deadline: Instant) -> Option<Screen> {
    let deadline = deadline.min(Instant::now() + TIME);
    let Bare { width, height, mut webp } = bare;
    let page = Rect { x: 0, y: 0, width, height };
    let covers: Vec<Value> = covers
        .iter()
        .filter_map(|cover| cover.common(page))
        .map(|Rect { x, y, width, height }| json!({ "x": x, "y": y, "width": width, "height": height }))
        .collect();
    if !covers.is_empty() {
        let [red, green, blue] = COVER;
        let quality = f64::from(SCREEN_QUALITY) / 100.0;
        let expression =
            format!("({PAINT})('{webp}', {}, 'rgb({red}, {green}, {blue})', {quality})", Value::from(covers));
        let painted = evaluate(tab, world, &expression, Outcome::Promise, deadline).await;
        webp = match painted.as_ref().map(Evaluated::text) {
            Ok(Some(webp)) => webp.to_owned(),
            other => {
                tracing::debug!(error = ?other.err(), "values could not be painted over in the picture of a page");
                return None;
            }
        };
    }
    match BASE64_STANDARD.decode(webp) {
        Ok(webp) if webp.len() <= MAX_SCREEN => Some(Screen { width, height, webp }),
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

async fn try_screen(tab: &Tab, deadline: Instant) -> Result<Bare, CdpError> {
    let height = tab.session().call(GetLayoutMetrics {}, deadline).await?.css_content_size.height;
    let (width, viewport) = VIEWPORT;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "casts of floats saturate, and it is clamped"
    )]
    let height = (height.ceil() as u32).clamp(viewport, MAX_SCREEN_HEIGHT);
    let clip = Rect { x: 0, y: 0, width, height };
    let webp = capture(tab, clip, ImageFormat::Webp { quality: SCREEN_QUALITY }, deadline).await?;
    Ok(Bare { width, height, webp })
}

/// Takes a picture, in base64.
async fn capture(tab: &Tab, clip: Rect, format: ImageFormat, deadline: Instant) -> Result<String, CdpError> {
    let Rect { x, y, width, height } = clip;
    let clip = Clip { x, y, width, height, scale: 1 };
    let taken = tab.session().call(CaptureScreenshot { format, clip, capture_beyond_viewport: true }, deadline).await?;
    Ok(taken.data)
}
