//! Shots of a page, after axe-core has finished with it.
//!
//! A shot beyond the viewport makes the browser draw more, for which the page gets `resize` events, though its layout stays
//! that of the viewport. So nothing of what is found depends on it: findings and boxes are there before the first shot.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Duration, Instant};

use crate::{
    browser::{Tab, VIEWPORT},
    cdp::CdpError,
    evidence::{Capture, Rect, Shot},
};

/// For all shots of a page: many times what a healthy page takes, and no great loss with another.
const TIME: Duration = Duration::from_secs(8);
/// CSS pixels of the first page's picture: what lies below has pictures of its own.
const MAX_SCREEN_HEIGHT: u32 = 4_000;
/// Of the first page's picture, in percent: to be recognised, not to be read closely.
const SCREEN_QUALITY: u32 = 60;
/// Bytes of the first page's picture.
const MAX_SCREEN: usize = 2 * 1024 * 1024;

/// The first page as a visitor sees it: WebP.
#[derive(Debug, Clone)]
pub(crate) struct Screen {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) webp: Vec<u8>,
}

/// Takes the shots. What can't be had is missing; a check does not fail for that.
pub(super) async fn shots(tab: &Tab, shots: Vec<Shot>, deadline: Instant) -> Vec<Capture> {
    let deadline = deadline.min(Instant::now() + TIME);
    let mut captures = Vec::new();
    for shot in shots {
        match capture(tab, shot.clip, json!({ "format": "png", "optimizeForSpeed": true }), deadline).await {
            Ok(png) => captures.push(Capture { shot, png }),
            Err(error) => {
                // Further ones would fare no better.
                tracing::debug!(%error, "a page could not be pictured");
                break;
            }
        }
    }
    captures
}

/// Takes the picture of the whole page, from its top as far down as is allowed.
pub(super) async fn screen(tab: &Tab, deadline: Instant) -> Option<Screen> {
    let deadline = deadline.min(Instant::now() + TIME);
    match try_screen(tab, deadline).await {
        Ok(screen) if screen.webp.len() <= MAX_SCREEN => Some(screen),
        Ok(screen) => {
            tracing::debug!(bytes = screen.webp.len(), "the picture of a page is too large");
            None
        }
        Err(error) => {
            tracing::debug!(%error, "the first page could not be pictured");
            None
        }
    }
}

async fn try_screen(tab: &Tab, deadline: Instant) -> Result<Screen, CdpError> {
    let metrics: Value = tab.session().call("Page.getLayoutMetrics", json!({}), deadline).await?;
    let height = metrics["cssContentSize"]["height"].as_f64().unwrap_or_default();
    let (width, viewport) = VIEWPORT;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "casts of floats saturate, and it is clamped"
    )]
    let height = (height.ceil() as u32).clamp(viewport, MAX_SCREEN_HEIGHT);
    let clip = Rect { x: 0, y: 0, width, height };
    let webp = capture(tab, clip, json!({ "format": "webp", "quality": SCREEN_QUALITY }), deadline).await?;
    Ok(Screen { width, height, webp })
}

async fn capture(tab: &Tab, clip: Rect, mut params: Value, deadline: Instant) -> Result<Vec<u8>, CdpError> {
    #[derive(Deserialize)]
    struct Captured {
        data: String,
    }
    const METHOD: &str = "Page.captureScreenshot";
    let Rect { x, y, width, height } = clip;
    params["clip"] = json!({ "x": x, "y": y, "width": width, "height": height, "scale": 1 });
    params["captureBeyondViewport"] = true.into();
    let Captured { data } = tab.session().call(METHOD, params, deadline).await?;
    BASE64_STANDARD
        .decode(data)
        .map_err(|error| CdpError::Shape { method: METHOD, source: serde::de::Error::custom(error) })
}
