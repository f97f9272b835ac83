//! What a check remembers for the next one of its site.

use a11ycheck_core::{
    domain::{Lease, Memo},
    id::{ScanId, SiteId, TeamId},
    store::{Claim, Completion, Store},
};
use chrono::TimeDelta;

use crate::{StoreFactory, suite::world::World};

impl<S: Store> World<S> {
    /// Makes a check that completes now with this memo.
    async fn completed_leaving(&self, team: TeamId, site: SiteId, memo: Option<Memo>) -> ScanId {
        let claim = self.running(team, site).await;
        self.complete_with(claim, memo).await;
        self.advance(TimeDelta::hours(1));
        claim.scan
    }

    async fn complete_with(&self, claim: Claim, memo: Option<Memo>) {
        self.store.complete_scan(claim, Completion { memo, ..self.completion() }).await.unwrap();
    }

    async fn memo_of(&self, team: TeamId, site: SiteId, scan: ScanId) -> Option<Memo> {
        self.store.memo(team, site, scan).await.unwrap()
    }

    /// Returns a memo of now, with a document of so many bytes that don't compress.
    fn memo(&self, bytes: usize) -> Memo {
        let mut seed = 1_u32;
        let document = std::iter::repeat_with(|| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            seed.to_le_bytes()[3]
        });
        Memo { full_at: self.now(), barred_until: None, document: document.take(bytes).collect() }
    }
}

pub(crate) async fn a_memo_comes_back_with_its_check_byte_for_byte<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let barred_until = Some(world.now() + Memo::BARRED_FOR);
    for memo in [world.memo(0), world.memo(Memo::MAX_DOCUMENT), Memo { barred_until, ..world.memo(100) }] {
        let scan = world.completed_leaving(team, site, Some(memo.clone())).await;
        assert!(world.memo_of(team, site, scan).await.as_ref() == Some(&memo), "{memo:?}");
    }
}

pub(crate) async fn a_later_check_replaces_the_memo_and_one_without_deletes_it<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let memo = world.memo(10);
    let first = world.completed_leaving(team, site, Some(memo.clone())).await;
    assert_eq!(world.memo_of(team, site, first).await, Some(memo));
    let memo = world.memo(20);
    let second = world.completed_leaving(team, site, Some(memo.clone())).await;
    assert_eq!(world.memo_of(team, site, first).await, None);
    assert_eq!(world.memo_of(team, site, second).await, Some(memo));
    let third = world.completed_leaving(team, site, None).await;
    assert_eq!(world.memo_of(team, site, second).await, None);
    assert_eq!(world.memo_of(team, site, third).await, None);
}

pub(crate) async fn a_refused_result_leaves_the_memo_as_it_was<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let memo = world.memo(10);
    let first = world.completed_leaving(team, site, Some(memo.clone())).await;
    let zombie = world.running(team, site).await;
    world.advance(Lease::TERM);
    let holder = world.claim().await;
    for late in [Some(world.memo(20)), None] {
        let late = Completion { memo: late, ..world.completion() };
        world.store.complete_scan(zombie, late).await.unwrap_err();
        assert_eq!(world.memo_of(team, site, first).await, Some(memo.clone()));
        assert_eq!(world.memo_of(team, site, zombie.scan).await, None);
    }
    let memo = world.memo(30);
    world.complete_with(holder, Some(memo.clone())).await;
    assert_eq!(world.memo_of(team, site, holder.scan).await, Some(memo));
}

pub(crate) async fn a_memo_stays_when_a_check_fails<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let memo = world.memo(10);
    let first = world.completed_leaving(team, site, Some(memo.clone())).await;
    world.failed(team, site).await;
    assert_eq!(world.memo_of(team, site, first).await, Some(memo));
}

pub(crate) async fn a_memo_is_of_its_site_and_team_and_goes_with_them<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let (other_team, other_site) = world.team_and_site().await;
    let (memo, other_memo) = (world.memo(10), world.memo(20));
    let scan = world.completed_leaving(team, site, Some(memo.clone())).await;
    let other_scan = world.completed_leaving(other_team, other_site, Some(other_memo.clone())).await;
    assert_eq!(world.memo_of(other_team, site, scan).await, None);
    assert_eq!(world.memo_of(team, other_site, scan).await, None);
    assert_eq!(world.memo_of(team, site, other_scan).await, None);
    assert!(world.store.delete_site(team, site).await.unwrap());
    assert_eq!(world.memo_of(team, site, scan).await, None);
    assert_eq!(world.memo_of(other_team, other_site, other_scan).await, Some(other_memo));
    assert!(world.store.delete_team(other_team).await.unwrap());
    assert_eq!(world.memo_of(other_team, other_site, other_scan).await, None);
}
