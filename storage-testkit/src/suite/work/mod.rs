//! Sites and the checks that are queued for them, up to their end.

pub(super) mod claims;
pub(super) mod deletion;
pub(super) mod hints;
pub(super) mod leases;
pub(super) mod manual_checks;
pub(super) mod scan_concurrency;
pub(super) mod scan_events;
pub(super) mod schedule;
pub(super) mod site_concurrency;
pub(super) mod sites;
