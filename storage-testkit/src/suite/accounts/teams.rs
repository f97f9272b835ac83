//! Plans, teams, tokens; and the store's time.

use std::collections::BTreeSet;

use a11ycheck_core::{
    domain::{
        Ability, ApiToken, Depth, ExternalKey, IsoDuration, NewTeam, NewToken, Plan, PlanCatalog, PlanCode, PlanStatus,
        RequestClass, ShortenedHistory, Standing, Subscription, Team, TeamBrand,
    },
    id::{ScanId, TeamId, TokenId},
    paging::PageRequest,
    store::{AddSiteError, DeletePlanError, StartScanError, Store, UnknownPlan},
};
use chrono::TimeDelta;

use crate::{
    StoreFactory,
    suite::{
        fixtures,
        world::{INSTANT, World},
    },
};

pub(crate) async fn time_is_the_clocks_truncated_to_microseconds<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::empty(factory).await;
    let start = world.now();
    assert_eq!(world.store.now().await.unwrap(), start);
    world.advance(TimeDelta::nanoseconds(1_999));
    assert_eq!(world.store.now().await.unwrap(), start + INSTANT, "nanoseconds are cut off");
    world.clock.set(start - TimeDelta::days(1));
    assert_eq!(world.store.now().await.unwrap(), start - TimeDelta::days(1), "also when the clock was set back");
}

pub(crate) async fn a_new_store_is_empty<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::empty(factory).await;
    assert_eq!(world.store.plans().await.unwrap(), []);
    assert_eq!(world.try_claim().await, None);
}

pub(crate) async fn plans_are_listed_by_code_as_they_were_put<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::empty(factory).await;
    let mut plans = PlanCatalog::shipped().plans().to_vec();
    plans.push(fixtures::other_plan("Zeta", |limits| {
        limits.manual_check_interval = "P1M2DT3H4M5S".parse().unwrap();
        limits.requests_per_minute = u32::MAX;
        limits.files_per_minute = 1;
    }));
    world.store.put_plans(&plans).await.unwrap();
    plans.sort_by(|one, other| one.code.as_str().as_bytes().cmp(other.code.as_str().as_bytes()));
    assert_eq!(world.store.plans().await.unwrap(), plans);
}

pub(crate) async fn a_plan_that_is_put_again_replaces_the_one_of_its_code<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let other = fixtures::other_plan("other", |_| {});
    let changed = fixtures::plan_with(|limits| limits.seats = 9);
    world.store.put_plans(&[other.clone(), changed.clone()]).await.unwrap();
    assert_eq!(world.store.plans().await.unwrap(), [other, changed]);
}

pub(crate) async fn no_plans_put_changes_nothing<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    world.store.put_plans(&[]).await.unwrap();
    assert_eq!(world.store.plans().await.unwrap(), [fixtures::plan()]);
}

pub(crate) async fn plans_are_seeded_only_where_there_is_none<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::empty(factory).await;
    let (one, other) = (fixtures::plan(), fixtures::other_plan("other", |_| {}));
    assert!(world.store.seed_plans(std::slice::from_ref(&one)).await.unwrap());
    let changed = fixtures::plan_with(|limits| limits.seats = 9);
    assert!(!world.store.seed_plans(&[changed, other]).await.unwrap());
    assert_eq!(world.store.plans().await.unwrap(), [one]);
}

pub(crate) async fn plans_that_are_missing_are_added_and_those_that_are_there_stay<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (zeta, alpha) = (fixtures::other_plan("Zeta", |_| {}), fixtures::other_plan("alpha", |_| {}));
    let changed = fixtures::plan_with(|limits| limits.seats = 9);
    let stored = world.store.add_missing_plans(&[alpha.clone(), changed]).await.unwrap();
    assert_eq!(stored, [alpha.clone(), fixtures::plan()], "what is stored, by code");
    assert_eq!(world.store.add_missing_plans(std::slice::from_ref(&zeta)).await.unwrap(), std::slice::from_ref(&zeta));
    assert_eq!(world.store.plans().await.unwrap(), [zeta, alpha, fixtures::plan()]);
    assert_eq!(world.store.add_missing_plans(&[]).await.unwrap(), []);
}

