//! The events of checks, as a stream.

use std::{sync::atomic::Ordering, time::Duration};

use a11ycheck_core::{
    Service, Store,
    domain::{Failure, FailureCode, Lease},
    id::WorkerId,
    scanner::Script,
    service::{EventsFrom, ScanEvent, ScanEvents},
    store::EventLog as _,
};
use a11ycheck_storage_testkit::TestWorld;
use chrono::TimeDelta;
use tokio::runtime::Builder;

use crate::{
    Host, others_run, queued,
    store::{Fault, Faulty},
    tasks,
};

/// The time after which an event counts as lost.
const LOST: Duration = Duration::from_secs(60);

async fn next(events: &mut ScanEvents) -> ScanEvent {
    tokio::time::timeout(LOST, events.next()).await.expect("an event is lost").unwrap()
}

async fn take(events: &mut ScanEvents, count: usize) -> Vec<ScanEvent> {
    let mut taken = Vec::new();
    while taken.len() < count {
        taken.push(next(events).await);
    }
    taken
}

async fn nothing_comes(events: &mut ScanEvents) {
    let more = tokio::time::timeout(LOST, events.next()).await;
    assert!(more.is_err(), "{more:?}");
}

fn position(event: &ScanEvent) -> u64 {
    match event {
        ScanEvent::Started(about)
        | ScanEvent::Completed(about)
        | ScanEvent::Failed(about)
        | ScanEvent::GivenUp(about) => about.position,
        other => panic!("{other:?}"),
    }
}

