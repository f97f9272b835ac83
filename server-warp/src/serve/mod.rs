//! The accept loop.
//!
//! Our own and not warp's, because warp sets no deadline for a request's head, no limit to connections or to what a reader
//! may take, and waits without end when it stops: a few hundred clients that send or read a byte a second would hold it all.

mod accept;
mod connection;
mod deadlines;
mod head;
mod peers;
#[cfg(test)]
mod tests;
mod wire;

pub use self::accept::{ServeLimits, serve};
