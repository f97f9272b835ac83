//! Events that endpoints receive.

use std::str::FromStr;

use bytes::Bytes;
use chrono::{DateTime, Utc};

use super::{UnknownWord, stored_word::stored_words};
use crate::id::EventId;

/// The kind of an event (contract §13.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum EventKind {
    /// A check of a site of the team completed.
    ScanCompleted,
    /// A completed check found problems that the previous one did not have.
    IssuesNew,
    /// A user asked for a test event. The endpoint receives it whatever kinds it listens to.
    Ping,
    /// A kind of a later release. Such events are delivered like any other, since their bytes are fixed, and an
    /// endpoint that listens to them keeps doing so after a change; this release creates none.
    Unknown(UnknownWord),
}

stored_words!(EventKind {
    ScanCompleted = "scan.completed",
    IssuesNew = "issues.new",
    Ping = "ping",
});

impl EventKind {
    /// The kinds that an endpoint can listen to.
    pub const SELECTABLE: [Self; 2] = [Self::ScanCompleted, Self::IssuesNew];
}

/// The error for a text that names no kind of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there is no such event")]
pub struct UnknownEvent;

/// Parses a kind as people write it, which is only one that this release knows. [`EventKind::from_stored`] reads stored
/// kinds.
impl FromStr for EventKind {
    type Err = UnknownEvent;

    fn from_str(text: &str) -> Result<Self, UnknownEvent> {
        Self::KNOWN.iter().find(|kind| kind.as_str() == text).copied().ok_or(UnknownEvent)
    }
}

/// Something that happened, ready to be delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvent {
    /// The id of the event.
    pub id: EventId,
    /// The kind of the event.
    pub kind: EventKind,
    /// The instant at which it happened.
    pub created_at: DateTime<Utc>,
    /// The JSON that every endpoint receives on every attempt, byte for byte: it is written once, when the event is
    /// created.
    pub body: Bytes,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read_back_from_the_contracts_word() {
        for kind in [EventKind::ScanCompleted, EventKind::IssuesNew, EventKind::Ping] {
            assert_eq!(kind.as_str().parse(), Ok(kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
        assert_eq!("scan.failed".parse::<EventKind>(), Err(UnknownEvent));
    }
}
