//! The contract's JSON, field by field: what routes answer and what events carry.

mod account;
pub(crate) mod failure;
mod list;
mod scan;
mod site;
mod word;

pub use self::{
    account::AccountView,
    list::{ListView, PagedList},
    scan::{ScanView, Viewer},
    site::SiteView,
};
