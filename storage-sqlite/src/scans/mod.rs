//! Checks: what their team sees of them, the queue of those that wait or run, and the log of what happened to them.

mod claim;
pub(crate) mod enqueue;
pub(crate) mod event_log;
mod moves;
pub(crate) mod queue;
pub(crate) mod results;
pub(crate) mod retention;
pub(crate) mod rows;
pub(crate) mod store;
