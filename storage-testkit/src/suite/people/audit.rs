//! The audit log, and what is purged.

use a11ycheck_core::{
    Store,
    domain::{AuditAction, AuditRecord, Invitation, Role, Session},
    paging::PageRequest,
    store::{PeopleStore, PurgedPeople},
};
use chrono::TimeDelta;

use super::steps::{ADDRESS, entry, new_person};
use crate::{
    StoreFactory,
    suite::world::{INSTANT, World},
};

fn all() -> PageRequest {
    PageRequest::new(1, 100)
}

pub(crate) async fn what_was_done_is_in_the_log_once_and_what_was_refused_is_not<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, team) = (&world.store, world.team().await);
    let count = async || store.audit(Some(team), all()).await.unwrap().total;
    let owner = world.joined(team, "owner@example.org", Role::Owner).await;
    assert_eq!(count().await, 1);
    store.add_member(team, owner, Role::Owner, world.note(Some(team))).await.unwrap_err();
    store.remove_member(team, owner, world.note(Some(team))).await.unwrap_err();
    store.change_role(team, owner, Role::Viewer, world.note(Some(team))).await.unwrap_err();
    store.change_role(team, owner, Role::Owner, world.note(Some(team))).await.unwrap();
    assert_eq!(count().await, 1, "nothing was changed");
    let (invitation, _) = world.invited(team, "jo@example.org", Role::Viewer).await;
    assert!(store.withdraw_invitation(team, invitation.id, world.note(Some(team))).await.unwrap());
    assert!(!store.withdraw_invitation(team, invitation.id, world.note(Some(team))).await.unwrap());
    assert_eq!(count().await, 3);
    let mut note = entry(Some(team), AuditAction::from_stored("site.deleted").unwrap(), world.now());
    note.person = Some(owner);
    assert!(store.append_audit(note.clone()).await.unwrap());
    let read = store.audit(Some(team), all()).await.unwrap().items;
    assert!(read.contains(&note.at(world.now())), "{read:?}");
    let taken = store.create_person(new_person("owner@example.org", world.now()), world.note(Some(team))).await;
    taken.unwrap_err();
    assert_eq!(count().await, 4);
}

pub(crate) async fn the_log_of_a_team_is_its_own_and_the_newest_come_first<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, team, other) = (&world.store, world.team().await, world.team().await);
    let mut written = Vec::new();
    for action in [AuditAction::MemberInvited, AuditAction::RoleChanged, AuditAction::MemberRemoved] {
        let mut note = entry(Some(team), action, world.now());
        note.address = (action != AuditAction::RoleChanged).then_some(ADDRESS);
        assert!(store.append_audit(note.clone()).await.unwrap());
        assert!(store.append_audit(world.note(Some(other))).await.unwrap());
        written.insert(0, note.at(world.now()));
        world.advance(TimeDelta::seconds(1));
    }
    assert!(store.append_audit(world.note(None)).await.unwrap());
    let (first, second) = (PageRequest::new(1, 2), PageRequest::new(2, 2));
    let pages = [store.audit(Some(team), first).await.unwrap(), store.audit(Some(team), second).await.unwrap()];
    assert_eq!((pages[0].total, pages[1].total), (3, 3));
    let read: Vec<AuditRecord> = pages.into_iter().flat_map(|page| page.items).collect();
    assert_eq!(read, written);
    assert_eq!(store.audit(None, all()).await.unwrap().total, 1);
}

pub(crate) async fn what_is_over_is_purged_and_nothing_else<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, team) = (&world.store, world.team().await);
    let owner = world.joined(team, "owner@example.org", Role::Owner).await;
    world.session(owner).await;
    world.session(owner).await;
    world.invited(team, "jo@example.org", Role::Viewer).await;
    assert_eq!(store.purge_people(100).await.unwrap(), PurgedPeople::default());
    world.advance(Invitation::TERM);
    world.invited(team, "max@example.org", Role::Viewer).await;
    assert_eq!(store.purge_people(100).await.unwrap(), PurgedPeople { invitations: 1, ..PurgedPeople::default() });
    world.advance(Session::IDLE - Invitation::TERM);
    let (_, hash) = world.session(owner).await;
    assert_eq!(store.purge_people(1).await.unwrap().sessions, 1, "as many as it may");
    assert_eq!(store.purge_people(1).await.unwrap().sessions, 1);
    assert_eq!(store.purge_people(1).await.unwrap().sessions, 0);
    assert!(store.session(&hash).await.unwrap().is_some());
    assert_eq!(store.invitations(team).await.unwrap(), []);
    world.advance(AuditRecord::TERM - Session::IDLE - INSTANT);
    assert_eq!(store.purge_people(100).await.unwrap().audit, 0);
    world.advance(INSTANT);
    // The person, two sessions, the membership and the first invitation.
    assert_eq!(store.purge_people(100).await.unwrap().audit, 5);
    let left = (store.audit(None, all()).await.unwrap().total, store.audit(Some(team), all()).await.unwrap().total);
    assert_eq!(left, (1, 1));
    assert_eq!(store.members(team).await.unwrap().len(), 1);
}

pub(crate) async fn a_deleted_team_leaves_its_people_and_nothing_of_its_own<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, team, other) = (&world.store, world.team().await, world.team().await);
    let jo = world.joined(team, "jo@example.org", Role::Owner).await;
    store.add_member(other, jo, Role::Owner, world.note(Some(other))).await.unwrap();
    let (_, session) = world.session(jo).await;
    let (_, hash) = world.invited(team, "max@example.org", Role::Viewer).await;
    assert!(store.delete_team(team).await.unwrap());
    assert_eq!(store.entry(&session, team).await.unwrap(), None);
    assert!(store.entry(&session, other).await.unwrap().is_some());
    assert_eq!(store.members(team).await.unwrap(), []);
    assert_eq!(store.memberships(jo).await.unwrap().len(), 1);
    assert_eq!(store.invitation(&hash).await.unwrap(), None);
    assert_eq!(store.invitations(team).await.unwrap(), []);
    assert_eq!(store.audit(Some(team), all()).await.unwrap().total, 0);
    assert_eq!(store.audit(Some(other), all()).await.unwrap().total, 1);
}
