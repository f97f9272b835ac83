//! The core of an accessibility check service.

pub mod catalog;
pub mod clock;
#[cfg(feature = "conformance")]
pub mod conformance;
pub mod domain;
pub mod engine;
pub mod error;
pub mod id;
pub mod locale;
pub mod message;
pub mod net;
pub mod page;
pub mod report;
pub mod scanner;
pub mod service;
pub mod store;
pub mod view;
pub mod webhook;

pub use webhook::signature as signing;

pub use self::{engine::Engine, error::Error, scanner::Scanner, service::Service, store::Store};
