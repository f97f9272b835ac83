//! Proof that the guard is in force.
//!
//! A switch that Chromium does not know is ignored without a word. A mistyped or renamed `--proxy-server` would
//! leave the browser with free access to our networks, and every page would still load.

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::pool::StartError;
use crate::{
    cdp::{Connection, EventSink, Reaction, Session, SessionEnd},
    guard::Guard,
};

/// A name that no resolver knows (RFC 6761): it fails everywhere except at our guard, which hears of it.
const NAME: &str = "guard-canary.invalid";

/// Opens an address and demands that the guard heard of it.
pub(super) async fn require_guard(connection: &Connection, guard: &Guard, deadline: Instant) -> Result<(), StartError> {
    #[derive(Deserialize)]
    struct Created {
        #[serde(rename = "targetId")]
        target: String,
    }
    let Created { target } = connection.call("Target.createTarget", json!({ "url": "about:blank" }), deadline).await?;
    let session = Session::attach(connection, &target, std::sync::Arc::new(Deaf), deadline).await?;
    // Resolves when the navigation has failed or an answer has come.
    session.call::<Value>("Page.navigate", json!({ "url": format!("http://{NAME}/") }), deadline).await?;
    connection.call::<Value>("Target.closeTarget", json!({ "targetId": target }), deadline).await?;
    if guard.log().has_heard_of(NAME, 80) { Ok(()) } else { Err(StartError::GuardNotInForce) }
}

/// Takes no notice of what happens in a tab.
pub(super) struct Deaf;

impl EventSink for Deaf {
    fn event(&self, _: &str, _: &Value) -> Option<Reaction> {
        None
    }

    fn ended(&self, _: SessionEnd) {}
}
