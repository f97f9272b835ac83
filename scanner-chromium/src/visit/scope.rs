//! Where a visit may lead.

use std::fmt::Debug;

use url::Url;

/// Which addresses belong together: to the site, or to its owner.
pub(crate) trait Scope: Debug + Send + Sync {
    /// Whether `url` is one of them.
    fn contains(&self, url: &Url) -> bool;

    /// Whether documents to which a page leads once it has arrived are judged, too, by their answers and before they are shown.
    fn judges_every_document(&self) -> bool {
        false
    }
}
