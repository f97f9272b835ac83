//! Pages that were found and are not yet visited.

use std::{collections::HashMap, sync::Arc};

use a11ycheck_core::domain::{PageOutcome, page_address, view_of, without_query};
use url::Url;

use super::{
    actions::is_action,
    address::{key, may_be_page},
    kinds::{Shape, kinds},
    reached::Reached,
    robots::Robots,
    site::Site,
    survey::Listed,
    traps::{MAX_VARIATIONS, has_outgrown, is_variation},
};
use crate::visit::Scope as _;

/// The number of pages that may wait at a time. A site with more has shown enough to choose from.
const MAX_WAITING: usize = 10_000;
/// The number of addresses that are remembered, so that no page is chosen twice.
const MAX_KNOWN: usize = 30_000;
/// The number of closed pages after which no more pages are chosen. Each costs a comparison with all rules.
const MAX_CLOSED: u32 = 2_000;
/// The distance from the start page at which a page counts that only a sitemap names: the start page's own links are
/// closer.
const SITEMAP_DEPTH: u32 = 2;

/// The pages to choose from. No page is chosen twice.
///
/// The next page is of the kind that was chosen least so far; among these it is the one nearest to the start page, and
/// then the one that was found first. So a site's kinds of pages take turns, and within each the order is
/// breadth-first. The choice depends only on what was found, and in which order.
#[derive(Debug)]
pub(super) struct Frontier {
    site: Site,
    robots: Robots,
    waiting: Vec<Candidate>,
    /// The candidates whose turn has come, including those that turned out to be closed.
    passed: Vec<Candidate>,
    closed: u32,
    /// True if the `kind` of all candidates is up to date.
    is_sorted_out: bool,
    /// The pages that were found, with the way to each.
    known: HashMap<String, Way>,
    /// True if links were left out as those of a trap.
    meets_traps: bool,
    reached: Reached,
}

/// A page to visit, and the way to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lead {
    pub(super) url: Url,
    /// The number of links from the start page, plus one if the address is that of a variant of a page.
    pub(super) depth: u32,
    /// The number of steps to the page that change nothing but numbers and parameters.
    variations: u32,
    /// The page, or the sitemap, that leads to it; `None` for the start page.
    pub(super) linked_from: Option<Arc<str>>,
}

impl Lead {
    /// Returns the lead to the page that a check begins with.
    pub(super) const fn start(url: Url) -> Self {
        Self { url, depth: 0, variations: 0, linked_from: None }
    }
}

#[derive(Debug)]
struct Candidate {
    url: Url,
    key: String,
    shape: Shape,
    /// As in [`Lead`].
    depth: u32,
    kind: usize,
}

/// The way to a page. Of several ways, the one with the fewest variations counts, and a page's link before a sitemap.
#[derive(Debug, Clone, Default)]
struct Way {
    variations: u32,
    from: Option<Arc<str>>,
    is_linked: bool,
}

impl Frontier {
    /// Returns an empty frontier. Addresses that `robots` closes are never chosen.
    pub(super) fn new(site: Site, robots: Robots) -> Self {
        Self {
            site,
            robots,
            waiting: Vec::new(),
            passed: Vec::new(),
            closed: 0,
            is_sorted_out: true,
            known: HashMap::new(),
            meets_traps: false,
            reached: Reached::default(),
        }
    }

    /// Adds the targets of the links of the page at `url`, to which `lead` led, in their order on the page.
    pub(super) fn add_links(&mut self, links: &[String], url: &Url, lead: &Lead) {
        let shape = Shape::whole(url);
        let from: String = page_address(url).as_str().chars().take(PageOutcome::MAX_LINKED_FROM).collect();
        let from: Arc<str> = from.into();
        for url in links.iter().filter_map(|link| Url::parse(link).ok()) {
            self.add(&url, lead.depth.saturating_add(1), |url| Way {
                variations: lead.variations.saturating_add(u32::from(is_variation(&shape, url))),
                from: Some(Arc::clone(&from)),
                is_linked: true,
            });
        }
    }

    /// Adds the pages that the site's sitemaps name.
    pub(super) fn add_sitemap(&mut self, pages: &[Listed]) {
        for Listed { page, sitemap } in pages {
            let way = |_: &Url| Way { variations: 0, from: Some(Arc::clone(sitemap)), is_linked: false };
            self.add(page, SITEMAP_DEPTH, way);
        }
    }

