//! The core of an accessibility check service.

pub mod clock;
pub mod domain;
pub mod error;
pub mod id;
pub mod locale;
pub mod message;
pub mod net;
pub mod page;
pub mod scanner;
pub mod store;
pub mod webhook;

pub use webhook::signature as signing;
