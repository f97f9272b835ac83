//! The result of `sight.js`.

use std::sync::LazyLock;

use a11ycheck_core::domain::Cover;
use serde::Deserialize;
use serde_json::json;

use super::{
    marks::{CONSENT_MANAGERS, MARKS},
    phrases::CONSENT_WORDS,
};
use crate::browser::Script;

const SIGHT: &str = include_str!("sight.js");

/// The page as a visitor sees it. All of it comes from the page and is hostile; `sight.js` bounds it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Sight {
    pub(super) title: String,
    /// The headings of the two upper levels.
    pub(super) headings: Vec<String>,
    /// The texts that are shown, from the top, separated by spaces.
    pub(super) text: String,
    /// True if there is more text than that.
    pub(super) is_more: bool,
    /// The number of other pages of the host that it links to.
    pub(super) own_links: u32,
    /// The number of fields that ask for an input.
    pub(super) fields: u32,
    /// The indexes of the [`MARKS`] that it has.
    pub(super) marks: Vec<usize>,
    pub(super) is_noindex: bool,
    /// True if it reloads itself, or leads on, without a script.
    pub(super) refreshes: bool,
    /// The content besides a request for consent, if it has one.
    pub(super) consent: Option<Besides>,
    /// The element that covers most of it, if there is one.
    pub(crate) cover: Option<Cover>,
}

/// The content of a page besides its request for consent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub(super) struct Besides {
    pub(super) characters: u32,
    pub(super) links: u32,
    pub(super) media: u32,
    pub(super) fields: u32,
    /// The number of characters of content that is hidden.
    pub(super) hidden: u32,
    /// The share of the visible part of the page that layers cover, in percent.
    pub(super) covered: u32,
}

impl Sight {
    /// Returns the sight of a page that could not be read. Anything may be on it, so it never counts as a page with
    /// nothing to show.
    pub(crate) fn unseen() -> Self {
        Self { is_more: true, ..Self::default() }
    }

    /// Returns whether another page has the same title and the same text.
    pub(crate) fn says_the_same_as(&self, other: &Self) -> bool {
        (&self.title, &self.text) == (&other.title, &other.text)
    }
}

/// Returns the expression that reads what a page shows, to be evaluated in an isolated world.
pub(crate) fn look() -> &'static Script {
    static LOOK: LazyLock<Script> = LazyLock::new(|| {
        let marks: Vec<_> =
            MARKS.iter().map(|mark| json!({ "selectors": mark.selectors.join(", "), "inline": mark.inline })).collect();
        let consent = json!({ "managers": CONSENT_MANAGERS.join(", "), "words": CONSENT_WORDS });
        let limits = json!({
            "roots": 1_000,
            // The text nodes that are examined, and the characters that are kept of those that are shown.
            "nodes": 20_000,
            "text": 6_000,
            "title": 300,
            "headings": 10,
            "links": 300,
            "address": 500,
            "fields": 50,
            // The pixels from which a picture or a frame is something to see.
            "media": 10_000,
            "scripts": 50,
            "script": 20_000,
            "layers": 50,
            "columns": 10,
            "rows": 6,
            "cover": Cover::LEAST_PERCENT,
        });
        Script::new(&format!("({SIGHT})({}, {consent}, {limits})", json!(marks)))
    });
    &LOOK
}
