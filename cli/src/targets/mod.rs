//! Which pages are checked: what the command line or the configuration names, as addresses.

mod kind;
mod select;
mod sitemap;

pub(crate) use self::{kind::read_list, select::replaced};
pub use self::{
    kind::{Target, TargetError},
    select::{InvalidReplacement, Replacement, Selection},
    sitemap::{SitemapError, SitemapPlace, read_sitemap},
};
