//! Webhooks: endpoints with their secrets, and the delivery of events to them.

pub(crate) mod outbox;
mod sealing;
mod store;
