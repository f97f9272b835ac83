//! Events on their way to a team's endpoints: what they say, how they are signed, how they are sent.
//!
//! Which deliveries are due is the [store](crate::store::WebhookStore)'s to say, and the
//! [`Dispatcher`](crate::engine::Dispatcher)'s to ask; a [`WebhookSender`] makes one attempt.

#[cfg(feature = "delivery")]
mod clients;
mod header_prefix;
#[cfg(feature = "delivery")]
mod http_sender;
pub(crate) mod payload;
pub(crate) mod request;
mod sender;
pub(crate) mod target;
#[cfg(feature = "delivery")]
mod tls;
#[cfg(feature = "delivery")]
mod tunnel;

#[cfg(feature = "delivery")]
pub use self::http_sender::HttpSender;
pub use self::{
    header_prefix::{HeaderPrefix, InvalidPrefix},
    sender::{WebhookRequest, WebhookSender},
};
