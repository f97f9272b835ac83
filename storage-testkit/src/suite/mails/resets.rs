//! Links for another password.

use std::sync::Arc;

use a11ycheck_core::{
    Store,
    domain::{AuditAction, Mail, PasswordHash},
    paging::PageRequest,
    store::MailStore,
};

use crate::{
    StoreFactory,
    suite::{
        people::steps::entry,
        race::race,
        world::{INSTANT, World},
    },
};

fn password() -> PasswordHash {
    PasswordHash::from_stored("$argon2id$another")
}

pub(crate) async fn a_reset_is_sent_to_a_person_and_dropped_for_anybody_else<S: Store + MailStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let jo = world.person("jo@example.org").await;
    for email in ["nobody@example.org", "jo@example.org"] {
        world.store.request_reset(world.new_mail(), &email.parse().unwrap()).await.unwrap();
    }
    assert_eq!(world.store.mail_depth().await.unwrap().waiting, 2, "nothing that is kept tells them apart");
    assert_eq!(world.readers().await, [jo.email.as_str()]);
    assert_eq!(world.store.mail_depth().await.unwrap().waiting, 0);
}

pub(crate) async fn a_reset_link_sets_the_password_once_within_an_hour_and_ends_all_sessions<S: Store + MailStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (jo, max) = (world.person("jo@example.org").await, world.person("max@example.org").await);
    let ((_, own), (_, of_max)) = (world.session(jo.id).await, world.session(max.id).await);
    let late = world.reset("jo@example.org").await.unwrap();
    world.advance(Mail::RESET_TERM - INSTANT);
    assert_eq!(world.store.reset_link(&late).await.unwrap().map(|person| person.id), Some(jo.id));
    world.advance(INSTANT);
    assert_eq!(world.store.reset_link(&late).await.unwrap(), None);
    assert_eq!(world.store.reset_password(&late, password(), world.note(None)).await.unwrap(), None);

    let (other, link) = (world.reset("jo@example.org").await.unwrap(), world.reset("jo@example.org").await.unwrap());
    let before = world.store.audit(None, PageRequest::new(1, 100)).await.unwrap().total;
    let note = entry(None, AuditAction::PasswordChanged, world.now());
    let person = world.store.reset_password(&link, password(), note).await.unwrap();
    assert_eq!(person.map(|person| person.id), Some(jo.id));
    let log = world.store.audit(None, PageRequest::new(1, 100)).await.unwrap();
    assert_eq!(log.total, before + 1);
    let record = log.items.iter().find(|record| record.action == AuditAction::PasswordChanged).unwrap();
    assert_eq!((record.person, record.actor.as_str()), (Some(jo.id), "jo@example.org"));
    assert_eq!(world.store.credentials(&jo.email).await.unwrap().unwrap().password, Some(password()));
    assert_eq!(world.store.session(&own).await.unwrap(), None);
    assert!(world.store.session(&of_max).await.unwrap().is_some());
    for used in [link, other] {
        assert_eq!(world.store.reset_link(&used).await.unwrap(), None);
        assert_eq!(world.store.reset_password(&used, password(), world.note(None)).await.unwrap(), None);
    }
    assert_eq!(world.store.audit(None, PageRequest::new(1, 100)).await.unwrap().total, before + 1);
}

pub(crate) async fn a_reset_link_used_by_many_at_once_works_once<S: Store + MailStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    world.person("jo@example.org").await;
    let link = world.reset("jo@example.org").await.unwrap();
    let set = race(8, |_| {
        let (store, note) = (Arc::clone(&world.store), world.note(None));
        async move { store.reset_password(&link, password(), note).await.unwrap().is_some() }
    })
    .await;
    assert_eq!(set.iter().filter(|set| **set).count(), 1);
}

pub(crate) async fn a_reset_link_ends_when_the_password_is_set_by_other_means<S: Store + MailStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let jo = world.person("jo@example.org").await;
    let link = world.reset("jo@example.org").await.unwrap();
    world.store.request_reset(world.new_mail(), &jo.email).await.unwrap();
    assert!(world.store.set_password(jo.id, password(), None, world.note(None)).await.unwrap());
    assert_eq!(world.store.reset_link(&link).await.unwrap(), None);
    assert_eq!(world.claim_mail().await, None, "what was asked for before is not sent");
}

pub(crate) async fn an_address_gets_a_bounded_number_of_resets<S: Store + MailStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    world.person("jo@example.org").await;
    for number in 0..Mail::MOST_RESETS + 2 {
        let is_sent = world.reset("jo@example.org").await.is_some();
        assert_eq!(is_sent, number < Mail::MOST_RESETS, "{number}");
    }
    world.advance(Mail::RESET_SPAN);
    assert!(world.reset("jo@example.org").await.is_some());
}

pub(crate) async fn of_resets_that_are_asked_for_at_once_no_more_than_the_bound_are_sent<S: Store + MailStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    world.send_mail().await;
    for email in ["jo@example.org", "nobody@example.org"] {
        race(12, |_| {
            let (store, mail) = (Arc::clone(&world.store), world.new_mail());
            async move { store.request_reset(mail, &email.parse().unwrap()).await.unwrap() }
        })
        .await;
    }
    assert_eq!(world.store.mail_depth().await.unwrap().waiting, 2 * Mail::MOST_RESETS);
}
