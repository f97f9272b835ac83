//! How checks end.

use a11ycheck_core::{
    domain::{Failure, FailureCause, FailureCode, FailureFacts, Lease, ScanState, ScreenshotId},
    store::{Completion, Store},
};
use chrono::TimeDelta;

use crate::{
    StoreFactory,
    suite::{
        fixtures,
        world::{INSTANT, World, failure, pages},
    },
};

pub(crate) async fn a_completed_check_shows_state_numbers_findings_and_pictures<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let queued_at = world.now();
    let id = world.start(team, site).await;
    world.advance(TimeDelta::seconds(3));
    let (started_at, claim) = (world.now(), world.claim().await);
    world.advance(TimeDelta::seconds(40));
    let completion = world.completion();
    world.advance(TimeDelta::milliseconds(20));
    let completed = world.store.complete_scan(claim, completion.clone()).await.unwrap();

    let finished_at = completion.finished_at;
    assert_eq!(completed.state, ScanState::Completed { started_at, finished_at, outcome: completion.outcome });
    assert_eq!((completed.id, completed.queued_at), (id, queued_at));
    assert_eq!(world.scan(team, id).await, completed);
    assert_eq!(world.store.latest_completed(team, site).await.unwrap(), Some(completed));
    assert_eq!(world.store.findings(team, id).await.unwrap(), Some(completion.findings));
    let picture = world.store.screenshot(team, id, ScreenshotId(7)).await.unwrap();
    assert_eq!(picture.as_ref(), completion.screenshots.first());
    assert_eq!(world.store.screen(team, id).await.unwrap(), completion.screen);
}

pub(crate) async fn a_check_that_is_not_completed_shows_no_result<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let id = world.start(team, site).await;
    let assert_nothing = async |state: &str| {
        assert_eq!(world.store.findings(team, id).await.unwrap(), None, "{state}");
        assert_eq!(world.store.screen(team, id).await.unwrap(), None, "{state}");
        assert_eq!(world.store.screenshot(team, id, ScreenshotId(7)).await.unwrap(), None, "{state}");
    };
    assert_nothing("queued").await;
    let claim = world.claim().await;
    assert_nothing("running").await;
    world.store.fail_scan(claim, failure()).await.unwrap();
    assert_nothing("failed").await;
}

pub(crate) async fn a_refused_result_is_dropped_whole<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let zombie = world.running(team, site).await;
    world.advance(Lease::TERM);
    let holder = world.claim().await;
    let late = Completion { screenshots: vec![fixtures::screenshot(99, 10)], ..world.completion() };
    world.store.complete_scan(zombie, late.clone()).await.unwrap_err();

    let findings = fixtures::findings(1);
    let result = Completion {
        outcome: fixtures::outcome(&findings),
        findings: findings.clone(),
        screenshots: vec![],
        screen: None,
        events: vec![],
        memo: None,
        finished_at: world.now(),
    };
    world.store.complete_scan(holder, result).await.unwrap();
    world.store.complete_scan(zombie, late).await.unwrap_err();
    assert_eq!(world.store.findings(team, zombie.scan).await.unwrap(), Some(findings));
    assert_eq!(world.store.screen(team, zombie.scan).await.unwrap(), None);
    assert_eq!(world.store.screenshot(team, zombie.scan, ScreenshotId(99)).await.unwrap(), None);
}

pub(crate) async fn a_site_whose_check_ended_is_free_for_the_next<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    world.completed(team, site).await;
    assert_eq!(world.try_claim().await, None);
    world.advance(TimeDelta::hours(1));
    world.failed(team, site).await;
    assert_eq!(world.try_claim().await, None);
    world.advance(TimeDelta::hours(1));
    world.start(team, site).await;
}

pub(crate) async fn a_failed_check_says_why_and_how_far_it_came<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let claim = world.running(team, site).await;
    let started_at = world.now();
    world.advance(TimeDelta::seconds(9));
    world.store.renew_lease(claim, Lease::TERM, pages(2)).await.unwrap();
    world.advance(INSTANT);
    let failed = world.store.fail_scan(claim, failure()).await.unwrap();
    let expected = ScanState::Failed { started_at, finished_at: world.now(), pages_scanned: 2, failure: failure() };
    assert_eq!(failed.state, expected);
    assert_eq!(world.scan(team, claim.scan).await, failed);
}

pub(crate) async fn every_reason_of_a_failure_reads_as_it_was_stored<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let (team, site) = world.team_and_site().await;
    let plain =
        FailureCode::KNOWN.iter().map(|code| Failure::new(*code, format!("Because of \"{code}\"; сталося о 9:30.")));
    let of_causes = FailureCause::KNOWN
        .iter()
        .map(|cause| Failure::new(FailureCode::Tls, "No.").because_of(*cause).at_redirect_target("www.shop.example"));
    let mut facts = FailureFacts::of_status(503).of_robots();
    facts.host = Some("b.example".to_owned());
    facts.address = Some("https://b.example/a.js".to_owned());
    facts.port = Some(25);
    facts.limit_mb = Some(20);
    facts.error = Some("CONNECTION_RESET".to_owned());
    facts.agent = Some("a11ycheck".to_owned());
    facts.product = Some("Перевірка".to_owned());
    let with_facts = Failure::new(FailureCode::HttpStatus, "No.").because_of(FailureCause::Status).with_facts(facts);
    for failure in plain.chain(of_causes).chain([with_facts]) {
        let claim = world.running(team, site).await;
        world.store.fail_scan(claim, failure.clone()).await.unwrap();
        let state = world.state(team, claim.scan).await;
        assert!(matches!(&state, ScanState::Failed { failure: actual, .. } if *actual == failure), "{state:?}");
    }
}
