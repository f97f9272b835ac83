//! People, and the first of them.

use std::sync::Arc;

use a11ycheck_core::{
    Store,
    domain::{Notices, PasswordHash, Person, PersonKind, PlainSecret},
    id::{PersonId, TeamId},
    locale::Locale,
    paging::PageRequest,
    store::{CreatePersonError, Credentials, PeopleStore, RedeemError, StoreError},
};
use chrono::TimeDelta;

use super::steps::{new_person, new_session};
use crate::{
    StoreFactory,
    suite::{
        race::race,
        world::{INSTANT, World},
    },
};

const HOUR: TimeDelta = TimeDelta::hours(1);

pub(crate) async fn a_new_store_has_nobody<S: Store + PeopleStore>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (store, hash) = (&world.store, PlainSecret::generate().hash());
    let (person, team) = (PersonId::generate(world.now()), TeamId::generate(world.now()));
    assert_eq!(store.persons(PageRequest::new(1, 10)).await.unwrap().total, 0);
    assert_eq!(store.credentials(&"jo@example.org".parse().unwrap()).await.unwrap(), None);
    assert!(!store.is_first_link(&hash).await.unwrap());
    assert_eq!(store.session(&hash).await.unwrap(), None);
    assert_eq!(store.entry(&hash, team).await.unwrap(), None);
    assert_eq!(store.sessions(person).await.unwrap(), []);
    assert_eq!(store.members(team).await.unwrap(), []);
    assert_eq!(store.memberships(person).await.unwrap(), []);
    assert_eq!(store.invitations(team).await.unwrap(), []);
    assert_eq!(store.invitation(&hash).await.unwrap(), None);
    for of in [None, Some(team)] {
        assert_eq!(store.audit(of, PageRequest::new(1, 10)).await.unwrap().total, 0);
    }
    let new = new_session(person, world.now());
    assert_eq!(store.begin_session(new, None, world.note(None)).await.unwrap(), None);
    assert!(!store.set_password(person, PasswordHash::from_stored("x"), None, world.note(None)).await.unwrap());
    assert!(!store.append_audit(world.note(Some(team))).await.unwrap(), "there is no such team");
    assert_eq!(store.audit(None, PageRequest::new(1, 10)).await.unwrap().total, 0, "nothing was done");
}

pub(crate) async fn the_first_link_makes_one_person_and_nobody_after_that<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, link) = (&world.store, PlainSecret::generate().hash());
    assert!(store.put_first_link(link, HOUR).await.unwrap());
    let other = PlainSecret::generate().hash();
    let refused = store.redeem_first_link(&other, new_person("eve@example.org", world.now()), world.note(None)).await;
    assert_matches!(refused, Err(RedeemError::Gone));
    assert!(store.is_first_link(&link).await.unwrap(), "a wrong guess uses nothing up");
    let new = new_person("jo@example.org", world.now());
    let person = store.redeem_first_link(&link, new.clone(), world.note(None)).await.unwrap();
    assert_eq!((person.id, &person.email, person.created_at), (new.id, &new.email, world.now()));
    assert!(!store.is_first_link(&link).await.unwrap());
    let again = store.redeem_first_link(&link, new_person("eve@example.org", world.now()), world.note(None)).await;
    assert_matches!(again, Err(RedeemError::Gone));
    assert_eq!(store.persons(PageRequest::new(1, 10)).await.unwrap().items, [person]);
}

pub(crate) async fn a_first_link_is_valid_for_its_term_until_it_is_replaced<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, link, next) = (&world.store, PlainSecret::generate().hash(), PlainSecret::generate().hash());
    store.put_first_link(link, HOUR).await.unwrap();
    store.put_first_link(next, HOUR).await.unwrap();
    assert!(!store.is_first_link(&link).await.unwrap(), "the later one took its place");
    world.advance(HOUR - INSTANT);
    assert!(store.is_first_link(&next).await.unwrap());
    world.advance(INSTANT);
    assert!(!store.is_first_link(&next).await.unwrap());
    let late = store.redeem_first_link(&next, new_person("jo@example.org", world.now()), world.note(None)).await;
    assert_matches!(late, Err(RedeemError::Gone));
    assert_eq!(store.persons(PageRequest::new(1, 10)).await.unwrap().total, 0);
}

