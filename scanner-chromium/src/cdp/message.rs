//! The messages on the pipe.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::CdpError;

#[derive(Serialize)]
struct Outgoing<'a, P> {
    id: u64,
    method: &'a str,
    params: P,
    #[serde(rename = "sessionId", skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
}

/// A message of the browser: the response to a command, or an event.
#[derive(Deserialize)]
pub(super) struct Incoming {
    pub(super) id: Option<u64>,
    pub(super) method: Option<String>,
    #[serde(default)]
    pub(super) params: Value,
    #[serde(default)]
    pub(super) result: Value,
    pub(super) error: Option<ErrorBody>,
    #[serde(rename = "sessionId")]
    pub(super) session: Option<String>,
}

/// The reason why a command was refused.
#[derive(Deserialize)]
pub(super) struct ErrorBody {
    #[serde(default)]
    pub(super) code: i64,
    #[serde(default)]
    pub(super) message: String,
}

/// Returns a command as it is written to the pipe; `session` is `None` for the browser itself.
pub(super) fn encode(
    id: u64,
    session: Option<&str>,
    method: &'static str,
    params: impl Serialize,
) -> Result<Vec<u8>, CdpError> {
    let mut message = serde_json::to_vec(&Outgoing { id, method, params, session })
        .map_err(|source| CdpError::Arguments { method, source })?;
    message.push(0);
    Ok(message)
}
