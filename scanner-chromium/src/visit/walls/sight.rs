//! What `sight.js` returns.

use std::sync::LazyLock;

use a11ycheck_core::domain::Cover;
use serde::Deserialize;
use serde_json::json;

use super::{
    marks::{CONSENT_MANAGERS, MARKS},
    phrases::CONSENT_WORDS,
};

const SIGHT: &str = include_str!("sight.js");

/// What a visitor sees of a page. All of it comes from the page and is hostile; `sight.js` bounds it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Sight {
    pub(super) title: String,
    /// Headings of the two upper levels.
    pub(super) headings: Vec<String>,
    /// The texts that are shown, from the top, separated by spaces.
    pub(super) text: String,
    /// Whether there is more text than that.
    pub(super) is_more: bool,
    /// Other pages of the host that it links to.
    pub(super) own_links: u32,
    /// Fields that ask for an input.
    pub(super) fields: u32,
    /// Indexes of the [`MARKS`] that it has.
    pub(super) marks: Vec<usize>,
    pub(super) is_noindex: bool,
    /// Whether it reloads itself, or leads on, without a script.
    pub(super) refreshes: bool,
    /// What there is besides a request for consent, if it has one.
    pub(super) consent: Option<Besides>,
    /// What covers most of it.
    pub(crate) cover: Option<Cover>,
}

/// What a page shows besides its request for consent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub(super) struct Besides {
    pub(super) characters: u32,
    pub(super) links: u32,
    pub(super) media: u32,
    pub(super) fields: u32,
    /// Characters of content that is hidden.
    pub(super) hidden: u32,
    /// How much of the visible part of the page layers cover, in percent.
    pub(super) covered: u32,
}

impl Sight {
    /// That of a page that could not be looked at. There may be anything on it, so it is taken for no page that has nothing to
    /// show.
    pub(crate) fn unseen() -> Self {
        Self { is_more: true, ..Self::default() }
    }

    /// Whether another page has the same title and the same text.
    pub(crate) fn says_the_same_as(&self, other: &Self) -> bool {
        (&self.title, &self.text) == (&other.title, &other.text)
    }
}

/// The expression that looks at a page, to be evaluated in a world of our own.
pub(crate) fn look() -> &'static str {
    static LOOK: LazyLock<String> = LazyLock::new(|| {
        let marks: Vec<_> =
            MARKS.iter().map(|mark| json!({ "selectors": mark.selectors.join(", "), "inline": mark.inline })).collect();
        let consent = json!({ "managers": CONSENT_MANAGERS.join(", "), "words": CONSENT_WORDS });
        let limits = json!({
            "roots": 1_000,
            // Nodes of text that are looked at, and characters that are kept of those that are shown.
            "nodes": 20_000,
            "text": 6_000,
            "title": 300,
            "headings": 10,
            "links": 300,
            "address": 500,
            "fields": 50,
            // Pixels from which on a picture or a frame is something to see.
            "media": 10_000,
            "scripts": 50,
            "script": 20_000,
            "layers": 50,
            "columns": 10,
            "rows": 6,
            "cover": Cover::LEAST_PERCENT,
        });
        format!("({SIGHT})({}, {consent}, {limits})", json!(marks))
    });
    &LOOK
}
