//! Files of checks: pictures that came with the result, documents that were rendered from it.

mod leftovers;
mod store;
