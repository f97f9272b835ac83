//! The cause of death of the process behind a tab: lack of memory, or something else.
//!
//! If this process ended it, [`Tabs`](super::tabs::Tabs) knows; this module reads the browser's report of the others,
//! which names the signal. The kernel sends SIGKILL to what is too large for the machine or its control group, but
//! others may send it too; V8 ends a page that has used up its heap by a trap, but so do Chromium's own assertions.
//! Neither is proof alone. The kernel counts what it ends for lack of memory, and V8 writes a line before it traps.

use std::{
    collections::VecDeque,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::{
    sync::{Notify, watch},
    time::{Duration, Instant, timeout_at},
};

/// The number of deaths that are kept until their cause is asked for. Older ones are discarded.
const KEPT: usize = 64;
/// The time limit for the browser's report of a tab that died, and for V8's line: both follow at once.
const WORD_TIME: Duration = Duration::from_secs(1);
/// The notice that the browser writes when a page has used up its heap (`v8_oom.cc` of Blink).
pub(in crate::browser) const HEAP_NOTICE: &[u8] = b"V8 javascript OOM";

/// The memory counters before a page is opened.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MemoryMarks {
    /// The number of processes that the kernel has ended for lack of memory; `None` where it does not show that.
    kernel: Option<u64>,
    /// The number of pages of this browser that have used up their heap.
    heap: u64,
    /// The number of processes of this browser that this process has ended without knowing which tab they belonged to.
    over_limit: u64,
}

/// The cause of a tab's death, as far as it can be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Death {
    /// Its page took more memory than the operator allows.
    OverLimit,
    /// The machine had no memory left for it, or it had used up its heap.
    WantOfMemory,
    /// It was ended to find out which tab had taken too much, and it seems to be the one; another attempt shows whether it
    /// is.
    Suspected,
    /// It was ended to find out which tab had taken too much; another attempt may well succeed.
    MadeRoom,
    /// Any other cause.
    Unknown,
}

/// The record of how the tabs of a browser died.
#[derive(Debug)]
pub(in crate::browser) struct Deaths {
    /// Targets with their status (`base::TerminationStatus`: `crashed`, `killed`, `oom`, …), the latest last.
    statuses: Mutex<VecDeque<(String, String)>>,
    noted: Notify,
    /// The number of times that the browser has written [`HEAP_NOTICE`].
    heap: watch::Receiver<u64>,
    over_limit: AtomicU64,
}

impl Deaths {
    pub(in crate::browser) fn new(heap: watch::Receiver<u64>) -> Self {
        Self { statuses: Mutex::default(), noted: Notify::new(), heap, over_limit: AtomicU64::new(0) }
    }

    /// Notes `Target.targetCrashed`.
    pub(in crate::browser) fn note(&self, target: &str, status: &str) {
        let mut statuses = self.statuses.lock().unwrap_or_else(PoisonError::into_inner);
        if statuses.len() == KEPT {
            statuses.pop_front();
        }
        statuses.push_back((target.to_owned(), status.to_owned()));
        self.noted.notify_waiters();
    }

    pub(in crate::browser) fn marks(&self) -> MemoryMarks {
        let over_limit = self.over_limit.load(Ordering::Relaxed);
        MemoryMarks { kernel: kernel_kills(), heap: *self.heap.borrow(), over_limit }
    }

