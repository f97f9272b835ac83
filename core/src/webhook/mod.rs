//! Events on their way to a team's endpoints: their bodies, their signatures, and their sending.
//!
//! An [`EventWriter`] writes the bodies. The [store](crate::store::WebhookStore) knows which deliveries are due, and the
//! [`Dispatcher`](crate::engine::Dispatcher) asks for them; a [`WebhookSender`] makes one attempt.

#[cfg(feature = "delivery")]
mod clients;
mod event_writer;
mod header_prefix;
#[cfg(feature = "delivery")]
mod http_sender;
pub(crate) mod request;
mod sender;
pub(crate) mod target;
#[cfg(feature = "delivery")]
mod tls;
#[cfg(feature = "delivery")]
mod tunnel;

// The return type of the methods of an `EventWriter`, for implementations.
pub use bytes::Bytes;

pub(crate) use self::event_writer::test_event;
#[cfg(feature = "delivery")]
pub use self::http_sender::HttpSender;
pub use self::{
    event_writer::{CompletedCheck, EventHead, EventWriter},
    header_prefix::{HeaderPrefix, InvalidPrefix},
    sender::{WebhookRequest, WebhookSender},
};
