//! Asks the browser what it draws text with: fontconfig lists what is installed, and only the browser knows what it takes.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::fonts::ASKED_FOR;
use crate::cdp::{CdpError, Connection, IgnoreEvents, Session};

/// Letters of the languages that reports are in: a font without them is none for the pages of their readers.
const SAMPLE: &str = "Aa Ää Čč Łł Șș Жж Її";

/// For each of [`ASKED_FOR`], the family that most of the sample is drawn with.
pub(super) async fn drawn(
    connection: &Connection,
    deadline: Instant,
) -> Result<Vec<(&'static str, Option<String>)>, CdpError> {
    #[derive(Deserialize)]
    struct Created {
        #[serde(rename = "targetId")]
        target: String,
    }
    let Created { target } = connection.call("Target.createTarget", json!({ "url": "about:blank" }), deadline).await?;
    let session = Session::attach(connection, &target, Arc::new(IgnoreEvents), deadline).await?;
    let drawn = ask(&session, &target, deadline).await;
    connection.call::<Value>("Target.closeTarget", json!({ "targetId": target }), deadline).await?;
    drawn
}

async fn ask(
    session: &Session,
    frame: &str,
    deadline: Instant,
) -> Result<Vec<(&'static str, Option<String>)>, CdpError> {
    #[derive(Deserialize)]
    struct Font {
        #[serde(rename = "familyName")]
        family: String,
        #[serde(rename = "glyphCount")]
        glyphs: f64,
    }
    #[derive(Deserialize)]
    struct Fonts {
        fonts: Vec<Font>,
    }
    let paragraphs: String =
        ASKED_FOR.iter().map(|family| format!("<p style='font-family: {family}'>{SAMPLE}</p>")).collect();
    let html = format!("<!DOCTYPE html><meta charset=utf-8>{paragraphs}");
    session.run("Page.setDocumentContent", json!({ "frameId": frame, "html": html }), deadline).await?;
    session.run("DOM.enable", json!({}), deadline).await?;
    session.run("CSS.enable", json!({}), deadline).await?;
    let document: Value = session.call("DOM.getDocument", json!({}), deadline).await?;
    let query = json!({ "nodeId": document["root"]["nodeId"], "selector": "p" });
    let found: Value = session.call("DOM.querySelectorAll", query, deadline).await?;
    let mut drawn = Vec::new();
    for (asked, node) in ASKED_FOR.iter().zip(found["nodeIds"].as_array().into_iter().flatten()) {
        let Fonts { fonts } = session.call("CSS.getPlatformFontsForNode", json!({ "nodeId": node }), deadline).await?;
        let most = fonts.into_iter().max_by(|one, other| one.glyphs.total_cmp(&other.glyphs));
        drawn.push((*asked, most.map(|font| font.family)));
    }
    Ok(drawn)
}
