//! Checks: what their team sees of them, and the queue of those that wait or run.

mod queue;
mod store;
