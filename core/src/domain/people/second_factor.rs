//! The second factor of a sign-in: the codes of an app, and recovery codes for when the app is lost.

use std::fmt;

use chrono::{DateTime, Utc};
use rand::RngExt as _;
use sha2::{Digest as _, Sha256};
use totp_rs::{Algorithm, Builder, Secret, Totp};
use zeroize::Zeroizing;

use super::{EmailAddress, PlainSecret, SecretHash};
use crate::{
    id::PersonId,
    sealing::{Keyring, OpenError, Sealed, SealingContext},
};

/// The second factor of a person, as a store keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecondFactor {
    /// The secret that the person's app has, sealed.
    pub secret: Sealed,
    /// The latest period of which a code was taken. No code of it, or of one before it, is taken again.
    pub last_period: CodePeriod,
    /// The hashes of the recovery codes that were not used.
    pub recovery: Vec<SecretHash>,
    /// The instant at which it was switched on.
    pub since: DateTime<Utc>,
}

impl SecondFactor {
    /// Takes a code of a period, once: returns `false`, and changes nothing, if one of it or of a later one was taken (RFC 6238, 5.2).
    pub fn take_code(&mut self, period: CodePeriod) -> bool {
        let is_new = period > self.last_period;
        if is_new {
            self.last_period = period;
        }
        is_new
    }

    /// Takes a recovery code, once: returns `false` if it is none of those that were not used.
    pub fn take_recovery_code(&mut self, code: &SecretHash) -> bool {
        let before = self.recovery.len();
        self.recovery.retain(|other| other != code);
        self.recovery.len() < before
    }

    /// Returns the bytes that a store keeps of recovery codes: the hashes, one after the other.
    pub fn stored_recovery(codes: &[SecretHash]) -> Vec<u8> {
        codes.iter().flat_map(SecretHash::as_bytes).copied().collect()
    }

    /// Reads what [`stored_recovery`](Self::stored_recovery) has returned; `None` for anything else.
    pub fn recovery_from_stored(bytes: &[u8]) -> Option<Vec<SecretHash>> {
        let (hashes, rest) = bytes.as_chunks::<32>();
        rest.is_empty().then(|| hashes.iter().copied().map(SecretHash::from_bytes).collect())
    }
}

/// A second factor to be switched on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSecondFactor {
    /// The secret, sealed.
    pub secret: Sealed,
    /// The period of the code by which the person has shown that the app has the secret.
    pub period: CodePeriod,
    /// The hashes of the recovery codes.
    pub recovery: Vec<SecretHash>,
}

/// A period of 30 seconds, in which an app shows one code: their number since 1970 (RFC 6238, 4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CodePeriod(u64);

impl CodePeriod {
    /// Restores a period from its stored number.
    pub const fn from_stored(number: u64) -> Self {
        Self(number)
    }

    /// Returns the number that is stored.
    pub const fn number(self) -> u64 {
        self.0
    }
}

/// The secret that a person's app and the service share. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct TotpSecret(Zeroizing<[u8; Self::LENGTH]>);

/// The reason why a stored secret of an app can't be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenFactorError {
    /// It can't be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The opened bytes have another length.
    #[error("the secret of a second factor has {0} bytes")]
    Length(usize),
}

impl TotpSecret {
    /// The bytes of a secret: as many as HMAC-SHA-1 gives (RFC 4226, 4, R6).
    const LENGTH: usize = 20;
    /// The digits of a code.
    pub const DIGITS: u8 = 6;
    /// The seconds of a period.
    const PERIOD: u64 = 30;
    /// The periods before and after the present one whose codes are taken, for clocks that differ (RFC 6238, 5.2).
    const DRIFT: u16 = 1;
    /// The name under which apps list it.
    const ISSUER: &'static str = "a11ycheck";

    /// Generates a secret from the operating system's random numbers.
    pub fn generate() -> Self {
        let mut bytes = Zeroizing::new([0; Self::LENGTH]);
        rand::rng().fill(&mut bytes[..]);
        Self(bytes)
    }

    /// Reads what [`to_base32`](Self::to_base32) has written; `None` for anything else.
    pub fn from_base32(text: &str) -> Option<Self> {
        let secret = Secret::try_from_base32(text).ok()?;
        Some(Self(Zeroizing::new(secret.as_bytes().try_into().ok()?)))
    }

    /// Returns the text that a person can type into an app: base32 in upper case, without padding.
    pub fn to_base32(&self) -> Zeroizing<String> {
        Zeroizing::new(self.shared().to_base32())
    }

    /// Returns the address that apps read from a QR code: `otpauth://totp/…`.
    pub fn address(&self, email: &EmailAddress) -> Zeroizing<String> {
        let totp =
            self.builder().with_issuer(Some(Self::ISSUER)).with_account_name(email.as_str()).build_noncompliant();
        // An e-mail address is not empty and has no colon, which is all that can be wrong.
        Zeroizing::new(totp.to_url().unwrap_or_default())
    }