/// Begins a check so many times, each of which is an occurrence.
async fn begin<S: Store>(world: &TestWorld<S>, times: usize) {
    for _ in 0..times {
        let claimed = world.store().claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap().unwrap();
        world.store().hand_back(claimed.claim).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn all_services_on_a_store_learn_of_the_same_in_the_same_order() {
    let failing = Script::failing(Failure::new(FailureCode::NotHtml, "No page."));
    let host = Host::new([Script::page("https://shop.example.com/"), failing]).await;
    // Checks that were queued at one instant begin in the order of their ids.
    host.world.advance(TimeDelta::seconds(1));
    let (other_team, other_site, other_scan) = queued(host.world.service()).await;
    let other = Service::builder(host.world.store().clone()).build().await.unwrap();
    let mut streams = [
        host.world.service().events(EventsFrom::Now).await.unwrap(),
        host.world.service().events(EventsFrom::Now).await.unwrap(),
        other.events(EventsFrom::Now).await.unwrap(),
    ];
    host.world.run_until_idle().await;
    for events in &mut streams {
        let taken = take(events, 4).await;
        let [
            ScanEvent::Started(one),
            ScanEvent::Completed(completed),
            ScanEvent::Started(other),
            ScanEvent::Failed(failed),
        ] = taken[..]
        else {
            panic!("{taken:?}")
        };
        let ids = [one, completed, other, failed].map(|about| (about.position, about.team, about.site, about.scan));
        let (team, other_team) = (host.team.id(), other_team.id());
        let expected = [
            (1, team, host.site, host.scan),
            (2, team, host.site, host.scan),
            (3, other_team, other_site, other_scan),
            (4, other_team, other_site, other_scan),
        ];
        assert_eq!(ids, expected);
        nothing_comes(events).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_begins_where_it_is_asked_to() {
    let host = Host::new([]).await;
    begin(&host.world, 3).await;
    let service = host.world.service();
    let mut now = service.events(EventsFrom::Now).await.unwrap();
    let mut all = service.events(EventsFrom::After(0)).await.unwrap();
    let mut last = service.events(EventsFrom::After(2)).await.unwrap();
    let mut beyond = service.events(EventsFrom::After(99)).await.unwrap();
    begin(&host.world, 1).await;
    for (events, expected) in
        [(&mut now, vec![4]), (&mut all, vec![1, 2, 3, 4]), (&mut last, vec![3, 4]), (&mut beyond, vec![4])]
    {
        let taken = take(events, expected.len()).await;
        assert_eq!(taken.iter().map(position).collect::<Vec<_>>(), expected);
        nothing_comes(events).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_not_polled_misses_nothing_and_holds_up_no_other() {
    const MANY: usize = 3_000;
    let host = Host::new([]).await;
    let mut slow = host.world.service().events(EventsFrom::Now).await.unwrap();
    let mut quick = host.world.service().events(EventsFrom::Now).await.unwrap();
    for _ in 0..3 {
        begin(&host.world, MANY / 3).await;
        take(&mut quick, MANY / 3).await;
    }
    let taken = take(&mut slow, MANY).await;
    assert_eq!(taken.iter().map(position).collect::<Vec<_>>(), (1..=MANY as u64).collect::<Vec<_>>());
    begin(&host.world, 1).await;
    assert_eq!(position(&next(&mut slow).await), 1 + MANY as u64);
}

#[tokio::test(start_paused = true)]
async fn one_who_comes_too_late_learns_how_much_was_missed() {
    let host = Host::new([]).await;
    begin(&host.world, 5).await;
    host.world.advance(TimeDelta::days(2));
    begin(&host.world, 1).await;
    assert_eq!(host.world.store().purge_scan_events(100).await.unwrap(), 5);
    let mut events = host.world.service().events(EventsFrom::After(2)).await.unwrap();
    assert_eq!(next(&mut events).await, ScanEvent::Lagged(3));
    assert_eq!(position(&next(&mut events).await), 6);
}

#[tokio::test(start_paused = true)]
async fn a_stream_outlives_trouble_of_the_store_and_says_what_it_missed_meanwhile() {
    let fault = Fault::default();
    let host = Host::over([], |inner| Faulty { inner, fault: fault.clone() }).await;
    let mut events = host.world.service().events(EventsFrom::Now).await.unwrap();
    begin(&host.world, 2).await;
    take(&mut events, 2).await;
    fault.is_down.store(true, Ordering::SeqCst);
    begin(&host.world, 3).await;
    nothing_comes(&mut events).await;
    fault.is_down.store(false, Ordering::SeqCst);
    take(&mut events, 3).await;
    fault.is_down.store(true, Ordering::SeqCst);
    begin(&host.world, 4).await;
    nothing_comes(&mut events).await;
    host.world.advance(TimeDelta::days(2));
    host.world.store().purge_scan_events(100).await.unwrap();
    begin(&host.world, 1).await;
    fault.is_down.store(false, Ordering::SeqCst);
    assert_eq!(next(&mut events).await, ScanEvent::Lagged(4));
    assert_eq!(position(&next(&mut events).await), 10);
}

#[tokio::test(start_paused = true)]
async fn there_is_one_task_while_somebody_follows_and_none_otherwise() {
    let host = Host::new([]).await;
    let before = tasks();
    for _ in 0..3 {
        let service = host.world.service();
        let streams =
            [service.events(EventsFrom::Now).await.unwrap(), service.events(EventsFrom::After(0)).await.unwrap()];
        others_run().await;
        assert_eq!(tasks(), before + 1);
        let [one, other] = streams;
        drop(one);
        others_run().await;
        assert_eq!(tasks(), before + 1);
        drop(other);
        others_run().await;
        assert_eq!(tasks(), before);
    }
}

#[test]
fn a_stream_goes_on_when_the_runtime_that_reads_for_it_has_ended() {
    let runtime = || Builder::new_current_thread().enable_all().build().unwrap();
    let (reads, goes_on) = (runtime(), runtime());
    let (host, first) = reads.block_on(async {
        let host = Host::new([]).await;
        let first = host.world.service().events(EventsFrom::Now).await.unwrap();
        (host, first)
    });
    let mut events = goes_on.block_on(host.world.service().events(EventsFrom::Now)).unwrap();
    drop(first);
    drop(reads);
    goes_on.block_on(async {
        begin(&host.world, 2).await;
        let taken = take(&mut events, 2).await;
        assert_eq!(taken.iter().map(position).collect::<Vec<_>>(), [1, 2]);
    });
}
