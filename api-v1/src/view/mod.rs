//! The contract's JSON, field by field: what routes answer and what events carry.

mod account;
mod answer;
mod failure;
mod list;
mod report;
mod scan;
mod site;
mod word;

pub(crate) use self::answer::Document;
pub use self::{
    account::AccountView,
    answer::Answer,
    list::{ListView, PagedList},
    report::ReportView,
    scan::{ScanView, Viewer},
    site::SiteView,
};
