//! What people say about success criteria.

mod store;
