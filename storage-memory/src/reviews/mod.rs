//! What people decided about elements that checks found.

mod store;
