//! Assignments of what checks found.

use std::sync::Arc;

use a11ycheck_core::{
    Store,
    domain::{Assignment, Batch, NewAssignment, Role, WorkChange, WorkScope, WorkState},
    id::{AssignmentId, PersonId, ScanId, SiteId, TeamId},
    paging::PageRequest,
    store::{AssignError, AssignmentFilter, Progress, ReviewStore, StoreError, Whose},
};
use chrono::{DateTime, TimeDelta, Utc};

use super::steps::new_judgement;
use crate::{
    StoreFactory,
    suite::{race::race, world::World},
};

const OPEN: WorkChange = WorkChange { assignee: None, state: WorkState::Open, due: None };

fn all() -> PageRequest {
    PageRequest::new(1, 100)
}

/// Returns an assignment of the element at a selector.
pub(crate) fn new_assignment(selector: &str, work: WorkChange, now: DateTime<Utc>) -> NewAssignment {
    let element = new_judgement(selector, now).element;
    let (id, author) = (AssignmentId::generate(now), "Олена Müller".to_owned());
    NewAssignment { id, element, scope: WorkScope::Element, work, author }
}

impl<S: Store + ReviewStore> World<S> {
    /// Assigns the element at a selector.
    pub(crate) async fn assigned(&self, team: TeamId, site: SiteId, selector: &str, work: WorkChange) -> Assignment {
        let new = vec![new_assignment(selector, work, self.now())];
        self.store.put_assignments(team, site, new, self.note(Some(team))).await.unwrap().remove(0)
    }

    async fn log_length(&self, team: TeamId) -> u64 {
        self.store.audit(Some(team), all()).await.unwrap().total
    }
}

pub(crate) async fn an_assignment_reads_as_it_was_made_and_changed<S: Store + ReviewStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, (team, site)) = (&world.store, world.team_and_site().await);
    assert_eq!(store.all_assignments(team, site).await.unwrap(), []);
    let jo = world.joined(team, "jo@example.org", Role::Member).await;
    let before = world.log_length(team).await;
    let due = world.now().date_naive() + TimeDelta::days(14);
    let whole =
        new_assignment("#a", WorkChange { assignee: Some(jo), state: WorkState::Doing, due: Some(due) }, world.now());
    let mut bare = new_assignment("#b", OPEN, world.now());
    bare.scope = WorkScope::from_stored("site").unwrap();
    bare.work.state = WorkState::from_stored("waiting").unwrap();
    let expected: Vec<Assignment> =
        [&whole, &bare].into_iter().map(|one| one.clone().at(team, site, world.now())).collect();
    let made = store.put_assignments(team, site, vec![whole, bare], world.note(Some(team))).await.unwrap();
    assert_eq!(made, expected);
    assert_eq!(world.log_length(team).await, before + 1, "one entry for all");
    let stored = store.all_assignments(team, site).await.unwrap();
    assert!(stored.len() == 2 && expected.iter().all(|one| stored.contains(one)));
    assert_eq!(store.assignment(team, made[0].id).await.unwrap().as_ref(), Some(&made[0]));

    world.advance(TimeDelta::minutes(5));
    let change = WorkChange { assignee: None, state: WorkState::Done, due: None };
    let expected = made[0].clone().changed(change, world.now());
    assert_eq!(store.change_assignment(team, made[0].id, change, world.note(Some(team))).await.unwrap(), expected);
    assert_eq!(store.assignment(team, made[0].id).await.unwrap(), Some(expected));
    assert_eq!(world.log_length(team).await, before + 2);
    assert!(store.remove_assignment(team, made[0].id, world.note(Some(team))).await.unwrap());
    assert!(!store.remove_assignment(team, made[0].id, world.note(Some(team))).await.unwrap());
    assert_eq!(store.assignment(team, made[0].id).await.unwrap(), None);
    assert_eq!(world.log_length(team).await, before + 3, "what did nothing is not in the log");
}

