//! The boundaries of a site.

use url::Url;

use super::address::bare_host;
use crate::{guard::Reach, visit::Scope};

/// The site that a start address leads to: one host, with or without `www.`, and one port, over HTTP or HTTPS.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Site {
    host: String,
    /// The port; `None` for the default port of either scheme.
    port: Option<u16>,
}

impl Site {
    /// Returns the site of a page.
    pub(super) fn of(url: &Url) -> Self {
        Self { host: bare_host(url).to_owned(), port: url.port() }
    }
}

impl Scope for Site {
    fn contains(&self, url: &Url) -> bool {
        *self == Self::of(url)
    }
}

/// The hosts to which a start address may lead: the same name, or one above or below it, on any port. That is what
/// owners do with their own names; anything else is another site, which nobody asked to check.
#[derive(Debug, Clone)]
pub(super) struct Start(String);

impl Start {
    pub(super) fn of(url: &Url) -> Self {
        Self(bare_host(url).to_owned())
    }
}

impl Scope for Start {
    fn contains(&self, url: &Url) -> bool {
        let (asked, found) = (self.0.as_str(), bare_host(url));
        asked == found || is_below(asked, found) || is_below(found, asked)
    }
}

/// The addresses through which the documents of a check may be reached. The guard is notified of each before it is
/// requested: what a check reaches depends on where its documents come from.
#[derive(Debug)]
pub(super) struct Way {
    start: Start,
    reach: Reach,
}

impl Way {
    pub(super) const fn new(start: Start, reach: Reach) -> Self {
        Self { start, reach }
    }
}

impl Scope for Way {
    fn contains(&self, url: &Url) -> bool {
        let is_own = self.start.contains(url);
        if is_own {
            self.reach.leads_to(url);
        }
        is_own
    }

    /// Returns whether the check is inside an opened network, where a page may lead to an untrusted document, which
    /// would be shown there.
    fn judges_every_document(&self) -> bool {
        self.reach.is_inside()
    }
}

/// Returns whether `name` is below `parent`. A parent without a dot (`com`, `localhost`) is nobody's name.
fn is_below(name: &str, parent: &str) -> bool {
    parent.contains('.') && name.strip_suffix(parent).is_some_and(|rest| rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn www_and_https_are_the_same_site_and_other_names_are_not() {
        let site = Site::of(&url("http://a.example/"));
        assert!(site.contains(&url("https://www.a.example/x")));
        assert!(!site.contains(&url("https://b.a.example/")));
        assert!(!site.contains(&url("https://a.example:8443/")));
    }

    #[test]
    fn a_start_address_may_lead_up_or_down_its_own_name_only() {
        let start = Start::of(&url("https://a.example/"));
        for found in ["https://www.a.example/", "https://shop.a.example:8443/", "http://a.example/en"] {
            assert!(start.contains(&url(found)), "{found}");
        }
        for found in ["https://ba.example/", "https://a.example.net/", "https://b.example/", "https://example/"] {
            assert!(!start.contains(&url(found)), "{found}");
        }
        assert!(Start::of(&url("https://m.a.example/")).contains(&url("https://www.a.example/")));
    }
}