pub(crate) async fn a_plan_that_is_put_shows_whose_history_it_shortens<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let plan = |code, months| fixtures::other_plan(code, |limits| limits.history_months = months);
    let put = async |plans: &[Plan]| world.store.put_plans(plans).await.unwrap();
    assert_eq!(put(&[plan("short", 5), plan("long", 5), plan("same", 5)]).await, [], "new ones shorten nothing");
    let shortened = put(&[plan("short", 4), plan("long", 6), plan("same", 5)]).await;
    let [ShortenedHistory { plan, months_before, months, held_until, .. }] = &shortened[..] else {
        panic!("{shortened:?}");
    };
    assert_eq!((plan.as_str(), *months_before, *months), ("short", 5, 4));
    assert_eq!(*held_until, world.now() + TimeDelta::hours(24));
}

pub(crate) async fn a_plan_that_no_team_is_on_is_deleted_and_others_stay<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let other = fixtures::other_plan("other", |_| {});
    world.put_plan(other.clone()).await;
    let team = world.team_on(&other.code).await;
    world.store.change_plan(team, &fixtures::plan().code, Subscription::ACTIVE).await.unwrap();
    assert!(world.store.delete_plan(&other.code).await.unwrap());
    assert_eq!(world.store.plans().await.unwrap(), [fixtures::plan()]);
    assert!(!world.store.delete_plan(&other.code).await.unwrap(), "it is gone");
    let refused = world.store.create_team(fixtures::new_team(&other.code, world.now())).await;
    assert!(matches!(refused, Err(UnknownPlan::Unknown(_))), "{refused:?}");
}

pub(crate) async fn a_plan_that_a_team_is_on_is_not_deleted<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let teams = [world.team().await, world.team().await];
    let refused = world.store.delete_plan(&fixtures::plan().code).await;
    assert!(matches!(refused, Err(DeletePlanError::InUse(2))), "{refused:?}");
    for team in teams {
        assert_eq!(world.store.team(team).await.unwrap().unwrap().plan, fixtures::plan());
    }
}

pub(crate) async fn a_changed_plan_holds_for_its_teams_at_once<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let (_, hash) = world.token(team).await;
    let scan = world.completed(team, site).await;
    let changed = fixtures::plan_with(|limits| {
        limits.sites = 1;
        limits.pages_per_check = 7;
        limits.requests_per_minute = 2;
        limits.manual_check_interval = IsoDuration::hours(2);
    });
    world.put_plan(changed.clone()).await;

    assert_eq!(world.store.team(team).await.unwrap().unwrap().plan, changed);
    let refused = world.store.add_site(team, fixtures::new_site("https://b.example", world.now()), None).await;
    assert!(matches!(refused, Err(AddSiteError::LimitReached(1))), "{refused:?}");
    let admitted = world.store.admit_token(&hash, RequestClass::General).await.unwrap().unwrap();
    assert_eq!((admitted.rate.limit, admitted.team.plan), (2, changed));
    world.advance(TimeDelta::hours(1));
    let too_soon = world.store.start_manual_scan(team, site, ScanId::generate(world.now()), Depth::Full).await;
    assert!(matches!(too_soon, Err(StartScanError::TooSoon(_))), "{too_soon:?}");
    assert_eq!(world.scan(team, scan).await.pages_requested, 25, "what is there stays");
}

pub(crate) async fn a_new_team_is_in_good_standing<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let subscription = Subscription::new(PlanStatus::Trialing)
        .with_end(world.now() + TimeDelta::days(400))
        .with_trial_end(world.now() + TimeDelta::days(14) + INSTANT);
    let new = NewTeam { subscription, ..fixtures::new_team(&fixtures::plan().code, world.now()) };
    let team = world.store.create_team(new.clone()).await.unwrap();
    let expected = Team {
        id: new.id,
        name: new.name,
        plan: fixtures::plan(),
        subscription,
        standing: Standing::Active,
        seats_used: 2,
        created_at: world.now(),
    };
    assert_eq!(team, expected);
    world.advance(TimeDelta::days(1));
    assert_eq!(world.store.team(new.id).await.unwrap(), Some(expected), "as it was created");
}

