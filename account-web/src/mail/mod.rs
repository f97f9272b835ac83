//! Mail to people: its words, and its way to a mail server.

mod letters;
mod smtp;

pub use self::smtp::{Smtp, SmtpError};
