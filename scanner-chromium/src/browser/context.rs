//! A browser context: a separate profile within a browser.

use std::net::SocketAddr;

use tokio::time::Instant;

use crate::cdp::{
    CdpError, Connection,
    commands::{CreateBrowserContext, DisposeBrowserContext},
};

/// A browser context, disposed of when dropped.
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
            // If this process loses track of it, the browser disposes of it when the connection ends.
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
