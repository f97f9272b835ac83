//! The pages that were visited, and which of them are copies of others.

use std::collections::{HashMap, HashSet};

use a11ycheck_core::domain::view_of;
use url::Url;

use super::{address::key, site::Site};
use crate::visit::Scope as _;

/// The number of pages at other paths that may call one page their canonical address. A template that names the same
/// one everywhere would fold the whole site into it.
const MAX_ALIASES: u32 = 5;

/// The pages that were visited, under each address that they have.
#[derive(Debug, Default)]
pub(super) struct Reached {
    keys: HashSet<String>,
    /// The number of times that each page was named as the canonical address of a page at another path.
    aliases: HashMap<String, u32>,
}

impl Reached {
    /// Returns whether a page was visited under this key.
    pub(super) fn has(&self, key: &str) -> bool {
        self.keys.contains(key)
    }

    /// Notes a page by its key, and returns whether it was not visited before.
    pub(super) fn add(&mut self, key: String) -> bool {
        self.keys.insert(key)
    }

    /// Notes the address that the page at `url` calls its own, if it names one. Returns false if the page is the copy
    /// of one that was visited.
    pub(super) fn add_canonical(&mut self, url: &Url, canonical: Option<&Url>, site: &Site) -> bool {
        match canonical.and_then(|canonical| self.name(url, canonical, site)) {
            // The second page under one name is a copy.
            Some(name) => self.add(name),
            None => true,
        }
    }

    /// Returns the key of the page of which `url` says that it is a copy, if that can be believed.
    fn name(&mut self, url: &Url, canonical: &Url, site: &Site) -> Option<String> {
        let name = key(canonical);
        // All views of an application come with one document, which names at best its own address.
        let names_document = view_of(url).is_some() && view_of(canonical).is_none();
        if name == key(url) || !site.contains(canonical) || names_document {
            return None;
        }
        let path = |url: &Url| (url.path().trim_end_matches('/').to_owned(), view_of(url).map(str::to_owned));
        let (path, named) = (path(url), path(canonical));
        if path != named {
            // It is a common mistake that every page calls the home page its own address.
            if matches!(&named, (path, None) if path.is_empty()) {
                return None;
            }
            let aliases = self.aliases.entry(name.clone()).or_default();
            *aliases += 1;
            if *aliases > MAX_ALIASES {
                return None;
            }
        }
        Some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    /// Notes a page of `https://a.example/` that names its canonical address, and returns whether it is a page of its
    /// own.
    fn reach(reached: &mut Reached, page: &Url, canonical: &Url) -> bool {
        reached.add(key(page)) && reached.add_canonical(page, Some(canonical), &Site::of(&url("https://a.example/")))
    }

    #[test]
    fn a_canonical_address_is_not_believed_where_it_would_hide_the_site() {
        let mut reached = Reached::default();
        for home in ["https://a.example/", "https://b.example/x"] {
            for page in ["x", "y"] {
                let host = home.len();
                assert!(reach(&mut reached, &url(&format!("https://a.example/{page}{host}")), &url(home)));
            }
        }
        let template = url("https://a.example/template");
        let pages = (0..20).map(|page| url(&format!("https://a.example/p{page}")));
        let kept = pages.filter(|page| reach(&mut reached, page, &template)).count();
        assert_eq!(kept, 16, "the first, and those beyond what is believed");
    }

    #[test]
    fn the_one_canonical_address_of_an_application_does_not_hide_its_views() {
        let mut reached = Reached::default();
        let app = url("https://a.example/app");
        for page in ["https://a.example/app", "https://a.example/app#/a", "https://a.example/app#/b"] {
            assert!(reach(&mut reached, &url(page), &app), "{page}");
        }
        assert!(!reach(&mut reached, &url("https://a.example/app?x=1"), &app));
        let named = url("https://a.example/app#/b");
        assert!(!reach(&mut reached, &url("https://a.example/app#/b?from=a"), &named), "a view is a copy of a view");
    }
}
