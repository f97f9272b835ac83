//! Admission of tokens and addresses within their limits.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use a11ycheck_core::{
    domain::{
        PlainToken, PlanStatus, RateCounters, RateDecision, RateLimits, RateWindow, RequestClass, Standing,
        Subscription, TokenHash,
    },
    store::{AdmittedToken, Store},
};
use chrono::TimeDelta;

use crate::{
    StoreFactory,
    suite::{
        fixtures,
        world::{INSTANT, World},
    },
};

const LIMITS: RateLimits = RateLimits::new(60, 20);
const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

impl<S: Store> World<S> {
    async fn admit(&self, hash: &TokenHash, class: RequestClass) -> AdmittedToken {
        self.store.admit_token(hash, class).await.unwrap().expect("the token is known")
    }

    async fn admit_address(&self, address: IpAddr, class: RequestClass, limits: RateLimits) -> RateDecision {
        let (decision, at) = self.store.admit_address(address, class, limits).await.unwrap();
        assert_eq!(at, self.now());
        decision
    }
}

pub(crate) async fn an_unknown_token_is_not_admitted<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let team = world.team().await;
    world.token(team).await;
    for text in ["", "a11y_", PlainToken::generate().reveal()] {
        let hash = PlainToken::presented(text).hash();
        assert_eq!(world.store.admit_token(&hash, RequestClass::General).await.unwrap(), None);
    }
}

pub(crate) async fn an_admitted_request_comes_with_team_plan_token_and_time<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let (id, hash) = world.token(team).await;
    world.advance(TimeDelta::seconds(3));
    let admitted = world.admit(&hash, RequestClass::General).await;
    assert_eq!(Some(admitted.team), world.store.team(team).await.unwrap());
    assert_eq!((admitted.token.id, admitted.token.team, admitted.at), (id, team, world.now()));
    assert_eq!(admitted.rate, RateDecision { limit: 60, remaining: 59, retry_at: None });
}

pub(crate) async fn a_token_has_the_plans_number_of_requests_until_its_window_ends<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (_, hash) = world.token(world.team().await).await;
    let start = world.now();
    for used in 1..=60 {
        let rate = world.admit(&hash, RequestClass::General).await.rate;
        assert_eq!(rate, RateDecision { limit: 60, remaining: 60 - used, retry_at: None });
        world.advance(TimeDelta::milliseconds(900));
    }
    let end = start + RateWindow::LENGTH;
    let refused = RateDecision { limit: 60, remaining: 0, retry_at: Some(end) };
    assert_eq!(world.admit(&hash, RequestClass::General).await.rate, refused);
    world.clock.set(end - INSTANT);
    assert_eq!(world.admit(&hash, RequestClass::General).await.rate, refused, "a refused request moves no window");
    world.clock.set(end);
    let rate = world.admit(&hash, RequestClass::General).await.rate;
    assert_eq!(rate, RateDecision { limit: 60, remaining: 59, retry_at: None }, "the window is over at its very end");
}

pub(crate) async fn a_file_counts_against_both_counters_and_when_refused_against_none<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (_, hash) = world.token(world.team().await).await;
    for used in 1..=20 {
        let rate = world.admit(&hash, RequestClass::File).await.rate;
        assert_eq!(rate, RateDecision { limit: 20, remaining: 20 - used, retry_at: None });
    }
    for _ in 0..3 {
        let rate = world.admit(&hash, RequestClass::File).await.rate;
        assert_eq!((rate.limit, rate.retry_at), (20, Some(world.now() + RateWindow::LENGTH)));
    }
    assert_eq!(world.admit(&hash, RequestClass::General).await.rate.remaining, 39, "20 files and this one");
}

pub(crate) async fn admission_is_what_the_domain_says_it_is<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (_, hash) = world.token(world.team().await).await;
    let (mut of_token, mut of_address) = (RateCounters::default(), RateCounters::default());
    // Steps that make the two windows of one token begin, overlap and end independently.
    for step in 0..400_i64 {
        let class = if step % 7 < 3 { RequestClass::File } else { RequestClass::General };
        let expected = of_token.admit(class, LIMITS, world.now());
        assert_eq!(world.admit(&hash, class).await.rate, expected, "token, step {step}");
        let expected = of_address.admit(class, LIMITS, world.now());
        assert_eq!(world.admit_address(ADDRESS, class, LIMITS).await, expected, "address, step {step}");
        world.advance(TimeDelta::milliseconds(if step % 90 == 0 { 41_000 } else { step * 13 % 900 }));
    }
}

