//! Contract §1.9, with the page links of Laravel's paginator, whose shape the contract shows.

use a11ycheck_core::paging::Page;
use schemars::JsonSchema;
use serde::Serialize;
use url::Url;

/// A page of a list.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "{T}List")]
pub struct ListView<T> {
    /// The items of the page.
    #[schemars(length(max = 100))]
    data: Vec<T>,
    /// The links to the other pages.
    links: EndLinks,
    /// The place of this page in its list.
    meta: Meta,
}

/// Where a list is, for the links to its other pages.
#[derive(Debug, Clone)]
pub struct PagedList {
    path: Url,
    kept: Vec<(String, String)>,
}

/// The ends of a list, and the pages beside this one. They keep the other query parameters.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "ListLinks")]
struct EndLinks {
    /// The first page.
    #[schemars(extend("format" = "uri"))]
    first: String,
    /// The last page.
    #[schemars(extend("format" = "uri"))]
    last: String,
    /// The page before.
    #[schemars(extend("format" = "uri"))]
    prev: Option<String>,
    /// The page after: follow it until it is null to read the whole list.
    #[schemars(extend("format" = "uri"))]
    next: Option<String>,
}

/// The place of this page in its list.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "ListMeta")]
struct Meta {
    /// This page.
    #[schemars(range(min = 1))]
    current_page: u64,
    /// The number of the first item, from 1; null on a page without items.
    #[schemars(range(min = 1))]
    from: Option<u64>,
    /// The last page.
    #[schemars(range(min = 1))]
    last_page: u64,
    /// The links of a page switcher: previous, numbered pages with gaps, next.
    links: Vec<PageLink>,
    /// The address of the list, without a query.
    #[schemars(extend("format" = "uri"))]
    path: String,
    /// The number of items on a page.
    #[schemars(range(min = 1, max = 100))]
    per_page: u32,
    /// The number of the last item; null on a page without items.
    #[schemars(range(min = 1))]
    to: Option<u64>,
    /// The number of items in the whole list.
    total: u64,
}

/// A place in a page switcher.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "PageLink")]
struct PageLink {
    /// The address of the page; null for a gap and beyond the ends.
    #[schemars(extend("format" = "uri"))]
    url: Option<String>,
    /// The text of the link, as HTML.
    label: String,
    /// The page's number.
    #[schemars(range(min = 1))]
    page: Option<u64>,
    /// Whether the link leads to this page.
    active: bool,
}

impl PagedList {
    /// A list at `path`, whose links keep these query parameters, but for `page`.
    pub fn new(path: Url, kept: impl IntoIterator<Item = (String, String)>) -> Self {
        Self { path, kept: kept.into_iter().filter(|(name, _)| name != "page").collect() }
    }

    fn page(&self, number: u64) -> String {
        let mut url = self.path.clone();
        url.query_pairs_mut().extend_pairs(&self.kept).append_pair("page", &number.to_string());
        // Form encoding writes a space as `+`; a literal plus is `%2B` by then.
        let query = url.query().unwrap_or_default().replace('+', "%20");
        url.set_query(Some(&query));
        url.into()
    }
}

impl<T> ListView<T> {
    /// A page with links to the others.
    pub fn new<'a, I>(page: &'a Page<I>, list: &PagedList, item: impl Fn(&'a I) -> T) -> Self {
        let current = u64::from(page.request.page());
        let last = page.last_page();
        let offset = page.request.offset();
        let count = page.items.len() as u64;
        let link = |number| list.page(number);
        let prev = (current > 1).then(|| current - 1);
        let next = (current < last).then_some(current + 1);
        Self {
            data: page.items.iter().map(item).collect(),
            links: EndLinks { first: link(1), last: link(last), prev: prev.map(link), next: next.map(link) },
            meta: Meta {
                current_page: current,
                from: (count > 0).then_some(offset + 1),
                last_page: last,
                links: page_links(list, current, last, prev, next),
                path: list.path.to_string(),
                per_page: page.request.per_page(),
                to: (count > 0).then_some(offset + count),
                total: page.total,
            },
        }
    }
}

