//! Second factors.

use std::sync::Arc;

use a11ycheck_core::{
    Store,
    domain::{CodePeriod, NewSecondFactor, RecoveryCode, Role, SecondFactor, TotpSecret, TwoSteps},
    id::{PersonId, TeamId},
    paging::PageRequest,
    sealing::Keyring,
    store::{DemandError, PeopleStore, SealedValue},
};
use chrono::TimeDelta;

use crate::{
    StoreFactory,
    suite::{race::race, world::World},
};

/// The period of the code with which the factors of these cases are switched on.
const PERIOD: CodePeriod = CodePeriod::from_stored(60_000_000);

const fn later(periods: u64) -> CodePeriod {
    CodePeriod::from_stored(PERIOD.number() + periods)
}

/// Returns a factor with recovery codes, sealed for a person.
pub(crate) fn new_factor(ring: &Keyring, person: PersonId) -> NewSecondFactor {
    let recovery = RecoveryCode::generate_all().iter().map(RecoveryCode::hash).collect();
    NewSecondFactor { secret: TotpSecret::generate().seal(ring, person), period: PERIOD, recovery }
}

impl<S: Store + PeopleStore> World<S> {
    /// Switches a second factor of a person on, and returns it.
    pub(crate) async fn second_factor(&self, person: PersonId) -> SecondFactor {
        let new = new_factor(&self.ring, person);
        assert!(self.store.enable_second_factor(person, new, None, self.note(None)).await.unwrap());
        self.store.second_factor(person).await.unwrap().unwrap()
    }

    async fn entries(&self) -> u64 {
        self.store.audit(None, PageRequest::new(1, 10)).await.unwrap().total
    }
}

pub(crate) async fn a_second_factor_reads_as_switched_on_and_ends_other_sessions<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, jo) = (&world.store, world.person("jo@example.org").await.id);
    let other = world.person("max@example.org").await.id;
    let ((kept, kept_hash), (_, ended), (_, others)) =
        (world.session(jo).await, world.session(jo).await, world.session(other).await);
    assert_eq!(store.second_factor(jo).await.unwrap(), None);
    let (new, before) = (new_factor(&world.ring, jo), world.entries().await);
    assert!(store.enable_second_factor(jo, new.clone(), Some(kept.id), world.note(None)).await.unwrap());
    let NewSecondFactor { secret, period, recovery } = new;
    let expected = SecondFactor { secret, last_period: period, recovery, since: world.now() };
    assert_eq!(store.second_factor(jo).await.unwrap(), Some(expected.clone()));
    assert_eq!(store.second_factor(other).await.unwrap(), None);
    assert!(store.session(&kept_hash).await.unwrap().is_some());
    assert!(store.session(&ended).await.unwrap().is_none());
    assert!(store.session(&others).await.unwrap().is_some());
    let again = store.enable_second_factor(jo, new_factor(&world.ring, jo), None, world.note(None)).await;
    assert!(!again.unwrap(), "it is on");
    let nobody = PersonId::generate(world.now());
    let nobodys = store.enable_second_factor(nobody, new_factor(&world.ring, nobody), None, world.note(None)).await;
    assert!(!nobodys.unwrap(), "there is nobody");
    assert_eq!(store.second_factor(jo).await.unwrap(), Some(expected));
    assert_eq!(world.entries().await, before + 1);
}

pub(crate) async fn of_many_who_take_a_code_at_once_one_does<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let jo = world.person("jo@example.org").await.id;
    let factor = world.second_factor(jo).await;
    let before = world.entries().await;
    let taken = race(8, |_| {
        let store = Arc::clone(&world.store);
        async move { store.take_code(jo, later(1)).await.unwrap() }
    })
    .await;
    assert_eq!(taken.iter().filter(|taken| **taken).count(), 1);
    let code = factor.recovery[4];
    let taken = race(8, |_| {
        let (store, note) = (Arc::clone(&world.store), world.note(None));
        async move { store.take_recovery_code(jo, code, note).await.unwrap() }
    })
    .await;
    assert_eq!(taken.iter().filter(|taken| **taken).count(), 1);
    assert_eq!(world.entries().await, before + 1, "of the recovery code");
}

pub(crate) async fn no_code_is_taken_twice_nor_one_of_before<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, jo) = (&world.store, world.person("jo@example.org").await.id);
    let max = world.person("max@example.org").await.id;
    assert!(!store.take_code(jo, PERIOD).await.unwrap(), "there is no second factor");
    let (factor, others) = (world.second_factor(jo).await, world.second_factor(max).await);
    assert!(!store.take_code(jo, PERIOD).await.unwrap(), "it was switched on with this one");
    assert!(store.take_code(jo, later(2)).await.unwrap());
    assert!(!store.take_code(jo, later(2)).await.unwrap());
    assert!(!store.take_code(jo, later(1)).await.unwrap());
    assert!(store.take_code(jo, later(3)).await.unwrap());
    assert!(!store.take_recovery_code(jo, others.recovery[0], world.note(None)).await.unwrap(), "another person's");
    assert!(store.take_recovery_code(jo, factor.recovery[0], world.note(None)).await.unwrap());
    assert!(!store.take_recovery_code(jo, factor.recovery[0], world.note(None)).await.unwrap());
    let left = store.second_factor(jo).await.unwrap().unwrap();
    assert_eq!((left.last_period, &left.recovery[..]), (later(3), &factor.recovery[1..]));
    assert_eq!(store.second_factor(max).await.unwrap(), Some(others));
}

