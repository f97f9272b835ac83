//! The addresses to which a visit may lead.

use std::fmt::Debug;

use url::Url;

/// A set of addresses that belong together: to the site, or to its owner.
pub(crate) trait Scope: Debug + Send + Sync {
    /// Returns whether `url` is one of them.
    fn contains(&self, url: &Url) -> bool;

    /// Returns whether documents to which a page leads after its arrival are judged, too: by their responses and before
    /// they are shown.
    fn judges_every_document(&self) -> bool {
        false
    }
}
