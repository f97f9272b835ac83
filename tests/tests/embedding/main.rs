//! What a host program gets from the library: the events of checks, without polling, teams by its own keys, and
//! people of the service's.
//!
//! The times in these tests are those of a paused clock: they measure waiting, not work.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

mod accounts;
mod authority;
mod events;
mod judgements;
mod memos;
mod nodes;
mod people;
mod reuse;
mod store;
mod watch;

use std::time::Duration;

use a11ycheck_core::{
    Store,
    domain::{PlanCode, SiteInput},
    id::{ScanId, SiteId},
    scanner::Script,
    service::{Service, TeamHandle, TeamInput},
};
use a11ycheck_storage_memory::MemoryStore;
use a11ycheck_storage_testkit::TestWorld;

/// A world with a team and a site, whose first check is queued.
pub(crate) struct Host<S> {
    pub(crate) world: TestWorld<S>,
    pub(crate) team: TeamHandle,
    pub(crate) site: SiteId,
    pub(crate) scan: ScanId,
}

impl Host<MemoryStore> {
    pub(crate) async fn new(scripts: impl IntoIterator<Item = Script>) -> Self {
        Self::over(scripts, |store| store).await
    }
}

impl<S: Store> Host<S> {
    pub(crate) async fn over(scripts: impl IntoIterator<Item = Script>, store: impl FnOnce(MemoryStore) -> S) -> Self {
        let world = TestWorld::new(async |clock| store(MemoryStore::with_clock(clock)), scripts).await;
        world.publish("shop.example.com");
        let (team, site, scan) = queued(world.service()).await;
        Self { world, team, site, scan }
    }
}

/// Creates a new team with a site, whose first check is queued.
pub(crate) async fn queued(service: &Service) -> (TeamHandle, SiteId, ScanId) {
    let team = service.operator().create_team(TeamInput::new("Host", PlanCode::new("pro"))).await.unwrap();
    let team = service.team(team.id).await.unwrap();
    let added = team.add_site(SiteInput::parse("https://shop.example.com").unwrap()).await.unwrap();
    (team, added.site.id, added.first_scan.unwrap())
}

/// Lets all other tasks run until they wait.
pub(crate) async fn others_run() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

/// Returns the number of tasks of the runtime, without the test itself.
pub(crate) fn tasks() -> usize {
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}