pub(crate) async fn an_assignment_takes_the_place_of_the_one_about_the_same<S: Store + ReviewStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, (team, site)) = (&world.store, world.team_and_site().await);
    let first = world.assigned(team, site, "#a", OPEN).await;
    let other = world.assigned(team, site, "#b", OPEN).await;
    let done = WorkChange { state: WorkState::Done, ..OPEN };
    let again = world.assigned(team, site, "#a", done).await;
    assert_ne!(first.id, again.id);
    let stored = store.all_assignments(team, site).await.unwrap();
    assert!(stored.len() == 2 && stored.contains(&again) && stored.contains(&other));
    let logged = world.log_length(team).await;
    assert_eq!(store.put_assignments(team, site, Vec::new(), world.note(Some(team))).await.unwrap(), []);
    let twice = vec![new_assignment("#c", OPEN, world.now()), new_assignment("#c", done, world.now())];
    let kept = store.put_assignments(team, site, twice, world.note(Some(team))).await.unwrap();
    assert!(kept.len() == 1 && kept[0].state == WorkState::Done, "the later one");
    assert_eq!(world.log_length(team).await, logged + 1);
    let mut taken = new_assignment("#d", OPEN, world.now());
    taken.id = other.id;
    let taken = store.put_assignments(team, site, vec![taken], world.note(Some(team))).await;
    assert!(matches!(taken, Err(AssignError::Store(StoreError::Taken(_)))), "{taken:?}");
}

pub(crate) async fn only_a_member_is_assigned_something_and_who_leaves_leaves_it_to_nobody<S: Store + ReviewStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, (team, site)) = (&world.store, world.team_and_site().await);
    let jo = world.joined(team, "jo@example.org", Role::Member).await;
    let eve = world.person("eve@example.org").await.id;
    let of = |person| WorkChange { assignee: Some(person), state: WorkState::Doing, due: None };
    let logged = world.log_length(team).await;
    for nobody in [eve, PersonId::generate(world.now())] {
        let new = vec![new_assignment("#a", of(nobody), world.now())];
        let refused = store.put_assignments(team, site, new, world.note(Some(team))).await;
        assert!(matches!(refused, Err(AssignError::NotMember)), "{refused:?}");
    }
    let made = world.assigned(team, site, "#a", of(jo)).await;
    let refused = store.change_assignment(team, made.id, of(eve), world.note(Some(team))).await;
    assert!(matches!(refused, Err(AssignError::NotMember)), "{refused:?}");
    assert_eq!(world.log_length(team).await, logged + 1);
    assert_eq!(store.unfinished_assignments(team, jo).await.unwrap(), 1);

    // The same person keeps what is another team's.
    let (other, there) = world.team_and_site().await;
    store.add_member(other, jo, Role::Owner, world.note(Some(other))).await.unwrap();
    let elsewhere = world.assigned(other, there, "#a", of(jo)).await;
    store.remove_member(team, jo, world.note(Some(team))).await.unwrap();
    let left = store.assignment(team, made.id).await.unwrap().unwrap();
    assert_eq!(left, Assignment { assignee: None, ..made });
    assert_eq!(store.unfinished_assignments(team, jo).await.unwrap(), 0);
    assert_eq!(store.assignment(other, elsewhere.id).await.unwrap(), Some(elsewhere));
}

pub(crate) async fn nobody_who_leaves_meanwhile_is_assigned_something<S: Store + ReviewStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, (team, site)) = (&world.store, world.team_and_site().await);
    let jo = world.joined(team, "jo@example.org", Role::Member).await;
    let work = WorkChange { assignee: Some(jo), ..OPEN };
    race(8, |racer| {
        let store = Arc::clone(store);
        let (new, note) = (
            new_assignment(&format!("#place-{}", char::from(b'a' + u8::try_from(racer).unwrap())), work, world.now()),
            world.note(Some(team)),
        );
        async move {
            if racer == 3 {
                store.remove_member(team, jo, note).await.unwrap();
            } else {
                let made = store.put_assignments(team, site, vec![new], note).await;
                assert!(matches!(made, Ok(_) | Err(AssignError::NotMember)), "{made:?}");
            }
        }
    })
    .await;
    let stored = store.all_assignments(team, site).await.unwrap();
    assert!(stored.iter().all(|one| one.assignee.is_none()), "{stored:?}");
}

