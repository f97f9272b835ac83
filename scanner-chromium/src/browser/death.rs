//! Why the process behind a tab died: for want of memory, or of something else.
//!
//! The browser tells the signal. The kernel ends with SIGKILL what is too large for the machine or its control group, and so
//! does anybody who may; V8 ends a page that has used up its heap by a trap, and so does each of Chromium's own assertions.
//! Neither is proof alone. The kernel counts what it ends for want of memory, and V8 writes a line before it traps.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
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
pub(super) const HEAP_NOTICE: &[u8] = b"V8 javascript OOM";

/// What is known of memory before a page is opened.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MemoryMarks {
    /// What the kernel has ended for want of memory; `None` where it does not tell.
    kernel: Option<u64>,
    /// Pages of this browser that have used up their heap.
    heap: u64,
}

/// How the tabs of a browser died.
#[derive(Debug)]
pub(super) struct Deaths {
    /// Target and status (`base::TerminationStatus`: `crashed`, `killed`, `oom`, …), the latest last.
    statuses: Mutex<VecDeque<(String, String)>>,
    noted: Notify,
    /// How often the browser has written [`HEAP_NOTICE`].
    heap: watch::Receiver<u64>,
}

impl Deaths {
    pub(super) fn new(heap: watch::Receiver<u64>) -> Self {
        Self { statuses: Mutex::default(), noted: Notify::new(), heap }
    }

    /// Notes `Target.targetCrashed`.
    pub(super) fn note(&self, target: &str, status: &str) {
        let mut statuses = self.statuses.lock().unwrap_or_else(PoisonError::into_inner);
        if statuses.len() == KEPT {
            statuses.pop_front();
        }
        statuses.push_back((target.to_owned(), status.to_owned()));
        self.noted.notify_waiters();
    }

    pub(super) fn marks(&self) -> MemoryMarks {
        MemoryMarks { kernel: kernel_kills(), heap: *self.heap.borrow() }
    }

    /// Returns whether a tab that has died since `before` did so for want of memory, as far as can be known.
    pub(super) async fn is_for_want_of_memory(&self, target: &str, before: MemoryMarks) -> bool {
        let deadline = Instant::now() + WORD_TIME;
        let Some(status) = self.status(target, deadline).await else { return false };
        match status.as_str() {
            "oom" => true,
            "killed" => before.kernel.zip(kernel_kills()).is_some_and(|(before, now)| now > before),
            "crashed" => {
                let mut heap = self.heap.clone();
                timeout_at(deadline, heap.wait_for(|count| *count > before.heap)).await.is_ok_and(|told| told.is_ok())
            }
            _ => false,
        }
    }

    /// The status under which the tab died, once the browser has told it.
    async fn status(&self, target: &str, deadline: Instant) -> Option<String> {
        let told = async {
            loop {
                let noted = self.noted.notified();
                if let Some(status) = self.take(target) {
                    return status;
                }
                noted.await;
            }
        };
        timeout_at(deadline, told).await.ok()
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
        let plenty = MemoryMarks { kernel: Some(u64::MAX), heap: 4 };
        let since = MemoryMarks { kernel: kernel_kills().map(|_| 0), ..plenty };
        for (status, expected) in [("oom", true), ("killed", false), ("crashed", false), ("abnormal", false)] {
            deaths.note("A", "crashed");
            deaths.note("B", status);
            assert_eq!(deaths.is_for_want_of_memory("B", plenty).await, expected, "{status}");
            deaths.take("A");
        }
        assert!(!deaths.is_for_want_of_memory("C", plenty).await, "the browser says nothing of it");
        notices.send(5).unwrap();
        deaths.note("D", "crashed");
        assert!(deaths.is_for_want_of_memory("D", plenty).await);
        // Whether the kernel has ended anything on this machine is not ours to decide.
        deaths.note("E", "killed");
        assert_eq!(deaths.is_for_want_of_memory("E", since).await, kernel_kills().is_some_and(|kills| kills > 0));
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
        let (is_memory, ()) = tokio::join!(deaths.is_for_want_of_memory("A", before), late);
        assert!(is_memory);
    }
}
