//! The cases for stores, a file for each area.

/// Asserts that a value matches a pattern, and shows it where it does not.
macro_rules! assert_matches {
    ($value:expr, $pattern:pat $(, $message:literal)?) => {
        match $value {
            $pattern => {}
            other => panic!("{}expected {}, got {other:?}", concat!($($message, ": ")?), stringify!($pattern)),
        }
    };
}

mod cases;
mod claims;
mod completion;
mod deletion;
mod deliveries;
mod delivery_concurrency;
mod delivery_log;
mod endpoints;
mod events;
mod files;
mod findings;
mod fixtures;
mod hints;
mod history;
mod isolation;
mod later_release;
mod leases;
mod macros;
mod manual_checks;
mod model;
mod outbox_model;
mod race;
mod rate_limits;
mod reference;
mod retention;
mod scan_concurrency;
mod scans;
mod schedule;
mod sealing;
mod settings;
mod site_concurrency;
mod sites;
mod switch_off;
mod team_concurrency;
mod team_deletion;
mod teams;
mod telling;
mod texts;
mod world;

#[doc(hidden)]
pub use self::macros::run_store_case;
use crate::StoreFactory;
