//! Endpoints, events and their deliveries.

pub(super) mod deliveries;
pub(super) mod delivery_concurrency;
pub(super) mod delivery_log;
pub(super) mod endpoints;
pub(super) mod events;
pub(super) mod sealing;
pub(super) mod steps;
pub(super) mod switch_off;