pub(crate) async fn a_request_that_is_given_back_counts_against_no_counter<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let ((token, hash), (other, other_hash)) = (world.token(team).await, world.token(team).await);
    let give_back = async |token, class| {
        world.store.give_back_token(token, class, world.now()).await.unwrap().expect("it is known")
    };
    let left = |limit, remaining| RateDecision { limit, remaining, retry_at: None };
    assert_eq!(give_back(token, RequestClass::File).await, left(20, 20), "what was never counted");
    for _ in 0..20 {
        let rate = world.admit(&hash, RequestClass::File).await.rate;
        assert!(rate.is_admitted(), "{rate:?}");
    }
    assert_eq!(give_back(token, RequestClass::General).await, left(60, 41), "only to the counter of its class");
    assert_eq!(world.admit(&hash, RequestClass::File).await.rate.limit, 20, "and so there is no file left");
    assert_eq!(give_back(token, RequestClass::File).await, left(20, 1));
    assert_eq!(world.admit(&hash, RequestClass::File).await.rate, left(20, 0));
    assert_eq!(world.admit(&hash, RequestClass::General).await.rate.remaining, 40, "18, the one above and this one");

    world.admit(&other_hash, RequestClass::File).await;
    for _ in 0..3 {
        assert_eq!(give_back(other, RequestClass::File).await, left(20, 20), "never below zero");
    }
    assert_eq!(world.admit(&other_hash, RequestClass::General).await.rate.remaining, 59);
    world.store.delete_token(team, other).await.unwrap();
    let unknown = world.store.give_back_token(other, RequestClass::File, world.now()).await.unwrap();
    assert_eq!(unknown, None);
}

pub(crate) async fn what_an_earlier_window_counted_is_not_given_back_to_the_present_one<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (token, hash) = world.token(world.team().await).await;
    let counted_at = world.admit(&hash, RequestClass::File).await.at;
    let give_back = async || {
        let rate = world.store.give_back_token(token, RequestClass::File, counted_at).await.unwrap();
        rate.expect("it is known").remaining
    };
    world.clock.set(counted_at + RateWindow::LENGTH - INSTANT);
    assert_eq!(world.admit(&hash, RequestClass::General).await.rate.remaining, 58, "the last instant of the window");
    world.clock.set(counted_at + RateWindow::LENGTH);
    assert_eq!(world.admit(&hash, RequestClass::File).await.rate.remaining, 19);
    assert_eq!(give_back().await, 19, "both windows were renewed");
    assert_eq!(world.admit(&hash, RequestClass::General).await.rate.remaining, 58);
}

pub(crate) async fn a_request_that_arrived_before_its_window_began_is_given_back_to_it<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (token, hash) = world.token(world.team().await).await;
    let began_at = world.admit(&hash, RequestClass::File).await.at;
    // As where another node begins the window while the request waits, or where a clock is set back.
    world.clock.set(began_at - INSTANT);
    for class in [RequestClass::General, RequestClass::File] {
        let admitted = world.admit(&hash, class).await;
        assert_eq!((admitted.at, admitted.rate.is_admitted()), (began_at, true));
        let left = world.store.give_back_token(token, class, admitted.at).await.unwrap();
        let remaining = if class == RequestClass::General { 59 } else { 19 };
        assert_eq!(left.map(|left| left.remaining), Some(remaining), "{class:?}");
    }
    let (_, counted_at) = world.store.admit_address(ADDRESS, RequestClass::General, LIMITS).await.unwrap();
    world.clock.set(counted_at - INSTANT);
    let (rate, at) = world.store.admit_address(ADDRESS, RequestClass::General, LIMITS).await.unwrap();
    assert_eq!((at, rate.remaining), (counted_at, 58));
}

pub(crate) async fn giving_back_is_what_the_domain_says_it_is<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (token, hash) = world.token(world.team().await).await;
    let mut counters = RateCounters::default();
    let mut counted = Vec::new();
    for step in 0..300_i64 {
        let class = if step % 3 == 0 { RequestClass::General } else { RequestClass::File };
        if counters.admit(class, LIMITS, world.now()).is_admitted() {
            counted.push((class, world.now()));
        }
        world.admit(&hash, class).await;
        if step % 4 == 3 {
            // Some requests of this window, some of one that has ended.
            let back = usize::try_from(step % 11).unwrap().min(counted.len() - 1);
            let (class, at) = counted[counted.len() - 1 - back];
            counters.give_back(class, at);
            let left = counters.left(class, LIMITS, world.now());
            assert_eq!(world.store.give_back_token(token, class, at).await.unwrap(), Some(left), "step {step}");
        }
        world.advance(TimeDelta::milliseconds(if step % 70 == 0 { 47_000 } else { step * 29 % 1_900 }));
    }
}

