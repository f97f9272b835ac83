//! The state as such, the lock that steps run under, and what belongs to no team.

mod hints;
mod settings;
pub(crate) mod state;
mod store;

pub use self::store::MemoryStore;
