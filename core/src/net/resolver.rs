//! Resolvers, which find the addresses of names.

use std::{io, net::IpAddr, sync::Arc};

use async_trait::async_trait;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The reason why a name has no addresses.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// The name does not exist, or exists without an address. Trying again soon is useless.
    #[error("the name has no address")]
    NotFound,
    /// There was no answer within the time budget.
    #[error("the name could not be resolved in time")]
    TimedOut,
    /// The resolver did not work.
    #[error("the name could not be resolved")]
    Failed(#[source] io::Error),
}

/// Finds the addresses of a name.
#[async_trait]
pub trait Resolver: Send + Sync + std::fmt::Debug {
    /// Returns the addresses of `name`, at least one.
    ///
    /// `name` is in lower case and ASCII form, without a dot at its end; it is never an IP address. Search domains are
    /// for names without a dot, and for others only if the settings of the system say so and the name itself does not
    /// exist: a public name must not lead into the operator's network instead. Nothing is judged here:
    /// [`AddressPolicy::judge`](super::AddressPolicy::judge) does that with the answer.
    ///
    /// # Bounds
    /// A call ends within a time budget that the resolver sets.
    ///
    /// # Ordering
    /// The addresses are in the order that the resolver prefers, each once.
    ///
    /// # Errors
    /// [`ResolveError::NotFound`] instead of an empty answer, [`ResolveError::TimedOut`] at the end of the budget,
    /// [`ResolveError::Failed`] if the resolver could not query.
    async fn resolve(&self, name: &str) -> Result<Vec<IpAddr>, ResolveError>;

    /// Resolves a name under a permit of a [share](LookupShare), which is released when the look-up has ended, and not
    /// before, even if nobody waits for it any longer. The default suffices for resolvers whose look-ups end when their
    /// future is dropped.
    ///
    /// # Errors
    /// Those of [`Self::resolve`].
    async fn resolve_in(&self, name: &str, place: LookupPlace) -> Result<Vec<IpAddr>, ResolveError> {
        let _place = place;
        self.resolve(name).await
    }
}

#[async_trait]
impl<R: Resolver + ?Sized> Resolver for Arc<R> {
    async fn resolve(&self, name: &str) -> Result<Vec<IpAddr>, ResolveError> {
        (**self).resolve(name).await
    }

    async fn resolve_in(&self, name: &str, place: LookupPlace) -> Result<Vec<IpAddr>, ResolveError> {
        (**self).resolve_in(name, place).await
    }
}

/// The permit of one look-up in a [`LookupShare`].
#[derive(Debug)]
pub struct LookupPlace(#[expect(dead_code, reason = "dropping it frees the place")] OwnedSemaphorePermit);

/// A resolver with its own bound on look-ups, for one of several parties that share the resolver behind it: a party
/// whose names get no answers delays only itself. Clones share the bound.
#[derive(Debug, Clone)]
pub struct LookupShare {
    resolver: Arc<dyn Resolver>,
    places: Arc<Semaphore>,
}

impl LookupShare {
    /// Makes a share of `resolver` in which at most `lookups` run at once. Further ones wait as long as the caller
    /// does.
    pub fn of(resolver: Arc<dyn Resolver>, lookups: usize) -> Self {
        Self { resolver, places: Arc::new(Semaphore::new(lookups)) }
    }
}

#[async_trait]
impl Resolver for LookupShare {
    async fn resolve(&self, name: &str) -> Result<Vec<IpAddr>, ResolveError> {
        let place = Arc::clone(&self.places).acquire_owned().await;
        let place = place.map_err(|closed| ResolveError::Failed(io::Error::other(closed)))?;
        self.resolver.resolve_in(name, LookupPlace(place)).await
    }
}

/// Returns each address once, at its first position.
pub(super) fn distinct(ips: impl IntoIterator<Item = IpAddr>) -> Vec<IpAddr> {
    let mut seen = std::collections::HashSet::new();
    ips.into_iter().filter(|ip| seen.insert(*ip)).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// A resolver that never answers, and counts the look-ups that wait.
    #[derive(Debug, Clone, Default)]
    struct Silent(Arc<std::sync::atomic::AtomicUsize>);

    #[async_trait]
    impl Resolver for Silent {
        async fn resolve(&self, _: &str) -> Result<Vec<IpAddr>, ResolveError> {
            self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            std::future::pending().await
        }
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_looks_up_what_nobody_answers_for_holds_up_itself_alone() {
        let silent = Silent::default();
        let waiting = || silent.0.load(std::sync::atomic::Ordering::SeqCst);
        let shared: Arc<dyn Resolver> = Arc::new(silent.clone());
        let (one, other) = (LookupShare::of(Arc::clone(&shared), 8), LookupShare::of(shared, 8));
        let look_up = |share: &LookupShare, name: String| {
            let share = share.clone();
            tokio::spawn(async move { tokio::time::timeout(Duration::from_secs(5), share.resolve(&name)).await })
        };
        let first: Vec<_> = (0..50).map(|number| look_up(&one, format!("n{number}.example"))).collect();
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(waiting(), 8);
        let second = look_up(&other, "a.example".to_owned());
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(waiting(), 9, "the other has its own share");
        for lookup in first.into_iter().chain([second]) {
            assert!(lookup.await.unwrap().is_err());
        }
    }
}
