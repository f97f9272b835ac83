//! Who repairs what checks found.

pub(crate) mod rows;
pub(crate) mod store;
