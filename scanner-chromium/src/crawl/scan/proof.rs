//! The proof that the previous check still holds, before anything of it is taken over, and what is asked for meanwhile (decision 0062).

use std::{collections::HashMap, pin::pin, sync::Arc};

use a11ycheck_core::{
    domain::{Course, Depth, without_query},
    scanner::ScanRequest,
};
use futures_util::{
    StreamExt as _,
    future::{Either, select},
    stream::FuturesUnordered,
};
use tokio::time::Instant;
use url::Url;

use super::{Crawl, CrawlError};
use crate::{
    BrowserError,
    crawl::{
        memory::{Earlier, Noted, PageMemory},
        missing::MissingPages,
        robots::Robots,
        site::Site,
    },
    visit::{Look, Scope, Visited},
};

/// The least number of pages that are examined before outcomes are taken over.
const LEAST_SAMPLE: usize = 2;
/// The number of remembered pages that are asked for to find one that is unchanged, on average. On a site that has changed more than
/// that, little would be saved.
const MAX_DRAWN_PER_SAMPLED: usize = 10;
/// The number of remembered pages that are asked for before it is their turn, while the sample is examined, and how many at a time.
const ASKED_AHEAD: usize = 64;
const ASKED_AHEAD_AT_ONCE: usize = 2;

impl Crawl<'_> {
    /// Asks for the pages of which the sample will consist if none has changed, as far as they may be visited.
    pub(super) async fn ask_for_sample(
        &self,
        earlier: Option<&Earlier>,
        may_be_visited: impl Fn(&Url) -> bool,
        way: &dyn Scope,
    ) {
        let Some(earlier) = earlier else { return };
        let mut drawn = earlier.drawn(self.request.scan);
        drawn.truncate(earlier.sample_size());
        self.ask_ahead(earlier, drawn, may_be_visited, way).await;
    }

    /// Asks for remembered pages before it is their turn, as far as they may be visited: the answers are kept for the scan. Does nothing at a
    /// site that wants a pause between requests.
    async fn ask_ahead(
        &self,
        earlier: &Earlier,
        pages: Vec<&PageMemory>,
        may_be_visited: impl Fn(&Url) -> bool,
        way: &dyn Scope,
    ) {
        let Some(notes) = self.notes.as_ref().filter(|_| self.visits.pace().is_unhindered()) else { return };
        let (mut pages, mut asked) = (pages.into_iter(), FuturesUnordered::new());
        loop {
            while asked.len() < ASKED_AHEAD_AT_ONCE
                && let Some(page) = pages.next()
            {
                if Url::parse(&page.asked).is_ok_and(|url| may_be_visited(&url)) {
                    asked.push(self.is_unchanged(earlier, notes, page, way));
                }
            }
            if asked.next().await.is_none() {
                return;
            }
        }
    }

    /// Finds out whether outcomes of the previous check may be taken over: examines some of the pages that seem unchanged. If one
    /// of them has another outcome, nothing is taken over.
    pub(super) async fn prove(
        &self,
        earlier: Option<Earlier>,
        robots: &Robots,
        missing: &MissingPages<'_>,
        site: &Site,
        way: &Arc<dyn Scope>,
    ) -> Result<Proof, CrawlError> {
        let mut proof = Proof { looks: HashMap::new(), earlier, may_reuse: false, course: Course::Full };
        let (Some(notes), Some(earlier)) = (&self.notes, incremental(proof.earlier.as_ref(), self.request)) else {
            return Ok(proof);
        };
        let may_be_visited = |url: &Url| robots.allows(url) && site.contains(url);
        let (mut sample, mut drawn) = (Vec::new(), earlier.drawn(self.request.scan).into_iter().enumerate());
        while sample.len() < earlier.sample_size()
            && let Some((number, page)) = drawn.next()
        {
            if number >= MAX_DRAWN_PER_SAMPLED * (earlier.sample_size() + LEAST_SAMPLE)
                || Instant::now() >= self.done_by
            {
                return Ok(proof);
            }
            let Ok(url) = Url::parse(&page.asked) else { continue };
            if may_be_visited(&url) && self.is_unchanged(earlier, notes, page, &**way).await {
                sample.push((url, page));
            }
        }
        if sample.len() < LEAST_SAMPLE {
            return Ok(proof);
        }
        let others = drawn.take(ASKED_AHEAD).map(|(_, page)| page).collect();
        let looking = self.look_at(sample, earlier, missing, site, way);
        let Sampled { looks, are_all_seen, is_contradicted } =
            beside(looking, self.ask_ahead(earlier, others, may_be_visited, &**way)).await?;
        proof.looks = looks;
        if is_contradicted {
            proof.course = Course::Contradicted;
        }
        proof.may_reuse = are_all_seen && !is_contradicted;
        Ok(proof)
    }

    /// Examines pages that seem unchanged, and compares them with what is remembered.
    async fn look_at(
        &self,
        sample: Vec<(Url, &PageMemory)>,
        earlier: &Earlier,
        missing: &MissingPages<'_>,
        site: &Site,
        way: &Arc<dyn Scope>,
    ) -> Result<Sampled, BrowserError> {
        let mut sampled = Sampled { looks: HashMap::new(), are_all_seen: true, is_contradicted: false };
        let (mut sample, mut looks) = (sample.into_iter(), FuturesUnordered::new());
        loop {
            while looks.len() < self.visits.at_once()
                && let Some((url, page)) = sample.next()
            {
                looks.push(async move {
                    let visited = match self.visits.visit(&url, site, way, Look::Platform).await {
                        Ok(visited) => missing.unless_missing(visited, site, way).await,
                        Err(error) => Err(error),
                    };
                    (url, page, visited)
                });
            }
            let Some((url, page, visited)) = looks.next().await else { break };
            let Some(visited) = visited? else {
                sampled.are_all_seen = false;
                break;
            };
            let mut noted = None;
            match &visited {
                Ok(checked) => {
                    noted = self.noted(&url, checked, Some(earlier)).await;
                    let differences = earlier.differences(page, checked);
                    let has_just_changed = Earlier::has_just_changed(page, noted.as_ref());
                    sampled.are_all_seen &= differences.is_empty() || !has_just_changed;
                    if !differences.is_empty() && !has_just_changed {
                        sampled.is_contradicted = true;
                        tracing::warn!(
                            scan = %self.request.scan,
                            url = without_query(url.as_str()),
                            differences = differences.join(", "),
                            "A page that seemed unchanged has another outcome: every page is examined"
                        );
                    }
                }
                // It may be our own trouble, which says nothing about what is remembered.
                Err(_) => sampled.are_all_seen = false,
            }
            sampled.looks.insert(url.into(), (visited, noted));
        }
        Ok(sampled)
    }
}

