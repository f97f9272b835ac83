//! The core of an accessibility check service.

pub mod clock;
#[cfg(feature = "conformance")]
pub mod conformance;
pub mod domain;
pub mod error;
pub mod id;
pub mod locale;
pub mod message;
pub mod page;
pub mod scanner;
pub mod store;
