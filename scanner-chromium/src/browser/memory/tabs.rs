//! The tabs of a browser: their processes, and the reasons why some were ended.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::{
    sync::Notify,
    time::{Duration, Instant, timeout_at},
};

/// The time limit of waiting for a verdict. It is given after the browser's memory was measured a few times more.
const VERDICT_TIME: Duration = Duration::from_secs(10);
/// The number of processes that are noted for one tab. A page with more gains nothing: each of them is bounded by
/// itself.
const MAX_PROCESSES: usize = 64;

/// The reason why a tab was ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::browser) enum Verdict {
    /// Its page took more memory than it may have.
    OverLimit,
    /// The browser held much less after it had ended. That may be a coincidence: data that another page stores is written
    /// to disk, too.
    Suspected,
    /// Another tab's page did, and ending tabs was the only way to find out which.
    MadeRoom,
}

/// The tabs that are open.
#[derive(Debug, Default)]
pub(in crate::browser) struct Tabs {
    open: Mutex<BTreeMap<String, Entry>>,
    judged: Notify,
}

#[derive(Debug)]
struct Entry {
    context: String,
    processes: BTreeSet<u32>,
    workers: Workers,
    end: End,
}

/// The time for which a worker may live.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::browser) enum Lifetime {
    /// That of the page that began it.
    Page,
    /// That of the tab's profile.
    Context,
}

/// The workers that the pages of a tab have begun so far, of any kind, worklets included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Workers {
    /// The number of all of them.
    begun: u32,
    /// The number of those that may live longer than their page.
    lasting: u32,
}

impl Workers {
    /// Returns whether a page since whose beginning there are these, after those `before`, had no worker, neither of its own nor of
    /// an earlier page.
    pub(crate) const fn are_none_since(self, before: Self) -> bool {
        self.begun == before.begun && self.lasting == 0
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// It was not ended by us.
    None,
    /// It was ended to see whether that frees the browser's memory.
    Tried,
    Judged(Verdict),
}

impl Tabs {
    /// Notes a tab by its target, with the browser context that is its own.
    pub(in crate::browser) fn add(&self, target: &str, context: &str) {
        let entry = Entry {
            context: context.to_owned(),
            processes: BTreeSet::new(),
            workers: Workers::default(),
            end: End::None,
        };
        self.lock().insert(target.to_owned(), entry);
    }

    pub(in crate::browser) fn remove(&self, target: &str) {
        self.lock().remove(target);
    }

    /// Notes that a process runs a document of the tab.
    pub(in crate::browser) fn add_process(&self, target: &str, process: u32) {
        if let Some(entry) = self.lock().get_mut(target)
            && entry.processes.len() < MAX_PROCESSES
        {
            entry.processes.insert(process);
        }
    }

    /// Notes that a page of the tab with this browser context has begun a worker.
    pub(in crate::browser) fn add_worker(&self, context: &str, lifetime: Lifetime) {
        for entry in self.lock().values_mut().filter(|entry| entry.context == context) {
            entry.workers.begun += 1;
            entry.workers.lasting += u32::from(lifetime == Lifetime::Context);
        }
    }

    /// Returns the workers that the pages of a tab have begun so far.
    pub(in crate::browser) fn workers(&self, target: &str) -> Workers {
        self.lock().get(target).map(|entry| entry.workers).unwrap_or_default()
    }

    /// Returns the processes that are noted for any tab.
    pub(in crate::browser) fn processes(&self) -> BTreeSet<u32> {
        self.lock().values().flat_map(|entry| &entry.processes).copied().collect()
    }

    /// Removes processes that are no longer there: their numbers may be given to others.
    pub(in crate::browser) fn keep_processes(&self, is_there: impl Fn(u32) -> bool) {
        self.lock().values_mut().for_each(|entry| entry.processes.retain(|process| is_there(*process)));
    }

    pub(in crate::browser) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// Returns the tabs that were not ended yet, each with its processes.
    pub(in crate::browser) fn running(&self) -> Vec<(String, BTreeSet<u32>)> {
        let open = self.lock();
        let running = open.iter().filter(|(_, entry)| entry.end == End::None);
        running.map(|(target, entry)| (target.clone(), entry.processes.clone())).collect()
    }

    /// Marks a tab as one that is being ended on trial, and returns its browser context.
    pub(in crate::browser) fn try_ending(&self, target: &str) -> Option<String> {
        let mut open = self.lock();
        let entry = open.get_mut(target)?;
        entry.end = End::Tried;
        Some(entry.context.clone())
    }

    /// Notes the reason why a tab was, or is about to be, ended, and returns its browser context.
    pub(in crate::browser) fn judge(&self, target: &str, verdict: Verdict) -> Option<String> {
        let mut open = self.lock();
        let entry = open.get_mut(target)?;
        entry.end = End::Judged(verdict);
        let context = entry.context.clone();
        drop(open);
        self.judged.notify_waiters();
        Some(context)
    }

    /// Returns the reason why the tab was ended, if this process did it; waits for a bounded time while the reason is
    /// not known.
    pub(in crate::browser) async fn verdict(&self, target: &str) -> Option<Verdict> {
        let judged = async {
            loop {
                let judged = self.judged.notified();
                match self.lock().get(target)?.end {
                    End::None => return None,
                    End::Judged(verdict) => return Some(verdict),
                    End::Tried => {}
                }
                judged.await;
            }
        };
        // The watch may have ended with the browser.
        timeout_at(Instant::now() + VERDICT_TIME, judged).await.ok().flatten()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Entry>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_tab_that_is_ended_on_trial_learns_why_when_that_is_known() {
        let tabs = Tabs::default();
        tabs.add("tab", "context");
        assert_eq!(tabs.verdict("tab").await, None, "whatever ended it, it was not us");
        assert_eq!(tabs.try_ending("tab").as_deref(), Some("context"));
        assert!(tabs.running().is_empty());
        let later = async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            tabs.judge("tab", Verdict::MadeRoom);
        };
        assert_eq!(tokio::join!(tabs.verdict("tab"), later).0, Some(Verdict::MadeRoom));
        tabs.try_ending("tab");
        assert_eq!(tabs.verdict("tab").await, None, "the watch has ended with its browser");
        tabs.remove("tab");
        assert_eq!((tabs.verdict("tab").await, tabs.judge("tab", Verdict::OverLimit)), (None, None));
    }

    #[test]
    fn a_worker_counts_for_its_tab_and_one_that_may_last_for_all_later_pages() {
        let tabs = Tabs::default();
        tabs.add("tab", "context");
        tabs.add("other", "elsewhere");
        let before = tabs.workers("tab");
        assert!(tabs.workers("tab").are_none_since(before));
        tabs.add_worker("context", Lifetime::Page);
        assert!(!tabs.workers("tab").are_none_since(before));
        let before = tabs.workers("tab");
        assert!(tabs.workers("tab").are_none_since(before), "it was the page's before");
        tabs.add_worker("context", Lifetime::Context);
        let before = tabs.workers("tab");
        assert!(!tabs.workers("tab").are_none_since(before), "it may be there still");
        assert!(tabs.workers("other").are_none_since(Workers::default()));
    }

    #[test]
    fn the_processes_of_a_tab_are_bounded_and_forgotten_with_their_end() {
        let tabs = Tabs::default();
        tabs.add("tab", "context");
        (0..1_000).for_each(|process| tabs.add_process("tab", process));
        assert_eq!(tabs.running()[0].1.len(), MAX_PROCESSES);
        tabs.keep_processes(|process| process == 7);
        assert_eq!(tabs.running(), [("tab".to_owned(), [7].into())]);
    }
}