pub(crate) async fn a_team_on_an_unknown_plan_is_not_created<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let new = fixtures::new_team(&PlanCode::new("Standard"), world.now());
    let id = new.id;
    let error = world.store.create_team(new).await.unwrap_err();
    assert!(matches!(&error, UnknownPlan::Unknown(code) if code.as_str() == "Standard"), "{error:?}");
    assert_eq!(world.store.team(id).await.unwrap(), None);
}

fn key(text: &str) -> ExternalKey {
    text.parse().unwrap()
}

pub(crate) async fn a_key_leads_to_the_team_that_was_created_under_it<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let new = fixtures::new_team(&fixtures::plan().code, world.now());
    let created = world.store.team_for(&key("customer 4711"), new.clone()).await.unwrap();
    let expected = Team {
        id: new.id,
        name: new.name,
        plan: fixtures::plan(),
        subscription: new.subscription,
        standing: Standing::Active,
        seats_used: new.seats_used,
        created_at: world.now(),
    };
    assert_eq!(created, expected);
    world.advance(TimeDelta::days(1));
    let other = NewTeam { name: "Other".to_owned(), ..fixtures::new_team(&fixtures::plan().code, world.now()) };
    let other_id = other.id;
    assert_eq!(world.store.team_for(&key("customer 4711"), other).await.unwrap(), expected, "nothing of it changes");
    assert_eq!(world.store.team(other_id).await.unwrap(), None);
    world.store.set_standing(new.id, Standing::Blocked).await.unwrap();
    let again = fixtures::new_team(&fixtures::plan().code, world.now());
    let blocked = world.store.team_for(&key("customer 4711"), again).await.unwrap();
    assert_eq!(blocked, Team { standing: Standing::Blocked, ..expected }, "it is found as it is");
    assert_eq!(world.store.teams(PageRequest::new(1, 9)).await.unwrap().total, 1);
}

pub(crate) async fn a_key_is_compared_exactly<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let longest = "k".repeat(ExternalKey::MAX_LENGTH);
    let keys = ["a", "A", " a", "a ", "ä", "a\u{308}", longest.as_str(), "%", "_"];
    let mut teams = Vec::new();
    for _ in 0..2 {
        for text in keys {
            let new = fixtures::new_team(&fixtures::plan().code, world.now());
            teams.push(world.store.team_for(&key(text), new).await.unwrap().id);
        }
    }
    assert_eq!(teams[..keys.len()], teams[keys.len()..]);
    assert_eq!(teams.iter().collect::<BTreeSet<_>>().len(), keys.len());
    // Teams without a key belong to no host's key.
    world.team().await;
    world.team().await;
}

pub(crate) async fn a_key_with_an_unknown_plan_creates_nothing_and_finds_what_is_there<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let unknown = || fixtures::new_team(&PlanCode::new("unknown"), world.now());
    let refused = world.store.team_for(&key("a"), unknown()).await;
    assert!(matches!(&refused, Err(UnknownPlan::Unknown(code)) if code.as_str() == "unknown"), "{refused:?}");
    assert_eq!(world.store.teams(PageRequest::new(1, 9)).await.unwrap().total, 0);
    let created = world.store.team_for(&key("a"), fixtures::new_team(&fixtures::plan().code, world.now())).await;
    assert_eq!(world.store.team_for(&key("a"), unknown()).await.unwrap(), created.unwrap());
}

pub(crate) async fn the_key_of_a_deleted_team_is_free_again<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let new = || fixtures::new_team(&fixtures::plan().code, world.now());
    let gone = world.store.team_for(&key("a"), new()).await.unwrap();
    assert!(world.store.delete_team(gone.id).await.unwrap());
    let created = world.store.team_for(&key("a"), new()).await.unwrap();
    assert_ne!(created.id, gone.id);
    assert_eq!(world.store.team_for(&key("a"), new()).await.unwrap(), created);
}

