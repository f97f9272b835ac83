//! The choice of pages among those that were named.

use std::{collections::BTreeMap, str::FromStr};

use a11ycheck_core::domain::{PagePattern, page_address};
use url::Url;

/// A beginning of addresses that stands for another one: `FROM=TO`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    from: String,
    to: String,
    /// `to` as an address.
    target: Url,
}

/// The error for a text that replaces nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` replaces nothing: write FROM=TO with two addresses, for example https://www.example.com=http://localhost:3000"
)]
pub struct InvalidReplacement(String);

impl FromStr for Replacement {
    type Err = InvalidReplacement;

    fn from_str(text: &str) -> Result<Self, InvalidReplacement> {
        let invalid = || InvalidReplacement(text.to_owned());
        // An address may contain equals signs in its query; the second one begins with a scheme.
        let at = ["=http://", "=https://"].iter().filter_map(|mark| text.find(mark)).min().ok_or_else(invalid)?;
        let (from, to) = (text[..at].trim_end_matches('/'), text[at + 1..].trim_end_matches('/'));
        let address = |text: &str| Url::parse(text).ok().filter(Url::has_host).ok_or_else(invalid);
        address(from)?;
        Ok(Self { from: from.to_owned(), to: to.to_owned(), target: address(to)? })
    }
}

impl Replacement {
    /// Returns the address that addresses begin with afterwards.
    pub fn target(&self) -> &Url {
        &self.target
    }

    /// Returns the address with its beginning replaced, if it has that beginning.
    pub fn apply(&self, address: &str) -> Option<String> {
        let rest = address.strip_prefix(&self.from)?;
        (rest.is_empty() || rest.starts_with(['/', '?', '#'])).then(|| format!("{}{rest}", self.to))
    }
}

/// Returns the address as the first replacement that applies makes it.
pub(crate) fn replaced(replacements: &[Replacement], address: &Url) -> Url {
    let changed = replacements.iter().find_map(|replacement| replacement.apply(address.as_str()));
    changed.and_then(|changed| Url::parse(&changed).ok()).unwrap_or_else(|| address.clone())
}

/// The choice among pages that were named.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Only pages that match one of these; all if there is none.
    pub include: Vec<PagePattern>,
    /// No page that matches one of these.
    pub exclude: Vec<PagePattern>,
    /// The number of pages to choose; all without one.
    pub sample: Option<usize>,
}

impl Selection {
    /// Returns the pages that are chosen, each once, in their order, and the number of those that were named.
    ///
    /// The choice depends on the addresses alone: pages of each kind in turn, where addresses are of one kind that differ only in
    /// the last part of their path and in numbers.
    pub fn choose(&self, pages: Vec<Url>) -> (Vec<Url>, usize) {
        let mut seen = std::collections::HashSet::new();
        let mut pages: Vec<Url> = pages.iter().map(page_address).filter(|page| seen.insert(page.clone())).collect();
        let named = pages.len();
        let matches =
            |patterns: &[PagePattern], page: &Url| patterns.iter().any(|pattern| pattern.matches(page.as_str()));
        pages.retain(|page| (self.include.is_empty() || matches(&self.include, page)) && !matches(&self.exclude, page));
        match self.sample {
            Some(count) if count < pages.len() => (sampled(pages, count), named),
            _ => (pages, named),
        }
    }
}

fn sampled(pages: Vec<Url>, count: usize) -> Vec<Url> {
    let mut kinds: BTreeMap<(usize, String), Vec<usize>> = BTreeMap::new();
    let mut first: BTreeMap<String, usize> = BTreeMap::new();
    for (index, page) in pages.iter().enumerate() {
        let kind = kind_of(page);
        let order = *first.entry(kind.clone()).or_insert(index);
        kinds.entry((order, kind)).or_default().push(index);
    }
    let mut chosen: Vec<usize> = Vec::with_capacity(count);
    let mut round = 0;
    while chosen.len() < count {
        // Each round takes one page of each kind, spread over the kind.
        for members in kinds.values().filter(|members| members.len() > round) {
            if chosen.len() < count {
                chosen.push(members[round]);
            }
        }
        round += 1;
    }
    chosen.sort_unstable();
    let mut pages: Vec<Option<Url>> = pages.into_iter().map(Some).collect();
    chosen.into_iter().filter_map(|index| pages[index].take()).collect()
}

/// Returns what addresses of one kind have in common.
fn kind_of(page: &Url) -> String {
    let path = page.path().trim_end_matches('/');
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let number = |text: &str| text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect::<String>();
    let name = if folder.is_empty() { number(name) } else { "*".to_owned() };
    format!("{}{}/{name}", page.host_str().unwrap_or_default(), number(folder))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn urls(paths: impl IntoIterator<Item = String>) -> Vec<Url> {
        paths.into_iter().map(|path| Url::parse(&format!("https://a.example{path}")).unwrap()).collect()
    }

    fn paths(pages: &[Url]) -> Vec<&str> {
        pages.iter().map(Url::path).collect()
    }

    #[test]
    fn patterns_choose_pages_and_the_order_stays() {
        let pages = urls(["/b", "/blog/1", "/blog/2", "/a", "/b#top"].map(str::to_owned));
        let choice = Selection {
            include: vec!["/*".parse().unwrap(), "/blog/**".parse().unwrap()],
            exclude: vec!["/blog/2".parse().unwrap()],
            sample: None,
        };
        let (chosen, named) = choice.choose(pages);
        assert_eq!((paths(&chosen), named), (vec!["/b", "/blog/1", "/a"], 4));
    }

    #[test]
    fn a_sample_has_pages_of_each_kind_and_is_the_same_each_time() {
        let posts = (0..2_000).map(|id| format!("/blog/post-{id}"));
        let products = (0..300).map(|id| format!("/shop/{id}/"));
        let pages = urls(posts.chain(products).chain(["/".to_owned(), "/contact".to_owned()]));
        let sample = Selection { sample: Some(6), ..Selection::default() };
        let (chosen, named) = sample.choose(pages.clone());
        assert_eq!(named, 2_302);
        assert_eq!(paths(&chosen), ["/blog/post-0", "/blog/post-1", "/shop/0/", "/shop/1/", "/", "/contact"]);
        assert_eq!(sample.choose(pages).0, chosen);
    }

    #[test]
    fn the_beginning_of_an_address_is_replaced_and_nothing_that_only_begins_like_it() {
        let to_preview: Replacement = "https://www.a.example/=http://localhost:3000".parse().unwrap();
        assert_eq!(to_preview.apply("https://www.a.example/x?a=b").as_deref(), Some("http://localhost:3000/x?a=b"));
        assert_eq!(to_preview.apply("https://www.a.example.net/"), None);
        for text in ["", "a=b", "https://a.example", "=http://a.example"] {
            assert!(text.parse::<Replacement>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_sample_has_as_many_pages_as_were_asked_for_if_there_are_as_many(
            paths in prop::collection::vec("/[ab]?/?[a-c0-9]{0,3}", 0..40), count in 0..50_usize,
        ) {
            let (all, _) = Selection::default().choose(urls(paths.clone()));
            let (chosen, _) = Selection { sample: Some(count), ..Selection::default() }.choose(urls(paths));
            prop_assert_eq!(chosen.len(), count.min(all.len()));
        }
    }
}
