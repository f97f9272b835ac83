//! Checks: what their team sees of them, the queue of those that wait or run, the log of what happened to them, their
//! results, and how long all of it is kept.

mod claim;
pub(crate) mod enqueue;
mod event_log;
mod moves;
pub(crate) mod queue;
pub(crate) mod results;
pub(crate) mod retention;
pub(crate) mod rows;
pub(crate) mod store;
