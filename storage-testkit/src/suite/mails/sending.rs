//! How mail comes to be sent.

use std::sync::Arc;

use a11ycheck_core::{
    Store,
    domain::{MailOutcome, MailRefusal, MailState, MailSubject, PlainSecret, Role},
    id::WorkerId,
    locale::Locale,
    store::{InviteError, MailDepth, MailStore, RecordMailError},
};
use chrono::TimeDelta;

use super::steps::TERM;
use crate::{
    StoreFactory,
    suite::{
        people::steps::new_invitation,
        race::race,
        world::{INSTANT, World},
    },
};

pub(crate) async fn a_new_store_has_no_mail<S: Store + MailStore>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    assert_eq!(world.claim_mail().await, None);
    assert_eq!(world.store.mail_depth().await.unwrap(), MailDepth::default());
    assert_eq!(world.store.failed_mails(10).await.unwrap(), []);
    assert_eq!(world.store.reset_link(&PlainSecret::generate().hash()).await.unwrap(), None);
}

pub(crate) async fn an_invitation_is_mailed_with_a_link_of_its_own_and_not_once_it_is_withdrawn<
    S: Store + MailStore,
>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, team) = (&world.store, world.team().await);
    let mut new = new_invitation("ann@example.org", Role::Viewer, world.now());
    new.mail = Some(world.new_mail());
    let shown = new.hash;
    let invitation = store.invite(team, new, world.note(Some(team))).await.unwrap();
    assert_eq!(store.mail_depth().await.unwrap(), MailDepth { waiting: 1, oldest: Some(world.now()) });
    let (mail, link) = world.claim_mail().await.unwrap();
    assert_eq!((mail.to.as_str(), mail.locale, mail.attempt), ("ann@example.org", Locale::De, 1));
    assert_eq!(mail.subject, MailSubject::Invitation { team, invitation: invitation.id });
    world.record_mail(&mail, MailOutcome::Sent).await;
    assert_eq!(store.mail_depth().await.unwrap().waiting, 0);
    for hash in [shown, link] {
        assert_eq!(store.invitation(&hash).await.unwrap().map(|(found, _)| found), Some(invitation.clone()));
    }
    let person = world.person("ann@example.org").await.id;
    let joining = a11ycheck_core::store::Joining::Known(person);
    store.accept_invitation(&link, joining, world.note(None)).await.unwrap();
    assert_eq!(store.invitation(&shown).await.unwrap(), None, "it was used, by whichever link");

    let mut new = new_invitation("max@example.org", Role::Viewer, world.now());
    new.mail = Some(world.new_mail());
    let withdrawn = store.invite(team, new, world.note(Some(team))).await.unwrap();
    store.withdraw_invitation(team, withdrawn.id, world.note(Some(team))).await.unwrap();
    assert_eq!(world.claim_mail().await, None);
    assert_eq!(store.mail_depth().await.unwrap().waiting, 0);
}

pub(crate) async fn a_refused_invitation_leaves_no_mail<S: Store + MailStore>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let team = world.team().await;
    world.joined(team, "ann@example.org", Role::Viewer).await;
    let mut new = new_invitation("ann@example.org", Role::Viewer, world.now());
    new.mail = Some(world.new_mail());
    let refused = world.store.invite(team, new, world.note(Some(team))).await;
    assert_matches!(refused, Err(InviteError::AlreadyMember));
    assert_eq!(world.claim_mail().await, None);
}

