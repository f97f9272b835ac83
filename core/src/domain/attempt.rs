//! One try to deliver.

use chrono::{DateTime, TimeDelta, Utc};

use super::{UnknownWord, stored_word::stored_words};

/// An attempt that has ended, as the log of deliveries has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Counted from 1.
    pub number: u32,
    /// When it was given to a worker.
    pub started_at: DateTime<Utc>,
    /// When its end was recorded.
    pub ended_at: DateTime<Utc>,
    /// What came of it.
    pub report: AttemptReport,
}

/// What came of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptReport {
    /// How long it took, from the look-up of the name to the end of what was read of the answer.
    pub duration: TimeDelta,
    /// The answer, or why there was none.
    pub result: AttemptResult,
}

impl AttemptReport {
    /// What is told of an attempt whose workers died, as often as it was begun. How long it took, nobody knows: zero.
    pub const WORKER_LOST: Self =
        Self { duration: TimeDelta::zero(), result: AttemptResult::Failed(AttemptFailure::WorkerLost) };

    /// Whether the event was received.
    pub const fn is_success(&self) -> bool {
        self.result.is_success()
    }
}

/// The answer of a receiver, or why there was none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttemptResult {
    /// The receiver answered.
    Answered {
        /// The HTTP status. Any of 200 to 299 means received; a redirect (3xx) is not followed and means that it was not.
        status: u16,
        /// How the answer began.
        excerpt: Excerpt,
    },
    /// There was no answer.
    Failed(AttemptFailure),
}

impl AttemptResult {
    /// Whether the event was received.
    pub const fn is_success(&self) -> bool {
        matches!(self, Self::Answered { status: 200..=299, .. })
    }
}

/// Why there was no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AttemptFailure {
    /// The name has no address.
    Dns,
    /// The name leads to an address that is not public, now; or the address does not begin with `https`.
    RefusedAddress,
    /// No connection came about.
    Connect,
    /// The certificate is not valid, or no secure connection came about.
    Tls,
    /// No answer within the time that there is.
    Timeout,
    /// The connection broke off before an answer, or what came was not HTTP.
    BrokenOff,
    /// The operator's own proxy could not be reached, or broke off.
    ProxyUnreachable,
    /// The operator's own proxy wants other credentials.
    ProxyLogin,
    /// The operator's own proxy does not let the connection pass.
    ProxyRefused,
    /// Nobody lived to tell: the attempt was begun [as often as it may be](super::DeliveryState::MAX_TRIES), and its
    /// workers died. The receiver may have got it.
    WorkerLost,
    /// A reason of a later release, shown as it is stored.
    Unknown(UnknownWord),
}

stored_words!(AttemptFailure {
    Dns = "dns",
    RefusedAddress = "refused_address",
    Connect = "connect",
    Tls = "tls",
    Timeout = "timeout",
    BrokenOff = "broken_off",
    ProxyUnreachable = "proxy_unreachable",
    ProxyLogin = "proxy_login",
    ProxyRefused = "proxy_refused",
    WorkerLost = "worker_lost",
});

/// The beginning of an answer's body as text: at most [`MAX_BYTES`](Self::MAX_BYTES) of UTF-8, without U+0000. Whatever
/// bytes the receiver sent, this can be stored and shown; it is a stranger's text all the same.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Excerpt(String);

impl Excerpt {
    /// Bytes that are kept.
    pub const MAX_BYTES: usize = 1024;

    /// What can be kept of a body.
    pub fn of(body: &[u8]) -> Self {
        // A little more than is kept, so that the cut falls between characters and not into one.
        let body = body.get(..Self::MAX_BYTES + 4).unwrap_or(body);
        let mut text = String::from_utf8_lossy(body).replace('\0', "");
        text.truncate(text.floor_char_boundary(Self::MAX_BYTES));
        Self(text)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_2xx_means_received_and_nothing_else_does() {
        for status in 100..=599 {
            let answered = AttemptResult::Answered { status, excerpt: Excerpt::default() };
            assert_eq!(answered.is_success(), (200..300).contains(&status), "{status}");
        }
        assert!(!AttemptResult::Failed(AttemptFailure::Timeout).is_success());
    }

    #[test]
    fn an_excerpt_is_short_text_whatever_was_sent() {
        assert_eq!(Excerpt::of("Дякую".as_bytes()).as_str(), "Дякую");
        assert_eq!(Excerpt::of(b"a\0b").as_str(), "ab");
        assert_eq!(Excerpt::of(&[b'x'; 5000]).as_str().len(), 1024);
        for body in
            ["я".repeat(5000).into_bytes(), vec![0xff; 5000], [&[b'a'][..], "€".repeat(900).as_bytes()].concat()]
        {
            let excerpt = Excerpt::of(&body);
            assert!((1_020..=Excerpt::MAX_BYTES).contains(&excerpt.as_str().len()));
            assert_eq!(Excerpt::of(excerpt.as_str().as_bytes()), excerpt, "what is stored reads back the same");
        }
    }
}
