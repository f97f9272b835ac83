//! Pages that were found and not yet visited.

use std::collections::{HashSet, VecDeque};

use url::Url;

use super::{
    address::{folded, key, may_be_page},
    site::Site,
};
use crate::page::Scope as _;

/// Pages that wait at a time. A site with more has shown enough to choose from.
const MAX_WAITING: usize = 10_000;
/// Addresses that are remembered, so that no page comes twice.
const MAX_KNOWN: usize = 100_000;

/// A queue in the order of discovery: pages near the start page come first. No page comes twice.
#[derive(Debug)]
pub(super) struct Frontier {
    site: Site,
    waiting: VecDeque<Url>,
    known: HashSet<String>,
    /// Pages that other addresses turned out to lead to.
    reached: HashSet<String>,
}

impl Frontier {
    pub(super) fn new(site: Site) -> Self {
        Self { site, waiting: VecDeque::new(), known: HashSet::new(), reached: HashSet::new() }
    }

    /// Adds what the links of a page lead to, in their order on the page.
    pub(super) fn add_links(&mut self, links: &[String]) {
        for link in links {
            let Ok(url) = Url::parse(link) else { continue };
            let is_page = matches!(url.scheme(), "http" | "https")
                && url.username().is_empty()
                && url.password().is_none()
                && self.site.contains(&url)
                && may_be_page(&url);
            if is_page
                && self.waiting.len() < MAX_WAITING
                && self.known.len() < MAX_KNOWN
                && self.known.insert(key(&url))
            {
                self.waiting.push_back(without_noise(&url));
            }
        }
    }

    /// Notes that a page was visited; false when it had been already, under another address.
    pub(super) fn reach(&mut self, url: &Url) -> bool {
        self.known.insert(key(url));
        self.reached.insert(key(url))
    }

    /// The page to visit next.
    pub(super) fn next(&mut self) -> Option<Url> {
        loop {
            let url = self.waiting.pop_front()?;
            if !self.reached.contains(&key(&url)) {
                return Some(url);
            }
        }
    }
}

/// The folded address, but with the slash that the link had: some servers answer only one of the two.
fn without_noise(url: &Url) -> Url {
    let mut visited = folded(url);
    visited.set_path(url.path());
    visited
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frontier() -> Frontier {
        Frontier::new(Site::of(&Url::parse("https://a.example/").unwrap()))
    }

    fn all(mut frontier: Frontier) -> Vec<String> {
        std::iter::from_fn(|| frontier.next()).map(String::from).collect()
    }

    #[test]
    fn pages_come_in_order_once_and_only_those_of_the_site() {
        let mut frontier = frontier();
        let links = [
            "https://a.example/b/?utm_source=x#y",
            "https://www.a.example/b",
            "https://b.example/",
            "mailto:a@a.example",
            "https://user@a.example/c",
            "https://a.example/c.pdf",
            "https://a.example/c",
            "nonsense",
        ];
        frontier.add_links(&links.map(str::to_owned));
        assert_eq!(all(frontier), ["https://a.example/b/", "https://a.example/c"]);
    }

    #[test]
    fn a_page_that_a_redirect_led_to_does_not_come_again() {
        let mut frontier = frontier();
        frontier.add_links(&["https://a.example/new".to_owned()]);
        let new = Url::parse("https://a.example/new").unwrap();
        assert!(frontier.reach(&new));
        assert!(!frontier.reach(&new));
        frontier.add_links(&["https://a.example/new/".to_owned()]);
        assert_eq!(all(frontier), [""; 0]);
    }
}
