//! One tab, as the protocol sees it.

use std::sync::Arc;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{CdpError, Connection, EventSink};

/// Commands to one target. Dropping it ends what waits in it; the target itself stays.
#[derive(Debug)]
pub(crate) struct Session {
    connection: Connection,
    id: String,
}

impl Session {
    /// Attaches to a target. `sink` hears the session's events from the first.
    pub(crate) async fn attach(
        connection: &Connection,
        target: &str,
        sink: Arc<dyn EventSink>,
        deadline: Instant,
    ) -> Result<Self, CdpError> {
        #[derive(Deserialize)]
        struct Attached {
            #[serde(rename = "sessionId")]
            session: String,
        }
        let params = json!({ "targetId": target, "flatten": true });
        let attached: Attached = connection.call("Target.attachToTarget", params, deadline).await?;
        // No domain is enabled yet, so no event can come before the sink is known.
        connection.add_session(attached.session.clone(), sink);
        Ok(Self { connection: connection.clone(), id: attached.session })
    }

    /// Sends a command and waits for its result.
    pub(crate) async fn call<R: DeserializeOwned>(
        &self,
        method: &'static str,
        params: impl Serialize,
        deadline: Instant,
    ) -> Result<R, CdpError> {
        self.connection.call_in(Some(&self.id), method, params, deadline).await
    }

    /// Sends a command and waits until it was carried out.
    pub(crate) async fn run(
        &self,
        method: &'static str,
        params: impl Serialize,
        deadline: Instant,
    ) -> Result<(), CdpError> {
        self.call::<Value>(method, params, deadline).await.map(drop)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.connection.end_session(&self.id);
    }
}
