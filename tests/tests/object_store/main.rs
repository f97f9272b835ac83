//! Files in an object store, from the point of view of operators and clients: an S3 server made by others, over a
//! network that breaks.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests stop at what they did not expect")]

mod lost;
// The network between a store and its database, which the store's own tests break.
#[path = "../../../storage-postgres/tests/database/support/proxy.rs"]
#[allow(dead_code, reason = "they may break it in more ways than these")]
mod proxy;
mod start;
mod trouble;
mod world;

use std::time::Duration;

use a11ycheck_tests::database_url as url;

/// A time longer than any wait here takes, on a machine that is busy with other work.
const LIMIT: Duration = Duration::from_secs(180);

/// Waits for something, for at most [`LIMIT`].
async fn bounded<T>(what: &str, waiting: impl Future<Output = T>) -> T {
    let waited = tokio::time::timeout(LIMIT, waiting).await;
    waited.unwrap_or_else(|_| panic!("waited {LIMIT:?} in vain for {what}"))
}
