//! The requests without a response in a scan, so that no further page of it waits for the same.

use std::{
    collections::{HashMap, HashSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::{Mutex, MutexGuard, PoisonError},
};

use a11ycheck_core::domain::without_query;

use crate::cdp::events::Request;

/// The number of requests that are remembered. A site with more of them is slow whatever is done.
const MAX_KNOWN: usize = 500;
/// The number of addresses that are failed at once.
const MAX_BLOCKED: usize = 100;
/// The number of characters of an address that are kept. A longer one is not failed at once, as it would not be
/// recognised.
const MAX_ADDRESS: usize = 2_000;
/// The number of requests with different queries that must go without a response before every query at the same path
/// counts as such a request: the addresses of trackers contain a random number or the page they are on.
const STRIKES: u32 = 2;
/// The number of consecutive digits that make part of a query an instant or a random number, which only serves to
/// bypass caches.
const CACHE_BUSTER: usize = 10;

/// A request, as far as it can be recognised on another page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Asked {
    /// A hash of method, address and body.
    pub(super) key: u64,
    /// The address, without fragment.
    pub(super) url: String,
    /// True if the request consists of its address alone.
    pub(super) is_get: bool,
}

impl Asked {
    /// Returns what is recognised of a request.
    pub(super) fn of(request: &Request) -> Self {
        let Request { method, url, has_post_data, post_data, post_data_entries, .. } = request;
        let key = hash(|hasher| {
            method.hash(hasher);
            without_cache_busters(url).hash(hasher);
            // The parts of the body, if it was uploaded in parts; nothing if it is too long to be reported.
            post_data.hash(hasher);
            post_data_entries.to_string().hash(hasher);
        });
        let url: String = url.chars().take(MAX_ADDRESS).collect();
        Self { key, url, is_get: method == "GET" && !has_post_data }
    }

    /// Returns the address without its query, if the query may vary.
    fn path(&self) -> Option<&str> {
        self.is_get.then(|| self.url.split('?').next().unwrap_or_default())
    }
}

/// The treatment, on other pages, of a request that went without a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sentence {
    /// It is made, but not waited for.
    NotWaitedFor,
    /// It fails at once, because the browser does not go on with the page, or does not draw it, before the request has
    /// ended.
    Failed,
}

/// The requests of a scan without a response when the time of their page was up. The scan's tabs share it.
#[derive(Debug, Default)]
pub(super) struct Unresponsive(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    requests: HashSet<u64>,
    /// The number of those that differ only in their queries, by path.
    paths: HashMap<String, u32>,
    /// The addresses to fail, in which `*` stands for any characters.
    blocked: Vec<String>,
}

impl Unresponsive {
    /// Remembers a request, and returns whether it was new and there was room for it.
    pub(super) fn note(&self, asked: &Asked, sentence: Sentence) -> bool {
        let mut known = self.lock();
        if known.requests.len() >= MAX_KNOWN || known.knows(asked) || !known.requests.insert(asked.key) {
            return false;
        }
        tracing::info!(
            url = without_query(&asked.url),
            ?sentence,
            "A request has no answer and is not waited for again in this scan"
        );
        let strikes = asked.path().map_or(0, |path| {
            let strikes = known.paths.entry(path.to_owned()).or_default();
            *strikes += 1;
            *strikes
        });
        if sentence == Sentence::Failed {
            known.block(&asked.url, "");
            if let Some(path) = asked.path().filter(|_| strikes >= STRIKES) {
                known.block(path, "?*");
            }
        }
        true
    }

    /// Returns whether this request, or one like it, had no response before.
    pub(super) fn knows(&self, asked: &Asked) -> bool {
        self.lock().knows(asked)
    }

