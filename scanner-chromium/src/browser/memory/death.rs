//! Why the process behind a tab died: for want of memory, or of something else.
//!
//! Where this process ended it, [`Tabs`](super::tabs::Tabs) knows; here is what the browser reports of the rest, which is the signal. The
//! kernel ends with SIGKILL what is too large for the machine or its control group, and so does anybody who may; V8 ends a page that
//! has used up its heap by a trap, and so does each of Chromium's own assertions.
//! Neither is proof alone. The kernel counts what it ends for want of memory, and V8 writes a line before it traps.

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

/// Deaths that are kept until somebody asks for them. Tabs that nobody asks about are forgotten after as many.
const KEPT: usize = 64;
/// How long the browser's word about a tab that died is waited for, and V8's line: both follow at once.
const WORD_TIME: Duration = Duration::from_secs(1);
/// What the browser writes when a page has used up its heap (`v8_oom.cc` of Blink).
pub(in crate::browser) const HEAP_NOTICE: &[u8] = b"V8 javascript OOM";

/// What is known of memory before a page is opened.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MemoryMarks {
    /// What the kernel has ended for want of memory; `None` where it does not show that.
    kernel: Option<u64>,
    /// Pages of this browser that have used up their heap.
    heap: u64,
    /// Processes of this browser that this process has ended, and knew not whose they were.
    over_limit: u64,
}

/// Why a tab died, as far as can be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Death {
    /// Its page took more memory than the operator allows it.
    OverLimit,
    /// The machine had no memory left for it, or it had used up its heap.
    WantOfMemory,
    /// It was ended to find out which tab had taken too much; another try may well succeed.
    MadeRoom,
    /// Something else.
    Unknown,
}

/// How the tabs of a browser died.
#[derive(Debug)]
pub(in crate::browser) struct Deaths {
    /// Target and status (`base::TerminationStatus`: `crashed`, `killed`, `oom`, …), the latest last.
    statuses: Mutex<VecDeque<(String, String)>>,
    noted: Notify,
    /// How often the browser has written [`HEAP_NOTICE`].
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

    /// Notes that a process is about to be ended because it holds too much, and that nobody knows whose it is.
    pub(in crate::browser) fn note_over_limit(&self) {
        self.over_limit.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns why a tab died that was alive at the time of `before`.
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

    /// The status under which the tab died, once the browser has reported it.
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

/// How many processes the kernel has ended for want of memory since the machine started, those in control groups included.
fn kernel_kills() -> Option<u64> {
    counted(&std::fs::read_to_string("/proc/vmstat").ok()?)
}

/// The counter in `/proc/vmstat`, which Linux has since 4.13.
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
        // Whether the kernel has ended anything on this machine is not ours to decide.
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