pub(crate) async fn new_recovery_codes_take_the_place_of_all_former_ones<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, jo) = (&world.store, world.person("jo@example.org").await.id);
    let codes: Vec<_> = RecoveryCode::generate_all().iter().map(RecoveryCode::hash).collect();
    assert!(!store.replace_recovery_codes(jo, codes.clone(), world.note(None)).await.unwrap());
    let factor = world.second_factor(jo).await;
    assert!(store.replace_recovery_codes(jo, codes.clone(), world.note(None)).await.unwrap());
    assert!(!store.take_recovery_code(jo, factor.recovery[0], world.note(None)).await.unwrap());
    let expected = SecondFactor { recovery: codes, ..factor };
    assert_eq!(store.second_factor(jo).await.unwrap(), Some(expected));
}

pub(crate) async fn nothing_of_a_second_factor_that_was_switched_off_stays<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, jo) = (&world.store, world.person("jo@example.org").await.id);
    let factor = world.second_factor(jo).await;
    let before = world.entries().await;
    assert!(store.disable_second_factor(jo, world.note(None)).await.unwrap());
    assert!(!store.disable_second_factor(jo, world.note(None)).await.unwrap());
    assert_eq!(store.second_factor(jo).await.unwrap(), None);
    assert!(!store.take_code(jo, later(9)).await.unwrap());
    assert!(!store.take_recovery_code(jo, factor.recovery[0], world.note(None)).await.unwrap());
    assert_eq!(world.entries().await, before + 1);
    assert!(store.sealed_by_key().await.unwrap().is_empty());
    world.advance(TimeDelta::minutes(1));
    assert_ne!(world.second_factor(jo).await, factor, "it can be switched on again, with another secret");
}

pub(crate) async fn secrets_of_second_factors_are_sealed_with_another_key<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, jo) = (&world.store, world.person("jo@example.org").await.id);
    let factor = world.second_factor(jo).await;
    let (old, new) = (world.ring.current(), Keyring::ephemeral());
    assert_eq!(store.sealed_by_key().await.unwrap(), [(old, 1)].into());
    assert_eq!(store.sealed_otherwise(old, 10).await.unwrap(), []);
    let values = store.sealed_otherwise(new.current(), 10).await.unwrap();
    let [SealedValue { context, sealed }] = &values[..] else { panic!("{values:?}") };
    assert_eq!(*sealed, factor.secret);
    let opened = world.ring.open(context, sealed).expect("it is bound to its person");
    let again = new.seal(context, &opened);
    let batch = vec![(values[0].clone(), again.clone())];
    assert_eq!(store.reseal(batch.clone()).await.unwrap(), 1);
    assert_eq!(store.reseal(batch).await.unwrap(), 0, "it is not there any more");
    assert_eq!(store.sealed_by_key().await.unwrap(), [(new.current(), 1)].into());
    assert_eq!(store.second_factor(jo).await.unwrap(), Some(SecondFactor { secret: again, ..factor.clone() }));
    assert!(TotpSecret::open(&new, jo, &store.second_factor(jo).await.unwrap().unwrap().secret).is_ok());
}

pub(crate) async fn a_team_demands_a_second_factor_of_members_that_its_owner_has<S: Store + PeopleStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, team, other) = (&world.store, world.team().await, world.team().await);
    let owner = world.joined(team, "owner@example.org", Role::Owner).await;
    let viewer = world.joined(team, "viewer@example.org", Role::Viewer).await;
    let (_, of_owner) = world.session(owner).await;
    let (_, of_viewer) = world.session(viewer).await;
    let set = |two_steps, by| store.set_two_steps(team, two_steps, by, world.note(Some(team)));
    let noted = async || store.audit(Some(team), PageRequest::new(1, 1)).await.unwrap().total;
    let lacks = async |hash| store.entry(&hash, team).await.unwrap().unwrap().lacks_second_factor;
    let before = noted().await;
    assert_matches!(set(TwoSteps::Demanded, owner).await, Err(DemandError::NoSecondFactor));
    assert_eq!(store.two_steps(team).await.unwrap(), TwoSteps::Optional);
    assert!(!set(TwoSteps::Optional, owner).await.unwrap(), "nothing changes");
    assert!(!lacks(of_owner).await && !lacks(of_viewer).await);
    assert_eq!(noted().await, before);
    store.enable_second_factor(owner, new_factor(&world.ring, owner), None, world.note(None)).await.unwrap();
    let (_, of_owner) = world.session(owner).await;
    assert!(set(TwoSteps::Demanded, owner).await.unwrap() && !set(TwoSteps::Demanded, owner).await.unwrap());
    assert_eq!(noted().await, before + 1);
    assert_eq!(
        (store.two_steps(team).await.unwrap(), store.two_steps(other).await.unwrap()),
        (TwoSteps::Demanded, TwoSteps::Optional)
    );
    assert!(!lacks(of_owner).await && lacks(of_viewer).await);
    let members = store.members(team).await.unwrap();
    let having: Vec<PersonId> =
        members.iter().filter(|member| member.has_second_factor).map(|member| member.person.id).collect();
    assert_eq!((members.len(), having), (2, vec![owner]));
    store.enable_second_factor(viewer, new_factor(&world.ring, viewer), None, world.note(None)).await.unwrap();
    let (_, of_viewer) = world.session(viewer).await;
    assert!(!lacks(of_viewer).await);
    store.disable_second_factor(viewer, world.note(None)).await.unwrap();
    assert!(lacks(of_viewer).await, "who switches it off is out at once");
    assert!(set(TwoSteps::Optional, viewer).await.unwrap(), "to end it takes none");
    assert!(!lacks(of_viewer).await);
    let nobodys = TeamId::generate(world.now());
    assert!(!store.set_two_steps(nobodys, TwoSteps::Demanded, owner, world.note(None)).await.unwrap());
    assert_eq!(store.two_steps(nobodys).await.unwrap(), TwoSteps::Optional);
}