    /// Returns the addresses to fail at once, in which `*` stands for any characters. None is ever removed.
    pub(super) fn blocked(&self) -> Vec<String> {
        self.lock().blocked.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn knows(&self, asked: &Asked) -> bool {
        !self.requests.is_empty()
            && (self.requests.contains(&asked.key)
                || asked.path().and_then(|path| self.paths.get(path)).is_some_and(|strikes| *strikes >= STRIKES))
    }

    fn block(&mut self, address: &str, rest: &str) {
        // An address with an asterisk would stand for others, too.
        if self.blocked.len() < MAX_BLOCKED && address.len() <= MAX_ADDRESS && !address.contains('*') {
            self.blocked.push(format!("{address}{rest}"));
        }
    }
}

pub(super) fn hash(feed: impl FnOnce(&mut DefaultHasher)) -> u64 {
    let mut hasher = DefaultHasher::new();
    feed(&mut hasher);
    hasher.finish()
}

/// Returns the address with one zero for each long number in its query.
fn without_cache_busters(address: &str) -> String {
    let Some((path, query)) = address.split_once('?') else { return address.to_owned() };
    let mut kept = format!("{path}?");
    let mut rest = query;
    while let Some(start) = rest.find(|character: char| character.is_ascii_digit()) {
        let (before, digits) = rest.split_at(start);
        let end = digits.find(|character: char| !character.is_ascii_digit()).unwrap_or(digits.len());
        kept.push_str(before);
        kept.push_str(if end >= CACHE_BUSTER { "0" } else { &digits[..end] });
        rest = &digits[end..];
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(key: u64, url: &str) -> Asked {
        Asked { key, url: url.to_owned(), is_get: true }
    }

    #[test]
    fn a_request_is_known_when_it_was_noted_once() {
        let unresponsive = Unresponsive::default();
        let pixel = get(1, "https://t.example/pixel.gif");
        assert!(!unresponsive.knows(&pixel));
        assert!(unresponsive.note(&pixel, Sentence::NotWaitedFor));
        assert!(unresponsive.knows(&pixel) && !unresponsive.note(&pixel, Sentence::Failed));
        assert!(!unresponsive.knows(&get(2, "https://t.example/other.gif")));
        assert!(unresponsive.blocked().is_empty());
    }

    #[test]
    fn a_tracker_with_another_query_on_each_page_is_known_after_two() {
        let unresponsive = Unresponsive::default();
        unresponsive.note(&get(1, "https://t.example/t.js?r=0.1"), Sentence::Failed);
        assert!(!unresponsive.knows(&get(2, "https://t.example/t.js?r=0.2")));
        unresponsive.note(&get(2, "https://t.example/t.js?r=0.2"), Sentence::Failed);
        assert!(unresponsive.knows(&get(3, "https://t.example/t.js?r=0.3")));
        assert!(!unresponsive.knows(&get(3, "https://t.example/u.js?r=0.3")));
        assert_eq!(
            unresponsive.blocked(),
            ["https://t.example/t.js?r=0.1", "https://t.example/t.js?r=0.2", "https://t.example/t.js?*"]
        );
    }

    #[test]
    fn a_call_of_one_kind_says_nothing_of_others_at_the_same_address() {
        let unresponsive = Unresponsive::default();
        let post = |key| Asked { key, url: "https://a.example/graphql".to_owned(), is_get: false };
        for key in 1..5 {
            unresponsive.note(&post(key), Sentence::NotWaitedFor);
        }
        assert!(unresponsive.knows(&post(4)) && !unresponsive.knows(&post(5)));
    }

    #[test]
    fn what_is_remembered_has_a_bound_and_no_address_of_a_page_stands_for_others() {
        let unresponsive = Unresponsive::default();
        unresponsive.note(&get(0, "https://a.example/*"), Sentence::Failed);
        assert!(unresponsive.blocked().is_empty());
        for key in 1..1_000 {
            unresponsive.note(&get(key, &format!("https://a.example/{key}")), Sentence::Failed);
        }
        assert_eq!((unresponsive.blocked().len(), unresponsive.lock().requests.len()), (MAX_BLOCKED, MAX_KNOWN));
    }
}
