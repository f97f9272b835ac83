//! A browser context, which is a profile of its own within a browser.

use std::net::SocketAddr;

use tokio::time::Instant;

use crate::cdp::{
    CdpError, Connection,
    commands::{CreateBrowserContext, DisposeBrowserContext},
};

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
        let create = CreateBrowserContext {
            proxy_server: format!("http://{proxy}"),
            proxy_bypass_list: "<-loopback>",
            // Should this process lose track of it, the browser clears it up with the connection.
            dispose_on_detach: true,
        };
        let created = connection.call(create, deadline).await?;
        Ok(Self { connection: connection.clone(), id: created.browser_context_id })
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.connection.send(DisposeBrowserContext { browser_context_id: &self.id });
    }
}
