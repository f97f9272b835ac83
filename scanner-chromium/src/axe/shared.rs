//! The blocks that a page may share with other pages of its site, as `probes/across.js` reads them.

use serde::Deserialize;

/// The blocks of a page that other pages may have as well, and whether it offers a search or an index of pages.
/// Everything comes from the page and is hostile.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Shared {
    /// The primary part of the page's `lang` in lower case; empty if there is none.
    pub(crate) language: String,
    /// The start tag of the page's `html`.
    pub(crate) source: String,
    /// True if the page may have a search, or a link to one.
    pub(crate) has_search: bool,
    /// True if a link of the page may lead to a list of the site's pages.
    pub(crate) has_index: bool,
    /// True if there are more links or controls in blocks than are listed.
    pub(crate) is_cut: bool,
    pub(crate) blocks: Vec<SharedBlock>,
}

/// A block outside of the main content.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct SharedBlock {
    /// Its role: `navigation`, `banner`, `contentinfo` or `search`.
    pub(crate) role: String,
    /// The role of the block around it; empty if there is none.
    pub(crate) place: String,
    /// Its accessible name.
    pub(crate) label: String,
    pub(crate) selector: String,
    /// Its start tag.
    pub(crate) source: String,
    pub(crate) items: Vec<SharedItem>,
}

/// A link or a control in a block.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct SharedItem {
    /// The key of what it does: of a link, the address or the anchor to which it leads; of a control, the action of its
    /// form and the name of a field, or an id.
    pub(crate) key: String,
    /// Its accessible name.
    pub(crate) name: String,
    pub(crate) selector: String,
    /// Its start tag and its text.
    pub(crate) source: String,
}
