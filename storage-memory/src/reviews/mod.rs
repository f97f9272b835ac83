//! What people decided about elements that checks found.

pub(crate) mod store;
