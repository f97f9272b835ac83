//! Mail to people.

mod store;
