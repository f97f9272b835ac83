//! Pages that say with a status of success that there is nothing.
//!
//! The response of a site at an address that can't exist shows what it says then. A page that says the same is no page.

use std::collections::{HashMap, HashSet};

use super::{
    phrases::{NOT_FOUND, says},
    sight::Sight,
};

/// The number of characters in which a page says what it is about.
const BEGINNING: usize = 1_500;
/// The share of words that two pages must have in common to say the same, without the words that all pages of the site
/// have.
const ALIKE: f64 = 0.7;
/// The same, with the words that all pages of the site have.
const ALIKE_AS_A_WHOLE: f64 = 0.85;

/// Returns whether a page says that something is not there. Good pages do, too.
pub(crate) fn says_not_found(sight: &Sight) -> bool {
    let beginning: String = sight.text.chars().take(BEGINNING).collect();
    says(&sight.title, NOT_FOUND) || says(&sight.headings.join(" "), NOT_FOUND) || says(&beginning, NOT_FOUND)
}

/// Returns whether `found` says the same as `missing`, the page at an address that can't exist. The words of `start`,
/// the start page of the site, count as those of all its pages; it is `None` if `found` is the start page.
pub(crate) fn is_same_page(found: &Sight, missing: &Sight, start: Option<&Sight>) -> bool {
    if !says_not_found(found) || !says_not_found(missing) {
        return false;
    }
    let Some(start) = start else { return likeness(&words(found), &words(missing)) >= ALIKE_AS_A_WHOLE };
    let common: HashSet<String> = words(start).into_keys().collect();
    let own = |sight: &Sight| {
        let mut words = words(sight);
        words.retain(|word, _| !common.contains(word));
        words
    };
    let (found, missing) = (own(found), own(missing));
    // A site that shows its start page at any address says nothing specific there.
    !missing.is_empty() && likeness(&found, &missing) >= ALIKE
}

/// Returns the words of title and text with their counts. Words with digits are left out: dates, numbers of requests.
fn words(sight: &Sight) -> HashMap<String, u32> {
    let mut words = HashMap::new();
    let text = format!("{} {}", sight.title, sight.text).to_lowercase();
    let all = text.split(|character: char| !character.is_alphanumeric());
    for word in all.filter(|word| !word.is_empty() && (*word == "404" || !word.contains(char::is_numeric))) {
        *words.entry(word.to_owned()).or_default() += 1;
    }
    words
}

/// Returns the share of words that two pages have in common (the Sørensen–Dice coefficient).
fn likeness(one: &HashMap<String, u32>, other: &HashMap<String, u32>) -> f64 {
    let sum = |words: &HashMap<String, u32>| words.values().sum::<u32>();
    let shared: u32 = one.iter().filter_map(|(word, count)| Some((*count).min(*other.get(word)?))).sum();
    let all = sum(one) + sum(other);
    if all == 0 { 0.0 } else { f64::from(2 * shared) / f64::from(all) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MENU: &str = "Shop Lamps Chairs Tables About us Contact Imprint Basket Search";

    fn page(title: &str, text: &str) -> Sight {
        Sight { title: title.to_owned(), text: format!("{MENU} {text}"), ..Sight::default() }
    }

    #[test]
    fn a_page_that_says_what_the_site_says_of_nothing_is_none() {
        let start = page("Shop", "Welcome to our lamps");
        let missing = page("Page not found", "Sorry, the page /a11ycheck-x7 could not be found. Go to the home page.");
        let found = page("Page not found", "Sorry, the page /old-lamp-12 could not be found. Go to the home page.");
        assert!(is_same_page(&found, &missing, Some(&start)));
        assert!(is_same_page(&found, &missing, None));
    }

    #[test]
    fn a_page_that_says_something_else_is_one_also_where_it_says_that_something_is_missing() {
        let start = page("Shop", "Welcome to our lamps");
        let missing = page("Page not found", "Sorry, the page you are looking for could not be found.");
        for good in [
            page("Search", "Your search for “sofa” has no result: nothing was not found, try other words"),
            page("The 404 museum", "A collection of the finest error pages of the web, with a tour each Sunday"),
            page("Lamps", "Twelve lamps"),
        ] {
            assert!(!is_same_page(&good, &missing, Some(&start)), "{good:?}");
        }
    }

    #[test]
    fn a_site_that_shows_its_start_page_at_any_address_has_no_missing_pages() {
        let start = page("404 Studio", "We make pages");
        assert!(!is_same_page(&start.clone(), &start.clone(), Some(&start)));
    }
}
