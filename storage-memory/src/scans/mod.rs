//! Checks: what their team sees of them, and the queue of those that wait or run.

mod queue;
pub(crate) mod rows;
mod store;
