//! The occurrences of checks, for programs that follow them.

use std::{
    collections::VecDeque,
    error::Error as StdError,
    fmt,
    pin::Pin,
    task::{Context, Poll},
};

use futures_util::{Stream, StreamExt as _, stream, stream::BoxStream};
use tokio::sync::broadcast::{Receiver, error::RecvError};

use super::{
    Service,
    feed::{Item, PAGE, Pauses},
};
use crate::{
    domain::{ScanEventEntry, ScanEventKind},
    error::Error,
    id::{ScanId, SiteId, TeamId},
    store::{EventPage, ReadEventsError},
};

/// Something that happened to a check, on any node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScanEvent {
    /// A worker began to check. A check that is attempted again starts again.
    Started(Occurrence),
    /// The check completed: its report can be read.
    Completed(Occurrence),
    /// The check failed: the check itself has the reason.
    Failed(Occurrence),
    /// The check failed because it lost its last worker: because a node died, for example.
    GivenUp(Occurrence),
    /// This many occurrences were missed and can't be read any more: the log keeps them for a day, and this stream came to
    /// them later.
    Lagged(u64),
}

/// The subject of an occurrence. The check may have been deleted since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Occurrence {
    /// The position among all occurrences. A program that keeps the position of the last one that it dealt with can
    /// continue after it: [`EventsFrom::After`].
    pub position: u64,
    /// The team that owns the check.
    pub team: TeamId,
    /// The site that is checked.
    pub site: SiteId,
    /// The check.
    pub scan: ScanId,
}

impl ScanEvent {
    /// Returns the event of an entry; `None` for one that a later release has written and this one does not know.
    fn of(entry: ScanEventEntry) -> Option<Self> {
        let ScanEventEntry { position, kind, team, site, scan } = entry;
        let occurrence = Occurrence { position, team, site, scan };
        match kind {
            ScanEventKind::Started => Some(Self::Started(occurrence)),
            ScanEventKind::Completed => Some(Self::Completed(occurrence)),
            ScanEventKind::Failed => Some(Self::Failed(occurrence)),
            ScanEventKind::GivenUp => Some(Self::GivenUp(occurrence)),
            ScanEventKind::Unknown(_) => None,
        }
    }
}

/// The point at which a stream of events begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventsFrom {
    /// The moment of the call: the stream has what happens after it.
    Now,
    /// The occurrence at this position, as far back as a day: the stream has what follows it. 0 is the beginning of the
    /// log. A position that does not exist yet, of another database for example, counts as [`Now`](Self::Now).
    After(u64),
}

impl Service {
    /// Follows what happens to the checks of all teams, on all nodes that share the store.
    ///
    /// Occurrences come in the order of [positions](Occurrence::position), each once in each stream; a program that keeps
    /// the last position, and continues [after](EventsFrom::After) it when it starts again, deals with each at least once.
    /// Those of one check come in the order in which they happened. The deletion of a site or a team is no occurrence.
    ///
    /// One task of this process reads for all streams: at once after a step of this process, and within a second after one
    /// of another. A stream that is not polled holds up no other, and continues where it was.
    ///
    /// ```
    /// use a11ycheck_core::{Service, service::{EventsFrom, ScanEvent}};
    ///
    /// # async fn example(service: Service) -> Result<(), a11ycheck_core::Error> {
    /// let mut events = service.events(EventsFrom::Now).await?;
    /// while let Some(event) = events.next().await {
    ///     match event {
    ///         ScanEvent::Completed(check) => println!("{} of {} completed", check.scan, check.team),
    ///         ScanEvent::Failed(check) | ScanEvent::GivenUp(check) => println!("{} failed", check.scan),
    ///         _ => {}
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Unavailable`]. A stream that has begun waits for a store in trouble.
    pub async fn events(&self, from: EventsFrom) -> Result<ScanEvents, Error> {
        let newest = self.store().newest_scan_event().await?;
        let last = match from {
            EventsFrom::Now => newest,
            EventsFrom::After(position) => position.min(newest),
        };
        let (items, reached) = self.follow(newest);
        let following =
            Following { service: self.clone(), items, last, is_behind: last < reached, ready: VecDeque::new() };
        let events =
            stream::unfold(following, |mut following| async move { Some((following.next().await, following)) });
        Ok(ScanEvents { events: events.boxed() })
    }
}

/// A stream of what happens to checks. Nothing is lost when a call of [`next`](Self::next) is dropped before it has ended.
pub struct ScanEvents {
    events: BoxStream<'static, ScanEvent>,
}

impl ScanEvents {
    /// Waits for the next event. There is always one more: it never returns `None`, and has an `Option` only because streams do.
    pub async fn next(&mut self) -> Option<ScanEvent> {
        self.events.next().await
    }
}

impl Stream for ScanEvents {
    type Item = ScanEvent;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<ScanEvent>> {
        self.events.poll_next_unpin(context)
    }
}

impl fmt::Debug for ScanEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScanEvents").finish_non_exhaustive()
    }
}

/// One stream that follows the log.
struct Following {
    service: Service,
    items: Receiver<Item>,
    /// The position up to which events were returned, or are [`ready`](Self::ready).
    last: u64,
    /// True if `items` may begin later than just after `last`: the log is then read from here first.
    is_behind: bool,
    ready: VecDeque<ScanEvent>,
}

impl Following {
    async fn next(&mut self) -> ScanEvent {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return event;
            }
            if self.is_behind {
                self.catch_up().await;
                continue;
            }
            match self.items.recv().await {
                // This item has already been read here.
                Ok(item) if item.position() <= self.last => {}
                Ok(item) => {
                    match item {
                        Item::Entry(entry) => self.ready.extend(ScanEvent::of(entry)),
                        Item::Purged(position) => self.ready.push_back(ScanEvent::Lagged(position - self.last)),
                    }
                    self.last = item.position();
                }
                Err(RecvError::Lagged(_)) => self.is_behind = true,
                // The task panicked, or its runtime has ended.
                Err(RecvError::Closed) => {
                    self.items = self.service.follow(self.last).0;
                    self.is_behind = true;
                }
            }
        }
    }

    /// Reads a part of the log.
    async fn catch_up(&mut self) {
        let mut pauses = Pauses::default();
        loop {
            match self.service.store().scan_events(self.last, PAGE).await {
                Ok(EventPage { entries, reached, more }) => {
                    self.ready.extend(entries.into_iter().filter_map(ScanEvent::of));
                    (self.last, self.is_behind) = (reached, more);
                    return;
                }
                Err(ReadEventsError::Lagged(purged)) => {
                    self.ready.push_back(ScanEvent::Lagged(purged - self.last));
                    self.last = purged;
                    return;
                }
                Err(ReadEventsError::Store(error)) => {
                    let pause = pauses.next();
                    tracing::warn!(error = &error as &dyn StdError, ?pause, "The log of occurrences can't be read");
                    tokio::time::sleep(pause).await;
                }
            }
        }
    }
}
