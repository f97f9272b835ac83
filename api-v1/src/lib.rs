//! The wire contract of the REST API, version 1, without HTTP itself.
//!
//! A frontend finds a request's path in [`routes`], reads what it says with [`PageQuery`], [`FileQuery`] and [`site_input`], calls a
//! use-case of [`a11ycheck_core`], and answers with the JSON of [`view`] or words a refusal with [`ErrorBody`]. [`EventsV1`] writes what
//! webhooks say, and [`openapi`] is the published description. Programs that embed the service in Rust need this crate for webhooks
//! alone.
//!
//! docs/contract-v1.md is the contract in words.

mod endpoint_text;
mod error_body;
mod events;
mod file_query;
pub mod headers;
mod links;
pub mod openapi;
mod page_query;
mod refusals;
pub mod routes;
mod samples;
mod site_body;
pub mod view;

pub use self::{
    endpoint_text::endpoint_details,
    error_body::{ErrorBody, FieldMessages},
    events::EventsV1,
    file_query::{DraftQuery, FileQuery, Wanted},
    links::Links,
    page_query::{PageQuery, SiteFilter},
    site_body::site_input,
};
