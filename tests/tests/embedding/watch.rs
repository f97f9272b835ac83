//! Waiting for the end of a check.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use a11ycheck_core::{
    Error, Store,
    domain::{Failure, FailureCode, Lease, ScanState},
    id::WorkerId,
    scanner::{CancellationToken, Script},
    service::{Ended, Progress},
    store::QueueStore as _,
};
use tokio::{sync::Semaphore, task::JoinHandle, time::Instant};

use crate::{
    Host, others_run, queued,
    store::{Fault, Faulty},
    tasks,
};

const HOME: &str = "https://shop.example.com/";
/// The time within which the end of a check of this process is known.
const SOON: Duration = Duration::from_secs(1);
/// The time within which the end of any check is known.
const LATE: Duration = Duration::from_secs(6);

impl<S: Store> Host<S> {
    /// Begins to wait for the check.
    async fn waiting(&self) -> JoinHandle<Result<Ended, Error>> {
        let (team, scan) = (self.team.clone(), self.scan);
        let waiting = tokio::spawn(async move { team.wait(scan).await });
        others_run().await;
        assert!(!waiting.is_finished());
        waiting
    }
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_check_is_known_at_once() {
    let host = Host::new([Script::page(HOME)]).await;
    let waiting = [host.waiting().await, host.waiting().await];
    let began = Instant::now();
    host.world.run_until_idle().await;
    for waiting in waiting {
        let ended = waiting.await.unwrap().unwrap();
        assert!(matches!(&ended, Ended::Completed(scan) if scan.id == host.scan), "{ended:?}");
    }
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    let again = host.team.wait(host.scan).await.unwrap();
    assert!(matches!(again, Ended::Completed(_)), "one that has ended is not waited for: {again:?}");
}

#[tokio::test(start_paused = true)]
async fn a_failed_check_ends_a_wait_with_its_reason() {
    let host = Host::new([Script::failing(Failure::new(FailureCode::NotHtml, "No page."))]).await;
    let waiting = host.waiting().await;
    host.world.run_until_idle().await;
    let ended = waiting.await.unwrap().unwrap();
    assert!(matches!(&ended, Ended::Failed(_, failure) if failure.code == FailureCode::NotHtml), "{ended:?}");
}

#[tokio::test(start_paused = true)]
async fn a_check_that_is_given_up_ends_a_wait() {
    let host = Host::new([]).await;
    let waiting = host.waiting().await;
    for attempt in 0..=ScanState::MAX_ATTEMPTS {
        let claimed = host.world.store().claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap();
        assert_eq!(claimed.is_some(), attempt < ScanState::MAX_ATTEMPTS);
        host.world.advance(Lease::TERM);
    }
    let began = Instant::now();
    let ended = waiting.await.unwrap().unwrap();
    assert!(matches!(&ended, Ended::Failed(_, failure) if failure.code == FailureCode::WorkerLost), "{ended:?}");
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_deleted_site_ends_a_wait() {
    let host = Host::new([]).await;
    let waiting = host.waiting().await;
    let began = Instant::now();
    host.team.delete_site(host.site).await.unwrap();
    let ended = waiting.await.unwrap();
    assert!(matches!(ended, Err(Error::NotFound)), "{ended:?}");
    assert!(began.elapsed() < LATE, "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_check_of_another_team_is_not_there() {
    let host = Host::new([]).await;
    let (stranger, _, _) = queued(host.world.service()).await;
    let ended = stranger.wait(host.scan).await;
    assert!(matches!(ended, Err(Error::NotFound)), "{ended:?}");
}

#[tokio::test(start_paused = true)]
async fn the_end_is_known_although_the_log_says_nothing_of_it() {
    let fault = Fault::default();
    let store = |inner| Faulty { inner, fault: fault.clone() };
    let host = Host::over([Script::page(HOME)], store).await;
    fault.is_empty.store(true, Ordering::SeqCst);
    let waiting = host.waiting().await;
    let began = Instant::now();
    host.world.run_until_idle().await;
    let ended = waiting.await.unwrap().unwrap();
    assert!(matches!(ended, Ended::Completed(_)), "{ended:?}");
    assert!(began.elapsed() < LATE, "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn progress_has_a_denominator_and_comes_when_it_changes() {
    let gate = Arc::new(Semaphore::new(0));
    let script = Script::page(HOME).and_page("https://shop.example.com/a").held_by(&gate);
    let host = Host::new([script]).await;
    let at_most = host.team.scan(host.scan).await.unwrap().pages_requested;
    let counts =
        |progress: Progress| (progress.pages_done, progress.pages_found, progress.pages_at_most, progress.attempt);
    let mut watch = host.team.watch(host.scan);
    assert_eq!(watch.next().await.unwrap().map(counts), Some((0, 0, at_most, 0)));
    let (worker, stop) = (host.world.engine().worker().unwrap(), CancellationToken::new());
    let working = tokio::spawn(async move { worker.step(&stop).await });
    assert_eq!(watch.next().await.unwrap().map(counts), Some((0, 0, at_most, 1)), "it was begun");
    assert_eq!(watch.next().await.unwrap().map(counts), Some((2, 2, at_most, 1)));
    assert!(
        tokio::time::timeout(LATE, watch.next()).await.is_err(),
        "nothing changes, and a dropped call loses nothing"
    );
    gate.add_permits(1);
    assert_eq!(watch.next().await.unwrap().map(counts), None);
    assert_eq!(watch.next().await.unwrap().map(counts), None, "it stays so");
    let ended = watch.ended().await.unwrap();
    assert!(matches!(ended, Ended::Completed(_)), "{ended:?}");
    working.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_is_dropped_leaves_no_task_and_the_check_goes_on() {
    let host = Host::new([Script::page(HOME)]).await;
    let before = tasks();
    let mut watches: Vec<_> = (0..3).map(|_| host.team.watch(host.scan)).collect();
    assert_eq!(tasks(), before, "nothing was asked for yet");
    for watch in &mut watches {
        watch.next().await.unwrap();
    }
    assert_eq!(tasks(), before + 1, "one task for all");
    drop(watches);
    others_run().await;
    assert_eq!(tasks(), before);
    host.world.run_until_idle().await;
    let ended = host.team.wait(host.scan).await.unwrap();
    assert!(matches!(ended, Ended::Completed(_)), "{ended:?}");
}
