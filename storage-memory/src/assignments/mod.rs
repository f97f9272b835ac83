//! Who repairs what checks found.

mod store;
