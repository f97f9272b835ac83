//! What receives the events of a session.

use super::{Event, Reaction, SessionEnd};

/// Receives the events of one session, in the order in which they arrive.
///
/// Called from the task that reads the pipe: it must return soon and never wait.
pub(crate) trait EventSink: Send + Sync {
    /// Takes an event. What is returned is sent at once, to the session that the event came from.
    fn event(&self, event: Event<'_>) -> Option<Reaction>;

    /// No event will follow.
    fn ended(&self, end: SessionEnd);
}

/// Takes no notice of what happens in a session.
pub(crate) struct IgnoreEvents;

impl EventSink for IgnoreEvents {
    fn event(&self, _: Event<'_>) -> Option<Reaction> {
        None
    }

    fn ended(&self, _: SessionEnd) {}
}