pub(crate) async fn each_token_has_counters_of_its_own<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, neighbour) = (world.team().await, world.team().await);
    let hashes = [world.token(team).await.1, world.token(team).await.1, world.token(neighbour).await.1];
    for hash in hashes {
        assert_eq!(world.admit(&hash, RequestClass::General).await.rate.remaining, 59);
    }
}

pub(crate) async fn a_blocked_lapsed_or_apiless_team_is_refused_as_such_and_its_requests_count<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let (_, hash) = world.token(team).await;
    world.store.set_standing(team, Standing::Blocked).await.unwrap();
    let admitted = world.admit(&hash, RequestClass::General).await;
    assert_eq!((admitted.team.standing, admitted.rate.remaining), (Standing::Blocked, 59));

    let mut plan = fixtures::plan();
    plan.features.api = false;
    world.put_plan(plan.clone()).await;
    let terms = Subscription::new(PlanStatus::Canceled);
    world.store.change_plan(team, &plan.code, terms).await.unwrap();
    let admitted = world.admit(&hash, RequestClass::General).await;
    assert_eq!((admitted.team.plan, admitted.team.subscription), (plan, terms));
    assert_eq!(admitted.rate.remaining, 58);
}

pub(crate) async fn a_new_limit_holds_within_a_window_that_has_begun<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (_, hash) = world.token(world.team().await).await;
    for _ in 0..3 {
        world.admit(&hash, RequestClass::General).await;
    }
    world.put_plan(fixtures::plan_with(|limits| limits.requests_per_minute = 3)).await;
    let rate = world.admit(&hash, RequestClass::General).await.rate;
    assert_eq!(rate, RateDecision { limit: 3, remaining: 0, retry_at: Some(world.now() + RateWindow::LENGTH) });
    world.put_plan(fixtures::plan_with(|limits| limits.requests_per_minute = 5)).await;
    let rate = world.admit(&hash, RequestClass::General).await.rate;
    assert_eq!(rate, RateDecision { limit: 5, remaining: 1, retry_at: None });
    world.put_plan(fixtures::plan_with(|limits| limits.files_per_minute = 1)).await;
    let rate = world.admit(&hash, RequestClass::File).await.rate;
    assert_eq!(rate, RateDecision { limit: 1, remaining: 0, retry_at: None }, "the limit of files likewise");
    let rate = world.admit(&hash, RequestClass::File).await.rate;
    assert!(!rate.is_admitted(), "{rate:?}");
}

pub(crate) async fn addresses_are_counted_apart_under_the_limits_given<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let limits = RateLimits::new(2, 1);
    let addresses = [
        ADDRESS,
        IpAddr::V4(Ipv4Addr::new(192, 0, 2, 10)),
        IpAddr::V6(Ipv6Addr::LOCALHOST),
        "2001:db8::1".parse().unwrap(),
    ];
    for address in addresses {
        let admit = async |class| world.admit_address(address, class, limits).await;
        assert_eq!(admit(RequestClass::File).await, RateDecision { limit: 1, remaining: 0, retry_at: None });
        assert_eq!(admit(RequestClass::File).await.limit, 1, "{address}");
        assert_eq!(admit(RequestClass::General).await, RateDecision { limit: 2, remaining: 0, retry_at: None });
        let end = Some(world.now() + RateWindow::LENGTH);
        assert_eq!(admit(RequestClass::General).await, RateDecision { limit: 2, remaining: 0, retry_at: end });
    }
}

pub(crate) async fn an_addresss_window_reopens_at_its_end_and_not_before<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let limits = RateLimits::new(1, 1);
    let end = world.now() + RateWindow::LENGTH;
    let rate = world.admit_address(ADDRESS, RequestClass::General, limits).await;
    assert!(rate.is_admitted(), "{rate:?}");
    world.clock.set(end - INSTANT);
    let rate = world.admit_address(ADDRESS, RequestClass::General, limits).await;
    assert!(!rate.is_admitted(), "{rate:?}");
    world.clock.set(end);
    let rate = world.admit_address(ADDRESS, RequestClass::General, limits).await;
    assert!(rate.is_admitted(), "{rate:?}");
}
