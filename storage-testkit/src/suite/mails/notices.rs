//! Notices of what went wrong.

use a11ycheck_core::{
    Store,
    domain::{
        Failure, FailureCode, Lease, MailOutcome, MailState, MailSubject, Notices, PlainSecret, Role, ScanState,
        SiteNotice,
    },
    id::{PersonId, SiteId, TeamId},
    store::MailStore,
};
use chrono::TimeDelta;

use crate::{
    StoreFactory,
    suite::{fixtures, outbox::steps::BOTH, world::World},
};

impl<S: Store + MailStore> World<S> {
    /// Lets a check of a site fail, and returns who receives a mail.
    async fn told_of(&self, team: TeamId, site: SiteId, code: FailureCode) -> Vec<String> {
        let claim = self.running(team, site).await;
        self.store.fail_scan(claim, Failure::new(code, "It failed.")).await.unwrap();
        self.readers().await
    }
}

pub(crate) async fn a_failed_check_is_told_to_those_who_can_help_and_want_to_know<S: Store + MailStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::plan_with(|limits| limits.seats = 10)).await;
    let (team, site) = world.team_and_site().await;
    world.send_mail().await;
    world.joined(team, "owner@example.org", Role::Owner).await;
    world.joined(team, "member@example.org", Role::Member).await;
    let silent = world.joined(team, "silent@example.org", Role::Member).await;
    world.joined(team, "viewer@example.org", Role::Viewer).await;
    world.joined(world.team().await, "other@example.org", Role::Owner).await;
    assert!(world.store.set_notices(silent, Notices::Off).await.unwrap());
    assert!(!world.store.set_notices(PersonId::generate(world.now()), Notices::Off).await.unwrap());
    let found = world.store.credentials(&"silent@example.org".parse().unwrap()).await.unwrap().unwrap();
    assert_eq!(found.person.notices, Notices::Off);
    let scan = world.failed(team, site).await;
    let mut sent = world.sent_mail().await;
    sent.sort_unstable_by_key(|(mail, _)| mail.to.clone());
    let told: Vec<&str> = sent.iter().map(|(mail, _)| mail.to.as_str()).collect();
    assert_eq!(told, ["member@example.org", "owner@example.org"]);
    assert!(sent.iter().all(|(mail, _)| mail.subject == MailSubject::CheckFailed { team, scan }));
    assert!(world.store.set_notices(silent, Notices::On).await.unwrap());
    let found = world.store.credentials(&"silent@example.org".parse().unwrap()).await.unwrap().unwrap();
    assert_eq!(found.person.notices, Notices::On);
}

pub(crate) async fn a_failing_site_is_told_of_once_for_each_reason<S: Store + MailStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    world.send_mail().await;
    world.joined(team, "owner@example.org", Role::Owner).await;
    let (dns, tls, owner) = (FailureCode::Dns, FailureCode::Tls, "owner@example.org");
    assert_eq!(world.told_of(team, site, dns).await, [owner]);
    let another = world.site_at(team, "https://other.example/").await.id;
    assert_eq!(world.told_of(team, another, dns).await, [owner], "another site has its own");
    world.advance(SiteNotice::PAUSE - TimeDelta::hours(1));
    assert!(world.told_of(team, site, tls).await.is_empty(), "not twice a day");
    world.advance(TimeDelta::days(2));
    assert!(world.told_of(team, site, dns).await.is_empty(), "the same");
    world.advance(TimeDelta::days(2));
    assert_eq!(world.told_of(team, site, tls).await, [owner], "another reason");
    world.advance(TimeDelta::days(2));
    world.completed(team, site).await;
    world.advance(TimeDelta::days(2));
    assert_eq!(world.told_of(team, site, tls).await, [owner], "it was well meanwhile");
}

pub(crate) async fn a_check_that_is_given_up_is_told_of<S: Store + MailStore>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    world.send_mail().await;
    world.joined(team, "owner@example.org", Role::Owner).await;
    let scan = world.start(team, site).await;
    for _ in 0..ScanState::MAX_ATTEMPTS {
        assert!(world.try_claim().await.is_some());
        world.advance(Lease::TERM);
    }
    assert_eq!(world.try_claim().await, None);
    let sent = world.sent_mail().await;
    assert_eq!(
        sent.iter().map(|(mail, _)| mail.subject).collect::<Vec<_>>(),
        [MailSubject::CheckFailed { team, scan }]
    );
}

pub(crate) async fn an_endpoint_that_is_switched_off_by_its_failures_is_told_of_and_by_a_person_not<
    S: Store + MailStore,
>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    world.send_mail().await;
    world.joined(team, "owner@example.org", Role::Owner).await;
    let (fails, by_hand) = (world.endpoint(team, BOTH).await, world.endpoint(team, BOTH).await);
    world.store.disable_endpoint(team, by_hand).await.unwrap().unwrap();
    world.fail(team, fails, 19).await;
    assert!(world.sent_mail().await.is_empty());
    world.fail(team, fails, 1).await;
    let sent = world.sent_mail().await;
    let subject = MailSubject::EndpointOff { team, endpoint: fails };
    assert_eq!(sent.iter().map(|(mail, _)| mail.subject).collect::<Vec<_>>(), [subject]);
}

