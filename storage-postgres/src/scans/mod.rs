//! Checks: what their team sees of them, the queue of those that wait or run, what they found, and for how long they are kept.

mod claim;
pub(crate) mod enqueue;
mod moves;
pub(crate) mod queue;
pub(crate) mod results;
pub(crate) mod retention;
mod rows;
pub(crate) mod store;
