//! The proof that the guard is in force.
//!
//! Chromium ignores a switch that it does not know without a word. With a mistyped or renamed `--proxy-server`, the
//! browser would have free access to our networks, and every page would still load.

use tokio::time::Instant;

use crate::{
    cdp::{
        CdpError, Connection, IgnoreEvents, Session,
        commands::{CloseTarget, CreateTarget, Navigate},
    },
    guard::Guard,
};

/// A name that no resolver knows (RFC 6761): it fails everywhere except at our guard, which notes that it was asked
/// for.
const NAME: &str = "guard-canary.invalid";

/// Opens an address and returns whether the guard was asked for it.
pub(super) async fn passes_guard(connection: &Connection, guard: &Guard, deadline: Instant) -> Result<bool, CdpError> {
    let blank = CreateTarget { url: "about:blank", browser_context_id: None };
    let target = connection.call(blank, deadline).await?.target_id;
    let session = Session::attach(connection, &target, std::sync::Arc::new(IgnoreEvents), deadline).await?;
    // This returns when the navigation has failed or a response has come.
    session.call(Navigate { url: &format!("http://{NAME}/") }, deadline).await?;
    connection.call(CloseTarget { target_id: &target }, deadline).await?;
    Ok(guard.log().was_asked_for(NAME, 80))
}
