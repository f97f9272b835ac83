//! The state as such, the lock under which steps run, and what belongs to no team.

pub(crate) mod delivery_rows;
mod hints;
pub(crate) mod mail_rows;
pub(crate) mod people_rows;
pub(crate) mod scan_log;
pub(crate) mod scan_rows;
mod settings;
pub(crate) mod share_rows;
pub(crate) mod site_field_rows;
pub(crate) mod site_rows;
pub(crate) mod state;
mod store;
pub(crate) mod team_rows;

pub use self::store::MemoryStore;
