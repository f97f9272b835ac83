//! Sealed secrets, and the keys that seal them.

use std::{collections::BTreeSet, sync::Arc};

use a11ycheck_core::{
    domain::EndpointSecret,
    id::{DeliveryId, EndpointId, TeamId, WorkerId},
    sealing::{KeyId, Keyring, Sealed, SealingContext},
    store::{SealedValue, Store, UnsealedValue},
};
use chrono::TimeDelta;
use zeroize::Zeroizing;

use crate::{
    StoreFactory,
    suite::{
        outbox::steps::{BOTH, PLENTY, TERM, answered},
        race::race,
        world::World,
    },
};

/// Makes an endpoint whose current secret is sealed with the first key and whose previous one with the second, for a
/// day; returns the secrets as well.
async fn rotated<S: Store>(
    world: &World<S>,
    team: TeamId,
    [current, previous]: [&Keyring; 2],
) -> (EndpointId, [EndpointSecret; 2]) {
    let secrets = std::array::from_fn(|_| EndpointSecret::generate());
    let mut new = world.new_endpoint(BOTH);
    new.secret = secrets[1].seal(previous, new.id);
    let id = world.store.create_endpoint(team, new).await.unwrap().id;
    let sealed = secrets[0].seal(current, id);
    assert!(world.store.rotate_secret(team, id, sealed, TimeDelta::days(1)).await.unwrap());
    (id, secrets)
}

/// Returns the deliveries that a worker with these keys claims.
async fn claimed_with<S: Store>(world: &World<S>, keys: &[KeyId]) -> Vec<DeliveryId> {
    let claimed = world.store.claim_deliveries(&WorkerId::generate(), PLENTY, TERM, keys).await.unwrap();
    claimed.iter().map(|claimed| claimed.claim.delivery).collect()
}

fn value(endpoint: EndpointId, sealed: Sealed) -> SealedValue {
    SealedValue { context: SealingContext::webhook_secret(endpoint), sealed }
}

pub(crate) async fn a_worker_is_given_what_its_keys_open_and_the_rest_waits_for_others<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let (one, other) = (Keyring::ephemeral(), Keyring::ephemeral());
    let (mixed, _) = rotated(&world, team, [&one, &other]).await;
    let (plain, _) = rotated(&world, team, [&one, &one]).await;
    let waiting = world.ping(team, mixed).await;
    let given = world.ping(team, plain).await;
    assert_eq!(claimed_with(&world, &[]).await, []);
    assert_eq!(claimed_with(&world, &[other.current()]).await, [], "the current secret is sealed with another key");
    assert_eq!(claimed_with(&world, &one.ids()).await, [given.id], "of the other one, the previous secret is");
    let state = world.delivery_state(&waiting).await;
    assert_eq!(state, waiting.state, "it was not touched");
    assert_eq!(claimed_with(&world, &[other.current(), one.current()]).await, [waiting.id]);
}

pub(crate) async fn what_a_worker_can_not_sign_holds_up_nothing_behind_it<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, stranger) = (world.team().await, Keyring::ephemeral());
    let (locked, _) = rotated(&world, team, [&stranger, &stranger]).await;
    let open = world.endpoint(team, BOTH).await;
    for _ in 0..12 {
        world.ping(team, locked).await;
    }
    let behind = world.ping(team, open).await;
    let limits = a11ycheck_core::store::ClaimLimits { all: 1, retries: 1, per_endpoint: 1 };
    let claimed = world.store.claim_deliveries(&WorkerId::generate(), limits, TERM, &world.ring.ids()).await.unwrap();
    assert_eq!(claimed.iter().map(|claimed| claimed.claim.delivery).collect::<Vec<_>>(), [behind.id]);
}

pub(crate) async fn secrets_are_counted_by_their_keys<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let team = world.team().await;
    assert_eq!(world.store.sealed_by_key().await.unwrap(), [].into());
    let (one, other) = (Keyring::ephemeral(), Keyring::ephemeral());
    rotated(&world, team, [&one, &other]).await;
    let (gone, _) = rotated(&world, team, [&other, &other]).await;
    let counts = world.store.sealed_by_key().await.unwrap();
    assert_eq!(counts, [(one.current(), 1), (other.current(), 3)].into());
    assert!(world.store.delete_endpoint(team, gone).await.unwrap());
    let counts = world.store.sealed_by_key().await.unwrap();
    assert_eq!(counts, [(one.current(), 1), (other.current(), 1)].into());
}

pub(crate) async fn what_another_key_seals_is_found_to_the_last<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let rings = [Keyring::ephemeral(), Keyring::ephemeral(), Keyring::ephemeral()];
    let mut expected = BTreeSet::new();
    for [current, previous] in [[0, 1], [1, 2], [2, 0], [0, 0]] {
        let (id, secrets) = rotated(&world, team, [&rings[current], &rings[previous]]).await;
        for (secret, ring) in secrets.iter().zip([current, previous]).filter(|(_, ring)| *ring != 0) {
            expected.insert((id, secret.reveal().to_owned(), ring));
        }
    }
    let found = world.store.sealed_otherwise(rings[0].current(), 100).await.unwrap();
    let opened = found.iter().map(|SealedValue { context, sealed }| {
        let id = context.owner().parse().unwrap();
        let ring = rings.iter().position(|ring| ring.has(sealed.key())).unwrap();
        (id, EndpointSecret::open(&rings[ring], id, sealed).unwrap().reveal().to_owned(), ring)
    });
    assert_eq!(opened.collect::<BTreeSet<_>>(), expected);
    assert_eq!(found.len(), expected.len(), "each once");
    assert_eq!(world.store.sealed_otherwise(rings[0].current(), 3).await.unwrap().len(), 3);
    assert_eq!(world.store.sealed_otherwise(Keyring::ephemeral().current(), 100).await.unwrap().len(), 8);
}

