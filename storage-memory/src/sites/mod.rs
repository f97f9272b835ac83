//! Sites.

mod store;
