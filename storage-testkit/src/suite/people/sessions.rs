//! Sessions, and where they lead.

use a11ycheck_core::{
    Store,
    domain::{Role, Session, Standing},
    paging::PageRequest,
    store::{PeopleStore, StoreError},
};
use chrono::TimeDelta;

use super::steps::{ADDRESS, new_session};
use crate::{
    StoreFactory,
    suite::world::{INSTANT, World},
};

pub(crate) async fn a_session_is_found_by_its_hash_until_it_is_over<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, jo) = (&world.store, world.person("jo@example.org").await);
    let (session, hash) = world.session(jo.id).await;
    let expected = Session {
        id: session.id,
        person: jo.id,
        browser: "Браузер/1.0 \"x\"".to_owned(),
        address: Some(ADDRESS),
        created_at: world.now(),
        last_used_at: world.now(),
    };
    assert_eq!(session, expected);
    let found = store.session(&hash).await.unwrap().unwrap();
    assert_eq!((found.session, found.person, found.at), (expected, jo.clone(), world.now()));
    let mut same = new_session(jo.id, world.now());
    same.id = session.id;
    let taken = store.begin_session(same, None, world.note(None)).await;
    assert_matches!(taken, Err(StoreError::Taken(_)));
    world.advance(Session::IDLE);
    assert_eq!(store.session(&hash).await.unwrap(), None);
    assert_eq!(store.sessions(jo.id).await.unwrap(), []);
    let end = store.end_session(jo.id, session.id, world.note(None)).await.unwrap();
    assert!(!end, "it has ended already");
}

pub(crate) async fn a_session_that_is_used_stays_and_ends_after_90_days_all_the_same<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, jo) = (&world.store, world.person("jo@example.org").await.id);
    let (begun, hash) = world.session(jo).await;
    world.advance(Session::TOUCH - INSTANT);
    assert_eq!(store.session(&hash).await.unwrap().unwrap().session.last_used_at, begun.created_at);
    world.advance(INSTANT);
    assert_eq!(store.session(&hash).await.unwrap().unwrap().session.last_used_at, world.now());
    assert_eq!(store.sessions(jo).await.unwrap()[0].last_used_at, world.now());
    let used_up = begun.created_at + Session::LONGEST;
    while world.now() + TimeDelta::days(13) < used_up {
        world.advance(TimeDelta::days(13));
        assert!(store.session(&hash).await.unwrap().is_some());
    }
    world.advance(used_up - world.now() - INSTANT);
    assert!(store.session(&hash).await.unwrap().is_some());
    world.advance(INSTANT);
    assert!(store.session(&hash).await.unwrap().is_none());
}

pub(crate) async fn a_session_that_takes_the_place_of_another_ends_it<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, jo) = (&world.store, world.person("jo@example.org").await.id);
    let ((_, before), (_, other)) = (world.session(jo).await, world.session(jo).await);
    let new = new_session(jo, world.now());
    let after = new.hash;
    store.begin_session(new, Some(before), world.note(None)).await.unwrap().unwrap();
    assert!(store.session(&before).await.unwrap().is_none());
    assert!(store.session(&after).await.unwrap().is_some());
    assert!(store.session(&other).await.unwrap().is_some());
}

pub(crate) async fn a_person_has_a_bounded_number_of_sessions<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, jo) = (&world.store, world.person("jo@example.org").await.id);
    let other = world.session(world.person("max@example.org").await.id).await.1;
    let first = world.session(jo).await.1;
    world.advance(Session::TOUCH);
    let second = world.session(jo).await.1;
    world.advance(Session::TOUCH);
    store.session(&first).await.unwrap().unwrap();
    for _ in 2..Session::MOST {
        world.session(jo).await;
    }
    assert_eq!(store.sessions(jo).await.unwrap().len(), Session::MOST);
    let newest = world.session(jo).await.1;
    assert_eq!(store.sessions(jo).await.unwrap().len(), Session::MOST);
    assert!(store.session(&second).await.unwrap().is_none(), "it was not used for longest");
    for hash in [first, newest, other] {
        assert!(store.session(&hash).await.unwrap().is_some());
    }
}

