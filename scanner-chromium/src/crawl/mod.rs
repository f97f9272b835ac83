//! The choice of the pages of a site that are checked, their order, and the bounds.
//!
//! A scan first requests what the site says about itself (`survey`: robots.txt and sitemaps), visits the start page,
//! and then chooses from the pages that it found (`frontier`), kinds of pages in turn (`kinds`). The visit itself is
//! the business of `visit`. Pages that the request names are visited as they are named (`scan::exact`). When all are done, they are
//! compared (`across`).

mod across;
mod actions;
mod address;
mod fetch;
mod frontier;
mod kinds;
mod ledger;
mod login;
mod memory;
mod missing;
mod named_sitemap;
mod reached;
mod results;
mod robots;
mod scan;
mod site;
mod sitemap;
mod survey;
mod traps;

pub use self::sitemap::Sitemap;
pub(crate) use self::{
    named_sitemap::read_sitemap,
    scan::{Crawl, CrawlError, check_exactly},
};
