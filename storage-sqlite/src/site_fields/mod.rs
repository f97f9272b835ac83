//! Fields that teams add to their sites, and the values of sites.

pub(crate) mod rows;
mod store;
