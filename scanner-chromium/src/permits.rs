//! The bounds on how much a scanner does at a time: every semaphore of the crate, what it bounds, and the order in
//! which they are taken.
//!
//! | permit | bounds | given out | held by a visit |
//! |---|---|---|---|
//! | [`ScanPermits::loading`] | pages of one site that load at a time, so that small sites are not overrun | by the scan | from before its turn until the page has loaded; also while the parts of a page are asked for without a tab |
//! | [`ScanPermits::tab`] | pages that are open at a time, over all scans | by the scanner | from before its tab is taken until that is at rest or closed |
//! | [`ScanPermits::core`] | pages that axe-core works on at a time: it keeps a processor core busy | by the scanner | while axe-core runs |
//! | [`ScanPermits::cutting`] | pages whose pictures are cut out at a time: each holds a shot with all its pixels, some 30 MB | by the scanner | while they are cut out |
//!
//! All of them are granted in the order of asking, so that scans take turns.
//!
//! # Order
//! A visit takes `loading`, then waits for its turn at the site (`visit/pace.rs`), then takes `tab` and, if a browser
//! has to be started, the lock of the pool. It releases `loading`, takes and releases `core`, releases `tab`, and takes
//! `cutting` while it holds nothing else. The crawler's own requests take `tab` and nothing else, and only if the
//! browser has to send them; after it they take the lock of their one tab and that of the pool. Whoever asks for the parts of a page
//! (`crawl/memory/asking.rs`) takes `loading`, its turn, and then the right to one of four requests at a time, which is held for
//! that request alone.
//!
//! One lock is held across all of these waits: that of what a site shows for an address that does not exist
//! (`crawl/missing.rs`), which lets one visit at a time find that out. It is taken before any permit, and never by a
//! visit that holds one.
//!
//! # Why no visit waits for itself
//! A visit that waits for a permit holds none but those before it in this order, so the visit that has come farthest
//! always goes on. Its remaining work is finite: each of its steps has a deadline, and a visit that is dropped releases
//! everything. A scan that waits longer than its own time limit gives up while it waits.
//!
//! The number of look-ups that a scan has under way is bounded in core (`LookupShare`).

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{AcquireError, Semaphore, SemaphorePermit};

/// The permits of one scanner, for all of its scans.
#[derive(Debug)]
pub(crate) struct Permits {
    tabs: Semaphore,
    cores: Semaphore,
    cutters: Semaphore,
    /// The number of pages that may be open at a time. How many are open makes no difference.
    all_tabs: usize,
    /// The number of scans under way.
    scans: AtomicUsize,
}

/// The permits of one scan, which counts as under way until this is dropped.
#[derive(Debug)]
pub(crate) struct ScanPermits<'a> {
    all: &'a Permits,
    loading: Semaphore,
}

/// The right to do something, until it is dropped.
#[derive(Debug)]
pub(crate) struct Permit<'a> {
    /// The permit itself. It is never an error, since the semaphores are never closed.
    _held: Result<SemaphorePermit<'a>, AcquireError>,
}

impl Permits {
    /// Creates permits for `tabs` open pages. axe-core works on as many of them at a time as there are `cores`.
    pub(crate) fn new(tabs: usize, cores: usize) -> Self {
        Self {
            tabs: Semaphore::new(tabs),
            cores: Semaphore::new(cores),
            cutters: Semaphore::new(cores.div_ceil(4)),
            all_tabs: tabs,
            scans: AtomicUsize::new(0),
        }
    }

    /// Begins a scan that loads at most `pages_at_once` pages at a time.
    pub(crate) fn begin_scan(&self, pages_at_once: usize) -> ScanPermits<'_> {
        self.scans.fetch_add(1, Ordering::Relaxed);
        ScanPermits { all: self, loading: Semaphore::new(pages_at_once) }
    }

    /// Waits until a page may be open; a blank one needs this too.
    pub(crate) async fn tab(&self) -> Permit<'_> {
        Permit::of(&self.tabs).await
    }
}

impl ScanPermits<'_> {
    /// Waits until a page of the site may be loaded.
    pub(crate) async fn loading(&self) -> Permit<'_> {
        Permit::of(&self.loading).await
    }

    /// Waits until a page may be open.
    pub(crate) async fn tab(&self) -> Permit<'_> {
        self.all.tab().await
    }

    /// Waits until axe-core may work on a page.
    pub(crate) async fn core(&self) -> Permit<'_> {
        Permit::of(&self.all.cores).await
    }

    /// Waits until the pictures of a page may be cut out.
    pub(crate) async fn cutting(&self) -> Permit<'_> {
        Permit::of(&self.all.cutters).await
    }

    /// Returns how many pages this scan may have open beside the others under way; at least one.
    pub(crate) fn share_of_tabs(&self) -> usize {
        self.all.all_tabs.div_ceil(self.all.scans.load(Ordering::Relaxed).max(1))
    }
}

impl Drop for ScanPermits<'_> {
    fn drop(&mut self) {
        self.all.scans.fetch_sub(1, Ordering::Relaxed);
    }
}

impl<'a> Permit<'a> {
    async fn of(semaphore: &'a Semaphore) -> Self {
        Self { _held: semaphore.acquire().await }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scans_share_the_tabs_evenly_and_each_has_one() {
        let permits = Permits::new(5, 1);
        let first = permits.begin_scan(2);
        assert_eq!(first.share_of_tabs(), 5);
        let second = permits.begin_scan(2);
        assert_eq!((first.share_of_tabs(), second.share_of_tabs()), (3, 3));
        let more: Vec<_> = (0..20).map(|_| permits.begin_scan(2)).collect();
        assert_eq!(second.share_of_tabs(), 1);
        drop((first, more));
        assert_eq!(second.share_of_tabs(), 5);
    }

    #[tokio::test(start_paused = true)]
    async fn a_permit_that_is_dropped_goes_to_whoever_waits() {
        let permits = Permits::new(1, 1);
        let scan = permits.begin_scan(1);
        let open = scan.tab().await;
        let waits = tokio::time::timeout(std::time::Duration::from_secs(1), permits.tab()).await;
        assert!(waits.is_err(), "the only tab is taken");
        drop(open);
        let (_again, _core, _loading) = tokio::join!(permits.tab(), scan.core(), scan.loading());
    }
}
