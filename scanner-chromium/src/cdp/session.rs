//! A session with one tab.

use std::sync::Arc;

use tokio::time::Instant;

use super::{CdpError, Command, Connection, EventSink, commands::AttachToTarget};

/// The commands to one target. Dropping it fails every call that waits in it; the target itself stays.
#[derive(Debug)]
pub(crate) struct Session {
    connection: Connection,
    id: String,
}

impl Session {
    /// Attaches to a target. `sink` receives the session's events from the first.
    pub(crate) async fn attach(
        connection: &Connection,
        target_id: &str,
        sink: Arc<dyn EventSink>,
        deadline: Instant,
    ) -> Result<Self, CdpError> {
        let attached = connection.call(AttachToTarget { target_id, flatten: true }, deadline).await?;
        // No domain is enabled yet, so no event can arrive before the sink is known.
        connection.add_session(attached.session_id.clone(), sink);
        Ok(Self { connection: connection.clone(), id: attached.session_id })
    }

    /// Sends a command and waits for its result.
    pub(crate) async fn call<C: Command>(&self, command: C, deadline: Instant) -> Result<C::Result, CdpError> {
        self.connection.call_in(Some(&self.id), command, deadline).await
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.connection.end_session(&self.id);
    }
}
