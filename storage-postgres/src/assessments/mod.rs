//! What people say about success criteria.

pub(crate) mod rows;
mod store;
