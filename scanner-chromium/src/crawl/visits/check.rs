//! One page of a scan, from its address to its findings.

use std::pin::pin;

use tokio::time::{Duration, Instant, timeout_at};

use super::{Crawl, timed_out};
use crate::{
    Evidence,
    evidence::{Capture, cut_out, plan},
    permits::Permit,
    visit::{Arrived, Checked, Look, Looked, Moment, PageError, Progress, Readiness, Rest, Task, Visitor},
};

/// The longest that a page may take to load; the rest of its time is for axe-core.
const LOAD_TIME: Duration = Duration::from_secs(30);

/// A page's turn to be looked at.
struct Turn<'a> {
    core: Permit<'a>,
    moment: Moment,
    /// For the core, when all else was ready.
    waited: Duration,
    /// A page that had not moved when it was drawn may stay until the next one takes its place.
    rest: Rest,
}

impl Crawl<'_> {
    /// Takes a page from its address to its findings, and says how the tab may wait for the next. The time that it waits for
    /// others does not count as its own.
    pub(super) async fn check(
        &self,
        visitor: &Visitor,
        task: &Task<'_>,
        loading: Permit<'_>,
    ) -> Result<(Checked, Vec<Capture>, Rest), PageError> {
        let timed_out = |_| PageError::Failed(timed_out());
        let page_timeout = self.parts.config.page_timeout;
        let now = Instant::now();
        let mut done_by = self.done_by.min(now + page_timeout);
        let mut load_by = done_by.min(now + LOAD_TIME.min(page_timeout / 2));
        let arrived = timeout_at(done_by, visitor.arrive(task, load_by, done_by)).await;
        if let Ok(Err(PageError::Busy { retry_after, .. })) = &arrived {
            self.pace.back_off(*retry_after);
        }
        drop(loading);
        let mut page = arrived.map_err(timed_out)??;
        loop {
            if let Some(Turn { core, moment, waited, rest }) = self.turn(visitor, &page, done_by).await? {
                (load_by, done_by) = (self.done_by.min(load_by + waited), self.done_by.min(done_by + waited));
                let checking = visitor.check(task, &page, moment, core, done_by);
                match timeout_at(done_by, checking).await.map_err(timed_out)?? {
                    Looked::Checked(mut checked) => {
                        let captures = self.pictures(visitor, task.look, &mut checked, done_by).await;
                        return Ok((*checked, captures, rest));
                    }
                    // It is known to change by now, and the next look waits until it is built.
                    Looked::TooEarly => continue,
                    Looked::LedOn => {}
                }
            }
            page = timeout_at(done_by, visitor.follow(task, load_by, done_by)).await.map_err(timed_out)??;
        }
    }

    /// A processor core for the page, when it has built itself; or before that, if one is free and nothing moves on the page.
    /// `None` when the page led on to another.
    async fn turn(&self, visitor: &Visitor, page: &Arrived, done_by: Instant) -> Result<Option<Turn<'_>>, PageError> {
        let mut core = pin!(self.permits.core());
        let mut rest = Rest::Lingering;
        let progress = match visitor.readiness(page, done_by).await? {
            None => return Ok(None),
            Some(Readiness::Built) => Some(Progress::Done),
            Some(Readiness::Moving) => {
                rest = Rest::Away;
                visitor.built(page, done_by).await?
            }
            Some(Readiness::Still) => tokio::select! {
                biased;
                core = &mut core => {
                    return Ok(Some(Turn { core, moment: Moment::Early, waited: Duration::ZERO, rest }));
                }
                built = visitor.built(page, done_by) => built?,
            },
        };
        let Some(progress) = progress else { return Ok(None) };
        let since = Instant::now();
        let core = timeout_at(self.done_by, core).await.map_err(|_| PageError::Failed(timed_out()))?;
        Ok(Some(Turn { core, moment: Moment::Built(progress), waited: since.elapsed(), rest }))
    }

    async fn pictures(&self, visitor: &Visitor, look: Look, checked: &mut Checked, done_by: Instant) -> Vec<Capture> {
        match self.parts.config.evidence {
            Evidence::Taken if look != Look::Peek && checked.wall.is_none() => {
                let plan = plan(checked.collected.candidates(), &mut self.pictured());
                visitor.picture(look, checked, plan, done_by).await
            }
            Evidence::Taken | Evidence::LeftOut => Vec::new(),
        }
    }

    /// The same with the pictures of what failed.
    pub(super) async fn with_pictures(&self, mut checked: Checked, captures: Vec<Capture>) -> Checked {
        if captures.is_empty() {
            return checked;
        }
        let _permit = self.permits.cutting().await;
        match tokio::task::spawn_blocking(|| cut_out(captures)).await {
            Ok(pictures) => checked.collected.add_pictures(pictures),
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "pictures of a page could not be cut out");
            }
        }
        checked
    }
}
