//! Proof that the guard is in force.
//!
//! A switch that Chromium does not know is ignored without a word. A mistyped or renamed `--proxy-server` would
//! leave the browser with free access to our networks, and every page would still load.

use tokio::time::Instant;

use crate::{
    cdp::{
        CdpError, Connection, IgnoreEvents, Session,
        commands::{CloseTarget, CreateTarget, Navigate},
    },
    guard::Guard,
};

/// A name that no resolver knows (RFC 6761): it fails everywhere except at our guard, which is asked for it.
const NAME: &str = "guard-canary.invalid";

/// Opens an address and returns whether the guard was asked for it.
pub(super) async fn passes_guard(connection: &Connection, guard: &Guard, deadline: Instant) -> Result<bool, CdpError> {
    let blank = CreateTarget { url: "about:blank", browser_context_id: None };
    let target = connection.call(blank, deadline).await?.target_id;
    let session = Session::attach(connection, &target, std::sync::Arc::new(IgnoreEvents), deadline).await?;
    // Resolves when the navigation has failed or an answer has come.
    session.call(Navigate { url: &format!("http://{NAME}/") }, deadline).await?;
    connection.call(CloseTarget { target_id: &target }, deadline).await?;
    Ok(guard.log().was_asked_for(NAME, 80))
}
