//! How much a scanner does at a time: every semaphore of the crate, what it bounds, and in which order they are taken.
//!
//! | permit | bounds | given out | held by a visit |
//! |---|---|---|---|
//! | [`ScanPermits::loading`] | pages of one site that load at a time, so that small sites are not overrun | by the scan | from before its turn until the page has loaded |
//! | [`ScanPermits::tab`] | pages that are open at a time, over all scans | by the scanner | from before its tab is taken until that is at rest or closed |
//! | [`ScanPermits::core`] | pages that axe-core works on at a time: it keeps a processor core busy | by the scanner | while axe-core runs |
//! | [`ScanPermits::cutting`] | pages whose pictures are cut out at a time: each holds a shot with all its pixels, some 30 MB | by the scanner | while they are cut out |
//!
//! All of them are given out in the order of asking, so that scans take turns.
//!
//! # Order
//! A visit takes `loading`, then waits for the site's turn (`visit/pace.rs`), then takes `tab` and, where a browser has to be started,
//! the lock of the pool. It gives `loading` back, takes `core` and gives that back, gives `tab` back, and takes `cutting` with
//! nothing else in its hands. The crawler's own requests take `tab` and nothing else, and only where the browser has to ask; behind it
//! they take the lock of their one tab and that of the pool.
//!
//! One lock is held while all of this is waited for: that of what a site shows where there is nothing (`crawl/missing.rs`), which
//! lets one visit at a time find that out. It is taken before any permit, and by nobody who holds one.
//!
//! # Why no visit waits for itself
//! Whoever waits for a permit holds none but those that stand before it in this order, so the visit that has come farthest
//! always goes on. What it does then has an end: each of its steps has a deadline, and a visit that is dropped gives all back. A
//! scan that waits longer than its own time gives up where it waits.
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
    /// Pages that may be open at a time, whether they are or not.
    all_tabs: usize,
    /// How many scans are under way.
    scans: AtomicUsize,
}

/// The permits of one scan, which counts as under way until this is dropped.
#[derive(Debug)]
pub(crate) struct ScanPermits<'a> {
    all: &'a Permits,
    loading: Semaphore,
}

/// Something that may be done until this is dropped.
#[derive(Debug)]
pub(crate) struct Permit<'a> {
    /// The semaphores are never closed.
    _held: Result<SemaphorePermit<'a>, AcquireError>,
}

impl Permits {
    /// Permits for this many open pages, of which axe-core works on as many at a time as there are `cores`.
    pub(crate) fn new(tabs: usize, cores: usize) -> Self {
        Self {
            tabs: Semaphore::new(tabs),
            cores: Semaphore::new(cores),
            cutters: Semaphore::new(cores.div_ceil(4)),
            all_tabs: tabs,
            scans: AtomicUsize::new(0),
        }
    }

    /// Begins a scan that loads this many pages at a time.
    pub(crate) fn begin_scan(&self, pages_at_once: usize) -> ScanPermits<'_> {
        self.scans.fetch_add(1, Ordering::Relaxed);
        ScanPermits { all: self, loading: Semaphore::new(pages_at_once) }
    }

    /// Waits until a page may be open, even a blank one.
    pub(crate) async fn tab(&self) -> Permit<'_> {
        Permit::of(&self.tabs).await
    }
}

impl ScanPermits<'_> {
    /// Waits until the site may be asked for a page.
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