pub(crate) async fn what_is_asked_of_no_team_is_answered_with_nothing<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let nobody = TeamId::generate(world.now());
    let store = &world.store;
    assert_eq!(store.team(nobody).await.unwrap(), None);
    assert!(!store.set_standing(nobody, Standing::Blocked).await.unwrap());
    assert!(!store.change_plan(nobody, &fixtures::plan().code, Subscription::ACTIVE).await.unwrap());
    assert_eq!(store.purge_held_until(nobody).await.unwrap(), None);
    assert_eq!(store.brand(nobody).await.unwrap(), TeamBrand::default());
    assert!(!store.set_brand(nobody, fixtures::brand(1)).await.unwrap());
    assert_eq!(store.brand(nobody).await.unwrap(), TeamBrand::default(), "nothing was set");
    assert_eq!(store.create_token(nobody, fixtures::new_token(world.now())).await.unwrap(), None);
    assert_eq!(store.tokens(nobody).await.unwrap(), []);
    assert!(!store.delete_token(nobody, TokenId::generate(world.now())).await.unwrap());
    assert_eq!(store.team(nobody).await.unwrap(), None, "and none was created");
}

pub(crate) async fn teams_are_listed_by_creation_then_id_page_by_page<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let mut ids = Vec::new();
    for _ in 0..2 {
        // Three at one instant: their ids decide.
        let mut together = [world.team().await, world.team().await, world.team().await];
        together.sort_unstable();
        ids.extend(together);
        world.advance(INSTANT);
    }
    let page = async |number| world.store.teams(PageRequest::new(number, 4)).await.unwrap();
    let (first, second) = (page(1).await, page(2).await);
    let listed: Vec<TeamId> = first.items.iter().chain(&second.items).map(|team| team.id).collect();
    assert_eq!((listed, first.total), (ids.clone(), 6));
    assert_eq!(Some(first.items[0].clone()), world.store.team(ids[0]).await.unwrap());
    assert_eq!(page(3).await.items, []);
}

pub(crate) async fn a_blocked_team_is_blocked_until_it_is_unblocked<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, other) = (world.team().await, world.team().await);
    let standing = async |id| world.store.team(id).await.unwrap().unwrap().standing;
    for _ in 0..2 {
        assert!(world.store.set_standing(team, Standing::Blocked).await.unwrap());
        assert_eq!((standing(team).await, standing(other).await), (Standing::Blocked, Standing::Active));
    }
    assert!(world.store.set_standing(team, Standing::Active).await.unwrap());
    assert_eq!(standing(team).await, Standing::Active);
}

pub(crate) async fn a_team_changes_plan_and_terms<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, neighbour) = (world.team().await, world.team().await);
    let small = fixtures::other_plan("small", |limits| limits.sites = 1);
    world.put_plan(small.clone()).await;
    let terms = Subscription::new(PlanStatus::Canceled).with_end(world.now() + INSTANT);
    assert!(world.store.change_plan(team, &small.code, terms).await.unwrap());
    let changed = world.store.team(team).await.unwrap().unwrap();
    assert_eq!((changed.plan, changed.subscription), (small, terms));
    assert_eq!(world.store.team(neighbour).await.unwrap().unwrap().plan, fixtures::plan());
}

pub(crate) async fn a_change_to_an_unknown_plan_changes_nothing<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let before = world.store.team(team).await.unwrap();
    let terms = Subscription::new(PlanStatus::PastDue);
    let error = world.store.change_plan(team, &PlanCode::new("gold"), terms).await.unwrap_err();
    assert!(matches!(&error, UnknownPlan::Unknown(code) if code.as_str() == "gold"), "{error:?}");
    assert_eq!(world.store.team(team).await.unwrap(), before);
}

