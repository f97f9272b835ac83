//! Hints that it is worth looking for work. They stay within the process: what a program beside it queues is found when
//! loops look by themselves.

use a11ycheck_core::store::{HintStore, Work};
use async_trait::async_trait;

use crate::SqliteStore;

#[async_trait]
impl HintStore for SqliteStore {
    async fn hint(&self, work: Work) {
        self.hints().wait(work).await;
    }
}
