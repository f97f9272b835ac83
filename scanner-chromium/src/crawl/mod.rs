//! Which pages of a site are checked, in which order, within which bounds.
//!
//! A scan asks the site about itself first (`survey`: robots.txt and sitemaps), visits the start page, and then chooses
//! from what it found (`frontier`), kinds of pages in turn (`kinds`). How a page is visited is not its business: `visit` does that.

mod actions;
mod address;
mod fetch;
mod frontier;
mod kinds;
mod ledger;
mod login;
mod missing;
mod reached;
mod robots;
mod scan;
mod site;
mod sitemap;
mod survey;
mod traps;

pub(crate) use self::scan::{Crawl, CrawlError};
