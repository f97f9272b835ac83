//! What the tests of this target share.

pub(crate) mod audit;
mod cluster;
mod node;
// The network between a store and its database that the store's own tests break.
#[path = "../../../../storage-postgres/tests/database/support/proxy.rs"]
#[allow(dead_code, reason = "they may break it in more ways than these")]
pub(crate) mod proxy;

use std::time::Duration;

use tokio::time::Instant;

pub(crate) use self::{
    cluster::{Cluster, site, token},
    node::Node,
};

/// Longer than anything takes here that is waited for, on a machine that is busy with other things.
pub(crate) const LIMIT: Duration = Duration::from_secs(180);

/// The database's address.
pub(crate) fn url() -> String {
    std::env::var("DATABASE_URL").expect(
        "DATABASE_URL is not set: run the tests with `cargo xtask test`, which starts a PostgreSQL for them, or name a \
         database where schemas may be created",
    )
}

/// Asks again and again until there is an answer, for at most [`LIMIT`].
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

/// Waits for something that tells by itself, for at most [`LIMIT`].
pub(crate) async fn bounded<T>(what: &str, waiting: impl Future<Output = T>) -> T {
    let waited = tokio::time::timeout(LIMIT, waiting).await;
    waited.unwrap_or_else(|_| panic!("waited {LIMIT:?} in vain for {what}"))
}
