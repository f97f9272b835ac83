//! What holds of sites and checks however many callers come at once.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use a11ycheck_core::{
    domain::{
        EventKind, Lease, NewSite, Plan, PlanCode, RateLimits, RequestClass, ScanState, ScreenshotId, Subscription,
        TeamBrand, TokenHash,
    },
    id::{ScanId, SiteId, WorkerId},
    page::PageRequest,
    store::{
        AddSiteError, Completion, CreateEndpointError, DeletePlanError, LeaseError, QueueDepth, SendError,
        StartScanError, Store, UnknownPlan,
    },
};
use chrono::TimeDelta;
use tokio::{sync::Barrier, task::JoinSet};

use super::{
    StoreFactory, fixtures,
    telling::BOTH,
    world::{World, failure},
};

/// Lets `count` tasks begin at the same time, each on a thread that is free, and gathers what they bring.
pub(super) async fn race<T, F>(count: u32, task: impl Fn(u32) -> F) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let start = Arc::new(Barrier::new(usize::try_from(count).unwrap()));
    let mut tasks = JoinSet::new();
    for number in 0..count {
        let (start, task) = (Arc::clone(&start), task(number));
        tasks.spawn(async move {
            start.wait().await;
            task.await
        });
    }
    tasks.join_all().await
}

pub(super) async fn a_team_never_exceeds_its_sites_under_32_adds_at_once<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, now) = (world.team().await, world.now());
    let added = race(32, |number| {
        let store = Arc::clone(&world.store);
        let new = fixtures::new_site(&format!("https://{number}.example"), now);
        async move { store.add_site(team, new, Some(ScanId::generate(now))).await }
    })
    .await;
    let (added, refused): (Vec<_>, Vec<_>) = added.into_iter().partition(Result::is_ok);
    assert_eq!(added.len(), 5, "as many as the plan includes");
    for error in refused {
        assert!(matches!(error, Err(AddSiteError::LimitReached(5))), "{error:?}");
    }
    let listed = world.store.sites(team, None, PageRequest::new(1, 100)).await.unwrap();
    assert_eq!((listed.total, world.store.queue_depth().await.unwrap().requested.checks), (5, 5));
}

pub(super) async fn one_of_fifty_manual_checks_at_once_is_queued<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let now = world.now();
    let started = race(50, |_| {
        let store = Arc::clone(&world.store);
        async move { store.start_manual_scan(team, site, ScanId::generate(now)).await }
    })
    .await;
    let (started, refused): (Vec<_>, Vec<_>) = started.into_iter().partition(Result::is_ok);
    assert_eq!(started.len(), 1);
    for error in refused {
        assert!(matches!(error, Err(StartScanError::Active)), "{error:?}");
    }
    let id = started.into_iter().next().unwrap().unwrap().id;
    assert_eq!(world.listed(team, site).await, [id]);
}

pub(super) async fn a_manual_and_a_scheduled_check_at_once_are_one<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let team = world.team().await;
    let mut sites = Vec::new();
    for _ in 0..20 {
        sites.push(world.site(team).await);
    }
    world.advance(TimeDelta::days(30));
    let (sites, now) = (Arc::new(sites), world.now());
    race(8, |number| {
        let (store, sites) = (Arc::clone(&world.store), Arc::clone(&sites));
        async move {
            if number % 2 == 0 {
                for _ in 0..4 {
                    store.queue_due_scans(5).await.unwrap();
                }
                return;
            }
            for site in sites.iter() {
                let started = store.start_manual_scan(team, *site, ScanId::generate(now)).await;
                assert!(matches!(started, Ok(_) | Err(StartScanError::Active)), "{started:?}");
            }
        }
    })
    .await;
    for site in sites.iter() {
        assert_eq!(world.listed(team, *site).await.len(), 1, "{site}");
    }
}

pub(super) async fn a_site_that_falls_due_is_queued_once_by_many_schedulers<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let team = world.team().await;
    let mut sites = BTreeSet::new();
    for _ in 0..50 {
        sites.insert(world.site(team).await);
    }
    world.advance(TimeDelta::days(30));
    let queued = race(8, |_| {
        let store = Arc::clone(&world.store);
        async move {
            let mut queued = Vec::new();
            loop {
                let due = store.queue_due_scans(7).await.unwrap();
                queued.extend(due.queued.into_iter().map(|scan| scan.site));
                if !due.more {
                    return queued;
                }
            }
        }
    })
    .await;
    let mut queued: Vec<SiteId> = queued.into_iter().flatten().collect();
    // A scheduler that found every due site in another's hands may have left early; what is due stays due.
    queued.extend(world.store.queue_due_scans(100).await.unwrap().queued.into_iter().map(|scan| scan.site));
    assert_eq!(queued.len(), 50, "each once");
    assert_eq!(queued.into_iter().collect::<BTreeSet<_>>(), sites, "and none forgotten");
}