fn page_links(list: &PagedList, current: u64, last: u64, prev: Option<u64>, next: Option<u64>) -> Vec<PageLink> {
    let step = |label: &str, page: Option<u64>| PageLink {
        url: page.map(|number| list.page(number)),
        label: label.to_owned(),
        page,
        active: false,
    };
    let numbered = shown_pages(current, last).into_iter().map(|shown| match shown {
        Some(number) => PageLink { active: number == current, ..step(&number.to_string(), shown) },
        None => step("...", None),
    });
    std::iter::once(step("&laquo; Previous", prev)).chain(numbered).chain([step("Next &raquo;", next)]).collect()
}

/// The numbers that are shown, `None` for a gap: all of up to 13 pages, else both ends and three on each side of the
/// current one, and ten at the end where it is.
fn shown_pages(current: u64, last: u64) -> Vec<Option<u64>> {
    let pages = |from: u64, to: u64| (from..=to).map(Some);
    if last < 14 {
        pages(1, last).collect()
    } else if current <= 7 {
        pages(1, 10).chain([None]).chain(pages(last - 1, last)).collect()
    } else if current > last - 7 {
        pages(1, 2).chain([None]).chain(pages(last - 9, last)).collect()
    } else {
        let near = pages(current - 3, current + 3);
        pages(1, 2).chain([None]).chain(near).chain([None]).chain(pages(last - 1, last)).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use a11ycheck_core::paging::PageRequest;

    fn view(total: usize, page: u32, per_page: u32, kept: &[(&str, &str)]) -> Value {
        let kept = kept.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let list = PagedList::new(Url::parse("https://a.example/v1/sites").unwrap(), kept);
        let page = Page::cut(0..total, PageRequest::new(page, per_page));
        serde_json::to_value(ListView::new(&page, &list, |item| *item)).unwrap()
    }

    #[test]
    fn an_empty_list_has_one_page() {
        assert_eq!(
            view(0, 1, 50, &[]),
            json!({
                "data": [],
                "links": {
                    "first": "https://a.example/v1/sites?page=1", "last": "https://a.example/v1/sites?page=1",
                    "prev": null, "next": null,
                },
                "meta": {
                    "current_page": 1, "from": null, "last_page": 1,
                    "links": [
                        {"url": null, "label": "&laquo; Previous", "page": null, "active": false},
                        {"url": "https://a.example/v1/sites?page=1", "label": "1", "page": 1, "active": true},
                        {"url": null, "label": "Next &raquo;", "page": null, "active": false},
                    ],
                    "path": "https://a.example/v1/sites", "per_page": 50, "to": null, "total": 0,
                },
            })
        );
    }

    #[test]
    fn links_keep_the_other_parameters_and_lead_through_the_list() {
        let second = view(5, 2, 2, &[("tag", "a b&c+d"), ("per_page", "2"), ("page", "9")]);
        assert_eq!(second["links"]["next"], "https://a.example/v1/sites?tag=a%20b%26c%2Bd&per_page=2&page=3");
        assert_eq!(second["links"]["prev"], "https://a.example/v1/sites?tag=a%20b%26c%2Bd&per_page=2&page=1");
        assert_eq!((&second["meta"]["from"], &second["meta"]["to"]), (&json!(3), &json!(4)));
        assert_eq!(view(5, 3, 2, &[])["links"]["next"], Value::Null);
        assert_eq!(view(5, 9, 2, &[])["data"], json!([]));
    }

    #[test]
    fn long_lists_show_gaps() {
        let shown = |current, last| {
            let label = |page: Option<u64>| page.map_or("...".to_owned(), |page| page.to_string());
            shown_pages(current, last).into_iter().map(label).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(shown(1, 13), "1 2 3 4 5 6 7 8 9 10 11 12 13");
        assert_eq!(shown(7, 20), "1 2 3 4 5 6 7 8 9 10 ... 19 20");
        assert_eq!(shown(8, 20), "1 2 ... 5 6 7 8 9 10 11 ... 19 20");
        assert_eq!(shown(13, 20), "1 2 ... 10 11 12 13 14 15 16 ... 19 20");
        assert_eq!(shown(14, 20), "1 2 ... 11 12 13 14 15 16 17 18 19 20");
        assert_eq!(shown(99, 20), "1 2 ... 11 12 13 14 15 16 17 18 19 20");
    }
}
