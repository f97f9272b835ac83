//! Files of checks: pictures and documents, in the tables or in an object store.

#[cfg_attr(not(feature = "object-store"), path = "no_objects.rs")]
pub(crate) mod objects;
pub(crate) mod store;
pub(crate) mod uploads;
