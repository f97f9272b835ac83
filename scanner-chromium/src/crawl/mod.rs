//! Which pages of a site are checked, in which order, within which bounds.
//!
//! A scan asks the site about itself first (`survey`: robots.txt and sitemaps), visits the start page, and then chooses
//! from what it found (`frontier`), kinds of pages in turn (`kinds`), at a pace that the site can bear (`pace`).

mod actions;
mod address;
mod fetch;
mod frontier;
mod kinds;
mod ledger;
mod login;
mod pace;
mod robots;
mod site;
mod sitemap;
mod survey;
mod traps;
mod visits;

pub(crate) use self::visits::{Crawl, CrawlError};
