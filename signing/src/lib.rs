//! Signs the webhooks of a11ycheck, and verifies them at the receiver. It needs nothing else of a11ycheck.
//!
//! ```
//! use a11ycheck_signing::{Envelope, VerifyError, sign, verify};
//!
//! /// Returns the HTTP status to answer with.
//! fn receive(secret: &str, svc_signature: &str, body: &[u8], now: i64) -> u16 {
//!     match verify(secret, svc_signature, body, now) {
//!         Ok(()) => {}
//!         // Genuine, but late: a replay, or a clock that is wrong.
//!         Err(VerifyError::TooOld | VerifyError::FromFuture) => return 400,
//!         Err(_) => return 401,
//!     }
//!     // Only now is the body parsed.
//!     match serde_json::from_slice::<Envelope<serde_json::Value>>(body) {
//!         Ok(event) => {
//!             println!("{} happened at {}", event.kind, event.created_at);
//!             204
//!         }
//!         Err(_) => 400,
//!     }
//! }
//!
//! // What the service sends: here for a test of the receiver.
//! let body = br#"{"id":"evt_1","type":"ping","created_at":"2023-11-14T22:13:20.000000Z","data":{}}"#;
//! let header = sign("whsec_example", 1_700_000_000, body);
//!
//! assert_eq!(receive("whsec_example", &header, body, 1_700_000_004), 204);
//! assert_eq!(receive("whsec_example", &header, body, 1_700_000_300), 400, "five minutes later");
//! assert_eq!(receive("whsec_example", &header, br#"{"id":"evt_2"}"#, 1_700_000_004), 401, "another body");
//! assert_eq!(receive("whsec_another", &header, body, 1_700_000_004), 401, "another secret");
//! ```
//!
//! [`verify`] judges the header `Svc-Signature` and the bytes of the body as they were received. [`Envelope`] is the form
//! of the body. [`sign`] makes the header as the service does, for the tests of a receiver.
//!
//! # The signature
//! The header `Svc-Signature` is `t=<unix time>,v1=<hex>`; `v1` is the lower-case hexadecimal HMAC-SHA256 of `<t>.<body>`,
//! keyed with the whole text of the endpoint's secret, `whsec_` included. While a secret is being replaced there are two `v1`.
//! Only the time and the body are signed: trust the `id` and `type` of the body, not the other headers.
//!
//! # What it is not
//! It has no HTTP, no clock and no memory of what was received: a receiver drops a delivery whose `Svc-Delivery` it has
//! seen before, because each arrives at least once.

mod envelope;
mod signature;

pub use self::{
    envelope::Envelope,
    signature::{MAX_HEADER_LENGTH, TOLERANCE_SECONDS, VerifyError, sign, sign_with, verify},
};
