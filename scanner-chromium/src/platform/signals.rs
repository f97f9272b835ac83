//! The marks of software that pages show. All of it comes from the page, and is hostile.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use url::Url;

use super::table::{Mark, PLATFORMS};

/// The result of `look.js`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Found {
    /// The contents of `<meta name="generator">`, in order.
    pub(crate) generators: Vec<String>,
    /// The addresses of scripts, style sheets and pictures.
    pub(crate) assets: Vec<String>,
    /// The numbers of the [`selectors`] that match.
    pub(crate) selectors: Vec<usize>,
}

/// The signals of one page, or of several together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Signals {
    /// The headers of the page's response; names and values in lower case.
    headers: BTreeMap<String, String>,
    cookies: BTreeSet<String>,
    generators: BTreeSet<String>,
    /// The hosts of assets.
    hosts: BTreeSet<String>,
    /// The paths of assets that come from the site itself, in lower case.
    paths: BTreeSet<String>,
    /// The selectors and globals of the table that were seen.
    seen: BTreeSet<&'static str>,
    /// The numbers of the marks of the table that pages showed before.
    shown: BTreeSet<usize>,
}

/// Returns the selectors of the table; the position of each is its number.
pub(crate) fn selectors() -> Vec<&'static str> {
    marks().filter_map(|mark| if let Mark::Selector(selector) = mark { Some(selector) } else { None }).collect()
}

/// Returns the expressions of the table; the position of each is its number.
pub(crate) fn globals() -> Vec<&'static str> {
    marks().filter_map(|mark| if let Mark::Global(expression) = mark { Some(expression) } else { None }).collect()
}

fn marks() -> impl Iterator<Item = Mark> {
    PLATFORMS.iter().flat_map(|platform| platform.strong.iter().chain(platform.weak)).copied()
}

impl Signals {
    /// Returns the signals of the page at `url`: from its headers and the names of its cookies as the browser reports
    /// them, the result of our script, and the numbers of the expressions that were true.
    pub(crate) fn new(
        url: &Url,
        headers: &[(String, String)],
        cookies: Vec<String>,
        found: Found,
        true_globals: &[usize],
    ) -> Self {
        let lower = |text: &str| text.to_ascii_lowercase();
        let own = url.host_str().unwrap_or_default();
        let assets: Vec<Url> = found.assets.iter().filter_map(|asset| Url::parse(asset).ok()).collect();
        let (selectors, globals) = (selectors(), globals());
        let seen_selectors = found.selectors.iter().filter_map(|&number| selectors.get(number));
        let seen_globals = true_globals.iter().filter_map(|&number| globals.get(number));
        Self {
            headers: headers.iter().map(|(name, value)| (lower(name), lower(value))).collect(),
            cookies: cookies.iter().map(|name| lower(name)).collect(),
            generators: found.generators.iter().map(|generator| lower(generator.trim())).collect(),
            hosts: assets.iter().filter_map(|asset| asset.host_str().map(str::to_owned)).collect(),
            paths: assets
                .iter()
                .filter(|asset| asset.host_str().is_some_and(|host| are_related(host, own)))
                .map(|asset| lower(asset.path()))
                .collect(),
            seen: seen_selectors.chain(seen_globals).copied().collect(),
            shown: BTreeSet::new(),
        }
    }

    /// Returns the signals of a page that showed these [`marks`](Self::marks).
    pub(crate) fn of_marks(marks: &[usize]) -> Self {
        Self { shown: marks.iter().copied().collect(), ..Self::default() }
    }

    /// Adds the signals of another page of the site.
    pub(crate) fn add(&mut self, other: Self) {
        let Self { headers, cookies, generators, hosts, paths, seen, shown } = other;
        self.headers.extend(headers);
        self.cookies.extend(cookies);
        self.generators.extend(generators);
        self.hosts.extend(hosts);
        self.paths.extend(paths);
        self.seen.extend(seen);
        self.shown.extend(shown);
    }

    /// Returns the numbers of the marks of the table that are shown.
    pub(crate) fn marks(&self) -> Vec<usize> {
        marks().enumerate().filter(|(_, mark)| self.show(*mark)).map(|(number, _)| number).collect()
    }

    /// Returns whether the mark was seen.
    pub(super) fn show(&self, mark: Mark) -> bool {
        let lower = str::to_ascii_lowercase;
        if marks().enumerate().any(|(number, known)| known == mark && self.shown.contains(&number)) {
            return true;
        }
        match mark {
            Mark::Header(name, part) => self.headers.get(name).is_some_and(|value| value.contains(&lower(part))),
            Mark::Cookie(start) => self.cookies.iter().any(|name| name.starts_with(&lower(start))),
            Mark::Generator(start) => self.generators.iter().any(|said| said.starts_with(&lower(start))),
            Mark::Path(part) => self.paths.iter().any(|path| path.contains(&lower(part))),
            Mark::Host(name) => self.hosts.iter().any(|host| host == name || is_below(host, name)),
            Mark::Selector(text) | Mark::Global(text) => self.seen.contains(text),
        }
    }
}

/// Returns whether two hosts belong to one site: the same name, or one below the other, `www.` aside.
fn are_related(host: &str, other: &str) -> bool {
    let bare = |host: &str| host.strip_prefix("www.").unwrap_or(host).to_owned();
    let (host, other) = (bare(host), bare(other));
    host == other || is_below(&host, &other) || is_below(&other, &host)
}

fn is_below(name: &str, parent: &str) -> bool {
    parent.contains('.') && name.strip_suffix(parent).is_some_and(|rest| rest.ends_with('.'))
}