    fn add(&mut self, url: &Url, depth: u32, way: impl FnOnce(&Url) -> Way) {
        let is_page = matches!(url.scheme(), "http" | "https")
            && url.username().is_empty()
            && url.password().is_none()
            && self.site.contains(url)
            && may_be_page(url);
        if !is_page {
            return;
        }
        let url = page_address(url);
        let key = key(&url);
        if let Some(known) = self.known.get_mut(&key) {
            if known.variations > 0 || !known.is_linked {
                known.shorten(way(&url));
            }
            return;
        }
        // A page that is known need not be judged again.
        if self.waiting.len() >= MAX_WAITING || self.known.len() >= MAX_KNOWN || is_action(&url) {
            return;
        }
        let way = way(&url);
        if way.variations > MAX_VARIATIONS || has_outgrown(&url) {
            // It is not remembered: a shorter way may still lead to it.
            if !std::mem::replace(&mut self.meets_traps, true) {
                tracing::info!(
                    url = without_query(url.as_str()),
                    "Addresses of the site go on without end: such links are left out"
                );
            }
            return;
        }
        self.known.insert(key.clone(), way);
        let is_variant = url.query().is_some() || view_of(&url).is_some_and(|view| view.contains('?'));
        let depth = depth + u32::from(is_variant);
        self.waiting.push(Candidate { shape: Shape::of(&url), url, key, depth, kind: 0 });
        self.is_sorted_out = false;
    }

    /// Notes a visit to the page at `url`, with the address that the page calls its own (`canonical`), if any. Returns
    /// false if the page was already visited under another address, or is closed to us.
    pub(super) fn reach(&mut self, url: &Url, canonical: Option<&Url>) -> bool {
        let own = key(url);
        self.known.entry(own.clone()).or_default();
        self.reached.add(own) && self.robots.allows(url) && self.reached.add_canonical(url, canonical, &self.site)
    }

    /// Returns the number of pages that wait, at most `limit`. Pages that robots.txt closes are included until their
    /// turn comes.
    pub(super) fn count_waiting(&self, limit: u32) -> u32 {
        if self.closed >= MAX_CLOSED {
            return 0;
        }
        let waiting = self.waiting.iter().filter(|candidate| !self.reached.has(&candidate.key));
        let counted = waiting.take(usize::try_from(limit).unwrap_or(usize::MAX)).count();
        u32::try_from(counted).unwrap_or(limit)
    }

    /// Returns the page to visit next.
    pub(super) fn next(&mut self) -> Option<Lead> {
        if !self.is_sorted_out {
            self.waiting.retain(|candidate| !self.reached.has(&candidate.key));
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
            // Of equal ones, the first is chosen.
            let (index, _) = self.waiting.iter().enumerate().min_by_key(|(_, candidate)| rank(candidate))?;
            let candidate = self.waiting.remove(index);
            if self.reached.has(&candidate.key) {
                continue;
            }
            let is_open = self.robots.allows(&candidate.url);
            let next = is_open.then(|| self.lead(&candidate));
            *times.entry(candidate.kind).or_default() += 1;
            self.passed.push(candidate);
            if next.is_some() {
                return next;
            }
            self.closed += 1;
        }
        None
    }

    fn lead(&self, candidate: &Candidate) -> Lead {
        let Candidate { url, key, depth, .. } = candidate;
        let Way { variations, from, .. } = self.known.get(key).cloned().unwrap_or_default();
        Lead { url: url.clone(), depth: *depth, variations, linked_from: from }
    }
}