pub(crate) async fn a_secret_that_is_sealed_with_another_key_stays_in_its_place<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let old = Keyring::ephemeral();
    let (id, [current, previous]) = rotated(&world, team, [&old, &old]).await;
    let values = world.store.sealed_otherwise(world.ring.current(), 100).await.unwrap();
    let resealed: Vec<(SealedValue, Sealed)> = values
        .into_iter()
        .map(|value| {
            let opened = old.open(&value.context, &value.sealed).unwrap();
            let sealed = world.ring.seal(&value.context, &opened);
            (value, sealed)
        })
        .collect();
    assert_eq!(world.store.reseal(resealed.clone()).await.unwrap(), 2);
    assert_eq!(world.store.reseal(resealed).await.unwrap(), 0, "they are not there any more");
    assert_eq!(world.store.sealed_by_key().await.unwrap(), [(world.ring.current(), 2)].into());
    let signing = async || {
        world.ping(team, id).await;
        let claimed = world.claim_delivery().await;
        world.record(claimed.claim, answered(204)).await;
        let opened = claimed.secrets.iter().map(|sealed| EndpointSecret::open(&world.ring, id, sealed).unwrap());
        opened.collect::<Vec<_>>()
    };
    assert_eq!(signing().await, [current.clone(), previous]);
    world.advance(TimeDelta::days(1));
    assert_eq!(signing().await, [current], "its time is what it was");
}

pub(crate) async fn a_secret_that_was_replaced_meanwhile_is_not_brought_back<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let old = Keyring::ephemeral();
    let (id, [current, previous]) = rotated(&world, team, [&old, &old]).await;
    let [of_current, of_previous] = [current, previous].map(|secret| {
        let sealed = secret.seal(&world.ring, id);
        (secret, sealed)
    });
    let values = world.store.sealed_otherwise(world.ring.current(), 100).await.unwrap();
    // Meanwhile the current secret becomes the previous one, and the previous one is deleted.
    let newest = world.secret(id);
    assert!(world.store.rotate_secret(team, id, newest.clone(), TimeDelta::days(1)).await.unwrap());
    let resealed = values.into_iter().map(|value| {
        let opened = EndpointSecret::open(&old, id, &value.sealed).unwrap();
        let (_, sealed) = [&of_current, &of_previous].into_iter().find(|(secret, _)| *secret == opened).unwrap();
        (value, sealed.clone())
    });
    assert_eq!(world.store.reseal(resealed.collect()).await.unwrap(), 1);
    world.ping(team, id).await;
    assert_eq!(
        world.claim_delivery().await.secrets,
        [newest, of_current.1],
        "it was moved, and is found where it is now"
    );
    let gone = EndpointId::generate(world.now());
    let nobodys = vec![(value(gone, world.secret(gone)), world.secret(gone))];
    assert_eq!(world.store.reseal(nobodys).await.unwrap(), 0);
}

pub(crate) async fn of_many_who_reseal_a_secret_at_once_one_counts<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let (old, rings) = (Keyring::ephemeral(), std::array::from_fn::<_, 16, _>(|_| Keyring::ephemeral()));
    let (id, _) = rotated(&world, team, [&old, &old]).await;
    let values = Arc::new(world.store.sealed_otherwise(world.ring.current(), 100).await.unwrap());
    let counted = race(16, |number| {
        let (store, values, ring) =
            (Arc::clone(&world.store), Arc::clone(&values), rings[usize::try_from(number).unwrap()].clone());
        async move {
            let resealed = values.iter().map(|value| (value.clone(), ring.seal(&value.context, b"whsec_")));
            store.reseal(resealed.collect()).await.unwrap()
        }
    })
    .await;
    assert_eq!(counted.iter().sum::<u64>(), 2);
    let counts = world.store.sealed_by_key().await.unwrap();
    assert_eq!(counts.values().sum::<u64>(), 2);
    assert!(!counts.contains_key(&old.current()), "{counts:?}");
    assert_eq!(world.endpoint_row(team, id).await.id, id);
}

pub(crate) async fn nothing_is_kept_in_the_clear_and_nothing_sealed_is_sealed_over<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let (id, [current, _]) = rotated(&world, team, [&world.ring, &world.ring]).await;
    assert_eq!(world.store.unsealed(100).await.unwrap(), []);
    let before = world.store.sealed_otherwise(Keyring::ephemeral().current(), 100).await.unwrap();
    let text = Zeroizing::new(current.reveal().to_owned());
    let claimed = UnsealedValue { context: SealingContext::webhook_secret(id), text };
    assert_eq!(world.store.seal(vec![(claimed, world.secret(id))]).await.unwrap(), 0);
    let after = world.store.sealed_otherwise(Keyring::ephemeral().current(), 100).await.unwrap();
    assert_eq!(after.len(), before.len());
    assert!(before.iter().all(|value| after.contains(value)), "{before:?}, {after:?}");
}
