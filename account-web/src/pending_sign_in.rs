//! Tickets that lead from the first step of a sign-in to the second, so that nothing is stored between them.
//!
//! A ticket is an instant and a code of authentication (HMAC-SHA-256) about it, the person and the stored hash of the password. The key
//! belongs to the second factor: all servers of an installation know it, and it ends with the factor, as the ticket does with the password.
//! Whoever has a ticket has shown the first factor, and nothing more; guesses of the second are bounded as those of passwords are.

use a11ycheck_core::{domain::PasswordHash, id::PersonId, service::BetweenKey};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, TimeDelta, Utc};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// The time for which a ticket is valid: enough to find a telephone.
const TERM: TimeDelta = TimeDelta::minutes(10);

/// Makes a ticket for a person who has shown the first factor.
pub(crate) fn ticket(
    key: &BetweenKey,
    person: PersonId,
    password: Option<&PasswordHash>,
    now: DateTime<Utc>,
) -> String {
    let at = now.timestamp();
    format!("{at}.{}", URL_SAFE_NO_PAD.encode(code(key, person, password, at).finalize().into_bytes()))
}

/// Returns whether a text is a ticket of this person that is valid.
pub(crate) fn is_valid(
    ticket: &str,
    key: &BetweenKey,
    person: PersonId,
    password: Option<&PasswordHash>,
    now: DateTime<Utc>,
) -> bool {
    let read = || {
        let (at, written) = ticket.split_once('.')?;
        let at: i64 = at.parse().ok()?;
        let age = now - DateTime::from_timestamp(at, 0)?;
        let written = URL_SAFE_NO_PAD.decode(written).ok()?;
        // In constant time.
        let is_ours = code(key, person, password, at).verify_slice(&written).is_ok();
        Some(is_ours && age < TERM)
    };
    read().unwrap_or(false)
}

fn code(key: &BetweenKey, person: PersonId, password: Option<&PasswordHash>, at: i64) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).expect("HMAC takes a key of any length");
    let password = password.map_or("", PasswordHash::as_str);
    // Neither an id nor a number has a line break.
    mac.update(format!("a11ycheck sign-in\n{person}\n{at}\n{password}").as_bytes());
    mac
}
