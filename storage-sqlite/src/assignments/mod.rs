//! Who repairs what checks found.

pub(crate) mod rows;
mod store;