pub(super) async fn each_of_200_checks_is_claimed_once_by_64_workers<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let team = world.team().await;
    let mut queued = BTreeSet::new();
    for _ in 0..200 {
        let (new, id) = (fixtures::new_site("https://a.example", world.now()), ScanId::generate(world.now()));
        world.store.add_site(team, new, Some(id)).await.unwrap();
        queued.insert(id);
    }
    let claimed = race(64, |_| {
        let store = Arc::clone(&world.store);
        async move {
            let worker = WorkerId::generate();
            let mut claimed = Vec::new();
            while let Some(check) = store.claim_scan(&worker, Lease::TERM).await.unwrap() {
                claimed.push(check.claim.scan);
            }
            claimed
        }
    })
    .await;
    let mut claimed: Vec<ScanId> = claimed.into_iter().flatten().collect();
    // A worker that found every due check in another's hands may have left early; what is due stays due.
    while let Some(check) = world.try_claim().await {
        claimed.push(check.claim.scan);
    }
    assert_eq!(claimed.len(), 200, "each once");
    assert_eq!(claimed.into_iter().collect::<BTreeSet<_>>(), queued, "and none forgotten");
}

pub(super) async fn sixty_of_100_requests_at_once_are_admitted_where_the_limit_is_60<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (_, hash) = world.token(world.team().await).await;
    let decisions = race(100, |_| {
        let store = Arc::clone(&world.store);
        async move { store.admit_token(&hash, RequestClass::General).await.unwrap().unwrap().rate }
    })
    .await;
    let mut left: Vec<u32> = decisions.iter().filter(|rate| rate.is_admitted()).map(|rate| rate.remaining).collect();
    left.sort_unstable();
    assert_eq!(left, (0..60).collect::<Vec<_>>(), "each is told another number");

    let limits = RateLimits { general: 60, files: 20 };
    let decisions = race(100, |_| {
        let store = Arc::clone(&world.store);
        let address = std::net::Ipv4Addr::new(192, 0, 2, 1).into();
        async move { store.admit_address(address, RequestClass::File, limits).await.unwrap().0 }
    })
    .await;
    assert_eq!(decisions.iter().filter(|rate| rate.is_admitted()).count(), 20, "of an address likewise");
}

pub(super) async fn requests_given_back_while_others_are_admitted_are_given_back_exactly<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (token, hash) = world.token(world.team().await).await;
    // 20 of 48 at once: of each three, one is counted and stays so, one is counted and given back, one was counted before.
    let counted_at = world.now();
    for _ in 0..16 {
        let rate = world.store.admit_token(&hash, RequestClass::File).await.unwrap().unwrap().rate;
        assert!(rate.is_admitted(), "{rate:?}");
    }
    let admitted = race(48, |number| {
        let store = Arc::clone(&world.store);
        async move {
            if number % 3 == 0 {
                store.give_back_token(token, RequestClass::File, counted_at).await.unwrap();
                return 0;
            }
            let rate = store.admit_token(&hash, RequestClass::File).await.unwrap().unwrap().rate;
            if number % 3 == 1 && rate.is_admitted() {
                store.give_back_token(token, RequestClass::File, counted_at).await.unwrap();
                return 0;
            }
            u32::from(rate.is_admitted())
        }
    })
    .await;
    let used: u32 = admitted.into_iter().sum();
    let left = store_left(&world, &hash).await;
    assert_eq!(left, 20 - used, "what was neither refused nor given back, and nothing else, is counted");
}

/// Files that the token has left.
async fn store_left<S: Store>(world: &World<S>, hash: &TokenHash) -> u32 {
    let mut left = 0;
    while world.store.admit_token(hash, RequestClass::File).await.unwrap().unwrap().rate.is_admitted() {
        left += 1;
    }
    left
}

pub(super) async fn one_of_many_ends_of_a_check_counts<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let (team, site) = world.team_and_site().await;
    for _ in 0..5 {
        let (claim, result) = (world.running(team, site).await, world.completion());
        let ended = race(8, |number| {
            let (store, result) = (Arc::clone(&world.store), result.clone());
            async move {
                match number % 4 {
                    0 | 1 => store.complete_scan(claim, result).await.map(Some),
                    2 => store.fail_scan(claim, failure()).await.map(Some),
                    _ => store.renew_lease(claim, Lease::TERM, 1).await.map(|()| None),
                }
            }
        })
        .await;
        let ends: Vec<_> = ended.into_iter().filter_map(Result::ok).flatten().collect();
        let [end] = ends.as_slice() else { panic!("one end, not {}", ends.len()) };
        assert_eq!(world.scan(team, claim.scan).await, *end);
        let is_completed = end.outcome().is_some();
        assert_eq!(world.store.findings(team, claim.scan).await.unwrap().is_some(), is_completed);
        assert_eq!(world.store.screen(team, claim.scan).await.unwrap().is_some(), is_completed);
    }
}

