//! The signature of a body: made by the sender, verified by the receiver.

use std::fmt::Write as _;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// The distance from the receiver's clock, in seconds, from which a signature is refused (contract §13.5).
pub const TOLERANCE_SECONDS: u64 = 300;

/// The longest header that is read, in bytes: room for dozens of signatures.
pub const MAX_HEADER_LENGTH: usize = 4096;

/// The reason why a body is not to be trusted. If several reasons apply, the first of this list is returned, except that
/// the faults of single parts come in the order of the parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The receiver's secret is empty, perhaps because a setting was forgotten: anybody could sign with it.
    #[error("the secret is empty")]
    EmptySecret,
    /// The header is empty.
    #[error("the signature header is empty")]
    EmptyHeader,
    /// The header is longer than [`MAX_HEADER_LENGTH`].
    #[error("the signature header is longer than {MAX_HEADER_LENGTH} bytes")]
    HeaderTooLong,
    /// A part of the header is not `name=value`.
    #[error("the signature header is not a list of name=value")]
    Malformed,
    /// `t` is not an integer as [`sign`] writes it.
    #[error("the timestamp of the signature is not an integer")]
    InvalidTimestamp,
    /// There are several `t`, so it would be open which one was signed.
    #[error("the signature header has several timestamps")]
    RepeatedTimestamp,
    /// There is no `t`.
    #[error("the signature header has no timestamp")]
    NoTimestamp,
    /// There is no `v1` of 64 hexadecimal digits.
    #[error("the signature header has no v1 signature")]
    NoSignature,
    /// No signature is that of this body with this secret.
    #[error("no signature matches the body")]
    Mismatch,
    /// The signature is genuine, and was made [`TOLERANCE_SECONDS`] or more ago.
    #[error("the signature is too old")]
    TooOld,
    /// The signature is genuine, and from [`TOLERANCE_SECONDS`] or more in the future: one of the two clocks is wrong.
    #[error("the signature is from the future")]
    FromFuture,
}

/// Returns the value of the header `Svc-Signature`: `t=<timestamp>,v1=<hex>`. `timestamp` is in seconds since 1970 (UTC).
pub fn sign(secret: &str, timestamp: i64, body: &[u8]) -> String {
    sign_with(&[secret], timestamp, body)
}

/// Signs like [`sign`] with several secrets, one `v1` each in their order, while an endpoint's secret is being replaced: a
/// receiver with any one of them can verify the body. Without secrets there is no `v1`, and nobody can verify it.
pub fn sign_with(secrets: &[&str], timestamp: i64, body: &[u8]) -> String {
    let mut header = format!("t={timestamp}");
    for secret in secrets {
        header.push_str(",v1=");
        for byte in mac(secret, timestamp, body).finalize().into_bytes() {
            // Writing to a `String` can't fail.
            let _ = write!(header, "{byte:02x}");
        }
    }
    header
}

/// Verifies that `body` was signed with `secret`, within [`TOLERANCE_SECONDS`] of `now` (seconds since 1970, UTC).
///
/// One matching `v1` of several is enough. Signatures of unknown schemes, and `v1` that can't be signatures, are skipped.
/// The comparison takes the same time wherever the first difference is.
///
/// # Errors
/// Returns the reason not to trust the body. The time is judged last, so a refusal for the time is about a genuine signature.
pub fn verify(secret: &str, header: &str, body: &[u8], now: i64) -> Result<(), VerifyError> {
    if secret.is_empty() {
        return Err(VerifyError::EmptySecret);
    }
    let Header { timestamp, signatures } = Header::parse(header)?;
    let expected = mac(secret, timestamp, body);
    // `verify_slice` compares in constant time.
    if !signatures.iter().any(|signature| expected.clone().verify_slice(signature).is_ok()) {
        return Err(VerifyError::Mismatch);
    }
    match timestamp {
        near if near.abs_diff(now) < TOLERANCE_SECONDS => Ok(()),
        past if past < now => Err(VerifyError::TooOld),
        _ => Err(VerifyError::FromFuture),
    }
}

/// The relevant parts of a header: its time, and at least one signature.
struct Header {
    timestamp: i64,
    signatures: Vec<[u8; 32]>,
}

impl Header {
    fn parse(text: &str) -> Result<Self, VerifyError> {
        if text.trim().is_empty() {
            return Err(VerifyError::EmptyHeader);
        }
        if text.len() > MAX_HEADER_LENGTH {
            return Err(VerifyError::HeaderTooLong);
        }
        let mut timestamp = None;
        let mut signatures = Vec::new();
        for part in text.split(',') {
            match part.trim().split_once('=').ok_or(VerifyError::Malformed)? {
                ("t", _) if timestamp.is_some() => return Err(VerifyError::RepeatedTimestamp),
                ("t", value) => timestamp = Some(parse_timestamp(value).ok_or(VerifyError::InvalidTimestamp)?),
                ("v1", value) => signatures.extend(parse_signature(value)),
                // Another scheme.
                _ => {}
            }
        }
        let timestamp = timestamp.ok_or(VerifyError::NoTimestamp)?;
        if signatures.is_empty() { Err(VerifyError::NoSignature) } else { Ok(Self { timestamp, signatures }) }
    }
}

