//! Webhooks: endpoints with their secrets, and the delivery of events to them.

pub(crate) mod attempts;
mod claim;
pub(crate) mod endpoints;
pub(crate) mod outbox;
pub(crate) mod rows;
mod sealing;
mod store;
