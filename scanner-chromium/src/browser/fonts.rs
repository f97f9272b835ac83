//! The fonts with which the browser draws pages. They decide sizes, line breaks and what covers what.

use std::{fmt, process::Stdio, sync::Arc, time::Duration};

use tokio::{io::AsyncReadExt as _, process::Command, time::Instant};

use crate::cdp::{
    CdpError, Connection, IgnoreEvents, Session,
    commands::{
        CloseTarget, CreateTarget, EnableCss, EnableDom, GetDocument, GetPlatformFonts, QuerySelectorAll,
        SetDocumentContent,
    },
};

/// The greatest size of the list of fonts, in bytes: more than the names of any machine's fonts take.
const MAX_LIST_BYTES: u64 = 1 << 20;
/// The time limit of listing the fonts. fontconfig may have to build its cache first.
const LIST_TIME: Duration = Duration::from_secs(20);
/// The number of families that a line of the log names.
const NAMED: usize = 5;

/// The families that pages ask for most: the generic ones, and those of common operating systems.
const ASKED_FOR: [&str; 8] =
    ["sans-serif", "serif", "monospace", "system-ui", "Arial", "Times New Roman", "Courier New", "Verdana"];

/// Letters of the languages that reports are in: a font without them is useless for the pages of their readers.
const SAMPLE: &str = "Aa Ää Čč Łł Șș Жж Її";

/// The fonts with which the text of pages is drawn on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fonts {
    /// The families that are installed, in alphabetical order; `None` if fontconfig's `fc-list` gave no list.
    pub families: Option<Vec<String>>,
    /// For families that pages often ask for, the family that the browser uses; `None` if it has no font at all.
    pub drawn: Vec<(&'static str, Option<String>)>,
}

impl Fonts {
    /// Returns whether the browser has no font for Latin and Cyrillic letters: sizes and contrast would all be wrong.
    pub fn is_empty(&self) -> bool {
        self.drawn.iter().all(|(_, font)| font.is_none())
    }
}

/// Writes a line for a person: `3 families: DejaVu Sans, …; DejaVu Sans for sans-serif, Arial; DejaVu Serif for serif`.
impl fmt::Display for Fonts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(families) = &self.families {
            let named = families.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
            let more = if families.len() > NAMED { ", …" } else { "" };
            let separator = if families.is_empty() { "" } else { ": " };
            let noun = if families.len() == 1 { "family" } else { "families" };
            write!(f, "{} {noun}{separator}{named}{more}; ", families.len())?;
        }
        let mut by_font: Vec<(&str, Vec<&str>)> = Vec::new();
        for (asked, font) in &self.drawn {
            let font = font.as_deref().unwrap_or("nothing");
            match by_font.iter_mut().find(|(known, _)| *known == font) {
                Some((_, all)) => all.push(asked),
                None => by_font.push((font, vec![asked])),
            }
        }
        let drawn = by_font.iter().map(|(font, asked)| format!("{font} for {}", asked.join(", ")));
        f.write_str(&drawn.collect::<Vec<_>>().join("; "))
    }
}

/// Returns the installed families, as fontconfig lists them; `None` if it can't.
pub(super) async fn families() -> Option<Vec<String>> {
    let listing = async {
        let mut command = Command::new("fc-list");
        command.args(["--format", "%{family[0]}\n"]).kill_on_drop(true);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
        let mut bytes = Vec::new();
        child.stdout.take()?.take(MAX_LIST_BYTES).read_to_end(&mut bytes).await.ok()?;
        child.wait().await.ok()?.success().then_some(bytes)
    };
    let bytes = tokio::time::timeout(LIST_TIME, listing).await.ok()??;
    let text = String::from_utf8_lossy(&bytes);
    let mut families: Vec<String> = text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
    families.sort_unstable();
    families.dedup();
    Some(families)
}

/// Returns, for each of [`ASKED_FOR`], the family with which most of the sample is drawn. Only the browser knows which
/// one it uses, so it draws a page.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_log_stays_short_however_many_fonts_there_are() {
        let families = (0..3_000).map(|number| format!("Font {number}")).collect();
        let font = || Some("Font 7".to_owned());
        let drawn = vec![("sans-serif", font()), ("serif", None), ("Arial", font())];
        let fonts = Fonts { families: Some(families), drawn };
        assert_eq!(
            fonts.to_string(),
            "3000 families: Font 0, Font 1, Font 2, Font 3, Font 4, …; Font 7 for sans-serif, Arial; nothing for serif"
        );
        assert!(!fonts.is_empty());
        let none = Fonts { families: Some(Vec::new()), drawn: vec![("serif", None)] };
        assert_eq!(none.to_string(), "0 families; nothing for serif");
        assert!(none.is_empty());
        let unasked = Fonts { families: None, drawn: vec![("serif", Some("A".to_owned()))] };
        assert_eq!(unasked.to_string(), "A for serif");
    }
}
