//! Asks the browser what it draws text with: fontconfig lists what is installed, and only the browser knows what it takes.

use std::sync::Arc;

use tokio::time::Instant;

use super::fonts::ASKED_FOR;
use crate::cdp::{
    CdpError, Connection, IgnoreEvents, Session,
    commands::{
        CloseTarget, CreateTarget, EnableCss, EnableDom, GetDocument, GetPlatformFonts, QuerySelectorAll,
        SetDocumentContent,
    },
};

/// Letters of the languages that reports are in: a font without them is none for the pages of their readers.
const SAMPLE: &str = "Aa Ää Čč Łł Șș Жж Її";

/// For each of [`ASKED_FOR`], the family that most of the sample is drawn with.
pub(super) async fn drawn(
    connection: &Connection,
    deadline: Instant,
) -> Result<Vec<(&'static str, Option<String>)>, CdpError> {
    let blank = CreateTarget { url: "about:blank", browser_context_id: None };
    let target = connection.call(blank, deadline).await?.target_id;
    let session = Session::attach(connection, &target, Arc::new(IgnoreEvents), deadline).await?;
    let drawn = ask(&session, &target, deadline).await;
    connection.call(CloseTarget { target_id: &target }, deadline).await?;
    drawn
}

async fn ask(
    session: &Session,
    frame: &str,
    deadline: Instant,
) -> Result<Vec<(&'static str, Option<String>)>, CdpError> {
    let paragraphs: String =
        ASKED_FOR.iter().map(|family| format!("<p style='font-family: {family}'>{SAMPLE}</p>")).collect();
    let html = format!("<!DOCTYPE html><meta charset=utf-8>{paragraphs}");
    session.call(SetDocumentContent { frame_id: frame, html: &html }, deadline).await?;
    session.call(EnableDom {}, deadline).await?;
    session.call(EnableCss {}, deadline).await?;
    let document = session.call(GetDocument {}, deadline).await?;
    let paragraphs = QuerySelectorAll { node_id: document.root.node_id, selector: "p" };
    let found = session.call(paragraphs, deadline).await?;
    let mut drawn = Vec::new();
    for (asked, node_id) in ASKED_FOR.iter().zip(found.node_ids) {
        let drawn_with = session.call(GetPlatformFonts { node_id }, deadline).await?;
        let most = drawn_with.fonts.into_iter().max_by(|one, other| one.glyph_count.total_cmp(&other.glyph_count));
        drawn.push((*asked, most.map(|font| font.family_name)));
    }
    Ok(drawn)
}
