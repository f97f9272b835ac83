//! Addresses without end: calendars, filters that add to each other, folders that lead into themselves.
//!
//! A page of a trap looks like any other, so it is recognised by the way to it. docs/pages.md tells site owners about
//! these bounds.

use std::collections::HashMap;

use a11ycheck_core::domain::view_of;
use url::Url;

use super::kinds::Shape;

/// The number of steps from page to page that change nothing but numbers and parameters: to the next month, the next
/// page of a list, one more filter.
pub(super) const MAX_VARIATIONS: u32 = 20;
/// The number of parts of a path, or of a view.
const MAX_PARTS: usize = 20;
/// The number of times that one name may be in a path. A relative link on a page that responds at any address adds it
/// again with each step: `/more/more/more`.
const MAX_REPEATS: usize = 2;
/// The number of parameters of an address.
const MAX_PARAMETERS: usize = 12;

/// Returns whether an address has grown as only those of traps do.
pub(super) fn has_outgrown(url: &Url) -> bool {
    let is_long = |path: &str| {
        let parts = path.split('/').filter(|part| !part.is_empty());
        let names = parts.clone().filter(|part| part.contains(|character: char| character.is_alphabetic()));
        parts.count() > MAX_PARTS || most_often(names) > MAX_REPEATS
    };
    let has_many = |query: &str| {
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        pairs.clone().count() > MAX_PARAMETERS || most_often(pairs) > MAX_REPEATS
    };
    let view = view_of(url).unwrap_or_default();
    let (view, query_of_view) = view.split_once('?').unwrap_or((view, ""));
    is_long(url.path()) || is_long(view) || has_many(url.query().unwrap_or_default()) || has_many(query_of_view)
}

/// Returns whether a link leads from a page to the same page with other numbers or parameters.
pub(super) fn is_variation(page: &Shape, link: &Url) -> bool {
    *page == Shape::whole(link)
}

fn most_often<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    let mut times: HashMap<&str, usize> = HashMap::new();
    for text in texts {
        *times.entry(text).or_default() += 1;
    }
    times.into_values().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(path: &str) -> Url {
        Url::parse(&format!("https://a.example{path}")).unwrap()
    }

    #[test]
    fn what_repeats_itself_or_has_grown_too_long_is_known() {
        for trap in [
            "/soft/a/deeper/deeper/deeper",
            "/a/b/a/b/a/b",
            "/#/more/more/more",
            "/list?tag=red&tag=red&tag=red",
            "/#/list?tag=red&tag=red&tag=red",
        ] {
            assert!(has_outgrown(&url(trap)), "{trap}");
        }
        assert!(has_outgrown(&url(&"/1".repeat(21))));
        let parameters: String = (0..13).map(|number| format!("p{number}=1&")).collect();
        assert!(has_outgrown(&url(&format!("/?{parameters}"))));
    }

    #[test]
    fn ordinary_addresses_are_not_taken_for_a_trap() {
        for page in [
            "/",
            "/2011/11/11/11",
            "/docs/en/guide/en/",
            "/a/b/a/b",
            "/shop?size=m&size=l&size=xl&colour=red",
            "/#/products/1/1/1",
            "/#/search?q=a&page=2",
        ] {
            assert!(!has_outgrown(&url(page)), "{page}");
        }
    }

    #[test]
    fn another_month_page_or_filter_is_a_variation_and_another_name_is_not() {
        let varies = |page: &str, link: &str| is_variation(&Shape::whole(&url(page)), &url(link));
        for (page, link) in [
            ("/calendar/2027/01", "/calendar/2027/02"),
            ("/calendar?month=2027-01", "/calendar?month=2027-02"),
            ("/news", "/news?page=2"),
            ("/shop?a=1", "/shop?a=1&b=2"),
            ("/#/calendar/1", "/#/calendar/2"),
        ] {
            assert!(varies(page, link), "{page} {link}");
        }
        for (page, link) in [
            ("/news", "/news/2"),
            ("/news/one", "/news/two"),
            ("/a/b/c/d/e/f/one", "/a/b/c/d/e/f/two"),
            ("/#/news", "/#/about"),
            ("/", "/#/about"),
            ("/?route=list", "/?route=product"),
        ] {
            assert!(!varies(page, link), "{page} {link}");
        }
    }
}
