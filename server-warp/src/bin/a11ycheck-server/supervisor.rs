//! The notifications that the server sends to systemd if that has started it: that it answers, that it still runs, and
//! that it stops. Without `NOTIFY_SOCKET` there are none.

use std::{error::Error as StdError, future, time::Duration};

use sd_notify::NotifyState;

/// Reports that requests are answered: a unit with `Type=notify` counts as started from here on.
pub(crate) fn notify_ready() {
    notify(NotifyState::Ready);
}

/// Reports that the server was asked to stop, so that the supervisor starts nothing that needs it.
pub(crate) fn notify_stopping() {
    notify(NotifyState::Stopping);
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
        notify(NotifyState::Watchdog);
    }
}

/// Sends a notification. An error is logged and is no reason to stop serving, since the supervisor has its own time
/// limits.
fn notify(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::warn!(error = &error as &dyn StdError, "The supervisor named in NOTIFY_SOCKET could not be told");
    }
}
