//! Links that show one report to whoever has them.

use std::sync::Arc;

use a11ycheck_core::{
    Store,
    domain::{NewSharedReport, PlainSecret, SecretHash, SharedReport, Sharing},
    id::{ScanId, ShareId, TeamId},
    paging::PageRequest,
    store::{ShareError, ShareStore},
};
use chrono::TimeDelta;

use crate::{
    StoreFactory,
    suite::{
        race::race,
        world::{INSTANT, World},
    },
};

impl<S: Store + ShareStore> World<S> {
    fn new_link(&self, scan: ScanId, days: i64) -> NewSharedReport {
        NewSharedReport {
            id: ShareId::generate(self.now()),
            scan,
            hash: PlainSecret::generate().hash(),
            made_by: "Олена \"x\" Müller".to_owned(),
            term: TimeDelta::days(days),
        }
    }

    /// Makes a team that shares its reports, with a completed check.
    async fn sharing_team(&self) -> (TeamId, ScanId) {
        let (team, site) = self.team_and_site().await;
        assert!(self.store.set_sharing(team, Sharing::On, self.note(Some(team))).await.unwrap());
        (team, self.completed(team, site).await)
    }

    async fn shared(&self, team: TeamId, scan: ScanId, days: i64) -> (SharedReport, SecretHash) {
        let new = self.new_link(scan, days);
        let hash = new.hash;
        (self.store.share_report(team, new, self.note(Some(team))).await.unwrap(), hash)
    }

    async fn noted_in_log(&self, team: TeamId) -> u64 {
        self.store.audit(Some(team), PageRequest::new(1, 1)).await.unwrap().total
    }
}

pub(crate) async fn a_team_shares_nothing_until_it_says_so<S: Store + ShareStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (store, (team, site)) = (&world.store, world.team_and_site().await);
    let scan = world.completed(team, site).await;
    let nobody = TeamId::generate(world.now());
    for of in [team, nobody] {
        assert_eq!(store.sharing(of).await.unwrap(), Sharing::Off);
        assert_eq!(store.shared_reports(of, scan).await.unwrap(), []);
    }
    let refused = store.share_report(team, world.new_link(scan, 7), world.note(Some(team))).await;
    assert_matches!(refused, Err(ShareError::Off));
    let refused = store.share_report(nobody, world.new_link(scan, 7), world.note(None)).await;
    assert_matches!(refused, Err(ShareError::NotFound));
    assert!(!store.set_sharing(nobody, Sharing::On, world.note(None)).await.unwrap());
    assert!(store.set_sharing(team, Sharing::On, world.note(Some(team))).await.unwrap());
    assert!(!store.set_sharing(team, Sharing::On, world.note(Some(team))).await.unwrap());
    assert_eq!(store.sharing(team).await.unwrap(), Sharing::On);
    assert_eq!(store.shared_report(&PlainSecret::generate().hash()).await.unwrap(), None);
}

pub(crate) async fn a_link_leads_to_one_report_until_it_is_over<S: Store + ShareStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, scan) = world.sharing_team().await;
    let (short, hash) = world.shared(team, scan, 7).await;
    world.advance(INSTANT);
    let (long, other) = world.shared(team, scan, 4_000).await;
    assert_eq!((short.made_by.as_str(), short.scan), ("Олена \"x\" Müller", scan));
    assert_eq!(long.ends_at, world.now() + SharedReport::LONGEST);
    assert_eq!(world.store.shared_reports(team, scan).await.unwrap(), [long.clone(), short.clone()]);
    assert_eq!(world.store.shared_reports(team, ScanId::generate(world.now())).await.unwrap(), []);
    world.clock.set(short.ends_at - INSTANT);
    assert_eq!(world.store.shared_report(&hash).await.unwrap(), Some(short));
    world.advance(INSTANT);
    assert_eq!(world.store.shared_report(&hash).await.unwrap(), None);
    assert_eq!(world.store.shared_report(&other).await.unwrap(), Some(long.clone()));
    assert_eq!(world.store.shared_reports(team, scan).await.unwrap(), [long]);
}

