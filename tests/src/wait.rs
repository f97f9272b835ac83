//! Waiting for what another process does.

use std::time::{Duration, Instant};

/// Repeats `ask` until it returns a value.
///
/// # Panics
///
/// If it has returned none within two minutes: that is longer than any wait takes, on a machine that is busy with other work.
pub async fn wait_for<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(120);
    loop {
        if let Some(found) = ask().await {
            return found;
        }
        assert!(Instant::now() < deadline, "waited in vain for {what}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
