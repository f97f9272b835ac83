//! Checks: what their team sees of them, the queue of those that wait or run, and the log of what happened to them.

mod event_log;
mod queue;
mod store;