pub(super) async fn a_check_that_is_taken_over_while_its_result_comes_has_one_owner<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let (team, site) = world.team_and_site().await;
    for _ in 0..10 {
        let claim = world.running(team, site).await;
        world.advance(Lease::TERM);
        let result = world.completion();
        let outcomes = race(2, |number| {
            let (store, result) = (Arc::clone(&world.store), result.clone());
            async move {
                if number == 0 {
                    store.complete_scan(claim, result).await.is_ok()
                } else {
                    store.claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap().is_some()
                }
            }
        })
        .await;
        let state = world.state(team, claim.scan).await;
        let successes = outcomes.into_iter().filter(|success| *success).count();
        if matches!(state, ScanState::Completed { .. }) {
            assert_eq!(successes, 1, "it completed, so nobody took it over");
            continue;
        }
        assert_eq!(successes, 1, "it was taken over, so the late result was refused");
        assert_eq!(world.store.findings(team, claim.scan).await.unwrap(), None);
        world.advance(Lease::TERM);
        let again = world.claim().await;
        world.store.complete_scan(again, world.completion()).await.unwrap();
    }
}

pub(super) async fn a_completed_check_is_seen_whole_or_not_at_all<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let (team, site) = world.team_and_site().await;
    for _ in 0..5 {
        let claim = world.running(team, site).await;
        let id = claim.scan;
        let findings = fixtures::findings(500);
        let outcome = fixtures::outcome(&findings);
        let result = Completion { findings, outcome, ..world.completion() };
        let is_completed = Arc::new(AtomicBool::new(false));
        race(5, |number| {
            let (store, result, is_completed) = (Arc::clone(&world.store), result.clone(), Arc::clone(&is_completed));
            async move {
                if number == 0 {
                    store.complete_scan(claim, result).await.unwrap();
                    is_completed.store(true, Ordering::SeqCst);
                    return;
                }
                // Each reader looks at one part first: whoever sees that must see all the rest afterwards.
                loop {
                    let must_see_it = is_completed.load(Ordering::SeqCst);
                    let sees_it = match number {
                        1 => store.scan(team, id).await.unwrap().unwrap().outcome().is_some(),
                        2 => store.findings(team, id).await.unwrap().is_some(),
                        3 => store.screenshot(team, id, ScreenshotId(7)).await.unwrap().is_some(),
                        _ => store.latest_completed(team, site).await.unwrap().is_some_and(|scan| scan.id == id),
                    };
                    if sees_it {
                        break;
                    }
                    assert!(!must_see_it, "reader {number} does not see what was completed");
                    tokio::task::yield_now().await;
                }
                assert!(store.scan(team, id).await.unwrap().unwrap().outcome().is_some());
                assert_eq!(store.findings(team, id).await.unwrap().unwrap().items.len(), 500);
                assert!(store.screenshot(team, id, ScreenshotId(7)).await.unwrap().is_some());
                assert!(store.screen(team, id).await.unwrap().is_some());
                assert_eq!(store.trend(team, id, 1).await.unwrap()[0].id, id);
            }
        })
        .await;
        world.advance(TimeDelta::seconds(1));
    }
}

pub(super) async fn a_site_deleted_while_its_check_completes_leaves_nothing_behind<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let team = world.team().await;
    for _ in 0..10 {
        let site = world.site(team).await;
        let (claim, result) = (world.running(team, site).await, world.completion());
        race(2, |number| {
            let (store, result) = (Arc::clone(&world.store), result.clone());
            async move {
                if number == 0 {
                    assert!(store.delete_site(team, site).await.unwrap());
                    return;
                }
                let completed = store.complete_scan(claim, result).await;
                assert!(matches!(completed, Ok(_) | Err(LeaseError::Gone)), "{completed:?}");
            }
        })
        .await;
        assert_eq!(world.store.scan(team, claim.scan).await.unwrap(), None);
        assert_eq!(world.store.findings(team, claim.scan).await.unwrap(), None);
        assert_eq!(world.store.screen(team, claim.scan).await.unwrap(), None);
        assert_eq!(world.usage(team).await, (0, 0));
        assert_eq!(world.try_claim().await, None);
    }
}

