//! Files in an object store, as operators and clients meet it: an S3 server that others wrote, over a network that breaks.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests stop at what they did not expect")]

mod lost;
// The network between a store and its database that the store's own tests break.
#[path = "../../../storage-postgres/tests/database/support/proxy.rs"]
#[allow(dead_code, reason = "they may break it in more ways than these")]
mod proxy;
mod start;
mod trouble;
mod world;

use std::time::Duration;

/// Longer than anything takes here that is waited for, on a machine that is busy with other things.
const LIMIT: Duration = Duration::from_secs(180);

/// The database's address.
fn url() -> String {
    std::env::var("DATABASE_URL").expect(
        "DATABASE_URL is not set: run the tests with `cargo xtask test`, which starts a PostgreSQL for them, or name a \
         database where schemas may be created",
    )
}

/// Waits for something, for at most [`LIMIT`].
async fn bounded<T>(what: &str, waiting: impl Future<Output = T>) -> T {
    let waited = tokio::time::timeout(LIMIT, waiting).await;
    waited.unwrap_or_else(|_| panic!("waited {LIMIT:?} in vain for {what}"))
}
