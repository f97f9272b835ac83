//! Webhooks: endpoints with their secrets, and events on the way to them.

pub(crate) mod outbox;
pub(crate) mod rows;
mod sealing;
mod store;
