//! What the server tells the supervisor that started it, if that is systemd: that it answers, that it still runs, that it
//! stops. Without `NOTIFY_SOCKET` nothing is notified.

use std::{error::Error as StdError, future, time::Duration};

use sd_notify::NotifyState;

/// Reports that requests are answered: a unit with `Type=notify` counts as started from here on.
pub(crate) fn tell_ready() {
    tell(NotifyState::Ready);
}

/// Reports that the server was asked to stop, so that the supervisor starts nothing that needs it.
pub(crate) fn tell_stopping() {
    tell(NotifyState::Stopping);
}

/// Reports twice in each period of `WatchdogSec=` that the tasks of this process still get their turn; a process that has
/// reported nothing for a whole period is ended and started again. Never returns. Without a watchdog it only waits.
pub(crate) async fn feed_watchdog() {
    let Some(period) = sd_notify::watchdog_enabled().filter(|period| !period.is_zero()) else {
        return future::pending().await;
    };
    let mut turns = tokio::time::interval((period / 2).max(Duration::from_millis(1)));
    turns.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        turns.tick().await;
        tell(NotifyState::Watchdog);
    }
}

/// A supervisor that can't be told is no reason to stop serving: it has its own time limits.
fn tell(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::warn!(error = &error as &dyn StdError, "The supervisor named in NOTIFY_SOCKET could not be told");
    }
}
