//! The writing of events.

use bytes::Bytes;
use chrono::{DateTime, Utc};

use crate::{
    domain::{BaseUrl, EventKind, NewEvent, Outcome, Scan, Site, Team},
    id::EventId,
};

/// Writes the bodies of events: the bytes that endpoints receive.
///
/// A body is written once, when its event is made, and is stored with it: every attempt at every endpoint sends these
/// bytes. Those of a completed check are written before the transaction that completes it, and stored in it. The crate
/// `a11ycheck-api-v1` has a writer for the contract's events; write another for another contract.
///
/// # Bounds
/// A call does not wait, and asks nothing of other parts: everything that a body may say is in its arguments.
pub trait EventWriter: Send + Sync + std::fmt::Debug {
    /// Writes the body of an event of a completed check: [`EventKind::ScanCompleted`] or [`EventKind::IssuesNew`], as `event` says.
    fn completed(&self, event: &EventHead, check: &CompletedCheck<'_>) -> Bytes;

    /// Writes the body of a test event: [`EventKind::Ping`].
    fn test(&self, event: &EventHead) -> Bytes;
}

/// The facts that every event has, whatever it is about.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct EventHead {
    /// The id by which receivers recognise an event that they have already received.
    pub id: EventId,
    /// The kind of the event.
    pub kind: EventKind,
    /// The instant at which it happened.
    pub created_at: DateTime<Utc>,
}

/// A completed check, with what its events may say.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct CompletedCheck<'a> {
    /// The check as it will be once it is stored.
    pub scan: &'a Scan,
    /// The result in numbers.
    pub outcome: &'a Outcome,
    /// The site as it is now.
    pub site: &'a Site,
    /// The team as it is now: its plan decides to which files links may lead.
    pub team: &'a Team,
    /// The address of the installation, below which links lead.
    pub base_url: &'a BaseUrl,
}

impl<'a> CompletedCheck<'a> {
    pub(crate) const fn new(
        scan: &'a Scan,
        outcome: &'a Outcome,
        site: &'a Site,
        team: &'a Team,
        base_url: &'a BaseUrl,
    ) -> Self {
        Self { scan, outcome, site, team, base_url }
    }

    /// Makes the events of the check, in order: `scan.completed`, and `issues.new` where it found new problems.
    pub(crate) fn events(&self, writer: &dyn EventWriter, now: DateTime<Utc>) -> Vec<NewEvent> {
        let found_new = (self.outcome.diff.new > 0).then_some(EventKind::IssuesNew);
        let kinds = std::iter::once(EventKind::ScanCompleted).chain(found_new);
        kinds.map(|kind| event(kind, now, |head| writer.completed(head, self))).collect()
    }
}

/// Makes a test event.
pub(crate) fn test_event(writer: &dyn EventWriter, now: DateTime<Utc>) -> NewEvent {
    event(EventKind::Ping, now, |head| writer.test(head))
}

fn event(kind: EventKind, now: DateTime<Utc>, body: impl FnOnce(&EventHead) -> Bytes) -> NewEvent {
    let head = EventHead { id: EventId::generate(now), kind, created_at: now };
    NewEvent { id: head.id, kind, created_at: now, body: body(&head) }
}
