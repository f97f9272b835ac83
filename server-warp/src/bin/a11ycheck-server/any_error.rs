//! Errors of the program that no caller distinguishes: they are shown, and end it.

use std::error::Error;

/// Any error, with its causes.
pub(crate) type AnyError = Box<dyn Error + Send + Sync>;
