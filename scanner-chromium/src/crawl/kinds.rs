//! The kinds of addresses: which look like pages of one template.
//!
//! Nothing says which pages share a template, but their addresses show it: a shop has thirty addresses below
//! `/products/`, or three hundred of one shape at its root. Names with only a page or two below them count as alike as
//! soon as there are many of them; names with several pages below them are sections of the site. Parts that vary within
//! a template even in a single address (numbers, hashes, languages) are normalised first.

use std::{cmp::Reverse, collections::BTreeMap};

use a11ycheck_core::domain::view_of;
use url::Url;

/// The number of parts of a path that are compared. Deeper ones are of the same kind.
const MAX_DEPTH: usize = 6;
/// The number of addresses that make a name a section.
const SECTION: usize = 3;
/// The number of sections below one part of a path, the largest ones, that are distinguished.
const MAX_SECTIONS: usize = 16;
/// The number of other names side by side up to which they are distinguished.
const MAX_NAMES: usize = 8;
/// The query parameters that choose the template, in software with one address for all pages.
const ROUTES: [&str; 7] = ["action", "controller", "module", "option", "page_id", "route", "view"];

/// The shape of an address: the normalised parts of its path and of its view, and the parameters that choose a
/// template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shape(Vec<String>);

impl Shape {
    /// Returns the parts that are compared to distinguish kinds.
    pub(super) fn of(url: &Url) -> Self {
        let mut parts = Self::whole(url).0;
        parts.truncate(MAX_DEPTH);
        Self(parts)
    }

    /// Returns all parts. Two addresses of one whole shape differ only in numbers, hashes and parameters.
    pub(super) fn whole(url: &Url) -> Self {
        let mut parts = path_parts(url.path());
        if let Some(view) = view_of(url) {
            let path = view.split('?').next().unwrap_or_default();
            let mut view = path_parts(path.trim_start_matches('!'));
            if let Some(first) = view.first_mut() {
                // A view is no folder.
                first.insert(0, '#');
            }
            parts.append(&mut view);
        }
        for (name, value) in url.query_pairs() {
            if ROUTES.contains(&name.as_ref()) {
                parts.push(format!("?{name}={}", evened(&value, 1)));
            }
        }
        Self(parts)
    }
}

fn path_parts(path: &str) -> Vec<String> {
    let segments = path.split('/').filter(|segment| !segment.is_empty());
    segments.enumerate().map(|(depth, segment)| evened(segment, depth)).collect()
}

/// Returns the number of its kind for each of the shapes; equal numbers for pages that look alike. The numbers
/// themselves mean nothing, and depend only on the shapes and their order.
pub(super) fn kinds(shapes: &[&Shape]) -> Vec<usize> {
    let mut kinds = vec![0; shapes.len()];
    let mut number = 0;
    let mut open = vec![((0..shapes.len()).collect::<Vec<_>>(), 0)];
    while let Some((members, depth)) = open.pop() {
        let mut names: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for member in members {
            match shapes[member].0.get(depth) {
                Some(name) => names.entry(name).or_default().push(member),
                // All members came the same way, so those that end here are alike.
                None => kinds[member] = number,
            }
        }
        number += 1;
        let (mut sections, mut others): (Vec<_>, Vec<_>) =
            names.into_values().partition(|members| members.len() >= SECTION);
        // The sort is stable, so sections of one size stay in the order of their names.
        sections.sort_by_key(|members| Reverse(members.len()));
        let small = sections.split_off(sections.len().min(MAX_SECTIONS));
        open.extend(sections.into_iter().map(|members| (members, depth + 1)));
        if !small.is_empty() {
            open.push((small.concat(), depth + 1));
        }
        if others.len() > MAX_NAMES {
            others = vec![others.concat()];
        }
        open.extend(others.into_iter().map(|members| (members, depth + 1)));
    }
    kinds
}

/// Returns a part of a path without what certainly varies between pages of one template.
fn evened(part: &str, depth: usize) -> String {
    let part = part.to_ascii_lowercase();
    if depth == 0 && is_language(&part) {
        return "(language)".to_owned();
    }
    let is_hash = part.len() >= 16 && part.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    if is_hash {
        return "(hash)".to_owned();
    }
    let mut evened = String::with_capacity(part.len());
    for character in part.chars().take(100) {
        let character = if character.is_ascii_digit() { '0' } else { character };
        if character != '0' || !evened.ends_with('0') {
            evened.push(character);
        }
    }
    evened
}

