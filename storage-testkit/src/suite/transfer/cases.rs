//! Moving everything of a store to another.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use a11ycheck_core::{
    Store,
    domain::{DeliveryState, Lease, PageCounts, RequestClass, ScanState, Standing},
    id::WorkerId,
    store::{
        Claim, ReadEventsError, ReviewStore, SiteFieldStore,
        transfer::{self, Kind, Record, RecordSink, Tally, TransferError, TransferStore},
    },
};
use async_trait::async_trait;
use chrono::TimeDelta;

use super::filled::{FilledStore, drain};
use crate::{
    StoreFactory,
    suite::{
        fixtures,
        outbox::steps::{PLENTY, TERM, answered},
        world::World,
    },
};

/// Returns everything of a store as a file.
async fn exported(store: &impl TransferStore) -> Vec<u8> {
    let mut file = Vec::new();
    transfer::export(store, &mut file).await.unwrap();
    file
}

/// Fills a store, and moves its content to a second one, which uses the same clock.
async fn moved<S: Store + ReviewStore + SiteFieldStore + TransferStore>(
    factory: &impl StoreFactory<Store = S>,
) -> (FilledStore<S>, S) {
    let filled = FilledStore::new(factory).await;
    let taking = factory.empty(filled.clock.clone()).await;
    transfer::import(&taking, exported(&*filled.store).await.as_slice()).await.unwrap();
    (filled, taking)
}

/// Asserts that there is nothing in a store, and that an import still succeeds.
async fn assert_empty(store: &impl TransferStore, file: &[u8]) {
    let mut tally = Tally::default();
    store.export(&mut tally).await.unwrap();
    let there: Vec<(Kind, u64)> =
        tally.totals().counts().filter(|(kind, count)| *kind != Kind::NewestPosition && *count > 0).collect();
    assert_eq!(there, [], "nothing is left behind");
    transfer::import(store, file).await.unwrap();
}

pub(crate) async fn everything_reads_the_same_in_the_store_that_takes_it<
    S: Store + ReviewStore + SiteFieldStore + TransferStore,
>(
    factory: &impl StoreFactory<Store = S>,
) {
    let filled = FilledStore::new(factory).await;
    let before = filled.answers(&*filled.store).await;
    let mut file = Vec::new();
    let given = transfer::export(&*filled.store, &mut file).await.unwrap();
    for (kind, count) in given.counts() {
        assert!(count > 0, "something of everything is moved, {} too", kind.plural());
    }
    let taking = factory.empty(filled.clock.clone()).await;
    let taken = transfer::import(&taking, file.as_slice()).await.unwrap();
    assert_eq!(taken, given);
    let after = filled.answers(&taking).await;
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(after, before);
    }
    assert_eq!(after.len(), before.len());
    assert_eq!(filled.answers(&*filled.store).await, before, "an export changes nothing");
}

pub(crate) async fn a_store_that_took_an_export_gives_the_same_bytes<
    S: Store + ReviewStore + SiteFieldStore + TransferStore,
>(
    factory: &impl StoreFactory<Store = S>,
) {
    let (filled, taking) = moved(factory).await;
    assert!(exported(&taking).await == exported(&*filled.store).await);
}

pub(crate) async fn an_empty_store_moves_as_such<S: Store + ReviewStore + SiteFieldStore + TransferStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    let taking = factory.empty(world.clock.clone()).await;
    let file = exported(&*world.store).await;
    transfer::import(&taking, file.as_slice()).await.unwrap();
    assert_empty(&taking, &file).await;
}

pub(crate) async fn a_token_is_admitted_after_the_move<S: Store + ReviewStore + SiteFieldStore + TransferStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let (filled, taking) = moved(factory).await;
    let before = filled.store.admit_token(&filled.token, RequestClass::File).await.unwrap().unwrap();
    let after = taking.admit_token(&filled.token, RequestClass::File).await.unwrap().unwrap();
    assert_eq!(after, before);
}

pub(crate) async fn workers_go_on_after_the_move_where_they_were<
    S: Store + ReviewStore + SiteFieldStore + TransferStore,
