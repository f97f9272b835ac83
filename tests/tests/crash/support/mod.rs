//! The parts that the tests of this target share.

pub(crate) mod audit;
mod cluster;
mod node;
// The network between a store and its database, which the store's own tests break.
#[path = "../../../../storage-postgres/tests/database/support/proxy.rs"]
#[allow(dead_code, reason = "they may break it in more ways than these")]
pub(crate) mod proxy;

use std::time::Duration;

pub(crate) use a11ycheck_tests::database_url as url;
use tokio::time::Instant;

pub(crate) use self::{
    cluster::{Cluster, site, token},
    node::Node,
};

/// A time longer than any wait here takes, on a machine that is busy with other work.
pub(crate) const LIMIT: Duration = Duration::from_secs(180);

/// Repeats `ask` until it returns a value, for at most [`LIMIT`].
pub(crate) async fn wait_for<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + LIMIT;
    loop {
        if let Some(found) = ask().await {
            return found;
        }
        assert!(Instant::now() < deadline, "waited {LIMIT:?} in vain for {what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Waits for a future, for at most [`LIMIT`].
pub(crate) async fn bounded<T>(what: &str, waiting: impl Future<Output = T>) -> T {
    let waited = tokio::time::timeout(LIMIT, waiting).await;
    waited.unwrap_or_else(|_| panic!("waited {LIMIT:?} in vain for {what}"))
}