impl Way {
    /// Adopts the better parts of another way.
    fn shorten(&mut self, other: Self) {
        self.variations = self.variations.min(other.variations);
        if other.is_linked && !self.is_linked {
            (self.from, self.is_linked) = (other.from, true);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn frontier() -> Frontier {
        let robots = Robots::parse(b"User-agent: *\nDisallow: /private");
        Frontier::new(Site::of(&url("https://a.example/")), robots)
    }

    /// Adds links of the start page, or of a page at that distance from it.
    fn link<T: AsRef<str>>(frontier: &mut Frontier, links: &[T], depth: u32) {
        let links: Vec<String> = links.iter().map(|link| link.as_ref().to_owned()).collect();
        let home = url("https://a.example/");
        frontier.add_links(&links, &home, &Lead { depth, ..Lead::start(home.clone()) });
    }

    fn with_links<T: AsRef<str>>(links: &[T]) -> Frontier {
        let mut frontier = frontier();
        link(&mut frontier, links, 0);
        frontier
    }

    fn listed(page: &str) -> Listed {
        Listed { page: url(page), sitemap: "https://a.example/sitemap.xml".into() }
    }

    fn all(mut frontier: Frontier) -> Vec<String> {
        std::iter::from_fn(|| frontier.next()).map(|lead| lead.url.into()).collect()
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
        link(&mut frontier, &["https://a.example/new/"], 1);
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
    fn views_of_an_application_are_pages_and_anchors_are_not() {
        let links = [
            "https://a.example/#top",
            "https://a.example/app#/about",
            "https://a.example/app/#/about/#team",
            "https://a.example/app#!/contact",
            "https://a.example/app#/",
            "https://a.example/app",
        ];
        let expected = ["", "app#/about", "app#!/contact", "app"].map(|page| format!("https://a.example/{page}"));
        assert_eq!(all(with_links(&links)), expected);
    }

    #[test]
    fn a_page_is_known_by_the_page_that_leads_to_it_or_else_by_the_sitemap() {
        let mut frontier = frontier();
        frontier.add_sitemap(&[listed("https://a.example/x"), listed("https://a.example/y")]);
        let page = url("https://a.example/from/?utm_source=x");
        frontier.add_links(&["https://a.example/y/".to_owned()], &page, &Lead::start(page.clone()));
        let from = std::iter::from_fn(|| frontier.next()).map(|lead| lead.linked_from.unwrap().to_string());
        assert_eq!(from.collect::<Vec<_>>(), ["https://a.example/sitemap.xml", "https://a.example/from/"]);
    }

    /// Returns how many pages are chosen on a site without end: `page` gives the address of a page by its number, and
    /// each links to the next.
    fn walked(page: impl Fn(u32) -> String) -> usize {
        let mut frontier = frontier();
        let mut lead = Lead::start(url(&page(0)));
        for number in 1.. {
            assert!(number < 1_000, "it ends");
            let from = lead.url.clone();
            frontier.add_links(&[page(number)], &from, &lead);
            let Some(next) = frontier.next() else { break };
            lead = next;
        }
        frontier.passed.len()
    }

    #[test]
    fn traps_end() {
        let steps = MAX_VARIATIONS as usize;
        let month = |number| (2_027 + number / 12, number % 12 + 1);
        assert_eq!(walked(|number| format!("https://a.example/calendar?month={number}")), steps);
        assert_eq!(
            walked(|number| format!("https://a.example/calendar/{}/{}", month(number).0, month(number).1)),
            steps
        );
        assert_eq!(walked(|number| format!("https://a.example/#/day/{number}")), steps);
        assert!(walked(|number| format!("https://a.example/soft{}", "/deeper".repeat(number as usize))) <= 2);
        assert!(walked(|number| format!("https://a.example/list?a=1{}", "&a=1".repeat(number as usize))) <= 2);
        let filters = |number: u32| (0..number).map(|filter| format!("&f{filter}=1")).collect::<String>();
        assert!(walked(|number| format!("https://a.example/list?a=1{}", filters(number))) <= 12);
    }

    #[test]
    fn what_a_shorter_way_leads_to_is_no_trap() {
        let mut frontier = frontier();
        let page = |number: u32| format!("https://a.example/product/{number}");
        let far = Lead { variations: MAX_VARIATIONS, ..Lead::start(url(&page(1))) };
        frontier.add_links(&[page(2)], &far.url, &far);
        assert_eq!(frontier.next(), None);
        link(&mut frontier, &[page(2)], 0);
        assert_eq!(frontier.next().map(|lead| lead.variations), Some(0));
    }

    #[test]
    fn numbered_pages_of_one_list_are_all_found() {
        let links: Vec<String> = (0..500).map(|number| format!("https://a.example/product/{number}")).collect();
        assert_eq!(all(with_links(&links)).len(), 500);
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
        link(&mut frontier, &pages(&[1]), 3);
        frontier.add_sitemap(&[listed("https://a.example/p2")]);
        link(&mut frontier, &["https://a.example/p3?sort=up"], 0);
        link(&mut frontier, &pages(&[4]), 0);
        let expected = ["p4", "p2", "p3?sort=up", "p1"].map(|page| format!("https://a.example/{page}"));
        assert_eq!(all(frontier), expected);
    }

    #[test]
    fn closed_pages_use_up_no_turns_of_open_ones_and_end_the_search_at_last() {
        let closed = |count: u32| (0..count).map(|id| format!("https://a.example/private/{id}"));
        let links: Vec<String> = closed(1_500).chain(["https://a.example/open".to_owned()]).collect();
        assert_eq!(all(with_links(&links)), ["https://a.example/open"]);
        let mut frontier = frontier();
        link(&mut frontier, &closed(5_000).collect::<Vec<_>>(), 0);
        assert_eq!(frontier.next(), None);
        assert_eq!(frontier.waiting.len(), 3_000);
    }

    proptest! {
        #[test]
        fn every_page_comes_exactly_once_and_always_in_the_same_order(
            paths in prop::collection::vec("/[a-d]{1,2}(/[e-h]{1,2}(/[i-l]{1,2})?)?/?", 0..80),
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
            // One page of each section is in the first round.
            let first: HashSet<&str> = chosen[..sizes.len()].iter().map(|url| &url[18..19]).collect();
            prop_assert_eq!(first.len(), sizes.len());
        }
    }
}
