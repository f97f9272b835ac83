//! The log of occurrences.

use a11ycheck_core::{
    domain::ScanEventEntry,
    store::{EventLog, EventPage, ReadEventsError, StoreError},
};
use async_trait::async_trait;

use crate::MemoryStore;

#[async_trait]
impl EventLog for MemoryStore {
    async fn newest_scan_event(&self) -> Result<u64, StoreError> {
        self.step(|state, _| Ok(state.scan_log.newest()))
    }

    async fn scan_events(&self, after: u64, limit: u32) -> Result<EventPage, ReadEventsError> {
        self.step(|state, _| state.scan_log.read(after, limit))
    }

    async fn purge_scan_events(&self, limit: u32) -> Result<u32, StoreError> {
        self.step(|state, now| Ok(state.scan_log.purge(ScanEventEntry::kept_since(now), limit)))
    }
}
