//! Pages that were found and not yet visited.

use std::collections::{HashMap, HashSet};

use url::Url;

use super::{
    actions::is_action,
    address::{folded, key, may_be_page},
    kinds::{Shape, kinds},
    robots::Robots,
    site::Site,
};
use crate::page::Scope as _;

/// Pages that wait at a time. A site with more has shown enough to choose from.
const MAX_WAITING: usize = 10_000;
/// Addresses that are remembered, so that no page comes twice.
const MAX_KNOWN: usize = 30_000;
/// Pages that turn out to be closed to us before nothing more is chosen. Each costs a look at all rules.
const MAX_CLOSED: u32 = 2_000;
/// Pages at other paths that may call one page their canonical address. A template that names the same one everywhere
/// would fold the whole site into it.
const MAX_ALIASES: u32 = 5;
/// How far from the start page a page counts as that only a sitemap names: the start page's own links are closer.
const SITEMAP_DEPTH: u32 = 2;

/// Pages to choose from. No page comes twice.
///
/// The next one is of the kind that was chosen least so far; among these the one nearest to the start page, and then the
/// one that was found first. So a site's kinds of pages take turns, and within each the order is breadth-first. The
/// choice depends on what was found, in which order, and on nothing else.
#[derive(Debug)]
pub(super) struct Frontier {
    site: Site,
    robots: Robots,
    waiting: Vec<Candidate>,
    /// Those whose turn has come, also if it turned out then that they are closed to us.
    passed: Vec<Candidate>,
    closed: u32,
    /// Whether `kind` of all candidates is as of the latest addition.
    is_sorted_out: bool,
    known: HashSet<String>,
    /// Pages that were visited, under each address that stands for them.
    reached: HashSet<String>,
    aliases: HashMap<String, u32>,
}

#[derive(Debug)]
struct Candidate {
    url: Url,
    key: String,
    shape: Shape,
    /// Links from the start page; one more where the address says that it is a variant of a page.
    depth: u32,
    kind: usize,
}

impl Frontier {
    /// Nothing to choose from yet. What `robots` closes is never chosen.
    pub(super) fn new(site: Site, robots: Robots) -> Self {
        Self {
            site,
            robots,
            waiting: Vec::new(),
            passed: Vec::new(),
            closed: 0,
            is_sorted_out: true,
            known: HashSet::new(),
            reached: HashSet::new(),
            aliases: HashMap::new(),
        }
    }

    /// Adds what the links of a page lead to that is `depth` links away from the start page, in their order on the page.
    pub(super) fn add_links(&mut self, links: &[String], depth: u32) {
        for url in links.iter().filter_map(|link| Url::parse(link).ok()) {
            self.add(&url, depth.saturating_add(1));
        }
    }

    /// Adds what the site's own list names.
    pub(super) fn add_sitemap(&mut self, pages: &[Url]) {
        for url in pages {
            self.add(url, SITEMAP_DEPTH);
        }
    }

    fn add(&mut self, url: &Url, depth: u32) {
        let is_page = matches!(url.scheme(), "http" | "https")
            && url.username().is_empty()
            && url.password().is_none()
            && self.site.contains(url)
            && may_be_page(url);
        if !is_page || self.waiting.len() >= MAX_WAITING || self.known.len() >= MAX_KNOWN {
            return;
        }
        let key = key(url);
        // What is known need not be judged again.
        if !self.known.contains(&key) && !is_action(url) {
            self.known.insert(key.clone());
            let url = without_noise(url);
            let depth = depth + u32::from(url.query().is_some());
            self.waiting.push(Candidate { shape: Shape::of(&url), url, key, depth, kind: 0 });
            self.is_sorted_out = false;
        }
    }

    /// Notes that a page was visited, which calls another address its own (`canonical`) or not. False when it was
    /// visited already under another address, or is closed to us.
    pub(super) fn reach(&mut self, url: &Url, canonical: Option<&Url>) -> bool {
        let own = key(url);
        self.known.insert(own.clone());
        if !self.reached.insert(own.clone()) || !self.robots.allows(url) {
            return false;
        }
        match canonical.and_then(|canonical| self.alias(&own, url, canonical)) {
            // Whoever comes second under the name is a copy.
            Some(name) => self.reached.insert(name),
            None => true,
        }
    }

