//! The style sheet, the script, and texts with code in them.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::response::Response;

/// A file of ours that pages load.
#[derive(Debug)]
pub(crate) struct Asset {
    stem: &'static str,
    ending: &'static str,
    media_type: &'static str,
    content: &'static str,
}

/// The style of all pages.
pub(crate) const STYLE: Asset = Asset {
    stem: "style",
    ending: "css",
    media_type: "text/css; charset=utf-8",
    content: include_str!("../assets/style.css"),
};

/// The script, which makes pages more comfortable where scripts run. Nothing depends on it.
pub(crate) const SCRIPT: Asset = Asset {
    stem: "script",
    ending: "js",
    media_type: "text/javascript; charset=utf-8",
    content: include_str!("../assets/script.js"),
};

impl Asset {
    /// Returns the name, which changes with the content, so that a browser may keep the file for good.
    pub(crate) fn name(&self) -> String {
        let mut hasher = DefaultHasher::new();
        self.content.hash(&mut hasher);
        format!("{}-{:016x}.{}", self.stem, hasher.finish(), self.ending)
    }
}

/// Returns the file with this name, whatever its version: a page of the release before may ask for it.
pub(crate) fn asset(name: &str) -> Option<Response> {
    let found = [STYLE, SCRIPT].into_iter().find(|asset| {
        let rest = name.strip_prefix(asset.stem).and_then(|rest| rest.strip_suffix(asset.ending));
        rest.is_some_and(|rest| rest.starts_with('-') && rest.ends_with('.'))
    })?;
    Some(Response::asset(found.media_type, found.content))
}

/// A piece of a text of the catalogue, which writes code in backticks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) text: String,
    pub(crate) is_code: bool,
}

/// Returns the pieces of a text of the catalogue.
pub(crate) fn pieces(text: &str) -> Vec<Piece> {
    let parts = text.split('`').enumerate();
    let pieces = parts.map(|(index, text)| Piece { text: text.to_owned(), is_code: index % 2 == 1 });
    pieces.filter(|piece| !piece.text.is_empty()).collect()
}

/// Returns the paragraphs of a text of the catalogue.
pub(crate) fn paragraphs(text: &str) -> Vec<Vec<Piece>> {
    text.lines().filter(|line| !line.trim().is_empty()).map(pieces).collect()
}

/// The points of a line chart, in an area of 600 by 160 units.
#[derive(Debug)]
pub(crate) struct Chart {
    pub(crate) points: String,
    pub(crate) dots: Vec<(String, String, String)>,
}

impl Chart {
    /// Draws values with their labels, in their order; `None` for fewer than two.
    pub(crate) fn of(values: &[(String, u64)]) -> Option<Self> {
        if values.len() < 2 {
            return None;
        }
        let most = values.iter().map(|(_, value)| *value).max().unwrap_or(0).max(1);
        // Coordinates of a drawing: exact enough.
        #[expect(clippy::cast_precision_loss, reason = "see above")]
        let place = |index: usize, value: u64| {
            let x = 10.0 + 580.0 * index as f64 / (values.len() - 1) as f64;
            let y = 150.0 - 140.0 * value as f64 / most as f64;
            (format!("{x:.1}"), format!("{y:.1}"))
        };
        let places: Vec<_> = values.iter().enumerate().map(|(index, (_, value))| place(index, *value)).collect();
        let points = places.iter().map(|(x, y)| format!("{x},{y}")).collect::<Vec<_>>().join(" ");
        let dots = places.into_iter().zip(values).map(|((x, y), (label, value))| (x, y, format!("{label}: {value}")));
        Some(Self { points, dots: dots.collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_by_its_name_in_any_version() {
        assert!(asset(&STYLE.name()).is_some() && asset("style-0.css").is_some());
        assert!(asset("style.css").is_none() && asset("../style-0.css").is_none() && asset("x").is_none());
        assert!(SCRIPT.content.len() <= 10_000, "a page works without it, and it stays small");
    }

    #[test]
    fn what_stands_in_backticks_is_code() {
        let pieces: Vec<_> = pieces("Write `alt` here").into_iter().map(|piece| (piece.text, piece.is_code)).collect();
        let piece = |text: &str, is_code| (text.to_owned(), is_code);
        assert_eq!(pieces, [piece("Write ", false), piece("alt", true), piece(" here", false)]);
    }
}
