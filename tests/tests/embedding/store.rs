//! Stores whose log fails.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use a11ycheck_core::{
    Store,
    store::{EventPage, ReadEventsError, StoreError},
};
use a11ycheck_storage_memory::MemoryStore;
use a11ycheck_storage_testkit::{ForwardStore, forward_store};
use async_trait::async_trait;

/// The faults of the log of a [`Faulty`] store.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fault {
    /// The log can't be read.
    pub(crate) is_down: Arc<AtomicBool>,
    /// The log is empty, as if nodes of the previous release did all the work.
    pub(crate) is_empty: Arc<AtomicBool>,
}

/// A store with a log that can fail.
#[derive(Debug)]
pub(crate) struct Faulty {
    pub(crate) inner: MemoryStore,
    pub(crate) fault: Fault,
}

#[async_trait]
impl ForwardStore for Faulty {
    fn inner(&self) -> &dyn Store {
        &self.inner
    }

    async fn scan_events(&self, after: u64, limit: u32) -> Result<EventPage, ReadEventsError> {
        if self.fault.is_down.load(Ordering::SeqCst) {
            return Err(StoreError::Unavailable("on purpose".into()).into());
        }
        if self.fault.is_empty.load(Ordering::SeqCst) {
            return Ok(EventPage { entries: Vec::new(), reached: after, more: false });
        }
        self.inner().scan_events(after, limit).await
    }
}

forward_store!(Faulty);
