//! Signs webhook bodies, and verifies them at the receiver's.
//!
//! The header `Svc-Signature` is `t=<unix time>,v1=<hex>`; `v1` is the lower-case hexadecimal HMAC-SHA256 of `<t>.<body>`,
//! keyed with the whole text of the endpoint's secret, `whsec_` included. Only the time and the body are signed: trust the
//! `id` and `type` of the body, not the other headers.
//!
//! A receiver verifies the bytes as they came in, before it parses them:
//!
//! ```
//! use a11ycheck_signing::{self as signing, VerifyError};
//!
//! /// Returns the HTTP status to answer with.
//! fn receive(secret: &str, svc_signature: &str, body: &[u8], now: i64) -> u16 {
//!     match signing::verify(secret, svc_signature, body, now) {
//!         Ok(()) => 204, // Now the body can be parsed and believed.
//!         // Genuine, but late: a replay, or a clock that is wrong.
//!         Err(VerifyError::TooOld | VerifyError::FromFuture) => 400,
//!         Err(_) => 401,
//!     }
//! }
//!
//! let body = br#"{"id":"evt_1","type":"ping"}"#;
//! let header = signing::sign("whsec_example", 1_700_000_000, body);
//! assert_eq!(receive("whsec_example", &header, body, 1_700_000_004), 204);
//! assert_eq!(receive("whsec_example", &header, body, 1_700_000_300), 400);
//! assert_eq!(receive("whsec_example", &header, br#"{"id":"evt_2","type":"ping"}"#, 1_700_000_004), 401);
//! assert_eq!(receive("whsec_another", &header, body, 1_700_000_004), 401);
//! ```

mod signature;

pub use self::signature::{MAX_HEADER_LENGTH, TOLERANCE_SECONDS, VerifyError, sign, sign_with, verify};
