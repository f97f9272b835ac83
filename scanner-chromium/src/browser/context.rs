//! A browser context, which is a profile of its own within a browser.

use std::net::SocketAddr;

use serde::Deserialize;
use serde_json::json;
use tokio::time::Instant;

use crate::cdp::{CdpError, Connection};

/// A browser context; disposed of when dropped.
#[derive(Debug)]
pub(super) struct Context {
    connection: Connection,
    id: String,
}

impl Context {
    pub(super) async fn create(
        connection: &Connection,
        proxy: SocketAddr,
        deadline: Instant,
    ) -> Result<Self, CdpError> {
        #[derive(Deserialize)]
        struct Created {
            #[serde(rename = "browserContextId")]
            id: String,
        }
        let params = json!({
            "proxyServer": format!("http://{proxy}"),
            "proxyBypassList": "<-loopback>",
            // Should this process lose track of it, the browser clears it up with the connection.
            "disposeOnDetach": true,
        });
        let Created { id } = connection.call("Target.createBrowserContext", params, deadline).await?;
        Ok(Self { connection: connection.clone(), id })
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.connection.send("Target.disposeBrowserContext", json!({ "browserContextId": self.id }));
    }
}
