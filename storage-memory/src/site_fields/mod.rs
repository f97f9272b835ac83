//! Fields that teams add to their sites, and the values of sites.

mod store;
