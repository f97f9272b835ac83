//! The receiver of the events of a session.

use super::{Event, Reaction, SessionEnd};

/// A receiver of the events of one session, in the order in which they arrive.
///
/// It is called from the task that reads the pipe: it must return soon and never wait.
pub(crate) trait EventSink: Send + Sync {
    /// Handles an event. The returned reaction is sent at once, to the session of the event.
    fn event(&self, event: Event<'_>) -> Option<Reaction>;

    /// Reports the end of the session. No event will follow.
    fn ended(&self, end: SessionEnd);
}

/// A sink that ignores all events.
pub(crate) struct IgnoreEvents;

impl EventSink for IgnoreEvents {
    fn event(&self, _: Event<'_>) -> Option<Reaction> {
        None
    }

    fn ended(&self, _: SessionEnd) {}
}