    /// Notes that a process is about to be ended because it uses too much, and that its tab is not known.
    pub(in crate::browser) fn note_over_limit(&self) {
        self.over_limit.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the cause of death of a tab that was alive at the time of `before`.
    pub(in crate::browser) async fn why(&self, target: &str, before: MemoryMarks) -> Death {
        let deadline = Instant::now() + WORD_TIME;
        let Some(status) = self.status(target, deadline).await else { return Death::Unknown };
        let is_want = match status.as_str() {
            "oom" => true,
            "killed" if self.over_limit.load(Ordering::Relaxed) > before.over_limit => return Death::OverLimit,
            "killed" => before.kernel.zip(kernel_kills()).is_some_and(|(before, now)| now > before),
            "crashed" => {
                let mut heap = self.heap.clone();
                timeout_at(deadline, heap.wait_for(|count| *count > before.heap))
                    .await
                    .is_ok_and(|noticed| noticed.is_ok())
            }
            _ => false,
        };
        if is_want { Death::WantOfMemory } else { Death::Unknown }
    }

    /// Returns the status under which the tab died, once the browser has reported it; `None` after `deadline`.
    async fn status(&self, target: &str, deadline: Instant) -> Option<String> {
        let reported = async {
            loop {
                let noted = self.noted.notified();
                if let Some(status) = self.take(target) {
                    return status;
                }
                noted.await;
            }
        };
        timeout_at(deadline, reported).await.ok()
    }

    fn take(&self, target: &str) -> Option<String> {
        let mut statuses = self.statuses.lock().unwrap_or_else(PoisonError::into_inner);
        let found = statuses.iter().position(|(id, _)| id == target)?;
        statuses.remove(found).map(|(_, status)| status)
    }
}

/// Returns how many processes the kernel has ended for lack of memory since the machine started, including those in
/// control groups.
fn kernel_kills() -> Option<u64> {
    counted(&std::fs::read_to_string("/proc/vmstat").ok()?)
}

/// Reads the counter in `/proc/vmstat`, which Linux has had since 4.13.
fn counted(vmstat: &str) -> Option<u64> {
    vmstat.lines().find_map(|line| line.strip_prefix("oom_kill ")?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_counter_is_found_among_others_of_like_name() {
        assert_eq!(counted("nr_free_pages 7\noom_kill_x 3\noom_kill 12\nnuma_hit 9\n"), Some(12));
        assert_eq!(counted("nr_free_pages 7\n"), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_signal_alone_is_no_proof_of_a_want_of_memory() {
        let (notices, heap) = watch::channel(4);
        let deaths = Deaths::new(heap);
        let plenty = MemoryMarks { kernel: Some(u64::MAX), heap: 4, over_limit: 0 };
        let since = MemoryMarks { kernel: kernel_kills().map(|_| 0), ..plenty };
        let (want, unknown) = (Death::WantOfMemory, Death::Unknown);
        for (status, expected) in [("oom", want), ("killed", unknown), ("crashed", unknown), ("abnormal", unknown)] {
            deaths.note("A", "crashed");
            deaths.note("B", status);
            assert_eq!(deaths.why("B", plenty).await, expected, "{status}");
            deaths.take("A");
        }
        assert_eq!(deaths.why("C", plenty).await, unknown, "the browser says nothing of it");
        notices.send(5).unwrap();
        deaths.note("D", "crashed");
        assert_eq!(deaths.why("D", plenty).await, want);
        // The test can't know whether the kernel has ended anything on this machine.
        deaths.note("E", "killed");
        let expected = if kernel_kills().is_some_and(|kills| kills > 0) { want } else { unknown };
        assert_eq!(deaths.why("E", since).await, expected);
        deaths.note_over_limit();
        deaths.note("F", "killed");
        assert_eq!(deaths.why("F", plenty).await, Death::OverLimit);
        deaths.note("G", "killed");
        assert_eq!(deaths.why("G", MemoryMarks { over_limit: 1, ..plenty }).await, unknown, "that was before it began");
    }

    #[tokio::test(start_paused = true)]
    async fn what_the_browser_says_a_moment_later_still_counts() {
        let (notices, heap) = watch::channel(0);
        let deaths = Deaths::new(heap);
        let late = async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            deaths.note("A", "crashed");
            tokio::time::sleep(Duration::from_millis(100)).await;
            notices.send(1).unwrap();
        };
        let before = deaths.marks();
        let (death, ()) = tokio::join!(deaths.why("A", before), late);
        assert_eq!(death, Death::WantOfMemory);
    }
}