pub(crate) async fn a_mail_that_is_put_off_is_due_again_later_and_each_attempt_has_its_link<S: Store + MailStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let jo = world.person("jo@example.org").await;
    world.store.request_reset(world.new_mail(), &jo.email).await.unwrap();
    let (mail, first) = world.claim_mail().await.unwrap();
    assert_eq!(mail.locale, jo.locale, "the reader's own language");
    let put_off = world.record_mail(&mail, MailOutcome::PutOff("451 later".to_owned())).await;
    assert_eq!(put_off.state.due_at(), Some(world.now() + MailState::RETRY_SCHEDULE[0]));
    world.advance(MailState::RETRY_SCHEDULE[0] - INSTANT);
    assert_eq!(world.claim_mail().await, None);
    world.advance(INSTANT);
    let (again, second) = world.claim_mail().await.unwrap();
    assert_eq!((again.attempt, again.claim.mail), (2, mail.claim.mail));
    world.record_mail(&again, MailOutcome::Sent).await;
    assert_eq!(world.store.reset_link(&first).await.unwrap(), None, "only the latest link works");
    assert_eq!(world.store.reset_link(&second).await.unwrap(), Some(jo));
    assert_eq!(world.claim_mail().await, None);
}

pub(crate) async fn a_mail_that_is_refused_for_good_or_too_often_fails_and_is_listed<S: Store + MailStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (jo, ann) = (world.person("jo@example.org").await, world.person("ann@example.org").await);
    world.store.request_reset(world.new_mail(), &jo.email).await.unwrap();
    let (mail, _) = world.claim_mail().await.unwrap();
    let refused = world.record_mail(&mail, MailOutcome::Refused("550 нема; \"x\"".to_owned())).await;
    let reason = "550 нема; \"x\"".to_owned();
    assert_eq!(refused.state, MailState::Failed { attempts: 1, finished_at: world.now(), reason });
    assert_eq!(world.store.failed_mails(10).await.unwrap(), std::slice::from_ref(&refused));

    world.store.request_reset(world.new_mail(), &ann.email).await.unwrap();
    for attempt in 1..=MailState::MAX_ATTEMPTS {
        let (mail, _) = world.claim_mail().await.unwrap();
        assert_eq!(mail.attempt, attempt);
        let recorded = world.record_mail(&mail, MailOutcome::PutOff("421 busy".to_owned())).await;
        assert_eq!(recorded.state.due_at().is_some(), attempt < MailState::MAX_ATTEMPTS);
        world.advance(TimeDelta::hours(7));
    }
    assert_eq!(world.claim_mail().await, None);
    let failed = world.store.failed_mails(10).await.unwrap();
    assert_eq!(failed.iter().map(|mail| mail.to.clone()).collect::<Vec<_>>(), [ann.email, jo.email]);
    assert_eq!(world.store.failed_mails(1).await.unwrap(), failed[..1]);
    assert_eq!(world.store.mail_depth().await.unwrap().waiting, 0);
}

pub(crate) async fn a_mail_whose_worker_died_is_sent_by_another_and_its_late_end_is_refused<S: Store + MailStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let jo = world.person("jo@example.org").await;
    world.store.request_reset(world.new_mail(), &jo.email).await.unwrap();
    let (lost, _) = world.claim_mail().await.unwrap();
    world.advance(TERM - INSTANT);
    assert_eq!(world.claim_mail().await, None);
    world.advance(INSTANT);
    let (again, _) = world.claim_mail().await.unwrap();
    assert_eq!((again.attempt, again.claim.mail), (2, lost.claim.mail));
    let late = world.store.record_mail(lost.claim, MailOutcome::Sent).await;
    assert_matches!(late, Err(RecordMailError::Refused(MailRefusal::LeaseLost)));
    world.record_mail(&again, MailOutcome::Sent).await;
    let twice = world.store.record_mail(again.claim, MailOutcome::Sent).await;
    assert_matches!(twice, Err(RecordMailError::Refused(MailRefusal::Ended)));
}

pub(crate) async fn of_many_workers_at_once_one_gets_a_mail<S: Store + MailStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let jo = world.person("jo@example.org").await;
    world.store.request_reset(world.new_mail(), &jo.email).await.unwrap();
    let claimed = race(8, |_| {
        let store = Arc::clone(&world.store);
        async move {
            let link = PlainSecret::generate().hash();
            store.claim_mail(&WorkerId::generate(), TERM, link).await.unwrap().is_some()
        }
    })
    .await;
    assert_eq!(claimed.iter().filter(|claimed| **claimed).count(), 1);
}
