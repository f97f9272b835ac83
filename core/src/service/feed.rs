//! The log of occurrences, as this process reads it: one task reads for all streams.

use std::{
    error::Error as StdError,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::broadcast::{self, Receiver, Sender};

use super::Service;
use crate::{
    domain::ScanEventEntry,
    store::{EventPage, ReadEventsError, Work},
};

/// The number of entries that are read at a time.
pub(super) const PAGE: u32 = 500;
/// The number of items that wait for a slow stream. A stream that is slower reads the log by itself.
const WAITING: usize = 1_024;
/// The longest time for which the task waits before it reads again: a node that works elsewhere gives no hint.
const POLL: Duration = Duration::from_secs(1);
/// The shortest time for which it waits, so that a busy service costs ten reads a second, however much happens.
const GATHER: Duration = Duration::from_millis(100);

/// The task that reads. There is one for as long as somebody follows.
#[derive(Debug, Default)]
pub(crate) struct Feed(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The number of tasks so far.
    tasks: u64,
    reading: Option<Reading>,
}

#[derive(Debug)]
struct Reading {
    task: u64,
    items: Sender<Item>,
    /// The position up to which items were sent.
    reached: u64,
}

/// An item that the task has read.
#[derive(Debug, Clone, Copy)]
pub(super) enum Item {
    /// An occurrence.
    Entry(ScanEventEntry),
    /// Entries up to this position were purged before they could be read.
    Purged(u64),
}

impl Item {
    /// Returns the position up to which the log is known with this item.
    pub(super) const fn position(&self) -> u64 {
        match self {
            Self::Entry(entry) => entry.position,
            Self::Purged(position) => *position,
        }
    }
}

impl Service {
    /// Follows the log: returns a receiver of what the task reads after this call, and the position up to which it has
    /// already read. If there is no task, one begins after `position`, which must not be later than the newest entry.
    pub(super) fn follow(&self, position: u64) -> (Receiver<Item>, u64) {
        let mut state = self.parts().feed.state();
        if let Some(Reading { items, reached, .. }) = &state.reading {
            return (items.subscribe(), *reached);
        }
        let (items, received) = broadcast::channel(WAITING);
        state.tasks += 1;
        let task = Task { service: self.clone(), number: state.tasks, items: items.clone() };
        state.reading = Some(Reading { task: task.number, items, reached: position });
        // A task that can't be spawned is dropped, which locks the state.
        drop(state);
        tokio::spawn(task.read(position));
        (received, position)
    }
}

impl Feed {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running task. The streams hold the service, and so does the task: when the last stream is dropped, the task ends and
/// releases it.
struct Task {
    service: Service,
    number: u64,
    items: Sender<Item>,
}

impl Task {
    async fn read(self, mut position: u64) {
        let store = self.service.store();
        let mut pauses = Pauses::default();
        while !self.ends() {
            match store.scan_events(position, PAGE).await {
                Ok(EventPage { entries, reached, more }) => {
                    pauses = Pauses::default();
                    position = reached;
                    self.send(entries.into_iter().map(Item::Entry), reached);
                    if !more {
                        self.rest().await;
                    }
                }
                Err(ReadEventsError::Lagged(purged)) => {
                    position = purged;
                    self.send([Item::Purged(purged)], purged);
                }
                Err(ReadEventsError::Store(error)) => {
                    let pause = pauses.next();
                    tracing::warn!(error = &error as &dyn StdError, ?pause, "The log of occurrences can't be read");
                    tokio::select! {
                        () = self.items.closed() => {}
                        () = tokio::time::sleep(pause) => {}
                    }
                }
            }
        }
    }

    /// Returns whether nobody follows any more. A stream that begins after that starts another task.
    fn ends(&self) -> bool {
        let mut state = self.service.parts().feed.state();
        let ends = self.items.receiver_count() == 0;
        if ends {
            state.reading.take_if(|reading| reading.task == self.number);
        }
        ends
    }

    /// Sends items, and notes the position at the same moment: a stream that begins then receives what comes after it.
    fn send(&self, items: impl IntoIterator<Item = Item>, reached: u64) {
        let mut state = self.service.parts().feed.state();
        for item in items {
            // No effect if nobody follows any more.
            let _ = self.items.send(item);
        }
        if let Some(reading) = state.reading.as_mut().filter(|reading| reading.task == self.number) {
            reading.reached = reached;
        }
    }

    /// Waits until there may be more to read, or nobody follows.
    async fn rest(&self) {
        let store = self.service.store();
        let looks_again = async {
            tokio::time::sleep(GATHER).await;
            tokio::select! {
                () = store.hint(Work::Events) => {}
                () = tokio::time::sleep(POLL - GATHER) => {}
            }
        };
        tokio::select! {
            () = self.items.closed() => {}
            () = looks_again => {}
        }
    }
}

impl Drop for Task {
    /// Removes the task from the state, also after a panic, and when its runtime ends before others of the process.
    fn drop(&mut self) {
        self.service.parts().feed.state().reading.take_if(|reading| reading.task == self.number);
    }
}

/// The growing pauses while a store is in trouble.
#[derive(Debug)]
pub(super) struct Pauses(Duration);

impl Pauses {
    const LONGEST: Duration = Duration::from_secs(30);

    pub(super) fn next(&mut self) -> Duration {
        let longer = (self.0 * 2).min(Self::LONGEST);
        std::mem::replace(&mut self.0, longer)
    }
}

impl Default for Pauses {
    fn default() -> Self {
        Self(Duration::from_secs(1))
    }
}