    /// Returns the period of which a code is, if it is of the present one or of one beside it; `None` if the code is wrong. White space in
    /// it does not count. The comparison takes the same time for all wrong codes.
    pub fn period_of(&self, code: &str, now: DateTime<Utc>) -> Option<CodePeriod> {
        let digits = code.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        if digits.len() != usize::from(Self::DIGITS) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        self.totp().check(&digits, u64::try_from(now.timestamp()).ok()?).map(CodePeriod)
    }

    /// Returns the code that an app shows at an instant.
    pub fn code_at(&self, now: DateTime<Utc>) -> String {
        self.totp().generate(u64::try_from(now.timestamp()).unwrap_or_default()).to_string()
    }

    /// Returns a key for another purpose, which tells nothing of the secret.
    pub fn derived_key(&self, purpose: &str) -> [u8; 32] {
        Sha256::new().chain_update(purpose).chain_update([0]).chain_update(&self.0[..]).finalize().into()
    }

    /// Seals the secret for its person, which is the form in which a store keeps it.
    pub fn seal(&self, ring: &Keyring, person: PersonId) -> Sealed {
        ring.seal(&SealingContext::second_factor(person), &self.0[..])
    }

    /// Opens a secret that was sealed for the person.
    ///
    /// # Errors
    /// [`OpenFactorError`].
    pub fn open(ring: &Keyring, person: PersonId, sealed: &Sealed) -> Result<Self, OpenFactorError> {
        let opened = ring.open(&SealingContext::second_factor(person), sealed)?;
        let bytes = opened.as_slice().try_into().map_err(|_| OpenFactorError::Length(opened.len()))?;
        Ok(Self(Zeroizing::new(bytes)))
    }

    fn shared(&self) -> Secret {
        Secret::new_stack(*self.0)
    }

    fn builder(&self) -> Builder {
        // SHA-1 is what apps know; what is wrong with it as a digest is nothing to HMAC (RFC 6238, 1.2; RFC 4226, B.2).
        Builder::new()
            .with_algorithm(Algorithm::SHA1)
            .with_digits(Self::DIGITS)
            .with_step_duration(Self::PERIOD)
            .with_skew(Self::DRIFT)
            .with_secret(self.shared())
    }

    fn totp(&self) -> Totp {
        self.builder().build_noncompliant()
    }
}

impl fmt::Debug for TotpSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TotpSecret(…)")
    }
}

/// A code that lets a person in once when the app is lost: 80 random bits. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct RecoveryCode(String);

impl RecoveryCode {
    /// The number of codes that a person gets.
    pub const NUMBER: usize = 10;
    const CHARACTERS: usize = 16;
    /// Without letters and digits that look alike (`l` and `1`, `o` and `0`).
    const ALPHABET: &'static [u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

    /// Generates as many codes as a person gets.
    pub fn generate_all() -> Vec<Self> {
        let mut rng = rand::rng();
        let mut one = || (0..Self::CHARACTERS).map(|_| char::from(Self::ALPHABET[rng.random_range(0..32)])).collect();
        (0..Self::NUMBER).map(|_| Self(one())).collect()
    }

    /// Takes a code from a request. Case, white space and hyphens don't count; `None` if it can't be a recovery code.
    pub fn presented(text: &str) -> Option<Self> {
        let is_between = |c: &char| !c.is_whitespace() && *c != '-';
        let code = text.chars().filter(is_between).flat_map(char::to_lowercase).take(Self::CHARACTERS + 1).collect();
        let code: String = code;
        let is_ours = code.len() == Self::CHARACTERS && code.bytes().all(|byte| Self::ALPHABET.contains(&byte));
        is_ours.then_some(Self(code))
    }

    /// Returns the hash that a store keeps; a plain one suffices for 80 random bits behind growing waits.
    pub fn hash(&self) -> SecretHash {
        PlainSecret::presented(self.0.as_str()).hash()
    }

    /// Returns the code itself, to be shown once, in groups of four.
    pub fn reveal(&self) -> String {
        let groups = self.0.as_bytes().chunks(4).map(String::from_utf8_lossy);
        groups.collect::<Vec<_>>().join("-")
    }
}

impl fmt::Debug for RecoveryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecoveryCode(…)")
    }
}

/// The rule of a team about signing in in two steps. It is optional until an owner demands it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TwoSteps {
    /// Each member decides.
    #[default]
    Optional,
    /// A member without a second factor can do nothing in the team before switching one on.
    Demanded,
}

impl TwoSteps {
    /// Returns the demand that a flag stands for.
    pub const fn from_flag(are_demanded: bool) -> Self {
        if are_demanded { Self::Demanded } else { Self::Optional }
    }

    /// Returns whether they are demanded.
    pub const fn are_demanded(self) -> bool {
        matches!(self, Self::Demanded)
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }

    /// RFC 6238, appendix B, whose codes have eight digits: these are their last six.
    #[test]
    fn codes_are_those_of_the_standard() {
        let secret = TotpSecret(Zeroizing::new(*b"12345678901234567890"));
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(secret.code_at(at(seconds)), code);
            assert_eq!(secret.period_of(code, at(seconds)), Some(CodePeriod(seconds.unsigned_abs() / 30)));
        }
        assert_eq!(secret.period_of(" 287 082 ", at(59)), Some(CodePeriod(1)), "as apps show it");
        for wrong in ["", "28708", "2870822", "287083", "28708x", "94287082", "+87082", "٢٨٧٠٨٢"] {
            assert_eq!(secret.period_of(wrong, at(59)), None, "{wrong}");
        }
    }

    #[test]
    fn a_clock_may_differ_by_one_period_and_no_more() {
        let (secret, now) = (TotpSecret::generate(), at(1_800_000_000));
        let code = secret.code_at(now);
        let taken = |seconds| secret.period_of(&code, now + TimeDelta::seconds(seconds));
        let own = Some(CodePeriod(60_000_000));
        assert_eq!([taken(-30), taken(0), taken(29), taken(59)], [own; 4], "the period is always the code's own");
        // By chance, one code in a million is that of another period.
        let far = [taken(-60), taken(-31), taken(60), taken(90)];
        assert!(far.iter().filter(|period| period.is_some()).count() < 2, "{far:?}");
    }

    #[test]
    fn a_secret_is_read_back_from_its_text_and_shown_to_apps() {
        let secret = TotpSecret(Zeroizing::new(*b"12345678901234567890"));
        assert_eq!(*secret.to_base32(), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        assert_eq!(TotpSecret::from_base32("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"), Some(secret.clone()));
        for wrong in ["", "GEZDGNBV", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGE", "1EZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"] {
            assert_eq!(TotpSecret::from_base32(wrong), None, "{wrong}");
        }
        assert_eq!(
            *secret.address(&"jo+a@example.org".parse().unwrap()),
            "otpauth://totp/a11ycheck:jo%2Ba%40example.org?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=a11ycheck"
        );
        assert_eq!(format!("{secret:?}"), "TotpSecret(…)");
    }

    #[test]
    fn a_secret_is_opened_for_its_person_alone() {
        let (ring, secret) = (Keyring::ephemeral(), TotpSecret::generate());
        let [jo, ann] = [PersonId::generate(at(0)), PersonId::generate(at(0))];
        let sealed = secret.seal(&ring, jo);
        assert_eq!(TotpSecret::open(&ring, jo, &sealed), Ok(secret.clone()));
        assert_eq!(TotpSecret::open(&ring, ann, &sealed), Err(OpenError::NotGenuine(ring.current()).into()));
        let short = ring.seal(&SealingContext::second_factor(jo), b"short");
        assert_eq!(TotpSecret::open(&ring, jo, &short), Err(OpenFactorError::Length(5)));
        assert_ne!(secret.derived_key("a"), secret.derived_key("b"));
    }

    #[test]
    fn each_code_is_taken_once() {
        let codes: Vec<_> = RecoveryCode::generate_all().iter().map(RecoveryCode::hash).collect();
        let (ring, period) = (Keyring::ephemeral(), CodePeriod(7));
        let secret = TotpSecret::generate().seal(&ring, PersonId::generate(at(0)));
        let mut factor = SecondFactor { secret, last_period: period, recovery: codes.clone(), since: at(0) };
        assert!(!factor.take_code(period) && !factor.take_code(CodePeriod(6)), "nor one of before");
        assert!(factor.take_code(CodePeriod(8)) && !factor.take_code(CodePeriod(8)));
        assert!(factor.take_recovery_code(&codes[3]) && !factor.take_recovery_code(&codes[3]));
        assert_eq!(factor.recovery, [&codes[..3], &codes[4..]].concat());
        let stored = SecondFactor::stored_recovery(&factor.recovery);
        assert_eq!(SecondFactor::recovery_from_stored(&stored), Some(factor.recovery));
        assert_eq!(SecondFactor::recovery_from_stored(&stored[1..]), None);
        assert_eq!(SecondFactor::recovery_from_stored(&[]), Some(Vec::new()));
    }

    #[test]
    fn recovery_codes_are_read_however_they_are_typed() {
        let codes = RecoveryCode::generate_all();
        assert_eq!(codes.len(), 10);
        assert!(codes.iter().all(|code| code.reveal().len() == 19 && code.reveal().matches('-').count() == 3));
        assert_ne!(codes[0], codes[1]);
        let code = RecoveryCode::presented("abcd-efgh-jkmn-pqrs").unwrap();
        for text in ["ABCDEFGHJKMNPQRS", " abcd efgh jkmn pqrs ", "abcd-efgh-jkmn-pqrs\n"] {
            assert_eq!(RecoveryCode::presented(text).unwrap().hash(), code.hash(), "{text}");
        }
        for text in ["", "123456", "abcd-efgh-jkmn-pqr", "abcd-efgh-jkmn-pqrsx", "abcd-efgh-jkmn-pq0o"] {
            assert_eq!(RecoveryCode::presented(text), None, "{text}");
        }
        assert_eq!(format!("{code:?}"), "RecoveryCode(…)");
    }
}