pub(crate) async fn a_plan_of_more_checks_brings_the_next_ones_forward_and_one_of_fewer_puts_none_off<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    use a11ycheck_core::domain::{CheckFrequency, brought_forward};

    let world = World::new(factory).await;
    let (team, neighbour) = (world.team().await, world.team().await);
    let plan = |code, frequency| fixtures::other_plan(code, |limits| limits.check_frequency = frequency);
    let (daily, monthly) = (plan("daily", CheckFrequency::Daily), plan("monthly", CheckFrequency::Monthly));
    world.put_plan(daily.clone()).await;
    world.put_plan(monthly.clone()).await;
    world.store.change_plan(team, &monthly.code, Subscription::ACTIVE).await.unwrap();
    let mut sites = Vec::new();
    for number in 0..5 {
        sites.push(world.site_at(team, &format!("https://{number}.example")).await);
    }
    let other = world.site_at(neighbour, "https://other.example").await;

    assert!(world.store.change_plan(team, &daily.code, Subscription::ACTIVE).await.unwrap());
    let mut next = Vec::new();
    for site in &sites {
        let at = world.store.site(team, site.id).await.unwrap().unwrap().next_scan_at;
        assert_eq!(at, brought_forward(site.id, CheckFrequency::Daily, site.next_scan_at, world.now()));
        assert!(at <= world.now() + CheckFrequency::Daily.period() * 3 / 2, "{at}");
        next.push(at);
    }
    assert_eq!(world.store.site(neighbour, other.id).await.unwrap().unwrap(), other);

    assert!(world.store.change_plan(team, &monthly.code, Subscription::ACTIVE).await.unwrap());
    for (site, at) in sites.iter().zip(next) {
        assert_eq!(world.store.site(team, site.id).await.unwrap().unwrap().next_scan_at, at);
    }
}

pub(crate) async fn a_plan_change_leaves_sites_and_checks_as_they_are<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let sites = [world.site_at(team, "https://a.example").await, world.site_at(team, "https://b.example").await];
    let scan = world.start(team, sites[0].id).await;
    let small = fixtures::other_plan("small", |limits| {
        limits.sites = 1;
        limits.pages_per_check = 1;
    });
    world.put_plan(small.clone()).await;
    assert!(world.store.change_plan(team, &small.code, Subscription::ACTIVE).await.unwrap());
    for site in sites {
        assert_eq!(world.store.site(team, site.id).await.unwrap().as_ref(), Some(&site));
    }
    assert_eq!(world.scan(team, scan).await.pages_requested, 25);
}

pub(crate) async fn a_brand_comes_back_whole_and_the_last_one_set_stays<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, other) = (world.team().await, world.team().await);
    assert_eq!(world.store.brand(team).await.unwrap(), TeamBrand::default());
    let named = fixtures::brand(1).with_logo(None).with_colour(None);
    let coloured = fixtures::brand(300_000).with_name(None);
    for brand in [fixtures::brand(2), named, coloured, TeamBrand::default(), fixtures::brand(9)] {
        assert!(world.store.set_brand(team, brand.clone()).await.unwrap());
        assert_eq!(world.store.brand(team).await.unwrap(), brand);
    }
    assert_eq!(world.store.brand(other).await.unwrap(), TeamBrand::default(), "it is the one team's");
}

pub(crate) async fn a_brand_stays_when_the_plan_changes<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let other = fixtures::other_plan("other", |_| {});
    world.put_plan(other.clone()).await;
    let team = world.team().await;
    assert!(world.store.set_brand(team, fixtures::brand(5)).await.unwrap());
    assert!(world.store.change_plan(team, &other.code, Subscription::ACTIVE).await.unwrap());
    assert_eq!(world.store.brand(team).await.unwrap(), fixtures::brand(5));
}