>(
    factory: &impl StoreFactory<Store = S>,
) {
    let (filled, taking) = moved(factory).await;
    let earlier = Claim { token: a11ycheck_core::domain::FencingToken::NONE, ..filled.running };
    let pages = PageCounts::new(4, 12);
    assert!(taking.renew_lease(earlier, Lease::TERM, pages).await.is_err(), "an old lease is refused");
    taking.renew_lease(filled.running, Lease::TERM, pages).await.unwrap();
    let completion = fixtures::completion(taking.now().await.unwrap());
    let completed = taking.complete_scan(filled.running, completion).await.unwrap();
    assert!(matches!(completed.state, ScanState::Completed { .. }));

    let delivered = taking.record_attempt(filled.attempting, answered(200)).await.unwrap();
    assert!(matches!(delivered.state, DeliveryState::Delivered { attempts: 1, .. }));
    let page = a11ycheck_core::paging::PageRequest::new(1, 100);
    let listed = taking.deliveries(filled.owner, delivered.endpoint, page).await.unwrap().unwrap();
    let blocked = listed.items.iter().filter(|delivery| matches!(delivery.state, DeliveryState::Blocked { .. }));
    assert_eq!(blocked.count(), 0, "what waited for the attempt is due");
}

pub(crate) async fn the_queue_and_the_outbox_keep_their_order<
    S: Store + ReviewStore + SiteFieldStore + TransferStore,
>(
    factory: &impl StoreFactory<Store = S>,
) {
    let (filled, taking) = moved(factory).await;
    for wait in [TimeDelta::zero(), Lease::TERM, TimeDelta::hours(1), TimeDelta::days(10)] {
        filled.clock.advance(wait);
        let given = drain(&*filled.store).await;
        assert_eq!(drain(&taking).await, given);
        let worker = WorkerId::generate();
        let keys = filled.ring.ids();
        let before = filled.store.claim_deliveries(&worker, PLENTY, TERM, &keys).await.unwrap();
        let after = taking.claim_deliveries(&worker, PLENTY, TERM, &keys).await.unwrap();
        assert_eq!(after, before, "with their secrets and bytes");
        let mut due = Vec::new();
        for store in [&*filled.store, &taking] {
            let queued = store.queue_due_scans(1_000).await.unwrap().queued;
            let mut sites: Vec<_> = queued.iter().map(|scan| scan.site).collect();
            sites.sort_unstable();
            due.push(sites);
        }
        assert_eq!(due[1], due[0]);
    }
}

pub(crate) async fn readers_of_the_log_go_on_after_the_move<S: Store + ReviewStore + SiteFieldStore + TransferStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let (filled, taking) = moved(factory).await;
    let newest = filled.store.newest_scan_event().await.unwrap();
    assert_eq!(taking.newest_scan_event().await.unwrap(), newest);
    let lagged = taking.scan_events(0, 10).await;
    assert!(matches!(lagged, Err(ReadEventsError::Lagged(_))), "{lagged:?}");
    let completion = fixtures::completion(taking.now().await.unwrap());
    taking.complete_scan(filled.running, completion).await.unwrap();
    let read = taking.scan_events(newest, 10).await.unwrap();
    let positions: Vec<u64> = read.entries.iter().map(|entry| entry.position).collect();
    assert_eq!((positions, read.entries[0].scan), (vec![newest + 1], filled.running.scan));

    filled.clock.advance(TimeDelta::days(2));
    while taking.purge_scan_events(100).await.unwrap() == 100 {}
    let emptied = factory.empty(filled.clock.clone()).await;
    transfer::import(&emptied, exported(&taking).await.as_slice()).await.unwrap();
    assert_eq!(emptied.newest_scan_event().await.unwrap(), newest + 1, "also when all entries were purged");
    let lagged = emptied.scan_events(newest, 10).await;
    assert!(matches!(lagged, Err(ReadEventsError::Lagged(purged)) if purged == newest + 1), "{lagged:?}");
}

pub(crate) async fn the_purge_removes_what_it_would_have_removed<
    S: Store + ReviewStore + SiteFieldStore + TransferStore,
>(
    factory: &impl StoreFactory<Store = S>,
) {
    let (filled, taking) = moved(factory).await;
    // Before the hold ends, when it has ended, and when months have passed.
    for wait in [TimeDelta::minutes(1), TimeDelta::hours(25), TimeDelta::days(150)] {
        filled.clock.advance(wait);
        let mut purged = Vec::new();
        for store in [&*filled.store, &taking] {
            let mut count = 0;
            while let removed @ 1.. = store.purge_scans(100).await.unwrap() {
                count += removed;
            }
            while let removed @ 1.. = store.purge_deliveries(100).await.unwrap() {
                count += removed;
            }
            purged.push(count);
        }
        assert_eq!(purged[1], purged[0], "after {wait}");
    }
}

pub(crate) async fn a_store_with_content_takes_nothing_and_keeps_what_it_has<
    S: Store + ReviewStore + SiteFieldStore + TransferStore,