pub(crate) async fn a_link_that_is_withdrawn_leads_nowhere_at_once<S: Store + ShareStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, scan) = world.sharing_team().await;
    let ((link, hash), (_, other)) = (world.shared(team, scan, 7).await, world.shared(team, scan, 7).await);
    assert!(world.store.revoke_shared_report(team, link.id, world.note(Some(team))).await.unwrap());
    assert_eq!(world.store.shared_report(&hash).await.unwrap(), None);
    assert!(world.store.shared_report(&other).await.unwrap().is_some());
    assert!(!world.store.revoke_shared_report(team, link.id, world.note(Some(team))).await.unwrap());
}

pub(crate) async fn all_links_lead_nowhere_while_a_team_does_not_share<S: Store + ShareStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, scan) = world.sharing_team().await;
    let (link, hash) = world.shared(team, scan, 7).await;
    assert!(world.store.set_sharing(team, Sharing::Off, world.note(Some(team))).await.unwrap());
    assert_eq!(world.store.shared_report(&hash).await.unwrap(), None);
    assert!(world.store.set_sharing(team, Sharing::On, world.note(Some(team))).await.unwrap());
    assert_eq!(world.store.shared_report(&hash).await.unwrap(), Some(link));
}

pub(crate) async fn links_belong_to_their_team<S: Store + ShareStore>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let ((team, scan), (other, _)) = (world.sharing_team().await, world.sharing_team().await);
    let (link, hash) = world.shared(team, scan, 7).await;
    assert_eq!(world.store.shared_reports(other, scan).await.unwrap(), []);
    assert!(!world.store.revoke_shared_report(other, link.id, world.note(Some(other))).await.unwrap());
    assert_eq!(world.store.shared_report(&hash).await.unwrap(), Some(link));
}

pub(crate) async fn a_team_has_a_bounded_number_of_links_also_when_many_are_made_at_once<S: Store + ShareStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, scan) = world.sharing_team().await;
    for _ in 0..SharedReport::MOST - 2 {
        world.shared(team, scan, 7).await;
    }
    let made = race(6, |_| {
        let (store, link, note) = (Arc::clone(&world.store), world.new_link(scan, 7), world.note(Some(team)));
        async move { store.share_report(team, link, note).await.is_ok() }
    })
    .await;
    assert_eq!(made.iter().filter(|made| **made).count(), 2);
    let refused = world.store.share_report(team, world.new_link(scan, 7), world.note(Some(team))).await;
    assert_matches!(refused, Err(ShareError::TooMany));
    world.advance(TimeDelta::days(7));
    world.shared(team, scan, 7).await;
}

pub(crate) async fn what_was_shared_is_in_the_log_once_and_what_was_refused_is_not<S: Store + ShareStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, scan) = world.sharing_team().await;
    assert_eq!(world.noted_in_log(team).await, 1);
    let (link, _) = world.shared(team, scan, 7).await;
    assert_eq!(world.noted_in_log(team).await, 2);
    for expected in [3, 3] {
        world.store.revoke_shared_report(team, link.id, world.note(Some(team))).await.unwrap();
        assert_eq!(world.noted_in_log(team).await, expected);
    }
    for expected in [4, 4] {
        world.store.set_sharing(team, Sharing::Off, world.note(Some(team))).await.unwrap();
        assert_eq!(world.noted_in_log(team).await, expected);
    }
    let refused = world.store.share_report(team, world.new_link(scan, 7), world.note(Some(team))).await;
    assert_matches!(refused, Err(ShareError::Off));
    assert_eq!(world.noted_in_log(team).await, 4);
}

pub(crate) async fn links_that_are_over_are_purged_and_a_deleted_team_leaves_none<S: Store + ShareStore>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let ((team, scan), (other, of_other)) = (world.sharing_team().await, world.sharing_team().await);
    for _ in 0..3 {
        world.shared(team, scan, 1).await;
    }
    let (_, valid) = world.shared(team, scan, 2).await;
    let (_, deleted) = world.shared(other, of_other, 2).await;
    world.advance(TimeDelta::days(1));
    for expected in [2, 1, 0] {
        assert_eq!(world.store.purge_shared_reports(2).await.unwrap(), expected);
    }
    assert!(world.store.delete_team(other).await.unwrap());
    assert_eq!(world.store.shared_report(&deleted).await.unwrap(), None);
    assert!(world.store.shared_report(&valid).await.unwrap().is_some());
}