pub(super) async fn a_site_deleted_while_a_check_starts_leaves_nothing_behind<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let (team, now) = (world.team().await, world.now());
    for _ in 0..10 {
        let site = world.site(team).await;
        race(4, |number| {
            let store = Arc::clone(&world.store);
            async move {
                if number == 0 {
                    assert!(store.delete_site(team, site).await.unwrap());
                    return;
                }
                let started = store.start_manual_scan(team, site, ScanId::generate(now)).await;
                let is_plain = matches!(started, Ok(_) | Err(StartScanError::Active | StartScanError::NoSite));
                assert!(is_plain, "{started:?}");
            }
        })
        .await;
        assert_eq!(world.try_claim().await, None);
        assert_eq!(world.store.queue_depth().await.unwrap(), QueueDepth::default());
    }
}

pub(super) async fn purges_at_once_delete_each_check_once<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let (team, site) = world.team_and_site().await;
    for _ in 0..30 {
        world.failed(team, site).await;
    }
    world.advance(TimeDelta::days(100));
    let purged = race(6, |_| {
        let store = Arc::clone(&world.store);
        async move { store.purge_scans(10).await.unwrap() }
    })
    .await;
    let left = world.store.purge_scans(100).await.unwrap();
    assert_eq!(purged.into_iter().sum::<u32>() + left, 30);
}

pub(super) async fn sites_added_and_deleted_at_once_are_counted_right<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, now) = (world.team().await, world.now());
    let kept = race(8, |number| {
        let store = Arc::clone(&world.store);
        async move {
            let mut kept = BTreeMap::new();
            for round in 0..10 {
                let new: NewSite = fixtures::new_site(&format!("https://{number}-{round}.example"), now);
                let id = new.id;
                match store.add_site(team, new, None).await {
                    Ok(site) if round % 5 == 4 => drop(kept.insert(id, site)),
                    Ok(_) => assert!(store.delete_site(team, id).await.unwrap()),
                    Err(AddSiteError::LimitReached(5)) => {}
                    Err(error) => panic!("{error:?}"),
                }
            }
            kept
        }
    })
    .await;
    let kept: BTreeMap<_, _> = kept.into_iter().flatten().collect();
    let listed = world.store.sites(team, None, PageRequest::new(1, 100)).await.unwrap();
    assert!(kept.len() <= 5, "never more than the plan includes: {kept:?}");
    assert_eq!(listed.items.into_iter().map(|site| (site.id, site)).collect::<BTreeMap<_, _>>(), kept);
}

pub(super) async fn of_many_who_add_a_missing_plan_at_once_all_get_the_same<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    let added = race(16, |number| {
        let store = Arc::clone(&world.store);
        let plans = ["one", "other"].map(|code| fixtures::other_plan(code, |limits| limits.seats = number + 1));
        async move { store.add_missing_plans(&plans).await.unwrap() }
    })
    .await;
    let stored = world.store.plans().await.unwrap();
    assert_eq!(stored.len(), 2);
    for plans in added {
        assert_eq!(plans, stored);
    }
}

pub(super) async fn no_team_is_left_without_a_plan_when_one_is_deleted_at_the_same_moment<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let teams = [world.team().await, world.team().await, world.team().await];
    for round in 0..5 {
        let other = fixtures::other_plan(&format!("other {round}"), |_| {});
        world.put_plan(other.clone()).await;
        let now = world.now();
        let created = race(9, |number| {
            let (store, code) = (Arc::clone(&world.store), other.code.clone());
            async move {
                match number {
                    0..3 => {
                        let refused = store.delete_plan(&code).await;
                        assert!(matches!(refused, Ok(_) | Err(DeletePlanError::InUse(_))), "{refused:?}");
                        None
                    }
                    3..6 => {
                        let changed = store
                            .change_plan(teams[usize::try_from(number).unwrap() - 3], &code, Subscription::ACTIVE)
                            .await;
                        assert!(matches!(changed, Ok(true) | Err(UnknownPlan::Unknown(_))), "{changed:?}");
                        None
                    }
                    _ => match store.create_team(fixtures::new_team(&code, now)).await {
                        Ok(team) => Some(team.id),
                        Err(UnknownPlan::Unknown(_)) => None,
                        Err(error) => panic!("{error:?}"),
                    },
                }
            }
        })
        .await;
        let plans = world.store.plans().await.unwrap();
        for team in created.into_iter().flatten().chain(teams) {
            let team = world.store.team(team).await.unwrap().expect("it was created");
            assert!(plans.contains(&team.plan), "{team:?}");
        }
    }
}