pub(crate) async fn nothing_is_written_while_nobody_sends_mail<S: Store + MailStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    world.joined(team, "owner@example.org", Role::Owner).await;
    world.failed(team, site).await;
    let endpoint = world.endpoint(team, BOTH).await;
    world.fail(team, endpoint, 20).await;
    assert_eq!(world.store.mail_depth().await.unwrap().waiting, 0);
    world.send_mail().await;
    assert_eq!(world.claim_mail().await, None);
    world.advance(TimeDelta::days(2));
    assert_eq!(world.told_of(team, site, FailureCode::Timeout).await, ["owner@example.org"]);
}

pub(crate) async fn a_notice_that_nobody_wants_any_more_is_dropped<S: Store + MailStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::plan_with(|limits| limits.seats = 10)).await;
    let (team, site) = world.team_and_site().await;
    world.send_mail().await;
    world.joined(team, "owner@example.org", Role::Owner).await;
    let gone = world.joined(team, "gone@example.org", Role::Member).await;
    let lowered = world.joined(team, "lowered@example.org", Role::Member).await;
    let silent = world.joined(team, "silent@example.org", Role::Member).await;
    world.failed(team, site).await;
    assert_eq!(world.store.mail_depth().await.unwrap().waiting, 4);
    world.store.remove_member(team, gone, world.note(Some(team))).await.unwrap();
    world.store.change_role(team, lowered, Role::Viewer, world.note(Some(team))).await.unwrap();
    world.store.set_notices(silent, Notices::Off).await.unwrap();
    assert_eq!(world.readers().await, ["owner@example.org"]);
    assert_eq!(world.store.mail_depth().await.unwrap().waiting, 0);
}

pub(crate) async fn notices_are_switched_off_by_the_link_of_a_notice_and_by_no_other<S: Store + MailStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::plan_with(|limits| limits.seats = 10)).await;
    let (team, site) = world.team_and_site().await;
    world.send_mail().await;
    for email in ["jo@example.org", "ann@example.org"] {
        world.joined(team, email, Role::Member).await;
    }
    let notices =
        async |email: &str| world.store.credentials(&email.parse().unwrap()).await.unwrap().unwrap().person.notices;
    let another = world.reset("jo@example.org").await.unwrap();
    assert!(!world.store.switch_notices_off(&another).await.unwrap(), "it sets a password, and nothing else");
    assert!(!world.store.switch_notices_off(&PlainSecret::generate().hash()).await.unwrap());
    world.failed(team, site).await;
    let sent = world.sent_mail().await;
    let (_, link) = sent.iter().find(|(mail, _)| mail.to.as_str() == "jo@example.org").unwrap();
    assert_eq!(world.store.reset_link(link).await.unwrap(), None, "it sets no password");
    for _ in 0..2 {
        assert!(world.store.switch_notices_off(link).await.unwrap());
        assert_eq!([notices("jo@example.org").await, notices("ann@example.org").await], [Notices::Off, Notices::On]);
    }
    world.advance(MailState::LOG_TERM + TimeDelta::seconds(1));
    world.store.purge_mails(10).await.unwrap();
    assert!(!world.store.switch_notices_off(link).await.unwrap(), "the mail has left its log");
}

pub(crate) async fn old_mail_is_purged<S: Store + MailStore>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    world.send_mail().await;
    world.joined(team, "owner@example.org", Role::Owner).await;
    world.joined(team, "member@example.org", Role::Member).await;
    world.failed(team, site).await;
    let (mail, _) = world.claim_mail().await.unwrap();
    world.record_mail(&mail, MailOutcome::Refused("550".to_owned())).await;
    world.reset("nobody@example.org").await;
    world.advance(MailState::LOG_TERM);
    assert_eq!(world.store.purge_mails(10).await.unwrap(), 1, "the link for another password");
    world.advance(TimeDelta::seconds(1));
    assert_eq!(world.store.purge_mails(1).await.unwrap(), 1);
    assert_eq!(world.store.purge_mails(10).await.unwrap(), 1);
    assert_eq!(world.store.purge_mails(10).await.unwrap(), 0);
    assert_eq!(world.store.failed_mails(10).await.unwrap(), []);
}

pub(crate) async fn a_deleted_team_leaves_no_mail<S: Store + MailStore>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    world.send_mail().await;
    world.joined(team, "owner@example.org", Role::Owner).await;
    world.failed(team, site).await;
    let (mail, _) = world.claim_mail().await.unwrap();
    assert!(world.store.delete_team(team).await.unwrap());
    assert_eq!(world.store.mail_depth().await.unwrap().waiting, 0);
    let late = world.store.record_mail(mail.claim, MailOutcome::Sent).await;
    assert_matches!(late, Err(a11ycheck_core::store::RecordMailError::Gone));
}
