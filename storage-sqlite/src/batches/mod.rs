//! Decisions and assignments that are made at once.

mod store;
