//! The scanner in a real Chromium, on sites served from this machine.
//!
//! The tests need a Chromium and axe-core. A test that fails because one of them is missing says what to install.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod across;
mod addresses;
mod by_hand;
mod changes;
mod crawl;
mod dead_links;
mod discovery;
mod equality;
mod evidence;
mod examination;
mod focus_order;
mod frames;
mod guard;
mod hanging;
mod hostile;
mod leading;
mod lifecycle;
mod login;
mod memory;
mod moving;
mod networks;
mod opened_frames;
mod opened_pictures;
mod opening;
mod painted;
mod pictures;
mod platform;
mod politeness;
mod privacy;
mod probes;
mod report;
mod reuse;
mod scan;
mod secure;
mod sentences;
mod settling;
mod support;
mod traps;
mod views;
mod walls;
