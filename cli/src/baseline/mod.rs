//! Baselines: the findings that are known, so that a gate can ask for new ones alone.
//!
//! A baseline names pages without the host of the site (see [`Identity`]), so that one from `https://www.example.com` is compared with
//! the same build on `http://127.0.0.1:4173`. Pages that it does not name, and pages that a run did not check, are compared with
//! nothing: neither new findings nor solved ones are claimed there beyond what templates show.

mod compare;
mod file;
mod identity;

pub(crate) use self::compare::all_unlisted;
pub use self::{
    compare::{Compared, compare, updated},
    file::{BaselineEntry, BaselineError, BaselineFile},
    identity::Identity,
};
