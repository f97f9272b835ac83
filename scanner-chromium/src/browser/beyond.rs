//! The proof that the browser paints what lies beyond the viewport.
//!
//! Chromium draws a part of a page that is not in view with `captureBeyondViewport`. For each such picture it lays the page out in a viewport
//! of one pixel and then in its own again, of which the page gets `resize` events, and that costs more than the picture itself. With
//! `--blink-settings=mainFrameClipsContent=false` the whole document is painted from the beginning, as `captureBeyondViewport` would have it,
//! and a picture of any part is one of what has been painted already: the same pixels for a third to two thirds of the processor time. Nothing of the layout
//! or of what scripts see depends on it. But a setting that Chromium does not know is ignored without a word, and pictures would be blank
//! then. So each browser draws a trial before its first picture.

use std::sync::Arc;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use tokio::time::Instant;

use crate::cdp::{
    CdpError, Connection, IgnoreEvents, Session,
    commands::{CaptureScreenshot, Clip, CloseTarget, CreateTarget, ImageFormat, SetDocumentContent},
};

/// The distance of the trial's area from the top, in CSS pixels: several times the height of any window.
const DEPTH: u32 = 9_000;
/// The edge of its area, in CSS pixels.
const EDGE: u32 = 8;
/// Its colour.
const COLOUR: [u8; 3] = [0x12, 0x34, 0x56];

/// Draws a page of our own, and returns whether a picture shows what is far beyond its viewport.
pub(super) async fn is_painted(connection: &Connection, deadline: Instant) -> Result<bool, CdpError> {
    let blank = CreateTarget { url: "about:blank", browser_context_id: None };
    let target = connection.call(blank, deadline).await?.target_id;
    let session = Session::attach(connection, &target, Arc::new(IgnoreEvents), deadline).await?;
    let shown = draw(&session, &target, deadline).await;
    connection.call(CloseTarget { target_id: &target }, deadline).await?;
    Ok(is_whole(&shown?))
}

async fn draw(session: &Session, frame: &str, deadline: Instant) -> Result<String, CdpError> {
    let [red, green, blue] = COLOUR;
    let style = format!("margin: {DEPTH}px 0 0; height: {EDGE}px; background: rgb({red}, {green}, {blue})");
    let html = format!("<!DOCTYPE html><body style='margin: 0'><div style='{style}'></div>");
    session.call(SetDocumentContent { frame_id: frame, html: &html }, deadline).await?;
    let format = ImageFormat::Png { optimize_for_speed: true };
    let clip = Clip { x: 0, y: DEPTH, width: EDGE, height: EDGE, scale: 1.0 };
    Ok(session.call(CaptureScreenshot { format, clip, capture_beyond_viewport: false }, deadline).await?.data)
}

/// Returns whether all of a picture in base64 has the trial's colour.
fn is_whole(picture: &str) -> bool {
    let Ok(png) = BASE64_STANDARD.decode(picture) else { return false };
    image::load_from_memory(&png).is_ok_and(|picture| picture.to_rgb8().pixels().all(|pixel| pixel.0 == COLOUR))
}
