//! Webhooks: endpoints with their secrets, and events on the way to them.

pub(crate) mod outbox;
mod sealing;
mod store;