pub(super) async fn a_team_that_changes_plan_while_that_is_shortened_loses_nothing<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    let plan = |code, months| fixtures::other_plan(code, |limits| limits.history_months = months);
    world.put_plan(plan("from", 12)).await;
    for round in 0..5 {
        let code = PlanCode::new(format!("to {round}"));
        world.put_plan(Plan { code: code.clone(), ..plan("to", 12) }).await;
        let mut teams = Vec::new();
        for _ in 0..4 {
            teams.push(world.team_on(&PlanCode::new("from")).await);
        }
        race(5, |number| {
            let (store, code, team) =
                (Arc::clone(&world.store), code.clone(), teams.get(usize::try_from(number).unwrap()).copied());
            let shortened = Plan { code: code.clone(), ..plan("to", 3) };
            async move {
                match team {
                    Some(team) => assert!(store.change_plan(team, &code, Subscription::ACTIVE).await.unwrap()),
                    None => assert_eq!(store.put_plans(&[shortened]).await.unwrap().len(), 1),
                }
            }
        })
        .await;
        for team in teams {
            let held = world.store.purge_held_until(team).await.unwrap();
            assert_eq!(held, Some(world.now() + TimeDelta::hours(24)), "whichever came first");
        }
    }
}

pub(super) async fn a_team_deleted_while_it_grows_leaves_nothing_behind<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    for _ in 0..5 {
        let (team, now) = (world.team().await, world.now());
        let endpoint = world.endpoint(team, BOTH).await;
        let site = world.site(team).await;
        race(6, |number| {
            let store = Arc::clone(&world.store);
            let (new_endpoint, event) = (world.new_endpoint(BOTH), world.event(EventKind::Ping));
            async move {
                match number {
                    0 => assert!(store.delete_team(team).await.unwrap()),
                    1 => {
                        let new = fixtures::new_site("https://late.example", now);
                        let added = store.add_site(team, new, Some(ScanId::generate(now))).await;
                        assert!(matches!(added, Ok(_) | Err(AddSiteError::NoTeam)), "{added:?}");
                    }
                    2 => drop(store.create_token(team, fixtures::new_token(now)).await.unwrap()),
                    3 => {
                        let created = store.create_endpoint(team, new_endpoint).await;
                        assert!(matches!(created, Ok(_) | Err(CreateEndpointError::NoTeam)), "{created:?}");
                        store.set_brand(team, fixtures::brand(8)).await.unwrap();
                    }
                    4 => {
                        let sent = store.send_event(team, endpoint, event).await;
                        assert!(matches!(sent, Ok(_) | Err(SendError::NotFound)), "{sent:?}");
                    }
                    _ => {
                        let started = store.start_manual_scan(team, site, ScanId::generate(now)).await;
                        assert!(matches!(started, Ok(_) | Err(StartScanError::NoSite)), "{started:?}");
                    }
                }
            }
        })
        .await;
        assert_eq!(world.store.team(team).await.unwrap(), None);
        assert_eq!(world.store.tokens(team).await.unwrap(), []);
        assert_eq!(world.store.sites(team, None, PageRequest::new(1, 100)).await.unwrap().items, []);
        assert_eq!(world.store.endpoints(team).await.unwrap(), []);
        assert_eq!(world.store.brand(team).await.unwrap(), TeamBrand::default());
        assert_eq!(world.try_claim().await, None);
        assert_eq!(world.due().await, []);
    }
}

pub(super) async fn a_team_deleted_while_its_check_completes_leaves_nothing_behind<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    for _ in 0..5 {
        let (team, site) = world.team_and_site().await;
        world.endpoint(team, BOTH).await;
        let claim = world.running(team, site).await;
        let result = Completion { events: vec![world.event(EventKind::ScanCompleted)], ..world.completion() };
        race(2, |number| {
            let (store, result) = (Arc::clone(&world.store), result.clone());
            async move {
                if number == 0 {
                    assert!(store.delete_team(team).await.unwrap());
                    return;
                }
                let completed = store.complete_scan(claim, result).await;
                assert!(matches!(completed, Ok(_) | Err(LeaseError::Gone)), "{completed:?}");
            }
        })
        .await;
        assert_eq!(world.store.team(team).await.unwrap(), None);
        assert_eq!(world.store.scan(team, claim.scan).await.unwrap(), None);
        assert_eq!(world.store.findings(team, claim.scan).await.unwrap(), None);
        assert_eq!(world.try_claim().await, None);
        assert_eq!(world.store.delivery_depth().await.unwrap().pending, 0);
    }
}