pub(crate) async fn ended_sessions_let_nobody_in_and_others_stay<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let store = &world.store;
    let (jo, max) = (world.person("jo@example.org").await.id, world.person("max@example.org").await.id);
    let mut hashes = Vec::new();
    for _ in 0..3 {
        hashes.push(world.session(jo).await);
        world.advance(TimeDelta::seconds(1));
    }
    let (others, other_hash) = world.session(max).await;
    let listed: Vec<_> = store.sessions(jo).await.unwrap().into_iter().map(|session| session.id).collect();
    assert_eq!(listed, hashes.iter().rev().map(|(session, _)| session.id).collect::<Vec<_>>(), "the newest first");
    let before = store.audit(None, PageRequest::new(1, 1)).await.unwrap().total;
    assert!(!store.end_session(jo, others.id, world.note(None)).await.unwrap(), "it is somebody else's");
    assert!(store.end_session(jo, hashes[0].0.id, world.note(None)).await.unwrap());
    assert!(!store.end_session(jo, hashes[0].0.id, world.note(None)).await.unwrap());
    assert_eq!(store.end_sessions(jo, Some(hashes[1].0.id), world.note(None)).await.unwrap(), 1);
    let mut in_order = Vec::new();
    for hash in [hashes[0].1, hashes[1].1, hashes[2].1, other_hash] {
        in_order.push(store.session(&hash).await.unwrap().is_some());
    }
    assert_eq!(in_order, [false, true, false, true]);
    assert_eq!(store.end_sessions(jo, None, world.note(None)).await.unwrap(), 1);
    assert_eq!(store.end_sessions(jo, None, world.note(None)).await.unwrap(), 0);
    let after = store.audit(None, PageRequest::new(1, 1)).await.unwrap().total;
    assert_eq!(after - before, 3, "an entry for each step that ended something");
}

pub(crate) async fn a_session_leads_into_the_teams_of_its_person_and_no_other<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, [own, foreign]) = (&world.store, [world.team().await, world.team().await]);
    let jo = world.joined(own, "jo@example.org", Role::Member).await;
    world.joined(foreign, "max@example.org", Role::Owner).await;
    let (session, hash) = world.session(jo).await;
    let entry = store.entry(&hash, own).await.unwrap().unwrap();
    assert_eq!((entry.signed_in.session, entry.role), (session, Role::Member));
    assert_eq!(Some(entry.team), store.team(own).await.unwrap());
    assert_eq!(store.entry(&hash, foreign).await.unwrap(), None);
    store.set_standing(own, Standing::Blocked).await.unwrap();
    assert_eq!(store.entry(&hash, own).await.unwrap().unwrap().team.standing, Standing::Blocked);
    world.advance(Session::TOUCH);
    store.entry(&hash, own).await.unwrap().unwrap();
    assert_eq!(store.sessions(jo).await.unwrap()[0].last_used_at, world.now(), "it counts as a use");
    world.advance(Session::IDLE);
    assert_eq!(store.entry(&hash, own).await.unwrap(), None);
}

pub(crate) async fn who_was_taken_out_of_a_team_is_out_with_the_next_request<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, team) = (&world.store, world.team().await);
    world.joined(team, "max@example.org", Role::Owner).await;
    let jo = world.joined(team, "jo@example.org", Role::Owner).await;
    let (_, hash) = world.session(jo).await;
    store.change_role(team, jo, Role::Viewer, world.note(Some(team))).await.unwrap();
    assert_eq!(store.entry(&hash, team).await.unwrap().unwrap().role, Role::Viewer);
    store.remove_member(team, jo, world.note(Some(team))).await.unwrap();
    assert_eq!(store.entry(&hash, team).await.unwrap(), None);
    assert!(store.session(&hash).await.unwrap().is_some(), "the person is still signed in");
}