    /// The name of the page that `url` says that it is a copy of, where that can be believed.
    fn alias(&mut self, own: &str, url: &Url, canonical: &Url) -> Option<String> {
        let name = key(canonical);
        if name == own || !self.site.contains(canonical) {
            return None;
        }
        let (path, named) = (url.path().trim_end_matches('/'), canonical.path().trim_end_matches('/'));
        if path != named {
            // A common mistake: every page calls the home page its own address.
            if named.is_empty() {
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

    /// The page to visit next, and its distance from the start page.
    pub(super) fn next(&mut self) -> Option<(Url, u32)> {
        if !self.is_sorted_out {
            self.waiting.retain(|candidate| !self.reached.contains(&candidate.key));
            let shapes: Vec<&Shape> =
                self.passed.iter().chain(&self.waiting).map(|candidate| &candidate.shape).collect();
            let kinds = kinds(&shapes);
            for (candidate, kind) in self.passed.iter_mut().chain(&mut self.waiting).zip(kinds) {
                candidate.kind = kind;
            }
            self.is_sorted_out = true;
        }
        let mut times: HashMap<usize, usize> = HashMap::new();
        for candidate in &self.passed {
            *times.entry(candidate.kind).or_default() += 1;
        }
        while self.closed < MAX_CLOSED {
            let rank = |candidate: &Candidate| (times.get(&candidate.kind).copied().unwrap_or(0), candidate.depth);
            // Of equal ones the first.
            let (index, _) = self.waiting.iter().enumerate().min_by_key(|(_, candidate)| rank(candidate))?;
            let candidate = self.waiting.remove(index);
            if self.reached.contains(&candidate.key) {
                continue;
            }
            let is_open = self.robots.allows(&candidate.url);
            let next = is_open.then(|| (candidate.url.clone(), candidate.depth));
            *times.entry(candidate.kind).or_default() += 1;
            self.passed.push(candidate);
            if next.is_some() {
                return next;
            }
            self.closed += 1;
        }
        None
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
    use proptest::prelude::*;

    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn frontier() -> Frontier {
        let robots = Robots::parse(b"User-agent: *\nDisallow: /private");
        Frontier::new(Site::of(&url("https://a.example/")), robots)
    }

    fn with_links<T: AsRef<str>>(links: &[T]) -> Frontier {
        let mut frontier = frontier();
        let links: Vec<String> = links.iter().map(|link| link.as_ref().to_owned()).collect();
        frontier.add_links(&links, 0);
        frontier
    }

    fn all(mut frontier: Frontier) -> Vec<String> {
        std::iter::from_fn(|| frontier.next()).map(|(url, _)| url.into()).collect()
    }

    #[test]
    fn pages_come_in_order_once_and_only_those_of_the_site_that_are_open() {
        let links = [
            "https://a.example/b/?utm_source=x#y",
            "https://www.a.example/b",
            "https://b.example/",
            "mailto:a@a.example",
            "https://user@a.example/c",
            "https://a.example/private/x",
            "https://a.example/c.pdf",
            "https://a.example/logout",
            "https://a.example/c",
            "nonsense",
        ];
        assert_eq!(all(with_links(&links)), ["https://a.example/b/", "https://a.example/c"]);
    }

    #[test]
    fn a_page_that_a_redirect_led_to_does_not_come_again() {
        let mut frontier = with_links(&["https://a.example/new"]);
        let new = url("https://a.example/new");
        assert!(frontier.reach(&new, None));
        assert!(!frontier.reach(&new, None));
        frontier.add_links(&["https://a.example/new/".to_owned()], 1);
        assert_eq!(all(frontier), [""; 0]);
    }

    #[test]
    fn a_page_that_a_redirect_led_to_is_left_alone_where_robots_are_not_welcome() {
        assert!(!frontier().reach(&url("https://a.example/private/x"), None));
    }

    #[test]
    fn copies_of_a_page_count_once_and_it_does_not_come_again() {
        let mut frontier = with_links(&["https://a.example/shirt"]);
        let shirt = url("https://a.example/shirt");
        assert!(frontier.reach(&url("https://a.example/sale/shirt"), Some(&shirt)));
        assert!(!frontier.reach(&url("https://a.example/shirt?color=red"), Some(&shirt)));
        assert_eq!(all(frontier), [""; 0]);
    }

    #[test]
    fn a_canonical_address_is_not_believed_where_it_would_hide_the_site() {
        let mut frontier = frontier();
        for home in ["https://a.example/", "https://b.example/x"] {
            for page in ["x", "y"] {
                let host = home.len();
                assert!(frontier.reach(&url(&format!("https://a.example/{page}{host}")), Some(&url(home))));
            }
        }
        let template = url("https://a.example/template");
        let pages = (0..20).map(|page| url(&format!("https://a.example/p{page}")));
        let kept = pages.filter(|page| frontier.reach(page, Some(&template))).count();
        assert_eq!(kept, 16, "the first, and those beyond what is believed");
    }

    #[test]
    fn a_small_budget_sees_every_kind_of_page() {
        let names = ["hat", "coat", "shirt", "sock", "shoe", "glove", "scarf", "belt", "tie", "bag"];
        let mut links: Vec<String> = names.iter().map(|name| format!("https://a.example/products/{name}")).collect();
        links.extend(
            ["news/one", "news/two", "news/six", "about", "contact"].map(|path| format!("https://a.example/{path}")),
        );
        let chosen = all(with_links(&links));
        let first: Vec<&str> = chosen.iter().take(8).map(|url| url.trim_start_matches("https://a.example/")).collect();
        assert_eq!(
            first,
            ["products/hat", "news/one", "news/two", "news/six", "about", "contact", "products/coat", "products/shirt"]
        );
    }

    #[test]
    fn near_pages_come_before_far_ones_and_pages_before_their_variants() {
        let mut frontier = frontier();
        let pages = |ids: &[u32]| -> Vec<String> { ids.iter().map(|id| format!("https://a.example/p{id}")).collect() };
        frontier.add_links(&pages(&[1]), 3);
        frontier.add_sitemap(&[url("https://a.example/p2")]);
        frontier.add_links(&["https://a.example/p3?sort=up".to_owned()], 0);
        frontier.add_links(&pages(&[4]), 0);
        let expected = ["p4", "p2", "p3?sort=up", "p1"].map(|page| format!("https://a.example/{page}"));
        assert_eq!(all(frontier), expected);
    }

    #[test]
    fn closed_pages_use_up_no_turns_of_open_ones_and_end_the_search_at_last() {
        let closed = |count: u32| (0..count).map(|id| format!("https://a.example/private/{id}"));
        let links: Vec<String> = closed(1_500).chain(["https://a.example/open".to_owned()]).collect();
        assert_eq!(all(with_links(&links)), ["https://a.example/open"]);
        let mut frontier = frontier();
        frontier.add_links(&closed(5_000).collect::<Vec<_>>(), 0);
        assert_eq!(frontier.next(), None);
        assert_eq!(frontier.waiting.len(), 3_000);
    }

    proptest! {
        #[test]
        fn every_page_comes_exactly_once_and_always_in_the_same_order(
            paths in prop::collection::vec("(/[a-d]{1,2}){1,3}/?", 0..80),
        ) {
            let links: Vec<String> = paths.iter().map(|path| format!("https://a.example{path}")).collect();
            let chosen = all(with_links(&links));
            let unique: HashSet<String> = links.iter().map(|link| key(&url(link))).collect();
            let keys: HashSet<String> = chosen.iter().map(|link| key(&url(link))).collect();
            prop_assert_eq!(chosen.len(), unique.len());
            prop_assert_eq!(&keys, &unique);
            prop_assert_eq!(all(with_links(&links)), chosen);
        }

        #[test]
        fn kinds_take_turns(sizes in prop::collection::vec(3_usize..30, 1..8)) {
            let links: Vec<String> = sizes
                .iter()
                .enumerate()
                .flat_map(|(section, size)| (0..*size).map(move |page| (section, page)))
                .map(|(section, page)| format!("https://a.example/{}/{page}", char::from(b'a' + u8::try_from(section).unwrap())))
                .collect();
            let chosen = all(with_links(&links));
            // One of each in the first round.
            let first: HashSet<&str> = chosen[..sizes.len()].iter().map(|url| &url[18..19]).collect();
            prop_assert_eq!(first.len(), sizes.len());
        }
    }
}
