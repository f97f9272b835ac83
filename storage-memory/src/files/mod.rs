//! Files of checks: pictures and documents.

mod store;