pub(crate) async fn a_token_reads_as_it_was_created<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let abilities = [
        BTreeSet::new(),
        BTreeSet::from([Ability::Read]),
        BTreeSet::from([Ability::Write]),
        BTreeSet::from([Ability::Read, Ability::Write]),
    ];
    for abilities in abilities {
        let new = NewToken { abilities, ..fixtures::new_token(world.now()) };
        let hash = new.hash;
        let expected = ApiToken {
            id: new.id,
            team,
            name: new.name.clone(),
            abilities: new.abilities.clone(),
            created_at: world.now(),
            created_by: new.created_by.clone(),
            last_used_on: None,
        };
        assert_eq!(world.store.create_token(team, new).await.unwrap().as_ref(), Some(&expected));
        let admitted = world.store.admit_token(&hash, RequestClass::General).await.unwrap().unwrap();
        assert_eq!(admitted.token, expected);
        let tokens = world.store.tokens(team).await.unwrap();
        assert!(tokens.contains(&expected), "{tokens:?}");
        world.advance(INSTANT);
    }
}

pub(crate) async fn the_last_day_of_a_tokens_use_is_noted_and_never_goes_back<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let ((used, hash), (other, _)) = (world.token(team).await, world.token(team).await);
    let today = world.now().date_naive();
    for (noted, expected) in
        [(today, today), (today.pred_opt().unwrap(), today), (today.succ_opt().unwrap(), today.succ_opt().unwrap())]
    {
        world.store.note_token_use(used, noted).await.unwrap();
        let admitted = world.store.admit_token(&hash, RequestClass::General).await.unwrap().unwrap();
        assert_eq!(admitted.token.last_used_on, Some(expected));
    }
    let tokens = world.store.tokens(team).await.unwrap();
    assert_eq!(tokens.iter().find(|token| token.id == other).unwrap().last_used_on, None);
    world.store.note_token_use(TokenId::generate(world.now()), today).await.unwrap();
}

pub(crate) async fn tokens_are_listed_by_creation_then_id<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, neighbour) = (world.team().await, world.team().await);
    // Ids of a later time come first here, so that an order by id alone shows.
    let mut ids: Vec<TokenId> = (0..6).map(|_| TokenId::generate(world.now() + TimeDelta::days(9))).collect();
    ids.sort_unstable_by(|one, other| other.cmp(one));
    for id in &ids {
        let token = NewToken { id: *id, ..fixtures::new_token(world.now()) };
        world.store.create_token(team, token).await.unwrap().unwrap();
    }
    world.token(neighbour).await;
    ids.reverse();
    for _ in 0..2 {
        world.advance(INSTANT);
        ids.push(world.token(team).await.0);
    }
    let listed: Vec<TokenId> = world.store.tokens(team).await.unwrap().into_iter().map(|token| token.id).collect();
    assert_eq!(listed, ids);
}

pub(crate) async fn a_deleted_token_admits_no_later_request<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let ((id, hash), (kept, kept_hash)) = (world.token(team).await, world.token(team).await);
    assert!(world.store.delete_token(team, id).await.unwrap());
    assert_eq!(world.store.admit_token(&hash, RequestClass::General).await.unwrap(), None);
    assert!(!world.store.delete_token(team, id).await.unwrap(), "it is gone already");
    assert!(world.store.admit_token(&kept_hash, RequestClass::General).await.unwrap().is_some());
    let left: Vec<TokenId> = world.store.tokens(team).await.unwrap().into_iter().map(|token| token.id).collect();
    assert_eq!(left, [kept]);
}

pub(crate) async fn a_taken_id_or_hash_is_refused_and_changes_nothing<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, other) = (world.team().await, world.team().await);
    let before = world.store.team(team).await.unwrap();
    let again =
        NewTeam { id: team, name: "Thief".to_owned(), ..fixtures::new_team(&fixtures::plan().code, world.now()) };
    assert_matches!(world.store.create_team(again).await, Err(UnknownPlan::Store(_)));
    assert_eq!(world.store.team(team).await.unwrap(), before);

    let (id, hash) = world.token(team).await;
    for token in
        [NewToken { id, ..fixtures::new_token(world.now()) }, NewToken { hash, ..fixtures::new_token(world.now()) }]
    {
        world.store.create_token(other, token).await.unwrap_err();
    }
    assert_eq!(world.store.tokens(other).await.unwrap(), []);
    let admitted = world.store.admit_token(&hash, RequestClass::General).await.unwrap().unwrap();
    assert_eq!((admitted.team.id, admitted.token.id), (team, id));
}
