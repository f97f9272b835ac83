//! The log of occurrences: all readers read everything that happens to checks, in one order.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use a11ycheck_core::{
    domain::{Lease, RetryBy, ScanEventEntry, ScanEventKind, ScanState},
    id::{ScanId, WorkerId},
    store::{Completion, EventPage, LeaseError, ReadEventsError, Store},
};
use chrono::TimeDelta;

use crate::{
    StoreFactory,
    suite::{
        fixtures,
        race::race,
        world::{INSTANT, World, earlier, failure, pages},
    },
};

impl<S: Store> World<S> {
    async fn read(&self, after: u64, limit: u32) -> EventPage {
        self.store.scan_events(after, limit).await.unwrap()
    }

    /// Returns all entries that were not purged.
    async fn kept_entries(&self) -> Vec<ScanEventEntry> {
        let after = match self.store.scan_events(0, 1).await {
            Ok(_) => 0,
            Err(ReadEventsError::Lagged(purged)) => purged,
            Err(other) => panic!("{other:?}"),
        };
        self.read(after, u32::MAX).await.entries
    }

    /// Returns the entries after a position.
    pub(crate) async fn logged(&self, after: u64) -> Vec<(ScanId, ScanEventKind)> {
        let entries = self.read(after, u32::MAX).await.entries;
        entries.iter().map(|entry| (entry.scan, entry.kind)).collect()
    }

    /// Completes a check of a new site, which makes two entries.
    async fn two_entries(&self) {
        let (team, site) = self.team_and_site().await;
        self.completed(team, site).await;
    }
}

async fn roomy<S: Store>(factory: &impl StoreFactory<Store = S>) -> World<S> {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    world
}

pub(crate) async fn nothing_is_logged_of_a_check_that_only_waits<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    world.start(team, site).await;
    assert_eq!(world.store.newest_scan_event().await.unwrap(), 0);
    assert_eq!(world.read(0, 10).await, EventPage { entries: vec![], reached: 0, more: false });
}

pub(crate) async fn each_beginning_and_each_end_of_a_check_is_logged_with_its_ids<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = roomy(factory).await;
    let (team, site) = world.team_and_site().await;
    let (other_team, other_site) = world.team_and_site().await;
    let (completed, failed) = (world.completed(team, site).await, world.failed(other_team, other_site).await);
    let entry = |position, kind, (team, site, scan)| ScanEventEntry { position, kind, team, site, scan };
    let (one, other) = ((team, site, completed), (other_team, other_site, failed));
    let expected = vec![
        entry(1, ScanEventKind::Started, one),
        entry(2, ScanEventKind::Completed, one),
        entry(3, ScanEventKind::Started, other),
        entry(4, ScanEventKind::Failed, other),
    ];
    assert_eq!(world.read(0, 10).await, EventPage { entries: expected, reached: 4, more: false });
}

pub(crate) async fn a_check_that_is_attempted_again_starts_again<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let claim = world.running(team, site).await;
    world.store.renew_lease(claim, Lease::TERM, pages(1)).await.unwrap();
    world.store.hand_back(claim).await.unwrap();
    let claim = world.claim().await;
    world.store.retry_scan(claim, TimeDelta::zero(), RetryBy::Anyone).await.unwrap();
    let claim = world.claim().await;
    world.store.complete_scan(claim, world.completion()).await.unwrap();
    use ScanEventKind::{Completed, Started};
    let expected = [Started, Started, Started, Completed].map(|kind| (claim.scan, kind));
    assert_eq!(world.logged(0).await, expected);
}

pub(crate) async fn a_check_that_lost_its_last_worker_is_logged_as_given_up<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let scan = world.start(team, site).await;
    for _ in 0..ScanState::MAX_ATTEMPTS {
        world.claim().await;
        world.advance(Lease::TERM);
    }
    assert_eq!(world.try_claim().await, None);
    use ScanEventKind::{GivenUp, Started};
    assert_eq!(world.logged(0).await, [Started, Started, Started, GivenUp].map(|kind| (scan, kind)));
}

pub(crate) async fn what_is_refused_is_not_logged<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let old = world.running(team, site).await;
    world.advance(Lease::TERM);
    let new = world.claim().await;
    let before = world.store.newest_scan_event().await.unwrap();
    for claim in [old, earlier(old)] {
        let refused = world.store.complete_scan(claim, world.completion()).await;
        assert!(matches!(refused, Err(LeaseError::Refused(_))), "{refused:?}");
        let refused = world.store.fail_scan(claim, failure()).await;
        assert!(matches!(refused, Err(LeaseError::Refused(_))), "{refused:?}");
    }
    assert_eq!(world.try_claim().await, None);
    // Refused in its last statement: the id of its event is taken.
    world.endpoint(team, crate::suite::outbox::steps::BOTH).await;
    let event = world.event(a11ycheck_core::domain::EventKind::ScanCompleted);
    let events = vec![event.clone(), event];
    world.store.complete_scan(new, Completion { events, ..world.completion() }).await.unwrap_err();
    assert_eq!(world.logged(before).await, []);
    world.store.complete_scan(new, world.completion()).await.unwrap();
    assert_eq!(world.logged(before).await, [(new.scan, ScanEventKind::Completed)]);
}

