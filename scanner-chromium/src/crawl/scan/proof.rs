//! The proof that the previous check still holds, before anything of it is taken over, and what is asked for meanwhile (decision 0062).

use std::{
    collections::{HashMap, HashSet, VecDeque},
    pin::pin,
    sync::Arc,
};

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
        actions::WithoutActions,
        memory::{Earlier, Notes, PageMemory},
        missing::MissingPages,
        robots::Robots,
        site::{Site, Start, Way},
    },
    visit::{Checked, Look, Scope, Visited},
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
    /// Looks at the start page, and returns it with the pages of the sample that were looked at beside it, by address: those that seem
    /// unchanged among the first that are drawn, as far as they may be visited. The start page alone keeps no machine busy. If it leads to
    /// another site or can't be checked, there are none.
    pub(super) async fn look_at_start(
        &self,
        scope: &Start,
        way: &Arc<dyn Scope>,
        earlier: Option<&Earlier>,
        may_be_visited: impl Fn(&Url) -> bool,
    ) -> Result<(Option<Visited>, HashMap<String, Checked>), BrowserError> {
        let start = self.request.start.url();
        let mut looking = pin!(self.visits.visit(start, scope, way, Look::Start));
        let reusable = earlier.zip(self.notes.as_ref()).filter(|_| self.visits.pace().is_unhindered());
        let Some((earlier, notes)) = reusable else { return Ok((looking.await?, HashMap::new())) };
        let mut drawn = earlier.drawn(self.request.scan);
        drawn.truncate(earlier.sample_size() + ASKED_AHEAD);
        let of_page = |page: &PageMemory| Url::parse(&page.asked).ok().filter(&may_be_visited);
        let mut sample: VecDeque<_> =
            drawn.iter().take(earlier.sample_size()).filter_map(|page| Some((of_page(page)?, *page))).collect();
        let site = Site::of(start);
        let way_of_sample: Arc<dyn Scope> = Arc::new(WithoutActions(Way::new(Start::of(start), self.reach.clone())));
        let (site, way_of_sample) = (&site, &way_of_sample);
        let all = async {
            let (mut first, mut looks, mut sampled) = (None, FuturesUnordered::new(), HashMap::new());
            loop {
                while looks.len() + usize::from(first.is_none()) < self.visits.at_once()
                    && let Some((url, page)) = sample.pop_front()
                {
                    looks.push(async move {
                        if !self.is_unchanged(earlier, notes, page, &**way_of_sample).await {
                            return None;
                        }
                        // A look that fails is repeated with the rest of the sample: it may be because of the start page.
                        match self.visits.visit(&url, site, way_of_sample, Look::Sample).await {
                            Ok(Some(Ok(checked))) => Some((url, checked)),
                            _ => None,
                        }
                    });
                }
                tokio::select! {
                    visited = &mut looking, if first.is_none() => {
                        let visited = visited?;
                        if !matches!(&visited, Some(Ok(checked)) if Site::of(&checked.url) == *site) {
                            return Ok((visited, HashMap::new()));
                        }
                        first = Some(visited);
                    }
                    Some(looked) = looks.next() => {
                        sampled.extend(looked.map(|(url, checked)| (String::from(url), checked)));
                    }
                    else => return Ok((first.flatten(), sampled)),
                }
            }
        };
        beside(all, self.ask_ahead(earlier, notes, drawn.clone(), &may_be_visited, &**way)).await
    }

    /// Asks for remembered pages before it is their turn, as far as they may be visited: the answers are kept for the scan.
    async fn ask_ahead(
        &self,
        earlier: &Earlier,
        notes: &Notes,
        pages: Vec<&PageMemory>,
        may_be_visited: impl Fn(&Url) -> bool,
        way: &dyn Scope,
    ) {
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
    /// of them has another outcome, nothing is taken over. Those that were looked at beside the start page are not looked at again.
    pub(super) async fn prove(
        &self,
        earlier: Option<Earlier>,
        sampled: HashMap<String, Checked>,
        robots: &Robots,
        missing: &MissingPages<'_>,
        site: &Site,
        way: &Arc<dyn Scope>,
    ) -> Result<Proof, CrawlError> {
        let mut proof = Proof { confirmed: HashSet::new(), earlier, may_reuse: false, course: Course::Full };
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
        let confirmed = sample.iter().map(|(url, _)| url.to_string()).collect();
        let others = match self.visits.pace().is_unhindered() {
            true => drawn.take(ASKED_AHEAD).map(|(_, page)| page).collect(),
            false => Vec::new(),
        };
        let looking = self.look_at(sample, sampled, earlier, missing, site, way);
        let asking = self.ask_ahead(earlier, notes, others, may_be_visited, &**way);
        let Examined { are_all_seen, differing } = beside(looking, asking).await?;
        if differing.is_empty() {
            proof.may_reuse = are_all_seen;
            proof.confirmed = confirmed;
        } else {
            proof.course = Course::Contradicted;
            proof.earlier.iter_mut().for_each(|earlier| earlier.set_unstable(&differing));
        }
        Ok(proof)
    }

    /// Examines pages that seem unchanged, and compares them with what is remembered.
    async fn look_at(
        &self,
        sample: Vec<(Url, &PageMemory)>,
        mut sampled: HashMap<String, Checked>,
        earlier: &Earlier,
        missing: &MissingPages<'_>,
        site: &Site,
        way: &Arc<dyn Scope>,
    ) -> Result<Examined, BrowserError> {
        let mut examined = Examined { are_all_seen: true, differing: Vec::new() };
        let (mut sample, mut looks) = (sample.into_iter(), FuturesUnordered::new());
        loop {
            while looks.len() < self.visits.at_once()
                && let Some((url, page)) = sample.next()
            {
                let known = sampled.remove(url.as_str());
                looks.push(async move {
                    let looked = match known {
                        Some(checked) => Ok(Some(Ok(checked))),
                        None => self.visits.visit(&url, site, way, Look::Sample).await,
                    };
                    let visited = match looked {
                        Ok(visited) => missing.unless_missing(visited, site, way).await,
                        Err(error) => Err(error),
                    };
                    (url, page, visited)
                });
            }
            let Some((url, page, visited)) = looks.next().await else { break };
            // That a look fails may be our own trouble, which says nothing about what is remembered.
            let Some(Ok(checked)) = visited? else {
                examined.are_all_seen = false;
                continue;
            };
            let differences = earlier.differences(page, &checked);
            if differences.is_empty() {
                continue;
            }
            let noted = self.noted(&url, &checked, Some(earlier)).await;
            if Earlier::has_just_changed(page, noted.as_ref()) {
                examined.are_all_seen = false;
                continue;
            }
            tracing::warn!(
                scan = %self.request.scan,
                url = without_query(url.as_str()),
                differences = differences.join(", "),
                "A page that seemed unchanged has another outcome: every page is examined"
            );
            examined.differing.push(url.into());
        }
        Ok(examined)
    }
}

/// What the pages of the sample show of the others.
struct Examined {
    /// False if some could not be checked, or have changed meanwhile.
    are_all_seen: bool,
    /// The addresses of those that have another outcome although they have not changed.
    differing: Vec<String>,
}

/// The result of examining a sample of the pages that seem unchanged, before any outcome is taken over.
pub(super) struct Proof {
    /// The addresses of the pages that were examined for it, if outcomes are taken over.
    pub(super) confirmed: HashSet<String>,
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
async fn beside<T>(work: impl Future<Output = T>, meanwhile: impl Future<Output = ()>) -> T {
    match select(pin!(work), pin!(meanwhile)).await {
        Either::Left((outcome, _)) => outcome,
        Either::Right(((), work)) => work.await,
    }
}