/// The pages of the sample that were examined, by address, and what they show of the others.
struct Sampled {
    looks: HashMap<String, (Visited, Option<Noted>)>,
    are_all_seen: bool,
    is_contradicted: bool,
}

/// The result of examining a sample of the pages that seem unchanged, before any outcome is taken over.
pub(super) struct Proof {
    /// The pages that were examined for it, by address.
    pub(super) looks: HashMap<String, (Visited, Option<Noted>)>,
    /// The previous check, if it remembers anything.
    pub(super) earlier: Option<Earlier>,
    /// True if outcomes are taken over from it.
    pub(super) may_reuse: bool,
    /// The course of the scan if none is.
    pub(super) course: Course,
}

/// Returns the previous check, if outcomes may be taken over from it in this scan.
pub(super) fn incremental<'e>(earlier: Option<&'e Earlier>, request: &ScanRequest) -> Option<&'e Earlier> {
    earlier.filter(|_| request.earlier.as_ref().is_some_and(|check| check.depth == Depth::Incremental))
}

/// Does some work to its end, and something else at most for as long. Returns the outcome of the work.
pub(super) async fn beside<T>(work: impl Future<Output = T>, meanwhile: impl Future<Output = ()>) -> T {
    match select(pin!(work), pin!(meanwhile)).await {
        Either::Left((outcome, _)) => outcome,
        Either::Right(((), work)) => work.await,
    }
}
