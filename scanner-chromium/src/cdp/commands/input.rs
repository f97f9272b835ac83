//! Commands that press keys.

use serde::Serialize;

use crate::cdp::command::{Done, command};

/// Presses a key, or lets it go.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DispatchKeyEvent {
    pub(crate) r#type: KeyEventType,
    pub(crate) key: &'static str,
    pub(crate) code: &'static str,
    pub(crate) windows_virtual_key_code: u32,
    /// The sum of the keys that are held: 8 is Shift.
    pub(crate) modifiers: u32,
}
command!(DispatchKeyEvent = "Input.dispatchKeyEvent" => Done);

/// The kind of a key event.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum KeyEventType {
    /// The key is pressed, without a character being typed.
    RawKeyDown,
    KeyUp,
}
