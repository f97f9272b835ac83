//! A store of one's own by delegation: it changes two methods of another store and leaves the rest as it is.
//!
//! ```text
//! cargo run -p a11ycheck-examples --example own_store
//! cargo test -p a11ycheck-examples --example own_store
//! ```
//!
//! Prints who was deleted when: an audit log, which the host keeps. The tests run the suite that every store passes.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::{
    error::Error,
    sync::{Mutex, PoisonError},
};

use a11ycheck_core::{
    Store,
    domain::{PlanCode, SiteInput},
    id::{SiteId, TeamId},
    service::TeamInput,
    store::StoreError,
};
use a11ycheck_storage_memory::MemoryStore;
use a11ycheck_storage_testkit::{ForwardStore, TestWorld, forward_store};
use async_trait::async_trait;

/// A store that keeps a log of what was deleted.
#[derive(Debug)]
struct Audited<S> {
    inner: S,
    log: Mutex<Vec<String>>,
}

impl<S: Store> Audited<S> {
    fn new(inner: S) -> Self {
        Self { inner, log: Mutex::default() }
    }

    fn log(&self) -> Vec<String> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Writes down a deletion that took effect. A real log is as durable as the store.
    async fn note(&self, is_deleted: bool, what: String) -> Result<bool, StoreError> {
        if is_deleted {
            let at = self.inner.now().await?;
            self.log.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{at} deleted {what}"));
        }
        Ok(is_deleted)
    }
}

#[async_trait]
impl<S: Store> ForwardStore for Audited<S> {
    fn inner(&self) -> &dyn Store {
        &self.inner
    }

    async fn delete_site(&self, team: TeamId, id: SiteId) -> Result<bool, StoreError> {
        let is_deleted = self.inner.delete_site(team, id).await?;
        self.note(is_deleted, format!("{id} of {team}")).await
    }

    async fn delete_team(&self, id: TeamId) -> Result<bool, StoreError> {
        let is_deleted = self.inner.delete_team(id).await?;
        self.note(is_deleted, id.to_string()).await
    }
}

forward_store!(impl<S: Store> Audited<S>);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    for line in deleted().await? {
        println!("{line}");
    }
    Ok(())
}

async fn deleted() -> Result<Vec<String>, Box<dyn Error>> {
    let world = TestWorld::new(async |clock| Audited::new(MemoryStore::with_clock(clock)), []).await;
    world.publish("shop.example.com");
    let service = world.service();
    let team = service.create_team(TeamInput::new("My team", PlanCode::new("pro"))).await?;
    let actor = service.act_for(team.id).await?;
    let site = service.add_site(&actor, SiteInput::new("https://shop.example.com")).await?;
    service.delete_site(&actor, site.id).await?;
    service.delete_team(team.id).await?;
    Ok(world.store().log())
}

#[cfg(test)]
mod tests {
    use a11ycheck_core::clock::ManualClock;
    use a11ycheck_storage_testkit::StoreFactory;

    use super::*;

    struct AuditedStores;

    #[async_trait]
    impl StoreFactory for AuditedStores {
        type Store = Audited<MemoryStore>;

        async fn empty(&self, clock: ManualClock) -> Self::Store {
            Audited::new(MemoryStore::with_clock(clock))
        }
    }

    a11ycheck_storage_testkit::store_suite!(AuditedStores);

    #[tokio::test]
    async fn what_was_deleted_is_in_the_log() {
        let log = deleted().await.unwrap();
        let [site, team] = log.as_slice() else { panic!("{log:?}") };
        assert!(site.starts_with("2027-01-15 09:30:00.123456 UTC deleted site_"), "{site}");
        assert!(team.contains("deleted team_"), "{team}");
    }
}
