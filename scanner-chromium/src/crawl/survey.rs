//! The statements of a site about itself, read before it is visited: what is closed (robots.txt) and which pages it has
//! (sitemaps).

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::Arc,
};

use a11ycheck_core::{
    catalog::failure_of,
    domain::{Failure, FailureCause, FailureFacts, PageOutcome},
};
use tokio::time::{Duration, Instant, timeout_at};
use url::Url;

use super::{
    fetch::{FetchError, FetchFailure, Fetched, Fetcher},
    kinds::{Shape, kinds},
    robots::{self, Robots},
    site::Start,
    sitemap::{self, Sitemap},
};
use crate::visit::{Pace, Scope as _, unreachable_site};

/// The number of files that are fetched for the list of pages.
const MAX_SITEMAPS: usize = 50;
/// The number of pages that are taken from all of them.
const MAX_PAGES: usize = 5_000;
/// The number of steps from the first file: an index may name indexes, whose files are the last.
const MAX_DEPTH: u32 = 2;
/// The time limit for all sitemaps together. What has arrived by then is used.
const SITEMAP_TIME: Duration = Duration::from_secs(30);

/// The rules of robots.txt for an address, as far as they could be fetched.
#[derive(Debug)]
pub(super) enum Access {
    /// The file was read, or there is none.
    Known(Robots),
    /// The server failed to deliver it, or asks to come back later. "Assume complete disallow", says RFC 9309 §2.3.1.4 of
    /// errors of the server, so that a rule which can't be read for the moment is not broken. §2.3.1.3 would permit
    /// everything after a 429, as after any status from 400 to 499; but the site has rules, and is too busy to deliver
    /// them.
    Closed { status: u16, retry_after: Option<Duration> },
    /// There was no response at all, for this reason. The same section says the same; but the browser may have a better
    /// reason to give.
    Unreachable(Failure),
}

/// A page that a sitemap names.
#[derive(Debug, Clone)]
pub(super) struct Listed {
    pub(super) page: Url,
    /// The address of the sitemap.
    pub(super) sitemap: Arc<str>,
}

/// A survey of one site.
pub(super) struct Survey<'a> {
    pub(super) fetcher: &'a Fetcher<'a>,
    pub(super) pace: &'a Pace,
    pub(super) scope: &'a Start,
    pub(super) done_by: Instant,
}

