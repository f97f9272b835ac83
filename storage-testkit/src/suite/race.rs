//! Callers that come at the same time.

use std::sync::Arc;

use tokio::{sync::Barrier, task::JoinSet};

/// Lets `count` tasks begin at the same time, each on a free thread, and returns their results.
pub(super) async fn race<T, F>(count: u32, task: impl Fn(u32) -> F) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let start = Arc::new(Barrier::new(usize::try_from(count).unwrap()));
    let mut tasks = JoinSet::new();
    for number in 0..count {
        let (start, task) = (Arc::clone(&start), task(number));
        tasks.spawn(async move {
            start.wait().await;
            task.await
        });
    }
    tasks.join_all().await
}
