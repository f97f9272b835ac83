//! What endpoints are told of.

use std::{fmt, str::FromStr};

use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::id::EventId;

/// What happened (contract, "Event types").
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum EventKind {
    /// A check of a site of the team completed.
    #[serde(rename = "scan.completed")]
    ScanCompleted,
    /// A completed check found problems that the previous one did not have.
    #[serde(rename = "issues.new")]
    IssuesNew,
    /// Somebody asked for a test event. Every endpoint receives it, whatever it listens to.
    #[serde(rename = "ping")]
    Ping,
}

impl EventKind {
    /// Those that an endpoint can listen to.
    pub const SELECTABLE: [Self; 2] = [Self::ScanCompleted, Self::IssuesNew];

    /// The contract's word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ScanCompleted => "scan.completed",
            Self::IssuesNew => "issues.new",
            Self::Ping => "ping",
        }
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that names no kind of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there is no such event")]
pub struct UnknownEvent;

impl FromStr for EventKind {
    type Err = UnknownEvent;

    fn from_str(text: &str) -> Result<Self, UnknownEvent> {
        [Self::ScanCompleted, Self::IssuesNew, Self::Ping]
            .into_iter()
            .find(|kind| kind.as_str() == text)
            .ok_or(UnknownEvent)
    }
}

/// Something that happened, ready to be delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvent {
    /// Its id.
    pub id: EventId,
    /// What happened.
    pub kind: EventKind,
    /// When.
    pub created_at: DateTime<Utc>,
    /// The JSON that every endpoint receives on every attempt, byte for byte: it was written once, here.
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
