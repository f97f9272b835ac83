//! The platforms that follow from the marks of a page.

use std::cmp::Reverse;

use a11ycheck_core::domain::PlatformKey;

use super::{
    Signals,
    table::{Mark, PLATFORMS, Platform},
};

/// The weight of a strong mark; a weak one weighs 1.
const STRONG: usize = 2;

/// Returns the platforms that the marks suggest, each once: shops, then other platforms for whole sites, then
/// frameworks; within each class, the most certain first, and a platform before the one that it is built on.
pub(crate) fn detect(signals: &Signals) -> Vec<PlatformKey> {
    let mut found: Vec<(&Platform, usize)> = PLATFORMS
        .iter()
        .map(|platform| (platform, weight(platform, signals)))
        .filter(|(_, weight)| *weight >= STRONG)
        .collect();
    let implied: Vec<&str> = found.iter().flat_map(|(platform, _)| platform.implies).copied().collect();
    found.sort_by_key(|(platform, weight)| (class(platform.key), implied.contains(&platform.key), Reverse(*weight)));
    let mut keys: Vec<&str> = Vec::new();
    for key in found.iter().map(|(platform, _)| platform.key).chain(implied) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    // Platforms that are only implied are at the end; the sort is stable.
    keys.sort_by_key(|key| class(key));
    keys.into_iter().map(PlatformKey::new).collect()
}

fn weight(platform: &Platform, signals: &Signals) -> usize {
    let seen = |marks: &[Mark]| marks.iter().filter(|mark| signals.show(**mark)).count();
    STRONG * seen(platform.strong) + seen(platform.weak)
}

/// Returns the class of a platform, by which they are ordered: the class with the most exact tips first.
fn class(key: &str) -> u8 {
    match key {
        "laravel" | "next" | "nuxt" | "angular" | "svelte" | "react" | "vue" => 2,
        key if PlatformKey::new(key).is_shop() => 0,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use url::Url;

    use super::*;
    use crate::platform::signals::{Found, globals, selectors};

    /// Returns the signals of a page that has these marks and no other.
    fn page_with(marks: &[Mark]) -> Signals {
        let (mut headers, mut cookies, mut found, mut expressions) = (vec![], vec![], Found::default(), vec![]);
        let place = |list: Vec<&str>, text: &str| list.iter().position(|listed| *listed == text).unwrap();
        for mark in marks {
            match *mark {
                Mark::Header(name, value) => headers.push((name.to_owned(), format!("a {value} b"))),
                Mark::Cookie(name) => cookies.push(format!("{name}1")),
                Mark::Generator(name) => found.generators.push(format!("{name} 1.2")),
                Mark::Path(path) => found.assets.push(format!("https://www.a.example/x{path}y.js")),
                Mark::Host(host) => found.assets.push(format!("https://x.{host}/y.js")),
                Mark::Selector(text) => found.selectors.push(place(selectors(), text)),
                Mark::Global(text) => expressions.push(place(globals(), text)),
            }
        }
        Signals::new(&Url::parse("https://a.example/").unwrap(), &headers, cookies, found, &expressions)
    }

    fn keys(signals: &Signals) -> Vec<String> {
        detect(signals).iter().map(|key| key.as_str().to_owned()).collect()
    }

    #[test]
    fn one_strong_mark_suffices_and_of_weak_ones_it_takes_two() {
        for Platform { key, implies, strong, weak } in PLATFORMS {
            let expected: Vec<&str> = [*key].into_iter().chain(implies.iter().copied()).collect();
            for mark in *strong {
                assert_eq!(keys(&page_with(&[*mark])), expected, "{mark:?}");
            }
            for (index, mark) in weak.iter().enumerate() {
                assert_eq!(keys(&page_with(&[*mark])), [""; 0], "{mark:?}");
                for other in &weak[..index] {
                    assert_eq!(keys(&page_with(&[*mark, *other])), expected, "{mark:?} {other:?}");
                }
            }
        }
    }

    #[test]
    fn tips_can_follow_the_first_platform() {
        let shop = [Mark::Path("/wp-content/"), Mark::Generator("WordPress"), Mark::Generator("WooCommerce")];
        assert_eq!(keys(&page_with(&shop)), ["woocommerce", "wordpress"]);
        let react = Mark::Selector("[data-reactroot], [data-reactid]");
        let both = [react, Mark::Path("/_next/static/"), Mark::Path("/wp-content/")];
        assert_eq!(keys(&page_with(&both)), ["wordpress", "next", "react"]);
    }

    #[test]
    fn pictures_from_elsewhere_say_nothing_about_the_site() {
        let found = Found { assets: vec!["https://b.example/wp-content/x.png".to_owned()], ..Found::default() };
        let signals = Signals::new(&Url::parse("https://a.example/").unwrap(), &[], vec![], found, &[]);
        assert_eq!(keys(&signals), [""; 0]);
    }

    #[test]
    fn what_several_pages_show_adds_up() {
        let mut signals = page_with(&[Mark::Cookie("XSRF-TOKEN")]);
        signals.add(page_with(&[Mark::Selector("meta[name='csrf-token']")]));
        assert_eq!(keys(&signals), ["laravel"]);
    }

    #[test]
    fn every_key_has_a_name_and_one_number_holds_all_expressions() {
        for platform in PLATFORMS {
            for key in platform.implies.iter().chain([&platform.key]) {
                assert_ne!(PlatformKey::new(key).display_name(), *key);
            }
        }
        assert!(globals().len() <= 31);
    }

    proptest! {
        #[test]
        fn whatever_a_page_shows_each_platform_comes_once(
            text in prop::collection::vec("[ -~]{0,20}", 0..6), numbers in prop::collection::vec(any::<usize>(), 0..6),
        ) {
            let found = Found { generators: text.clone(), assets: text.clone(), selectors: numbers.clone() };
            let headers: Vec<_> = text.iter().map(|text| (text.clone(), text.clone())).collect();
            let signals = Signals::new(&Url::parse("https://a.example/").unwrap(), &headers, text, found, &numbers);
            let found = keys(&signals);
            let unique: std::collections::HashSet<_> = found.iter().collect();
            prop_assert_eq!(unique.len(), found.len());
        }
    }
}