pub(crate) async fn a_reader_goes_on_where_it_ended<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = roomy(factory).await;
    for _ in 0..3 {
        world.two_entries().await;
    }
    let all = world.read(0, 100).await;
    assert_eq!((all.entries.len(), all.reached, all.more), (6, 6, false));
    let (mut after, mut read) = (0, Vec::new());
    for expected in [4, 6, 6] {
        let page = world.read(after, 4).await;
        assert_eq!((page.reached, page.more), (expected, page.entries.len() == 4));
        (after, read) = (page.reached, [read, page.entries].concat());
    }
    assert_eq!(read, all.entries);
    world.two_entries().await;
    assert_eq!(world.read(0, 6).await.entries, all.entries, "what was read is read again as it was");
    assert_eq!(world.read(6, 100).await.reached, 8);
    assert_eq!(world.read(9, 100).await, EventPage { entries: vec![], reached: 9, more: false });
}

pub(crate) async fn what_happens_from_now_on_has_later_positions_than_the_newest<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = roomy(factory).await;
    world.two_entries().await;
    let newest = world.store.newest_scan_event().await.unwrap();
    assert_eq!(newest, 2, "whether anybody has read it or not");
    world.two_entries().await;
    let positions: Vec<u64> = world.read(newest, 10).await.entries.iter().map(|entry| entry.position).collect();
    assert_eq!(positions, [3, 4]);
}

pub(crate) async fn an_entry_is_kept_for_a_day_and_purged_after_it<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = roomy(factory).await;
    world.two_entries().await;
    world.advance(TimeDelta::hours(1));
    world.two_entries().await;
    world.advance(TimeDelta::hours(23));
    assert_eq!(world.store.purge_scan_events(100).await.unwrap(), 0);
    world.advance(INSTANT);
    assert_eq!(world.store.purge_scan_events(100).await.unwrap(), 2);
    let positions: Vec<u64> = world.kept_entries().await.iter().map(|entry| entry.position).collect();
    assert_eq!(positions, [3, 4]);
    world.advance(TimeDelta::days(9));
    assert_eq!(world.store.purge_scan_events(100).await.unwrap(), 2);
    assert_eq!(world.store.newest_scan_event().await.unwrap(), 4, "positions are not given again");
    world.two_entries().await;
    assert_eq!(world.read(4, 100).await.reached, 6);
}

pub(crate) async fn a_purge_of_entries_deletes_the_oldest_and_no_more_than_its_limit<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = roomy(factory).await;
    for _ in 0..3 {
        world.two_entries().await;
    }
    world.advance(TimeDelta::days(2));
    for (purged, left) in [(4, vec![5, 6]), (2, vec![]), (0, vec![])] {
        assert_eq!(world.store.purge_scan_events(4).await.unwrap(), purged);
        let positions: Vec<u64> = world.kept_entries().await.iter().map(|entry| entry.position).collect();
        assert_eq!(positions, left);
    }
}

pub(crate) async fn a_reader_that_missed_what_was_purged_learns_so<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = roomy(factory).await;
    // Once with entries that were read before they were purged, and once with entries that nobody has read.
    for (round, is_read) in [(0, true), (1, false)] {
        let before = 4 * round;
        world.two_entries().await;
        world.two_entries().await;
        if is_read {
            assert_eq!(world.read(before, 9).await.reached, before + 4);
        }
        world.advance(TimeDelta::days(2));
        assert_eq!(world.store.purge_scan_events(3).await.unwrap(), 3);
        for after in [before, before + 2] {
            let lagged = world.store.scan_events(after, 9).await;
            assert!(matches!(lagged, Err(ReadEventsError::Lagged(to)) if to == before + 3), "{after}: {lagged:?}");
        }
        assert_eq!(world.read(before + 3, 9).await.entries.len(), 1);
        assert_eq!(world.store.purge_scan_events(3).await.unwrap(), 1);
        assert_eq!(world.read(before + 4, 9).await.entries, []);
    }
}

