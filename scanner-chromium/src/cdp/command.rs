//! What a command of the protocol is.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// A command with its parameters, which are the fields of the type that implements this.
pub(crate) trait Command: Serialize {
    /// The name of the command, its domain included.
    const METHOD: &'static str;
    /// What is read of its result.
    type Result: DeserializeOwned;
}

/// The result of a command that returns nothing, or nothing of interest.
pub(crate) type Done = serde::de::IgnoredAny;

/// A command in answer to an event; nobody waits for its result.
#[derive(Debug)]
pub(crate) struct Reaction {
    pub(super) method: &'static str,
    pub(super) params: Result<Value, serde_json::Error>,
}

impl Reaction {
    /// Answers with this command.
    pub(crate) fn with<C: Command>(command: C) -> Self {
        Self { method: C::METHOD, params: serde_json::to_value(command) }
    }
}

/// Makes a struct a command: `command!(Navigate<'_> = "Page.navigate" => Navigated)`.
macro_rules! command {
    ($command:ty = $method:literal => $result:ty) => {
        impl $crate::cdp::Command for $command {
            const METHOD: &'static str = $method;
            type Result = $result;
        }
    };
}
pub(super) use command;
