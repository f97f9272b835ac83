//! The promises about plans, teams and their requests for any number of concurrent callers.

use std::sync::Arc;

use a11ycheck_core::{
    domain::{
        Depth, EventKind, ExternalKey, NewTeam, PlanCode, RateLimits, RequestClass, Subscription, TeamBrand, TokenHash,
    },
    id::ScanId,
    paging::PageRequest,
    store::{
        AddSiteError, Completion, CreateEndpointError, DeletePlanError, LeaseError, SendError, StartScanError, Store,
        UnknownPlan,
    },
};
use chrono::TimeDelta;

use crate::{
    StoreFactory,
    suite::{fixtures, outbox::steps::BOTH, race::race, world::World},
};

pub(crate) async fn sixty_of_100_requests_at_once_are_admitted_where_the_limit_is_60<S: Store>(
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
    assert_eq!(left, (0..60).collect::<Vec<_>>(), "each has another number");

    let limits = RateLimits::new(60, 20);
    let decisions = race(100, |_| {
        let store = Arc::clone(&world.store);
        let address = std::net::Ipv4Addr::new(192, 0, 2, 1).into();
        async move { store.admit_address(address, RequestClass::File, limits).await.unwrap().0 }
    })
    .await;
    assert_eq!(decisions.iter().filter(|rate| rate.is_admitted()).count(), 20, "of an address likewise");
}

pub(crate) async fn requests_given_back_while_others_are_admitted_are_given_back_exactly<S: Store>(
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

/// Returns the number of requests for files that the token had left, which this uses up.
async fn store_left<S: Store>(world: &World<S>, hash: &TokenHash) -> u32 {
    let mut left = 0;
    while world.store.admit_token(hash, RequestClass::File).await.unwrap().unwrap().rate.is_admitted() {
        left += 1;
    }
    left
}

pub(crate) async fn of_many_who_add_a_missing_plan_at_once_all_get_the_same<S: Store>(
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

pub(crate) async fn of_many_who_ask_for_the_team_of_a_key_at_once_all_get_the_same<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    for round in 1..=5 {
        let key: ExternalKey = format!("customer {round}").parse().unwrap();
        let found = race(16, |number| {
            let (store, key) = (Arc::clone(&world.store), key.clone());
            let new = fixtures::new_team(&fixtures::plan().code, world.now());
            let new = NewTeam { name: format!("Caller {number}"), ..new };
            async move { store.team_for(&key, new).await.unwrap() }
        })
        .await;
        assert!(found.iter().all(|team| *team == found[0]), "{found:?}");
        assert_eq!(world.store.teams(PageRequest::new(1, 9)).await.unwrap().total, round);
    }
}

pub(crate) async fn no_team_is_left_without_a_plan_when_one_is_deleted_at_the_same_moment<S: Store>(
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

pub(crate) async fn a_team_that_changes_plan_while_that_is_shortened_loses_nothing<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    let plan = |code, months| fixtures::other_plan(code, |limits| limits.history_months = months);
    world.put_plan(plan("from", 12)).await;
    for round in 0..5 {
        let code = PlanCode::new(format!("to {round}"));
        world.put_plan(fixtures::coded(code.clone(), plan("to", 12))).await;
        let mut teams = Vec::new();
        for _ in 0..4 {
            teams.push(world.team_on(&PlanCode::new("from")).await);
        }
        race(5, |number| {
            let (store, code, team) =
                (Arc::clone(&world.store), code.clone(), teams.get(usize::try_from(number).unwrap()).copied());
            let shortened = fixtures::coded(code.clone(), plan("to", 3));
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

pub(crate) async fn a_team_deleted_while_it_grows_leaves_nothing_behind<S: Store>(
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
                        let started = store.start_manual_scan(team, site, ScanId::generate(now), Depth::Full).await;
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

pub(crate) async fn a_team_deleted_while_its_check_completes_leaves_nothing_behind<S: Store>(
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
