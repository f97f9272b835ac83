//! Who repairs what checks found.

pub(crate) mod store;
