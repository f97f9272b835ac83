//! A small client of the Chrome DevTools Protocol.
//!
//! It is our own, over `--remote-debugging-pipe`, and not a library over a WebSocket, for four reasons:
//!
//! - The browser opens no debugging port that a checked page or a local user could reach, and it ends by itself when
//!   the pipe closes, even after a `SIGKILL` of this process.
//! - Every pending command fails at once when its tab crashes, its session ends or the browser exits. Nothing waits for
//!   a time-out to learn what is already known, and every command has a deadline all the same.
//! - An event or field of a newer Chromium changes nothing: only what is read is parsed.
//! - The commands and events in use ([`commands`], [`events`]) need no five megabytes of generated types.
//!
//! Events are passed to an [`EventSink`] where they arrive, one after the other, so there is no queue that a page could
//! fill faster than it is read.

mod command;
pub(crate) mod commands;
mod connection;
mod error;
pub(crate) mod events;
mod framing;
mod message;
mod session;
mod sink;

pub(crate) use self::{
    command::{Command, Reaction},
    connection::Connection,
    error::{CdpError, SessionEnd},
    events::Event,
    session::Session,
    sink::{EventSink, IgnoreEvents},
};
