//! Mail to people.

pub(crate) mod notices;
mod rows;
mod store;
