//! Webhooks: endpoints with their secrets, and events on the way to them.

pub(crate) mod attempts;
mod claim;
mod endpoints;
pub(crate) mod outbox;
mod rows;
mod sealing;
mod store;
