//! A connection for the time of a step.

use std::{
    ops::{Deref, DerefMut},
    time::Duration,
};

use sqlx::{PgConnection, PgPool, Postgres, pool::PoolConnection};
use tokio::runtime::Handle;

use crate::db::pooler::SettingsLost;

/// A connection that goes back to the pool when this is dropped, if it still answers then.
pub(crate) struct Session(PoolConnection<Postgres>);

impl Session {
    /// The longest time that a connection that goes back may take to show that it is fit. One that takes longer is
    /// dropped.
    const PATIENCE: Duration = Duration::from_secs(5);

    pub(crate) async fn begin(pool: &PgPool) -> Result<Self, sqlx::Error> {
        Ok(Self(pool.acquire().await?))
    }

    /// Returns whether a connection may be used again: not if it leads to a server that takes no changes, nor if its
    /// session is not the one that was set up. After a failover, the address leads to another server, while connections
    /// to the former live on; a pooler can be reconfigured at any time.
    pub(crate) async fn is_fit(connection: &mut PgConnection, search_path: &str) -> Result<bool, sqlx::Error> {
        let (takes_changes, is_ours): (bool, bool) = sqlx::query_as(
            "SELECT current_setting('transaction_read_only') = 'off', current_setting('search_path') = $1",
        )
        .bind(search_path)
        .fetch_one(connection)
        .await?;
        if !is_ours {
            tracing::error!("A connection to the database lost its settings and is dropped: {SettingsLost}");
        }
        Ok(takes_changes && is_ours)
    }
}

impl Deref for Session {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.0
    }
}

impl DerefMut for Session {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.0
    }
}

impl Drop for Session {
    /// Bounds what the pool does without a bound: it waits for a response from a connection that comes back, and, under
    /// TLS, from one that it closes. When the network swallows what is sent, each such connection would keep its place
    /// in the pool for as long as the system's TCP has patience, which is a quarter of an hour.
    fn drop(&mut self) {
        let returning = self.0.return_to_pool();
        // Without a runtime nothing can be awaited, and the connection is dropped here.
        let Ok(runtime) = Handle::try_current() else { return };
        runtime.spawn(async {
            if tokio::time::timeout(Self::PATIENCE, returning).await.is_err() {
                tracing::warn!("A connection to the database did not answer for {:?} and was dropped", Self::PATIENCE);
            }
        });
    }
}
