//! Which pages of a site are checked, in which order, within which bounds.

mod address;
mod frontier;
mod site;
mod visits;

pub(crate) use self::visits::{Crawl, CrawlError};
