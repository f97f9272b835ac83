//! Waiting for the end of a check.

use std::time::Duration;

use tokio::{
    sync::broadcast::{Receiver, error::RecvError},
    time::Instant,
};

use super::{TeamHandle, feed::Item};
use crate::{
    domain::{Failure, Scan, ScanState},
    error::Error,
    id::ScanId,
};

/// The end of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ended {
    /// It completed: its report can be read.
    Completed(Scan),
    /// It failed for this reason, which may be that it lost its last worker.
    Failed(Scan, Failure),
}

impl Ended {
    /// Returns the check if it completed, and the failure if it failed: for a program in which a failed check is an error.
    ///
    /// # Errors
    /// Returns the failure of the check.
    pub fn into_result(self) -> Result<Scan, Failure> {
        match self {
            Self::Completed(scan) => Ok(scan),
            Self::Failed(_, failure) => Err(failure),
        }
    }
}

/// The progress of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Pages that are done in this attempt, failed ones included.
    pub pages_done: u32,
    /// Pages that are done, under way, or known and still to be checked: the present goal of
    /// [`pages_done`](Self::pages_done). It grows as links are found, and shrinks when one turns out to lead to no page; 0
    /// before the first page is done.
    pub pages_found: u32,
    /// The most pages that the check may visit: the plan's number when it was queued.
    pub pages_at_most: u32,
    /// The number of attempts, including the present one, without those that were handed back; 0 while the check waits for
    /// its first worker.
    pub attempt: u32,
}

impl TeamHandle {
    /// Watches a check: its progress, and its end. Nothing is read before the first call of the watch, which also reports
    /// if there is no such check.
    ///
    /// ```
    /// use a11ycheck_core::{id::ScanId, service::{Ended, TeamHandle}};
    ///
    /// # async fn example(team: TeamHandle, scan: ScanId) -> Result<(), a11ycheck_core::Error> {
    /// let mut check = team.watch(scan);
    /// while let Some(progress) = check.next().await? {
    ///     println!("{} of {} pages", progress.pages_done, progress.pages_found);
    /// }
    /// match check.ended().await? {
    ///     Ended::Completed(scan) => println!("{} can be read", scan.id),
    ///     Ended::Failed(_, failure) => println!("{failure}"),
    ///     _ => {}
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn watch(&self, scan: ScanId) -> Watch {
        Watch { team: self.clone(), scan, items: None, reads_at: Instant::now(), shown: None, ended: None }
    }

    /// Waits until a check has ended. Nothing is lost when this is dropped earlier: the check continues.
    ///
    /// # Errors
    /// Returns those of [`Watch::next`].
    pub async fn wait(&self, scan: ScanId) -> Result<Ended, Error> {
        self.watch(scan).ended().await
    }
}

/// A check that is watched. Dropping the watch costs nothing: the check continues.
#[derive(Debug)]
pub struct Watch {
    team: TeamHandle,
    scan: ScanId,
    /// Receives the occurrences of all checks; `None` before the check is first read, and after the end of the feed.
    items: Option<Receiver<Item>>,
    /// The instant at which the check is read next, whatever happens.
    reads_at: Instant,
    shown: Option<Progress>,
    ended: Option<Ended>,
}

impl Watch {
    /// The longest time between two reads of the check: neither its deletion nor what a node of the previous release does
    /// with it is in the log.
    const READS: Duration = Duration::from_secs(5);

    /// Returns the progress of the check: on the first call at once, and then whenever it has changed, within five seconds;
    /// `None` once the check has ended.
    ///
    /// Nothing is lost when a call is dropped before it has ended.
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `read`, [`Error::NotFound`], also if the check was deleted in the
    /// meantime, and those of [every call](TeamHandle#errors). The next call asks again.
    pub async fn next(&mut self) -> Result<Option<Progress>, Error> {
        while self.ended.is_none() {
            match &mut self.items {
                Some(items) => {
                    if !happens(items, self.scan, self.reads_at).await {
                        self.items = None;
                        continue;
                    }
                }
                // Occurrences after the newest entry are received, and earlier ones show in the check itself.
                None => {
                    let newest = self.team.service().store().newest_scan_event().await?;
                    self.items = Some(self.team.service().follow(newest).0);
                }
            }
            let scan = self.team.scan(self.scan).await?;
            self.reads_at = Instant::now() + Self::READS;
            if let Some(progress) = self.progress(scan)
                && self.shown.replace(progress) != Some(progress)
            {
                return Ok(Some(progress));
            }
        }
        Ok(None)
    }

    /// Waits until the check has ended.
    ///
    /// # Errors
    /// Returns those of [`next`](Self::next).
    pub async fn ended(mut self) -> Result<Ended, Error> {
        loop {
            if let Some(ended) = self.ended.take() {
                return Ok(ended);
            }
            self.next().await?;
        }
    }

    /// Returns the progress of the check, or notes its end.
    fn progress(&mut self, scan: Scan) -> Option<Progress> {
        let pages_at_most = scan.pages_requested;
        match &scan.state {
            ScanState::Queued => Some(Progress { pages_done: 0, pages_found: 0, pages_at_most, attempt: 0 }),
            ScanState::Running { pages_scanned, pages_found, attempt, .. } => Some(Progress {
                pages_done: *pages_scanned,
                pages_found: *pages_found,
                pages_at_most,
                attempt: *attempt,
            }),
            ScanState::Completed { .. } => {
                self.ended = Some(Ended::Completed(scan));
                None
            }
            ScanState::Failed { failure, .. } => {
                let failure = failure.clone();
                self.ended = Some(Ended::Failed(scan, failure));
                None
            }
        }
    }
}

/// Waits until something happens to a check, but not longer than until an instant. Returns `false` if nothing more will be
/// received.
async fn happens(items: &mut Receiver<Item>, scan: ScanId, until: Instant) -> bool {
    let is_over = tokio::time::sleep_until(until);
    tokio::pin!(is_over);
    loop {
        let item = tokio::select! {
            () = &mut is_over => return true,
            item = items.recv() => item,
        };
        match item {
            Ok(Item::Entry(entry)) if entry.scan != scan => {}
            // It may be among the entries that were missed.
            Ok(Item::Entry(_) | Item::Purged(_)) | Err(RecvError::Lagged(_)) => return true,
            Err(RecvError::Closed) => return false,
        }
    }
}
