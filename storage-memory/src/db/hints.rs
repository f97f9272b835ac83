//! Hints that it is worth looking for work.

use a11ycheck_core::store::{HintStore, Work};
use async_trait::async_trait;

use crate::MemoryStore;

#[async_trait]
impl HintStore for MemoryStore {
    async fn hint(&self, work: Work) {
        self.hints().wait(work).await;
    }
}
