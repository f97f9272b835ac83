//! A store of your own by delegation: it changes two methods of another store and leaves the rest as it is.
//!
//! ```text
//! cargo run -p a11ycheck-examples --example own_store
//! cargo test -p a11ycheck-examples --example own_store
//! ```
//!
//! Prints what was deleted and when: an audit log, which the host keeps. The tests run the suite that every store
//! passes.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::{
    error::Error,
    sync::{Arc, Mutex, PoisonError},
};

use a11ycheck::{
    MemoryStore, PlanCode, Service, SiteId, SiteInput, Store, TeamId, TeamInput,
    reexport::async_trait,
    store::StoreError,
    testing::{ForwardStore, forward_store},
};

/// A store that keeps a log of deletions.
#[derive(Debug)]
struct Audited<S> {
    inner: S,
    log: Log,
}

/// The log of deletions. A real log is as durable as the store.
#[derive(Debug, Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl<S: Store> Audited<S> {
    /// Logs a deletion if it took effect.
    async fn note(&self, is_deleted: bool, what: String) -> Result<bool, StoreError> {
        if is_deleted {
            let at = self.inner.now().await?;
            self.log.0.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{at} deleted {what}"));
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
    for line in deleted(MemoryStore::new()).await? {
        println!("{line}");
    }
    Ok(())
}

async fn deleted(inner: impl Store) -> Result<Vec<String>, Box<dyn Error>> {
    let log = Log::default();
    let service = Service::builder(Audited { inner, log: log.clone() }).build().await?;
    let input = TeamInput::new("Customer 4711", PlanCode::PRO);
    let team = service.operator().team_for("customer-4711".parse()?, input).await?;
    let site = team.add_site(SiteInput::parse("https://93.184.215.14")?).await?.site;
    team.delete_site(site.id).await?;
    service.operator().team(team.id()).await?.delete().await?;
    Ok(log.lines())
}

#[cfg(test)]
mod tests {
    use a11ycheck::testing::{ManualClock, StoreFactory, TestWorld};

    use super::*;

    struct AuditedStores;

    #[async_trait]
    impl StoreFactory for AuditedStores {
        type Store = Audited<MemoryStore>;

        async fn empty(&self, clock: ManualClock) -> Self::Store {
            Audited { inner: MemoryStore::with_clock(clock), log: Log::default() }
        }
    }

    a11ycheck::testing::store_suite!(AuditedStores);

    #[tokio::test]
    async fn what_was_deleted_is_in_the_log() {
        let store = MemoryStore::with_clock(ManualClock::at(TestWorld::BEGINNING));
        let log = deleted(store).await.unwrap();
        let [site, team] = log.as_slice() else { panic!("{log:?}") };
        assert!(site.starts_with("2027-01-15 09:30:00.123456 UTC deleted site_"), "{site}");
        assert!(team.contains("deleted team_"), "{team}");
    }
}