pub(crate) async fn assignments_are_listed_by_the_day_on_which_they_are_due<S: Store + ReviewStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, (team, site)) = (&world.store, world.team_and_site().await);
    let second = world.site_at(team, "https://other.example/").await.id;
    let jo = world.joined(team, "jo@example.org", Role::Member).await;
    let due = |days| Some(world.now().date_naive() + TimeDelta::days(days));
    let of = |assignee, state, due| WorkChange { assignee, state, due };
    let late = world.assigned(team, site, "#late", of(Some(jo), WorkState::Open, due(9))).await;
    let never = world.assigned(team, site, "#never", of(Some(jo), WorkState::Doing, None)).await;
    let early = world.assigned(team, second, "#early", of(Some(jo), WorkState::Open, due(2))).await;
    let done = world.assigned(team, second, "#done", of(Some(jo), WorkState::Done, due(1))).await;
    let free = world.assigned(team, site, "#free", of(None, WorkState::Open, due(3))).await;
    let listed = async |filter, page| store.assignments(team, filter, page).await.unwrap();
    let any = AssignmentFilter::default();
    let order = vec![done, early.clone(), free.clone(), late.clone(), never.clone()];
    assert_eq!(listed(any, all()).await.items, order);
    let second_page = listed(any, PageRequest::new(2, 2)).await;
    assert_eq!((second_page.items.as_slice(), second_page.total), (&order[2..4], 5));
    let own = AssignmentFilter { whose: Whose::Person(jo), progress: Progress::Unfinished, site: None };
    assert_eq!(listed(own, all()).await.items, [early, late.clone(), never.clone()]);
    assert_eq!(store.unfinished_assignments(team, jo).await.unwrap(), 3);
    let here = AssignmentFilter { site: Some(site), ..own };
    assert_eq!(listed(here, all()).await.items, [late, never]);
    let nobodys = AssignmentFilter { whose: Whose::Nobody, ..any };
    assert_eq!(listed(nobodys, all()).await.items, [free]);
}

pub(crate) async fn what_was_done_before_a_check_that_finds_it_is_open_again<S: Store + ReviewStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, (team, site)) = (&world.store, world.team_and_site().await);
    let jo = world.joined(team, "jo@example.org", Role::Member).await;
    let done = WorkChange { assignee: Some(jo), state: WorkState::Done, due: None };
    let before = world.assigned(team, site, "#before", done).await;
    let doing = world.assigned(team, site, "#doing", WorkChange { state: WorkState::Doing, ..done }).await;
    world.advance(TimeDelta::minutes(1));
    let began = world.now();
    world.advance(TimeDelta::minutes(1));
    let since = world.assigned(team, site, "#since", done).await;
    let (scan, logged) = (ScanId::generate(world.now()), world.log_length(team).await);
    let nothing = AssignmentId::generate(world.now());
    let found = [before.id, doing.id, since.id, nothing].map(|id| (id, world.note(Some(team)))).to_vec();
    let expected = before.reopened(scan, began, world.now()).unwrap();
    assert_eq!(
        store.reopen_assignments(team, scan, began, found.clone()).await.unwrap(),
        std::slice::from_ref(&expected)
    );
    assert_eq!(world.log_length(team).await, logged + 1, "one entry for each that is open again");
    let stored = store.all_assignments(team, site).await.unwrap();
    assert!([&expected, &doing, &since].iter().all(|one| stored.contains(one)), "{stored:?}");
    let (other, _) = world.team_and_site().await;
    assert_eq!(store.reopen_assignments(other, scan, world.now(), found).await.unwrap(), []);
}