/// Returns whether a part is a language: `en`, `pt-br`, `zh_hant`, the beginning of many addresses of multilingual
/// sites.
fn is_language(part: &str) -> bool {
    let (language, region) = part.split_once(['-', '_']).unwrap_or((part, "xx"));
    let is_letters = |text: &str| text.bytes().all(|byte| byte.is_ascii_lowercase());
    language.len() == 2 && matches!(region.len(), 2 | 4) && is_letters(language) && is_letters(region)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn kinds_of(paths: &[String]) -> Vec<usize> {
        let shapes: Vec<Shape> =
            paths.iter().map(|path| Shape::of(&Url::parse(&format!("https://a.example{path}")).unwrap())).collect();
        kinds(&shapes.iter().collect::<Vec<_>>())
    }

    fn number_of_kinds(paths: &[String]) -> usize {
        kinds_of(paths).into_iter().collect::<BTreeSet<_>>().len()
    }

    fn many(count: usize, path: impl Fn(&str) -> String) -> Vec<String> {
        // The names have no digits, which are normalised anyway.
        let name = |index: usize| char::from(b'a' + u8::try_from(index).unwrap()).to_string().repeat(4);
        (0..count).map(|index| path(&name(index))).collect()
    }

    #[test]
    fn products_are_one_kind_wherever_their_addresses_stand() {
        assert_eq!(number_of_kinds(&many(20, |name| format!("/products/{name}"))), 1);
        assert_eq!(number_of_kinds(&many(20, |name| format!("/{name}.html"))), 1);
        assert_eq!(number_of_kinds(&many(20, |name| format!("/{name}/product"))), 1);
        assert_eq!(number_of_kinds(&(0..3).map(|id| format!("/item-{id}{id}")).collect::<Vec<_>>()), 1);
        assert_eq!(number_of_kinds(&many(9, |name| format!("/index.php?route=product/product&id={name}"))), 1);
    }

    #[test]
    fn sections_and_a_few_pages_with_names_stay_apart() {
        let pages = ["/", "/about", "/contact", "/en/", "/en/about"].map(str::to_owned).to_vec();
        assert_eq!(number_of_kinds(&pages), 5);
        let blog = many(12, |name| format!("/blog/{name}"));
        let shop = many(25, |name| format!("/shop/{name}"));
        assert_eq!(number_of_kinds(&[pages, blog, shop].concat()), 7);
        let routes = ["/?route=product/product&id=1", "/?route=product/category&id=1", "/?route=product/product&id=2"];
        assert_eq!(number_of_kinds(&routes.map(str::to_owned)), 2);
    }

    #[test]
    fn a_language_at_the_front_does_not_hide_or_split_sections() {
        let german = many(12, |name| format!("/de/products/{name}"));
        let english = many(12, |name| format!("/en-gb/products/{name}"));
        let about = vec!["/de/about".to_owned(), "/en-gb/about".to_owned()];
        assert_eq!(number_of_kinds(&[german, english, about].concat()), 2);
    }

    #[test]
    fn views_of_an_application_are_kinds_like_paths() {
        let products = many(20, |name| format!("/#/products/{name}"));
        assert_eq!(number_of_kinds(&products), 1);
        let pages = ["/", "/#/about", "/#/contact", "/#!/news", "/about"].map(str::to_owned).to_vec();
        assert_eq!(number_of_kinds(&[pages, products].concat()), 6);
    }

    proptest! {
        #[test]
        fn the_same_address_is_always_of_the_same_kind_and_kinds_are_few(
            paths in prop::collection::vec("(/[a-e]{1,3}){0,4}", 1..200),
        ) {
            let kinds = kinds_of(&paths);
            for (path, kind) in paths.iter().zip(&kinds) {
                let twin = paths.iter().position(|other| other == path).unwrap();
                prop_assert_eq!(kinds[twin], *kind);
            }
            // Each level distinguishes at most `MAX_SECTIONS + 1 + MAX_NAMES` names.
            prop_assert!(number_of_kinds(&paths) <= (MAX_SECTIONS + MAX_NAMES + 1).pow(4));
        }
    }
}
