//! Who belongs to a team, and the seats.

use std::sync::Arc;

use a11ycheck_core::{
    Store,
    domain::{Membership, Role},
    id::{PersonId, TeamId},
    store::{AcceptError, AddMemberError, ChangeMemberError, Joining, PeopleStore},
};
use chrono::TimeDelta;

use super::steps::new_person;
use crate::{
    StoreFactory,
    suite::{race::race, world::World},
};

pub(crate) async fn members_use_seats_and_give_them_back<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    // The plan has three seats.
    let world = World::new(factory).await;
    let (store, team) = (&world.store, world.team().await);
    assert_eq!(world.seats_used(team).await, 2, "the host's number, until somebody joins");
    let mut people = Vec::new();
    for (number, role) in (1..).zip([Role::Owner, Role::Member, Role::Viewer]) {
        people.push(world.joined(team, &format!("{number}@example.org"), role).await);
        assert_eq!(world.seats_used(team).await, number);
        world.advance(TimeDelta::seconds(1));
    }
    let listed = store.members(team).await.unwrap();
    let members: Vec<_> = listed.iter().map(|member| (member.person.id, member.role)).collect();
    assert_eq!(members, [(people[0], Role::Owner), (people[1], Role::Member), (people[2], Role::Viewer)]);
    let fourth = world.person("4@example.org").await.id;
    let refused = store.add_member(team, fourth, Role::Viewer, world.note(Some(team))).await;
    assert_matches!(refused, Err(AddMemberError::NoFreeSeat(3)));
    let again = store.add_member(team, people[1], Role::Viewer, world.note(Some(team))).await;
    assert_matches!(again, Err(AddMemberError::AlreadyMember));
    store.remove_member(team, people[2], world.note(Some(team))).await.unwrap();
    assert_eq!(world.seats_used(team).await, 2);
    let joined = store.add_member(team, fourth, Role::Viewer, world.note(Some(team))).await.unwrap();
    assert_eq!(joined, Membership { team, person: fourth, role: Role::Viewer, since: world.now() });

    let nobody = PersonId::generate(world.now());
    for (team, person) in [(team, nobody), (TeamId::generate(world.now()), fourth)] {
        let refused = store.add_member(team, person, Role::Viewer, world.note(None)).await;
        assert_matches!(refused, Err(AddMemberError::NotFound));
        let refused = store.remove_member(team, person, world.note(None)).await;
        assert_matches!(refused, Err(ChangeMemberError::NotFound));
        let refused = store.change_role(team, person, Role::Owner, world.note(None)).await;
        assert_matches!(refused, Err(ChangeMemberError::NotFound));
    }
}

pub(crate) async fn of_20_invitations_at_once_into_one_free_seat_one_makes_a_member<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    for number in 0..2 {
        world.joined(team, &format!("seated{number}@example.org"), Role::Owner).await;
    }
    let mut hashes = Vec::new();
    for number in 0..20 {
        hashes.push(world.invited(team, &format!("jo{number}@example.org"), Role::Member).await.1);
    }
    let accepted = race(20, |number| {
        let (store, note) = (Arc::clone(&world.store), world.note(None));
        let hash = hashes[usize::try_from(number).unwrap()];
        let joining = Joining::New(new_person(&format!("jo{number}@example.org"), world.now()));
        async move { store.accept_invitation(&hash, joining, note).await }
    })
    .await;
    let mut members = 0;
    for result in accepted {
        match result {
            Ok(_) => members += 1,
            Err(refused) => assert_matches!(refused, AcceptError::NoFreeSeat(3)),
        }
    }
    assert_eq!(members, 1);
    assert_eq!(world.store.members(team).await.unwrap().len(), 3);
    assert_eq!(world.seats_used(team).await, 3);
    let persons = world.store.persons(a11ycheck_core::paging::PageRequest::new(1, 100)).await.unwrap();
    assert_eq!(persons.total, 3, "who found no seat was not created");
    assert_eq!(world.store.invitations(team).await.unwrap().len(), 19, "and can still accept");
}

pub(crate) async fn the_last_owner_can_neither_leave_nor_be_lowered<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, team) = (&world.store, world.team().await);
    let owner = world.joined(team, "owner@example.org", Role::Owner).await;
    let member = world.joined(team, "member@example.org", Role::Member).await;
    let note = || world.note(Some(team));
    for role in [Role::Member, Role::Viewer] {
        assert_matches!(store.change_role(team, owner, role, note()).await, Err(ChangeMemberError::LastOwner));
    }
    assert_matches!(store.remove_member(team, owner, note()).await, Err(ChangeMemberError::LastOwner));
    let same = store.change_role(team, owner, Role::Owner, note()).await.unwrap();
    assert_eq!((same.person, same.role), (owner, Role::Owner));
    let raised = store.change_role(team, member, Role::Owner, note()).await.unwrap();
    assert_eq!((raised.person, raised.role), (member, Role::Owner));
    store.change_role(team, owner, Role::Viewer, note()).await.unwrap();
    assert_matches!(store.remove_member(team, member, note()).await, Err(ChangeMemberError::LastOwner));
    store.remove_member(team, owner, note()).await.unwrap();
    assert_eq!(store.members(team).await.unwrap().len(), 1);
}

pub(crate) async fn of_two_owners_who_leave_at_once_one_stays<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    for round in 0..5 {
        let team = world.team().await;
        let mut owners = Vec::new();
        for name in ["a", "b"] {
            owners.push(world.joined(team, &format!("{name}{round}@example.org"), Role::Owner).await);
        }
        let left = race(2, |number| {
            let (store, note) = (Arc::clone(&world.store), world.note(Some(team)));
            let owner = owners[usize::try_from(number).unwrap()];
            async move {
                if number == 0 {
                    store.remove_member(team, owner, note).await
                } else {
                    store.change_role(team, owner, Role::Viewer, note).await.map(drop)
                }
            }
        })
        .await;
        assert_eq!(left.iter().filter(|left| left.is_ok()).count(), 1, "{left:?}");
        let members = world.store.members(team).await.unwrap();
        assert_eq!(members.iter().filter(|member| member.role == Role::Owner).count(), 1);
    }
}

pub(crate) async fn a_person_is_listed_in_each_team_with_its_role<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let store = &world.store;
    let (first, second) = (world.team().await, world.team().await);
    let jo = world.joined(second, "jo@example.org", Role::Owner).await;
    world.advance(TimeDelta::seconds(1));
    store.add_member(first, jo, Role::Viewer, world.note(Some(first))).await.unwrap();
    world.joined(first, "max@example.org", Role::Owner).await;
    let memberships = store.memberships(jo).await.unwrap();
    let listed: Vec<_> = memberships.iter().map(|(member, team)| (member.team, team.id, member.role)).collect();
    assert_eq!(listed, [(second, second, Role::Owner), (first, first, Role::Viewer)]);
    assert_eq!(Some(&memberships[1].1), store.team(first).await.unwrap().as_ref());
}