pub(crate) async fn entries_of_what_was_deleted_are_read_as_before<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = roomy(factory).await;
    let (team, site) = world.team_and_site().await;
    world.completed(team, site).await;
    let (gone, its_site) = world.team_and_site().await;
    world.completed(gone, its_site).await;
    let claim = world.running(team, site).await;
    let before = world.read(0, 2).await.entries;
    assert!(world.store.delete_site(team, site).await.unwrap());
    assert!(world.store.delete_team(gone).await.unwrap());
    let late = world.store.complete_scan(claim, world.completion()).await;
    assert!(matches!(late, Err(LeaseError::Gone)), "{late:?}");
    let all = world.read(0, 100).await;
    assert_eq!((&all.entries[..2], all.reached), (before.as_slice(), 5), "and nothing of a check that was deleted");
    world.two_entries().await;
    assert_eq!(world.read(5, 100).await.reached, 7);
    world.advance(TimeDelta::days(2));
    assert_eq!(world.store.purge_scan_events(100).await.unwrap(), 7);
}

pub(crate) async fn readers_beside_many_writers_miss_nothing_and_agree_on_the_order<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    const CHECKS: usize = 60;
    let world = roomy(factory).await;
    let team = world.team().await;
    for _ in 0..CHECKS {
        let (new, id) = (fixtures::new_site("https://a.example", world.now()), ScanId::generate(world.now()));
        world.store.add_site(team, new, Some(id)).await.unwrap();
    }
    let is_over = Arc::new(AtomicBool::new(false));
    let readers = [7, 1_000].map(|limit| {
        let (store, is_over) = (Arc::clone(&world.store), Arc::clone(&is_over));
        tokio::spawn(async move {
            let (mut read, mut after) = (Vec::new(), 0);
            loop {
                // Read before the page, so that the last round has read everything that there is.
                let is_last = is_over.load(Ordering::SeqCst);
                let newest = store.newest_scan_event().await.unwrap();
                let page = store.scan_events(after, limit).await.unwrap();
                assert!(page.reached >= newest || page.more, "{newest} was given, and only {} read", page.reached);
                after = page.reached;
                read.extend(page.entries);
                if is_last && !page.more {
                    return read;
                }
            }
        })
    });
    race(8, |_| {
        let (store, completion) = (Arc::clone(&world.store), world.completion());
        async move {
            while let Some(claimed) = store.claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap() {
                store.complete_scan(claimed.claim, completion.clone()).await.unwrap();
            }
        }
    })
    .await;
    // A worker may have stopped early because others held every due check.
    while let Some(claimed) = world.try_claim().await {
        world.store.complete_scan(claimed.claim, world.completion()).await.unwrap();
    }
    is_over.store(true, Ordering::SeqCst);
    let [one, other] = readers;
    let (one, other) = (one.await.unwrap(), other.await.unwrap());
    assert_eq!(one, other);
    let positions: Vec<u64> = one.iter().map(|entry| entry.position).collect();
    assert_eq!(positions, (1..=2 * CHECKS as u64).collect::<Vec<_>>());
    let mut of_each: BTreeMap<ScanId, Vec<ScanEventKind>> = BTreeMap::new();
    for entry in one {
        of_each.entry(entry.scan).or_default().push(entry.kind);
    }
    assert_eq!(of_each.len(), CHECKS);
    for (scan, kinds) in of_each {
        assert_eq!(kinds, [ScanEventKind::Started, ScanEventKind::Completed], "{scan}");
    }
}

pub(crate) async fn purges_beside_readers_and_writers_delete_each_entry_once_and_hide_none<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = roomy(factory).await;
    let (team, site) = world.team_and_site().await;
    for _ in 0..20 {
        world.completed(team, site).await;
    }
    world.advance(TimeDelta::days(2));
    let claim = world.running(team, site).await;
    let outcomes = race(6, |number| {
        let (store, completion) = (Arc::clone(&world.store), world.completion());
        async move {
            match number {
                0 => {
                    store.complete_scan(claim, completion).await.unwrap();
                    (0, 0)
                }
                1 | 2 => {
                    let (mut after, mut missed, mut read) = (0, 0, 0);
                    while after < 41 {
                        match store.scan_events(after, 3).await {
                            Ok(page) => (after, read) = (page.reached, read + page.entries.len() as u64),
                            Err(ReadEventsError::Lagged(purged)) => (after, missed) = (purged, missed + purged - after),
                            Err(other) => panic!("{other:?}"),
                        }
                    }
                    assert_eq!(read + missed, after, "each was read or counted as missed");
                    (0, 0)
                }
                _ => {
                    let mut purged = 0;
                    for _ in 0..5 {
                        purged += store.purge_scan_events(6).await.unwrap();
                    }
                    (purged, 1)
                }
            }
        }
    })
    .await;
    assert_eq!(outcomes.iter().map(|(_, purger)| purger).sum::<u32>(), 3);
    assert_eq!(outcomes.iter().map(|(purged, _)| purged).sum::<u32>(), 40);
    let left: Vec<(ScanId, ScanEventKind)> = world.logged(40).await;
    assert_eq!(left, [ScanEventKind::Started, ScanEventKind::Completed].map(|kind| (claim.scan, kind)));
}
