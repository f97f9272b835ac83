//! The core of an accessibility check service.

pub mod catalog;
pub mod clock;
pub mod domain;
pub mod id;
pub mod locale;
pub mod scanner;
