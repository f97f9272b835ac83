//! Proof that the guard is in force.
//!
//! A switch that Chromium does not know is ignored without a word. A mistyped or renamed `--proxy-server` would
//! leave the browser with free access to our networks, and every page would still load.

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::{
    cdp::{CdpError, Connection, IgnoreEvents, Session},
    guard::Guard,
};

/// A name that no resolver knows (RFC 6761): it fails everywhere except at our guard, which hears of it.
const NAME: &str = "guard-canary.invalid";

/// Opens an address and returns whether the guard was asked for it.
pub(super) async fn passes_guard(connection: &Connection, guard: &Guard, deadline: Instant) -> Result<bool, CdpError> {
    #[derive(Deserialize)]
    struct Created {
        #[serde(rename = "targetId")]
        target: String,
    }
    let Created { target } = connection.call("Target.createTarget", json!({ "url": "about:blank" }), deadline).await?;
    let session = Session::attach(connection, &target, std::sync::Arc::new(IgnoreEvents), deadline).await?;
    // Resolves when the navigation has failed or an answer has come.
    session.call::<Value>("Page.navigate", json!({ "url": format!("http://{NAME}/") }), deadline).await?;
    connection.call::<Value>("Target.closeTarget", json!({ "targetId": target }), deadline).await?;
    Ok(guard.log().has_heard_of(NAME, 80))
}