/// Reads a timestamp. There is one spelling per number (no `+1`, no `01`), because its text is what was signed.
fn parse_timestamp(text: &str) -> Option<i64> {
    text.parse().ok().filter(|timestamp: &i64| timestamp.to_string() == text)
}

fn parse_signature(hex: &str) -> Option<[u8; 32]> {
    let (pairs, []) = hex.as_bytes().as_chunks::<2>() else { return None };
    let bytes: Option<Vec<u8>> = pairs.iter().map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect();
    bytes?.try_into().ok()
}

fn digit(hex: u8) -> Option<u8> {
    char::from(hex).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

fn mac(secret: &str, timestamp: i64, body: &[u8]) -> Hmac<Sha256> {
    // HMAC is defined for keys of every length (RFC 2104 §2).
    let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("HMAC takes keys of every length");
    mac.chain_update(timestamp.to_string()).chain_update(b".").chain_update(body)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: i64 = 1_700_000_000;
    const BODY: &[u8] = br#"{"id":"evt_1","type":"scan.completed"}"#;
    // Computed with Python: hmac.new(secret.encode(), str(t).encode() + b"." + body, hashlib.sha256).hexdigest()
    const V1: &str = "2e1b6fbd31d5b69abbbe38c072316e23de8e845ad758dea49dffd7df291ee0a0";
    const V1_OLD: &str = "025fe72dc349da0fa0d1f0c7d409dfafa1ab142307fed9faab4014c4e852da9e";

    fn verdict(header: &str) -> Result<(), VerifyError> {
        verify("whsec_test", header, BODY, NOW)
    }

    #[test]
    fn other_implementations_compute_the_same_signature() {
        let all_bytes: Vec<u8> = (0..=255).collect();
        let long_secret = "k".repeat(100);
        for (secret, timestamp, body, v1) in [
            ("whsec_test", NOW, BODY, V1),
            ("whsec_old", NOW, BODY, V1_OLD),
            ("", 0, b"", "b849d5a581847b281957065739df36df2463d1977ea8d6e1e4e6cf33fadc68c3"),
            (&long_secret, -1, &all_bytes, "e5a44ffa7d6328be91e0ff90dfb3a1154d10c690e03f78758bb3782e808d339f"),
            (
                "schlüssel",
                253_402_300_799,
                "Grüße ✓\n".as_bytes(),
                "73ab15f7bc2c60f62df8ba1915fea11336decf732a5521dc6000cde7538592df",
            ),
        ] {
            assert_eq!(sign(secret, timestamp, body), format!("t={timestamp},v1={v1}"));
        }
    }

    #[test]
    fn a_genuine_delivery_is_believed() {
        for header in [
            format!("t={NOW},v1={V1}"),
            format!("v1={V1},t={NOW}"),
            format!(" t={NOW}, v1={V1} "),
            format!("t={NOW},v0=old,v1={V1},v2=bmV3Cg=="),
            format!("t={NOW},v1={V1_OLD},v1={V1}"),
            format!("t={NOW},v1={V1},v1={V1_OLD}"),
            format!("t={NOW},v1=,v1=zz,v1=ab,v1={V1}"),
        ] {
            assert_eq!(verdict(&header), Ok(()), "{header}");
        }
    }

    #[test]
    fn a_header_that_proves_nothing_is_refused_and_says_why() {
        let too_long = format!("t={NOW},v1={V1},x={}", "y".repeat(MAX_HEADER_LENGTH));
        for (header, error) in [
            ("", VerifyError::EmptyHeader),
            (" ", VerifyError::EmptyHeader),
            (&too_long, VerifyError::HeaderTooLong),
            ("nonsense", VerifyError::Malformed),
            (&format!("t={NOW},v1={V1},"), VerifyError::Malformed),
            (&format!("t={NOW} v1={V1}"), VerifyError::InvalidTimestamp),
            (&format!("t={NOW};v1={V1}"), VerifyError::InvalidTimestamp),
            (&format!("t=,v1={V1}"), VerifyError::InvalidTimestamp),
            (&format!("t=+{NOW},v1={V1}"), VerifyError::InvalidTimestamp),
            (&format!("t=0{NOW},v1={V1}"), VerifyError::InvalidTimestamp),
            (&format!("t={NOW}.0,v1={V1}"), VerifyError::InvalidTimestamp),
            (&format!("t=-0,v1={V1}"), VerifyError::InvalidTimestamp),
            (&format!("t=9223372036854775808,v1={V1}"), VerifyError::InvalidTimestamp),
            (&format!("t={NOW},t={NOW},v1={V1}"), VerifyError::RepeatedTimestamp),
            (&format!("t={NOW},v1={V1},t=1"), VerifyError::RepeatedTimestamp),
            (&format!("v1={V1}"), VerifyError::NoTimestamp),
            (&format!("T={NOW},v1={V1}"), VerifyError::NoTimestamp),
            (&format!("t={NOW}"), VerifyError::NoSignature),
            (&format!("t={NOW},v0={V1}"), VerifyError::NoSignature),
            (&format!("t={NOW},v1={}", &V1[..62]), VerifyError::NoSignature),
            (&format!("t={NOW},v1={}", &V1[..63]), VerifyError::NoSignature),
            (&format!("t={NOW},v1={V1}00"), VerifyError::NoSignature),
            (&format!("t={NOW},v1={}zz", &V1[..62]), VerifyError::NoSignature),
            (&format!("t={NOW},v1={}+a", &V1[..62]), VerifyError::NoSignature),
            (&format!("t={NOW},v1={V1_OLD}"), VerifyError::Mismatch),
            (&format!("t={},v1={V1}", NOW + 1), VerifyError::Mismatch),
            (&format!("t={},v1={V1}", NOW - 301), VerifyError::Mismatch),
        ] {
            assert_eq!(verdict(header), Err(error), "{header}");
        }
    }

    #[test]
    fn a_receiver_that_forgot_its_secret_believes_nobody() {
        assert_eq!(verify("", &sign("", NOW, BODY), BODY, NOW), Err(VerifyError::EmptySecret));
    }

    #[test]
    fn a_delivery_is_believed_for_less_than_five_minutes() {
        let header = sign("whsec_test", NOW, BODY);
        for (now, expected) in [
            (NOW - 300, Err(VerifyError::FromFuture)),
            (NOW - 299, Ok(())),
            (NOW + 299, Ok(())),
            (NOW + 300, Err(VerifyError::TooOld)),
            (i64::MIN, Err(VerifyError::FromFuture)),
            (i64::MAX, Err(VerifyError::TooOld)),
        ] {
            assert_eq!(verify("whsec_test", &header, BODY, now), expected, "{now}");
        }
    }

    #[test]
    fn no_time_brings_the_receiver_down() {
        for (timestamp, now, expected) in [
            (i64::MIN, i64::MAX, Err(VerifyError::TooOld)),
            (i64::MAX, i64::MIN, Err(VerifyError::FromFuture)),
            (i64::MIN, i64::MIN, Ok(())),
            (i64::MAX, i64::MAX, Ok(())),
        ] {
            assert_eq!(verify("s", &sign("s", timestamp, BODY), BODY, now), expected, "{timestamp} {now}");
        }
    }

    #[test]
    fn during_a_change_of_secrets_both_are_good() {
        let header = sign_with(&["whsec_test", "whsec_old"], NOW, BODY);
        assert_eq!(header, format!("t={NOW},v1={V1},v1={V1_OLD}"));
        assert_eq!(verify("whsec_test", &header, BODY, NOW), Ok(()));
        assert_eq!(verify("whsec_old", &header, BODY, NOW), Ok(()));
        assert_eq!(verify("whsec_third", &header, BODY, NOW), Err(VerifyError::Mismatch));
        assert_eq!(verify("whsec_test", &sign_with(&[], NOW, BODY), BODY, NOW), Err(VerifyError::NoSignature));
    }

    proptest! {
        #[test]
        fn what_was_signed_is_verified_and_nothing_else_is(
            secret in ".{1,80}", timestamp: i64, body: Vec<u8>, other: Vec<u8>, bit in 0..256_usize,
        ) {
            let header = sign(&secret, timestamp, &body);
            prop_assert_eq!(verify(&secret, &header, &body, timestamp), Ok(()));
            if other != body {
                prop_assert_eq!(verify(&secret, &header, &other, timestamp), Err(VerifyError::Mismatch));
            }
            let (time, v1) = header.split_once(",v1=").unwrap();
            let mut bytes = parse_signature(v1).unwrap();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let changed = format!("{time},v1={hex}");
            prop_assert_eq!(verify(&secret, &changed, &body, timestamp), Err(VerifyError::Mismatch));
        }

        #[test]
        fn no_header_brings_the_receiver_down(header in "([tv]1?[=,;]?[0-9a-f+-]{0,70},?){0,5}|.*", now: i64) {
            prop_assert!(verify("whsec_test", &header, BODY, now).is_err());
        }
    }
}
