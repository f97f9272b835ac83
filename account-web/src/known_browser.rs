//! Marks of browsers in which somebody has signed in before, so that strangers can't make an account's owner wait.
//!
//! A mark is a random number and a date, with a code of authentication (HMAC-SHA-256) about them and the person, as the device cookies of
//! OWASP's "Slow Down Online Guessing Attacks with Device Cookies" are. The key is the stored hash of the person's password: it has a salt
//! of 128 random bits and 256 bits of argon2id's, is known to all servers of an installation and to nobody else, and changes with the password.
//! So nothing is stored for marks, every server and every later release recognises them, a new password ends all of them, and
//! a mark that is stolen helps neither to sign in nor to find out the password.

use a11ycheck_core::{
    domain::{PasswordHash, PlainSecret, SecretHash},
    id::PersonId,
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, TimeDelta, Utc};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// A browser that was recognised by its mark, which is of one person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct KnownBrowser(SecretHash);

/// The time for which a mark is valid. It is renewed at each sign-in. Browsers keep no cookie for longer (RFC 6265bis, 5.5).
pub(crate) const TERM: TimeDelta = TimeDelta::days(400);

/// The number of persons that one browser is known for: a shared one.
const MOST: usize = 5;

/// Stands between the parts of a mark.
const WITHIN: char = '.';
/// Stands between marks.
const BETWEEN: char = '~';

/// Makes a mark for a browser in which a person has just signed in.
pub(crate) fn mark(person: PersonId, password: &PasswordHash, now: DateTime<Utc>) -> String {
    let number = PlainSecret::generate();
    let (number, date) = (number.reveal(), now.timestamp());
    let code = URL_SAFE_NO_PAD.encode(code(person, password, number, date).finalize().into_bytes());
    format!("{number}{WITHIN}{date}{WITHIN}{code}")
}

/// Puts a mark before those that a browser has, of which the last ones are dropped if they become too many. One that was `replaced`
/// is dropped, too.
pub(crate) fn with(marks: &str, new: &str, replaced: Option<KnownBrowser>) -> String {
    let kept = marks.split(BETWEEN).filter(|mark| is_formed(mark) && Some(browser(mark)) != replaced);
    std::iter::once(new).chain(kept.take(MOST - 1)).collect::<Vec<_>>().join(&BETWEEN.to_string())
}

/// Returns the browser that marks show to be known for a person with this password; `None` if none of them does.
pub(crate) fn recognised(
    marks: &str,
    person: PersonId,
    password: &PasswordHash,
    now: DateTime<Utc>,
) -> Option<KnownBrowser> {
    let mut marks = marks.split(BETWEEN).take(MOST);
    marks.find(|mark| is_valid(mark, person, password, now).unwrap_or(false)).map(browser)
}

fn is_valid(mark: &str, person: PersonId, password: &PasswordHash, now: DateTime<Utc>) -> Option<bool> {
    let [number, date, written] = parts(mark)?;
    let date = date.parse().ok()?;
    let age = now - DateTime::from_timestamp(date, 0)?;
    let written = URL_SAFE_NO_PAD.decode(written).ok()?;
    // In constant time.
    let is_ours = code(person, password, number, date).verify_slice(&written).is_ok();
    Some(is_ours && age < TERM)
}

fn code(person: PersonId, password: &PasswordHash, number: &str, date: i64) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(password.as_str().as_bytes()).expect("HMAC takes a key of any length");
    // Neither an id nor a number that is formed as ours has a line break.
    mac.update(format!("a11ycheck known browser\n{person}\n{date}\n{number}").as_bytes());
    mac
}

fn parts(mark: &str) -> Option<[&str; 3]> {
    let parts: Vec<_> = mark.split(WITHIN).collect();
    parts.try_into().ok()
}

/// Returns whether a text may be a mark. Only the person's stored password can show whose it is.
fn is_formed(mark: &str) -> bool {
    let is_text = |part: &str| {
        let is_own = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        (1..=64).contains(&part.len()) && part.bytes().all(is_own)
    };
    parts(mark).is_some_and(|parts| parts.into_iter().all(is_text))
}

fn browser(mark: &str) -> KnownBrowser {
    KnownBrowser(PlainSecret::presented(mark).hash())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn password(text: &str) -> PasswordHash {
        PasswordHash::from_stored(text)
    }

    #[test]
    fn a_mark_is_recognised_for_its_person_until_the_password_changes_or_it_is_old() {
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let (jo, ann) = (PersonId::generate(now), PersonId::generate(now));
        let own = password("$argon2id$1");
        let mark = mark(jo, &own, now);
        let is_known =
            |marks: &str, person, password: &PasswordHash, at| recognised(marks, person, password, at).is_some();
        assert!(is_known(&mark, jo, &own, now) && is_known(&mark, jo, &own, now + TimeDelta::days(399)));
        assert!(!is_known(&mark, jo, &own, now + TERM));
        assert!(!is_known(&mark, ann, &own, now), "it is of one person");
        assert!(!is_known(&mark, jo, &password("$argon2id$2"), now), "a new password ends it");
        let (number, rest) = mark.split_once('.').unwrap();
        let (date, code) = rest.split_once('.').unwrap();
        for changed in [
            String::new(),
            number.to_owned(),
            format!("{number}.{date}."),
            format!("{number}.{}.{code}", 1_800_000_001),
            format!("x{number}.{date}.{code}"),
            format!("{number}.{date}.{code}.x"),
            format!("{number}.{}.{code}", "9".repeat(40)),
        ] {
            assert!(!is_known(&changed, jo, &own, now), "{changed}");
        }
    }

    #[test]
    fn a_shared_browser_keeps_a_few_marks_and_nothing_that_is_none() {
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let own = password("$argon2id$1");
        let people: Vec<_> = (0..7).map(|_| PersonId::generate(now)).collect();
        let marks =
            people.iter().fold("x y;~=".to_owned(), |marks, person| with(&marks, &mark(*person, &own, now), None));
        assert!(marks.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte)), "{marks}");
        assert!(marks.len() < 600);
        let known = people.iter().map(|person| recognised(&marks, *person, &own, now).is_some());
        assert_eq!(known.collect::<Vec<_>>(), [false, false, true, true, true, true, true]);
        let replaced = recognised(&marks, people[6], &own, now);
        let renewed = with(&marks, &mark(people[6], &own, now), replaced);
        assert!(recognised(&renewed, people[2], &own, now).is_some(), "a renewed mark takes no further place");
        assert_ne!(recognised(&renewed, people[6], &own, now), replaced);
    }
}
