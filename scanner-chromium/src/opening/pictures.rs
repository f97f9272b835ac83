//! Pictures of what a control has opened, taken while it can be seen.

use std::{
    collections::HashSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::time::{Duration, Instant};
use url::Url;

use crate::{
    axe::Collected,
    browser::Tab,
    cdp::CdpError,
    evidence::{Candidate, Capture, PagePicture, Pictured, Taken, ToPicture, Wanted, pictures},
};

/// The number of shots of what opens on a page that has used all of its own for what it shows by itself: they are further ones, so that
/// nothing is taken from the page.
pub(crate) const MIN_SHOTS: usize = 2;
/// The time limit for all pictures of what opens on a page, so that they leave most of the time to further controls.
const TIME: Duration = Duration::from_secs(6);

/// The pictures of what opens on one page.
#[derive(Debug)]
pub(crate) struct Pictures<'a> {
    pictured: &'a Pictured,
    /// The address of the page.
    address: Url,
    left: Mutex<Left>,
}

/// What a page has left for pictures.
#[derive(Debug)]
struct Left {
    shots: usize,
    time: Duration,
    /// Rule and selector of each element that was found on the page itself: it is not counted again.
    known: HashSet<(String, String)>,
    /// The elements that have appeared before.
    appeared: HashSet<Appeared>,
    /// The elements that are pictured.
    chosen: Vec<ToPicture>,
}

/// Rule, selector, source and place of an element that has appeared.
type Appeared = (String, String, String, [u32; 4]);

impl<'a> Pictures<'a> {
    /// Returns the pictures, none so far and of at most so many shots, of what the page at this address opens beside what was `found` on
    /// it. They are counted in `pictured`.
    pub(crate) fn new(pictured: &'a Pictured, address: Url, found: &Collected, shots: usize) -> Self {
        let known = if shots > 0 { owned(found).collect() } else { HashSet::new() };
        let left = Left { shots, time: TIME, known, appeared: HashSet::new(), chosen: Vec::new() };
        Self { pictured, address, left: Mutex::new(left) }
    }

    /// Takes pictures of elements that the page shows now, with what was collected of them last: those that a report can show, as far as
    /// there are shots and time left. What can no longer be seen is missing. The page's scripts are stopped meanwhile, and run again
    /// afterwards.
    ///
    /// # Errors
    /// Fails only if the scripts could not be started again, or the page is not drawn again.
    pub(super) async fn take(
        &self,
        tab: &Tab,
        collected: &Collected,
        deadline: Instant,
    ) -> Result<Vec<Capture>, CdpError> {
        let began = Instant::now();
        let Some((chosen, shots, until)) = self.choose(collected, began) else { return Ok(Vec::new()) };
        let (elements, undecided) = (chosen.elements(), collected.failing());
        let wanted = Wanted { elements, undecided, shots, page: PagePicture::LeftOut };
        let Taken { mut captures, .. } = pictures(tab, wanted, deadline.min(until)).await;
        // Scripts put back what was opened, and what it draws is compared.
        tab.unfreeze(deadline).await?;
        tab.show(deadline).await?;
        // Elements that had moved were shot again.
        captures.truncate(shots);
        let chosen = self.pictured.release_missing(chosen, &captures);
        let mut left = self.left();
        left.shots = left.shots.saturating_sub(captures.len());
        left.time = left.time.saturating_sub(began.elapsed());
        left.chosen.push(chosen);
        Ok(captures)
    }

    /// Takes back what was counted for all pictures, which are not kept.
    pub(crate) fn release(&self) {
        for chosen in std::mem::take(&mut self.left().chosen) {
            self.pictured.release(chosen);
        }
    }

    /// Returns the elements to picture, the number of shots for them and the instant at which the time for them is over; `None` if nothing is
    /// left.
    fn choose(&self, collected: &Collected, now: Instant) -> Option<(ToPicture, usize, Instant)> {
        let mut left = self.left();
        if left.shots == 0 || left.time.is_zero() {
            return None;
        }
        let Left { known, appeared, .. } = &*left;
        let is_fresh = |candidate: &Candidate<'_>| {
            let is_own = known.contains(&(candidate.rule.to_owned(), candidate.selector.to_owned()));
            !is_own && !appeared.contains(&of(candidate))
        };
        let (failing, undecided) = (collected.candidates(), collected.undecided_candidates());
        let chosen = self.pictured.choose(self.address.as_str(), failing.filter(is_fresh), undecided.filter(is_fresh));
        left.appeared
            .extend(collected.candidates().chain(collected.undecided_candidates()).map(|candidate| of(&candidate)));
        Some((chosen, left.shots, now + left.time))
    }

    fn left(&self) -> MutexGuard<'_, Left> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn of(Candidate { rule, selector, html, area, .. }: &Candidate<'_>) -> Appeared {
    let place = [area.x, area.y, area.width, area.height];
    ((*rule).to_owned(), (*selector).to_owned(), (*html).to_owned(), place)
}

/// Returns rule and selector of each element.
fn owned(collected: &Collected) -> impl Iterator<Item = (String, String)> {
    collected.elements().map(|(rule, selector)| (rule.to_owned(), selector.to_owned()))
}
