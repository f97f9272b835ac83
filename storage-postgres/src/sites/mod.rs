//! Sites.

pub(crate) mod rows;
mod store;
mod together;
