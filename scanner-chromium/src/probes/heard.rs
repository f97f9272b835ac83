//! What a page listens for, as far as the probes that move it have to know.

use crate::cdp::commands::EventListener;

/// Whether scripts of a page learn of something. What is not known they may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Heard {
    /// That a key is pressed.
    pub(super) keys_down: bool,
    /// That a key is let go.
    pub(super) keys_up: bool,
    /// That the focus moves.
    pub(super) focus: bool,
}

impl Default for Heard {
    fn default() -> Self {
        Self { keys_down: true, keys_up: true, focus: true }
    }
}

impl Heard {
    /// Returns what these listeners are for.
    pub(super) fn of(listeners: &[EventListener]) -> Self {
        let mut heard = Self { keys_down: false, keys_up: false, focus: false };
        heard.add(listeners);
        heard
    }

    /// Adds what these listeners are for.
    pub(super) fn add(&mut self, listeners: &[EventListener]) {
        for listener in listeners {
            match listener.kind.as_str() {
                "keydown" | "keypress" => self.keys_down = true,
                "keyup" => self.keys_up = true,
                "blur" | "focus" | "focusin" | "focusout" | "DOMFocusIn" | "DOMFocusOut" => self.focus = true,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_may_be_heard_and_what_no_listener_is_for_is_not() {
        let of = |kinds: &[&str]| {
            let listener = |kind: &&str| EventListener {
                kind: (*kind).to_owned(),
                handler: None,
                backend_node_id: None,
                once: false,
            };
            Heard::of(&kinds.iter().map(listener).collect::<Vec<_>>())
        };
        assert_eq!(Heard::default(), Heard { keys_down: true, keys_up: true, focus: true });
        assert_eq!(of(&["click", "scroll"]), Heard { keys_down: false, keys_up: false, focus: false });
        assert_eq!(of(&["click", "focusin"]), Heard { keys_down: false, keys_up: false, focus: true });
        assert_eq!(of(&["keydown", "keyup"]), Heard { keys_down: true, keys_up: true, focus: false });
    }
}
