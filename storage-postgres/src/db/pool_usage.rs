//! The load of the connections, for operators.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use crate::PostgresStore;

/// The connections of a store, as they are at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolUsage {
    /// The number of connections that may be open at once.
    pub max: u32,
    /// The number of connections that are open.
    pub open: u32,
    /// The number of open connections that no step uses.
    pub idle: u32,
    /// The number of steps that wait for a connection.
    pub waiting: u32,
}

impl PostgresStore {
    /// Returns how busy the connections of this process are.
    pub fn pool_usage(&self) -> PoolUsage {
        let pool = self.sessions().pool();
        PoolUsage {
            max: pool.options().get_max_connections(),
            open: pool.size(),
            idle: u32::try_from(self.sessions().idle()).unwrap_or(u32::MAX),
            waiting: self.waiting().count(),
        }
    }
}

/// The number of steps that wait for a connection, in all clones of a store.
#[derive(Debug, Clone, Default)]
pub(crate) struct Waiting(Arc<AtomicU32>);

impl Waiting {
    /// Counts one more, until the returned value is dropped.
    pub(crate) fn begin(&self) -> impl Drop + Send + use<> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ended(Arc::clone(&self.0))
    }

    fn count(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

struct Ended(Arc<AtomicU32>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
