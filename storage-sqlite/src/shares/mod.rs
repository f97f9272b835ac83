//! Links to reports.

mod store;