impl Survey<'_> {
    /// Fetches and reads the robots.txt that applies to `url`.
    pub(super) async fn robots(&self, url: &Url) -> Access {
        let Ok(file) = url.join("/robots.txt") else { return Access::Unreachable(unreachable_site()) };
        match self.get(&file, robots::MAX_BYTES).await {
            Ok(Fetched { status, body, .. }) if status.is_success() => Access::Known(Robots::parse(&body)),
            Ok(fetched) if fetched.is_busy() || fetched.status.is_server_error() => {
                Access::Closed { status: fetched.status.as_u16(), retry_after: fetched.retry_after }
            }
            // "Unavailable" (§2.3.1.3): there is no such file, or it is not for us. The same holds after too many
            // redirects.
            Ok(_) | Err(FetchFailure { error: FetchError::LeadsAway, .. }) => Access::Known(Robots::allow_all()),
            Err(failed) => {
                tracing::debug!(
                    file = file.as_str(),
                    error = &failed as &dyn std::error::Error,
                    "robots.txt could not be asked for"
                );
                Access::Unreachable(self.fetcher.explain(&file, &failed).await)
            }
        }
    }

    /// Returns the pages that the site's sitemaps name: the sitemaps in `robots`, else the one at the usual address. Of
    /// many sitemaps, one of each kind comes first.
    pub(super) async fn sitemap_pages(&self, home: &Url, robots: &Robots) -> Vec<Listed> {
        let deadline = self.done_by.min(Instant::now() + SITEMAP_TIME);
        let mut named: Vec<Url> = robots.sitemaps.iter().filter_map(|file| home.join(file).ok()).collect();
        if named.is_empty() {
            named.extend(home.join("/sitemap.xml"));
        }
        let mut files = Files::default();
        files.add(named, 0, self.scope);
        let mut pages = Vec::new();
        while pages.len() < MAX_PAGES
            && let Some((file, depth)) = files.next()
        {
            let Ok(fetched) = timeout_at(deadline, self.get(&file, sitemap::MAX_BYTES)).await else { break };
            let fetched = match fetched {
                Ok(fetched) if fetched.status.is_success() => fetched,
                Ok(fetched) => {
                    tracing::debug!(file = file.as_str(), status = fetched.status.as_u16(), "there is no such sitemap");
                    continue;
                }
                Err(error) => {
                    let error: &dyn std::error::Error = &error;
                    tracing::debug!(file = file.as_str(), error, "a sitemap could not be fetched");
                    continue;
                }
            };
            let base = fetched.url;
            // Parsing ten megabytes takes a while; other scans go on meanwhile.
            let parsed = tokio::task::spawn_blocking(move || Sitemap::parse_found(fetched.body)).await;
            let Ok(Sitemap { pages: found, sitemaps }) = parsed else { continue };
            let sitemap: String = base.as_str().chars().take(PageOutcome::MAX_LINKED_FROM).collect();
            let sitemap: Arc<str> = sitemap.into();
            let found = found.iter().filter_map(|page| base.join(page).ok());
            pages.extend(found.map(|page| Listed { page, sitemap: Arc::clone(&sitemap) }));
            if depth < MAX_DEPTH {
                let sitemaps = sitemaps.iter().filter_map(|file| base.join(file).ok()).collect();
                files.add(sitemaps, depth + 1, self.scope);
            }
        }
        pages.truncate(MAX_PAGES);
        pages
    }

    /// Fetches and reads a sitemap that somebody named.
    pub(super) async fn named_sitemap(&self, file: &Url) -> Result<Sitemap, Failure> {
        let fetched = match self.get(file, sitemap::MAX_NAMED_BYTES).await {
            Ok(fetched) => fetched,
            Err(failed) => return Err(self.fetcher.explain(file, &failed).await),
        };
        if !fetched.status.is_success() {
            let facts = FailureFacts::of_status(fetched.status.as_u16());
            return Err(failure_of(FailureCause::Status, facts));
        }
        let parsed = tokio::task::spawn_blocking(move || Sitemap::parse(fetched.body)).await;
        Ok(parsed.unwrap_or_default())
    }

    /// Fetches a file, a second time if the site was too busy.
    async fn get(&self, file: &Url, max_bytes: usize) -> Result<Fetched, FetchFailure> {
        let ask = async {
            self.pace.turn().await;
            let fetched = self.fetcher.get(file, self.scope, max_bytes).await?;
            if !fetched.is_busy() {
                return Ok(fetched);
            }
            self.pace.back_off(fetched.retry_after);
            self.pace.turn().await;
            self.fetcher.get(file, self.scope, max_bytes).await
        };
        let too_late = || FetchFailure::new(file.clone(), FetchError::TimedOut);
        timeout_at(self.done_by, ask).await.unwrap_or_else(|_| Err(too_late()))
    }
}

/// The sitemaps that are still to be fetched, each once.
#[derive(Default)]
struct Files {
    waiting: VecDeque<(Url, u32)>,
    known: HashSet<Url>,
}

impl Files {
    /// Adds the files that one index names, one of each kind before further ones.
    fn add(&mut self, files: Vec<Url>, depth: u32, scope: &Start) {
        let files: Vec<Url> = files.into_iter().filter(|file| scope.contains(file)).collect();
        let shapes: Vec<Shape> = files.iter().map(Shape::of).collect();
        let kinds = kinds(&shapes.iter().collect::<Vec<_>>());
        let mut seen: HashMap<usize, usize> = HashMap::new();
        let mut ranked: Vec<(usize, Url)> = Vec::with_capacity(files.len());
        for (file, kind) in files.into_iter().zip(kinds) {
            let round = seen.entry(kind).or_default();
            ranked.push((*round, file));
            *round += 1;
        }
        ranked.sort_by_key(|(round, _)| *round);
        for (_, file) in ranked {
            if self.known.len() < MAX_SITEMAPS && self.known.insert(file.clone()) {
                self.waiting.push_back((file, depth));
            }
        }
    }

    fn next(&mut self) -> Option<(Url, u32)> {
        self.waiting.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_sitemaps_each_kind_is_read_first() {
        let url = |path: &str| Url::parse(&format!("https://a.example/{path}")).unwrap();
        let mut files = Files::default();
        let mut named: Vec<Url> = (1..=40).map(|number| url(&format!("products-{number}.xml"))).collect();
        named.extend([
            url("pages.xml"),
            url("pages.xml"),
            url("posts.xml"),
            Url::parse("https://b.example/x").unwrap(),
        ]);
        files.add(named, 0, &Start::of(&url("")));
        let order: Vec<String> = std::iter::from_fn(|| files.next()).map(|(file, _)| file.path().to_owned()).collect();
        assert_eq!(order[..4], ["/products-1.xml", "/pages.xml", "/posts.xml", "/products-2.xml"]);
        assert_eq!(order.len(), 42);
    }
}
