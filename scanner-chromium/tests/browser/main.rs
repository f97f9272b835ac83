//! The scanner in a real Chromium, on sites served from this machine.
//!
//! Needs a Chromium and axe-core; what to install is in the message of a test that fails for lack of them.

mod scan;
mod support;
