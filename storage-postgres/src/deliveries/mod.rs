//! Webhooks: endpoints with their secrets, and the delivery of events to them.

pub(crate) mod attempts;
mod claim;
mod endpoints;
pub(crate) mod outbox;
mod rows;
mod sealing;
mod store;