>(
    factory: &impl StoreFactory<Store = S>,
) {
    let filled = FilledStore::new(factory).await;
    let file = exported(&*filled.store).await;
    let before = filled.answers(&*filled.store).await;
    let refused = transfer::import(&*filled.store, file.as_slice()).await;
    assert!(matches!(refused, Err(TransferError::NotEmpty(Kind::Plan))), "{refused:?}");
    assert_eq!(filled.answers(&*filled.store).await, before);

    let setting = a11ycheck_core::domain::SharedSetting::BaseUrl;
    let world = World::empty(factory).await;
    world.store.settle_setting(setting, "https://a11y.example/").await.unwrap();
    let refused = transfer::import(&*world.store, file.as_slice()).await;
    assert!(matches!(refused, Err(TransferError::NotEmpty(Kind::Setting))), "{refused:?}");
    assert_eq!(world.store.settings().await.unwrap().len(), 1);
    assert_eq!(world.store.plans().await.unwrap(), []);
}

pub(crate) async fn a_file_that_ends_early_leaves_the_store_empty<
    S: Store + ReviewStore + SiteFieldStore + TransferStore,
>(
    factory: &impl StoreFactory<Store = S>,
) {
    let filled = FilledStore::new(factory).await;
    let file = exported(&*filled.store).await;
    let taking = factory.empty(filled.clock.clone()).await;
    let last_line = file[..file.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    for end in (1..20).map(|part| file.len() * part / 20).chain([last_line, file.len() - 1]) {
        let refused = transfer::import(&taking, &file[..end]).await;
        assert!(matches!(refused, Err(TransferError::Truncated)), "{refused:?}");
    }
    assert_empty(&taking, &file).await;
}

pub(crate) async fn a_file_that_was_changed_leaves_the_store_empty<
    S: Store + ReviewStore + SiteFieldStore + TransferStore,
>(
    factory: &impl StoreFactory<Store = S>,
) {
    let filled = FilledStore::new(factory).await;
    let file = exported(&*filled.store).await;
    let taking = factory.empty(filled.clock.clone()).await;
    let changed = |from: &[u8], to: &[u8]| {
        let at = file.windows(from.len()).position(|part| part == from).unwrap();
        [&file[..at], to, &file[at + from.len()..]].concat()
    };
    // A value; the bytes of a picture, whose length stays; a record that is no longer there.
    let value = changed(b"\"seats_used\":2", b"\"seats_used\":3");
    let picture = fixtures::screenshot(7, 300).bytes;
    let bytes = changed(&picture, &[&picture[..picture.len() - 1], b"!"].concat());
    let token = file.split(|byte| *byte == b'\n').find(|line| line.starts_with(b"{\"token\"")).unwrap();
    let missing = changed(&[token, b"\n"].concat(), b"");
    for (file, kind) in [(value, Kind::Team), (bytes, Kind::Picture), (missing, Kind::Token)] {
        let refused = transfer::import(&taking, file.as_slice()).await;
        assert!(matches!(refused, Err(TransferError::Altered(altered)) if altered == kind), "{refused:?}");
    }
    assert_empty(&taking, &file).await;
}

/// Changes the store when the export of it has begun.
struct Disturbing<'a, S> {
    filled: &'a FilledStore<S>,
    has_disturbed: AtomicBool,
    tally: Tally,
}

#[async_trait]
impl<S: Store + ReviewStore + SiteFieldStore> RecordSink for Disturbing<'_, S> {
    async fn put(&mut self, record: Record) -> Result<(), TransferError> {
        self.tally.put(record).await?;
        if !self.has_disturbed.swap(true, Ordering::Relaxed) {
            let FilledStore { store, owner, running, .. } = self.filled;
            store.complete_scan(*running, fixtures::completion(store.now().await?)).await.unwrap();
            let plan = fixtures::plan().code;
            let team = store.create_team(fixtures::new_team(&plan, store.now().await?)).await.unwrap().id;
            store.set_standing(team, Standing::Blocked).await?;
            assert!(store.delete_team(*owner).await?, "nobody waits for the export");
        }
        Ok(())
    }
}

pub(crate) async fn what_happens_during_an_export_is_not_in_it<
    S: Store + ReviewStore + SiteFieldStore + TransferStore,
>(
    factory: &impl StoreFactory<Store = S>,
) {
    let filled = FilledStore::new(factory).await;
    let mut before = Tally::default();
    filled.store.export(&mut before).await.unwrap();
    let mut during = Disturbing { filled: &filled, has_disturbed: AtomicBool::new(false), tally: Tally::default() };
    Arc::clone(&filled.store).export(&mut during).await.unwrap();
    assert_eq!(during.tally.totals(), before.totals());
    let mut after = Tally::default();
    filled.store.export(&mut after).await.unwrap();
    assert_ne!(after.totals(), before.totals());
}
