//! Invitations into a team.

use std::sync::Arc;

use a11ycheck_core::{
    Store,
    domain::{Invitation, PlainSecret, Role},
    id::TeamId,
    paging::PageRequest,
    store::{AcceptError, InviteError, Joining, PeopleStore},
};

use super::steps::{new_invitation, new_person};
use crate::{
    StoreFactory,
    suite::{
        race::race,
        world::{INSTANT, World},
    },
};

pub(crate) async fn an_invitation_is_for_one_address_once_and_for_seven_days<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, team) = (&world.store, world.team().await);
    let jo = world.person("jo@example.org").await.id;
    let eve = world.person("eve@example.org").await.id;
    let (invitation, hash) = world.invited(team, "Jo@example.org", Role::Member).await;
    let found = store.invitation(&hash).await.unwrap();
    assert_eq!(found, Some((invitation, store.team(team).await.unwrap().unwrap())));
    let accept = async |hash, joining| store.accept_invitation(&hash, joining, world.note(None)).await;
    assert_matches!(accept(hash, Joining::Known(eve)).await, Err(AcceptError::OtherAddress));
    let other = new_person("mallory@example.org", world.now());
    assert_matches!(accept(hash, Joining::New(other)).await, Err(AcceptError::OtherAddress));
    let same = new_person("jo@example.org", world.now());
    assert_matches!(accept(hash, Joining::New(same)).await, Err(AcceptError::AddressTaken));
    world.advance(Invitation::TERM - INSTANT);
    let member = accept(hash, Joining::Known(jo)).await.unwrap();
    assert_eq!((member.team, member.person, member.role, member.since), (team, jo, Role::Member, world.now()));
    assert_matches!(accept(hash, Joining::Known(jo)).await, Err(AcceptError::Gone));
    assert_eq!(store.invitation(&hash).await.unwrap(), None);

    let (_, late) = world.invited(team, "eve@example.org", Role::Viewer).await;
    world.advance(Invitation::TERM);
    assert_matches!(accept(late, Joining::Known(eve)).await, Err(AcceptError::Gone));
    assert_eq!(store.invitations(team).await.unwrap(), []);
    let guess = PlainSecret::generate().hash();
    assert_matches!(accept(guess, Joining::Known(eve)).await, Err(AcceptError::Gone));
}

pub(crate) async fn an_invitation_makes_a_person_where_there_is_none<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, team) = (&world.store, world.team().await);
    let (_, hash) = world.invited(team, "jo@example.org", Role::Viewer).await;
    world.advance(INSTANT);
    let person = new_person("jo@example.org", world.now());
    store.accept_invitation(&hash, Joining::New(person.clone()), world.note(None)).await.unwrap();
    let found = store.credentials(&person.email).await.unwrap().unwrap();
    assert_eq!((found.person.id, found.password), (person.id, person.password));
    assert_eq!(world.seats_used(team).await, 1);
    let record = store.audit(Some(team), PageRequest::new(1, 1)).await.unwrap().items.remove(0);
    assert_eq!((record.team, record.person), (Some(team), Some(person.id)), "the log of the team says who joined");
}

pub(crate) async fn an_invitation_used_by_many_at_once_makes_one_member<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let (_, hash) = world.invited(team, "jo@example.org", Role::Viewer).await;
    let accepted = race(8, |_| {
        let (store, note) = (Arc::clone(&world.store), world.note(None));
        let joining = Joining::New(new_person("jo@example.org", world.now()));
        async move { store.accept_invitation(&hash, joining, note).await.is_ok() }
    })
    .await;
    assert_eq!(accepted.iter().filter(|accepted| **accepted).count(), 1);
    assert_eq!(world.store.members(team).await.unwrap().len(), 1);
}

pub(crate) async fn an_invitation_takes_the_place_of_an_earlier_one_and_can_be_withdrawn<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, team, other) = (&world.store, world.team().await, world.team().await);
    let (_, earlier) = world.invited(team, "jo@example.org", Role::Viewer).await;
    world.advance(INSTANT);
    let (max, max_hash) = world.invited(team, "max@example.org", Role::Owner).await;
    world.advance(INSTANT);
    let (later, later_hash) = world.invited(team, "jo@example.org", Role::Member).await;
    let (_, of_other) = world.invited(other, "jo@example.org", Role::Member).await;
    assert_eq!(store.invitation(&earlier).await.unwrap(), None);
    assert_eq!(store.invitations(team).await.unwrap(), [max.clone(), later.clone()]);
    assert!(
        !store.withdraw_invitation(other, later.id, world.note(Some(other))).await.unwrap(),
        "it is not that team's"
    );
    assert!(store.withdraw_invitation(team, later.id, world.note(Some(team))).await.unwrap());
    assert!(!store.withdraw_invitation(team, later.id, world.note(Some(team))).await.unwrap());
    assert_eq!(store.invitation(&later_hash).await.unwrap(), None);
    assert!(store.invitation(&max_hash).await.unwrap().is_some());
    assert!(store.invitation(&of_other).await.unwrap().is_some());

    world.joined(team, "member@example.org", Role::Viewer).await;
    let new = new_invitation("member@example.org", Role::Owner, world.now());
    assert_matches!(store.invite(team, new, world.note(Some(team))).await, Err(InviteError::AlreadyMember));
    let new = new_invitation("jo@example.org", Role::Owner, world.now());
    let nowhere = TeamId::generate(world.now());
    assert_matches!(store.invite(nowhere, new, world.note(None)).await, Err(InviteError::NotFound));
}

pub(crate) async fn a_team_has_a_bounded_number_of_invitations<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, team) = (&world.store, world.team().await);
    for number in 0..Invitation::MOST {
        world.invited(team, &format!("jo{number}@example.org"), Role::Viewer).await;
    }
    let one_more = || new_invitation("one-more@example.org", Role::Viewer, world.now());
    assert_matches!(store.invite(team, one_more(), world.note(Some(team))).await, Err(InviteError::TooMany));
    world.invited(team, "jo7@example.org", Role::Member).await;
    world.advance(Invitation::TERM);
    store.invite(team, one_more(), world.note(Some(team))).await.unwrap();
}