pub(crate) async fn of_many_who_use_the_first_link_at_once_one_is_created<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let link = PlainSecret::generate().hash();
    world.store.put_first_link(link, HOUR).await.unwrap();
    let created = race(8, |number| {
        let (store, note) = (Arc::clone(&world.store), world.note(None));
        let person = new_person(&format!("jo{number}@example.org"), world.now());
        async move { store.redeem_first_link(&link, person, note).await.is_ok() }
    })
    .await;
    assert_eq!(created.iter().filter(|created| **created).count(), 1);
    assert_eq!(world.store.persons(PageRequest::new(1, 10)).await.unwrap().total, 1);
    assert_eq!(world.store.audit(None, PageRequest::new(1, 10)).await.unwrap().total, 1);
}

pub(crate) async fn no_first_link_is_stored_where_there_is_a_person<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, before, after) = (&world.store, PlainSecret::generate().hash(), PlainSecret::generate().hash());
    store.put_first_link(before, HOUR).await.unwrap();
    world.person("jo@example.org").await;
    assert!(!store.put_first_link(after, HOUR).await.unwrap());
    for link in [before, after] {
        assert!(!store.is_first_link(&link).await.unwrap());
        let refused =
            store.redeem_first_link(&link, new_person("eve@example.org", world.now()), world.note(None)).await;
        assert_matches!(refused, Err(RedeemError::Gone));
    }
}

pub(crate) async fn a_person_reads_as_created_and_no_other_has_the_address<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let store = &world.store;
    let mut new = new_person("Jo@Example.org", world.now());
    new.kind = PersonKind::Operator;
    let person = store.create_person(new.clone(), world.note(None)).await.unwrap();
    let expected = Person {
        id: new.id,
        email: "jo@example.org".parse().unwrap(),
        name: new.name.clone(),
        locale: Locale::Uk,
        kind: PersonKind::Operator,
        created_at: world.now(),
        notices: Notices::On,
    };
    assert_eq!(person, expected);
    let found = store.credentials(&"JO@example.ORG".parse().unwrap()).await.unwrap();
    assert_eq!(found, Some(Credentials { person: expected, password: new.password.clone() }));
    let same = store.create_person(new_person("jo@example.org", world.now()), world.note(None)).await;
    assert_matches!(same, Err(CreatePersonError::AddressTaken));
    let mut bare = new_person("max@example.org", world.now());
    bare.password = None;
    store.create_person(bare, world.note(None)).await.unwrap();
    let found = store.credentials(&"max@example.org".parse().unwrap()).await.unwrap().unwrap();
    assert_eq!(found.password, None);
    new.email = "other@example.org".parse().unwrap();
    let taken = store.create_person(new, world.note(None)).await;
    assert_matches!(taken, Err(CreatePersonError::Store(StoreError::Taken(_))));
}

pub(crate) async fn persons_are_listed_by_creation_page_by_page<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let mut ids = Vec::new();
    for name in ["c", "a", "b"] {
        ids.push(world.person(&format!("{name}@example.org")).await.id);
        world.advance(TimeDelta::seconds(1));
    }
    let pages = [world.store.persons(PageRequest::new(1, 2)).await, world.store.persons(PageRequest::new(2, 2)).await];
    let listed = pages.into_iter().flat_map(|page| page.unwrap().items).map(|person| person.id);
    assert_eq!(listed.collect::<Vec<_>>(), ids);
}

pub(crate) async fn another_password_ends_all_sessions_but_the_one_that_set_it<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, jo) = (&world.store, world.person("jo@example.org").await.id);
    let other = world.person("max@example.org").await.id;
    let ((kept, kept_hash), (_, ended), (_, others)) =
        (world.session(jo).await, world.session(jo).await, world.session(other).await);
    let password = PasswordHash::from_stored("$argon2id$another");
    assert!(store.set_password(jo, password.clone(), Some(kept.id), world.note(None)).await.unwrap());
    assert!(store.session(&kept_hash).await.unwrap().is_some());
    assert!(store.session(&ended).await.unwrap().is_none());
    assert!(store.session(&others).await.unwrap().is_some());
    let found = store.credentials(&"jo@example.org".parse().unwrap()).await.unwrap().unwrap();
    assert_eq!(found.password, Some(password));
}
