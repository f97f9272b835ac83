//! The cases for stores: a file for each area, in a folder for each subject.

/// Asserts that a value matches a pattern, and shows it if it does not.
macro_rules! assert_matches {
    ($value:expr, $pattern:pat $(, $message:literal)?) => {
        match $value {
            $pattern => {}
            other => panic!("{}expected {}, got {other:?}", concat!($($message, ": ")?), stringify!($pattern)),
        }
    };
}

mod accounts;
mod cases;
mod fixtures;
mod macros;
mod mails;
mod outbox;
mod people;
mod race;
mod results;
mod reviews;
mod shares;
mod site_fields;
mod transfer;
mod walks;
mod work;
mod world;

pub use self::transfer::FilledStore;
#[doc(hidden)]
pub use self::{
    macros::run_store_case, mails::run_mail_case, people::run_people_case, reviews::run_review_case,
    shares::run_share_case, site_fields::run_site_field_case, transfer::run_transfer_case,
};
