//! The core of an accessibility check service.

pub mod clock;
pub mod domain;
pub mod id;
pub mod locale;
pub mod net;
pub mod scanner;
pub mod webhook;

pub use webhook::signature as signing;