pub(crate) async fn assignments_belong_to_the_team_of_their_site_and_end_with_it<S: Store + ReviewStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, (team, site)) = (&world.store, world.team_and_site().await);
    let (other, _) = world.team_and_site().await;
    let second = world.site_at(team, "https://other.example/").await.id;
    let made = world.assigned(team, site, "#a", OPEN).await;
    let kept = world.assigned(team, second, "#a", OPEN).await;
    let new = || vec![new_assignment("#b", OPEN, world.now())];
    for (team, site) in [(other, site), (team, SiteId::generate(world.now()))] {
        let refused = store.put_assignments(team, site, new(), world.note(Some(team))).await;
        assert!(matches!(refused, Err(AssignError::NotFound)), "{refused:?}");
    }
    let refused = store.change_assignment(other, made.id, OPEN, world.note(Some(other))).await;
    assert!(matches!(refused, Err(AssignError::NotFound)), "{refused:?}");
    assert!(!store.remove_assignment(other, made.id, world.note(Some(other))).await.unwrap());
    assert_eq!(store.assignment(other, made.id).await.unwrap(), None);
    assert_eq!(store.all_assignments(other, site).await.unwrap(), []);
    assert_eq!(store.assignments(other, AssignmentFilter::default(), all()).await.unwrap().total, 0);
    assert!(store.delete_site(team, site).await.unwrap());
    assert_eq!(
        store.assignments(team, AssignmentFilter::default(), all()).await.unwrap().items,
        std::slice::from_ref(&kept)
    );
    assert_eq!(store.assignment(team, made.id).await.unwrap(), None);
    assert!(store.delete_team(team).await.unwrap());
    assert_eq!(store.assignment(team, kept.id).await.unwrap(), None);
}

pub(crate) async fn a_site_has_a_bounded_number_of_assignments<S: Store + ReviewStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, (team, site)) = (&world.store, world.team_and_site().await);
    let letters =
        |number: u64| -> String { number.to_string().bytes().map(|digit| char::from(b'a' + (digit - b'0'))).collect() };
    let new = |from: u64, to: u64| -> Vec<NewAssignment> {
        (from..to).map(|number| new_assignment(&format!("#n-{}", letters(number)), OPEN, world.now())).collect()
    };
    for some in new(0, Assignment::MOST).chunks(Batch::MOST / 2) {
        store.put_assignments(team, site, some.to_vec(), world.note(Some(team))).await.unwrap();
    }
    assert_eq!(store.all_assignments(team, site).await.unwrap().len() as u64, Assignment::MOST);
    let one_more = new(Assignment::MOST, Assignment::MOST + 1);
    let refused = store.put_assignments(team, site, one_more, world.note(Some(team))).await;
    assert!(matches!(refused, Err(AssignError::TooMany)), "{refused:?}");
    let again = new(0, 1);
    assert!(
        store.put_assignments(team, site, again, world.note(Some(team))).await.is_ok(),
        "it takes the place of another"
    );
}

pub(crate) async fn sites_with_assignments_are_listed_once_in_the_order_of_sites<S: Store + ReviewStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, team) = (&world.store, world.team().await);
    let last = world.site_at(team, "https://z.example/").await;
    let first = world.site_at(team, "https://a.example/").await;
    world.site_at(team, "https://m.example/").await;
    let (other, foreign) = world.team_and_site().await;
    world.assigned(other, foreign, "#a", OPEN).await;
    assert_eq!(store.assigned_sites(team).await.unwrap(), []);
    for selector in ["#a", "#b"] {
        world.assigned(team, last.id, selector, WorkChange { state: WorkState::Done, ..OPEN }).await;
    }
    world.assigned(team, first.id, "#a", OPEN).await;
    assert_eq!(store.assigned_sites(team).await.unwrap(), [first, last.clone()]);
    assert!(store.delete_site(team, last.id).await.unwrap());
    assert_eq!(store.assigned_sites(team).await.unwrap().len(), 1);
}
