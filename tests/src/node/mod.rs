//! The parts of the nodes of the crash tests, and what a test must know about them to judge what they leave behind.
//!
//! A node is a process of its own (`a11ycheck-test-node`): the real service, routes and loops over PostgreSQL. Only the
//! browser is missing ([`SeededScanner`] replaces it), and time passes faster ([`QuickClock`]), so that a test need not
//! wait a minute for each lease of a worker that was killed.

mod clock;
mod scanner;
mod settings;

pub use self::{clock::QuickClock, scanner::SeededScanner, settings::NodeSettings};
