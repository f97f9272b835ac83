//! The form of a command of the protocol.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// A command with its parameters, which are the fields of the type that implements this.
pub(crate) trait Command: Serialize {
    /// The name of the command, including its domain.
    const METHOD: &'static str;
    /// The part of its result that is read.
    type Result: DeserializeOwned;
}

/// The result of a command that returns nothing, or nothing that is needed.
pub(crate) type Done = serde::de::IgnoredAny;

/// A command that is sent in response to an event. Nothing waits for its result.
#[derive(Debug)]
pub(crate) struct Reaction {
    pub(super) method: &'static str,
    pub(super) params: Result<Value, serde_json::Error>,
}

impl Reaction {
    /// Makes a reaction of this command.
    pub(crate) fn with<C: Command>(command: C) -> Self {
        Self { method: C::METHOD, params: serde_json::to_value(command) }
    }
}

/// Implements [`Command`] for a struct: `command!(Navigate<'_> = "Page.navigate" => Navigated)`.
macro_rules! command {
    ($command:ty = $method:literal => $result:ty) => {
        impl $crate::cdp::Command for $command {
            const METHOD: &'static str = $method;
            type Result = $result;
        }
    };
}
pub(super) use command;
