//! An allocator that counts, for programs that use it as their only one.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering},
};

/// Counts the allocated bytes, and the most at one time.
#[derive(Debug)]
pub(crate) struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

impl Counting {
    /// Returns the most bytes that `work` had allocated at one time, beyond those allocated before.
    pub(crate) fn peak_of(work: impl FnOnce()) -> usize {
        let before = NOW.load(Ordering::Relaxed);
        PEAK.store(before, Ordering::Relaxed);
        work();
        PEAK.load(Ordering::Relaxed) - before
    }
}

// SAFETY: every call is passed on to the system's allocator unchanged; only numbers are noted besides.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller's promises are the system's conditions.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promises are the system's conditions.
        unsafe { System.dealloc(pointer, layout) }
    }
}
