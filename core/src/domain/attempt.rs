//! Attempts of deliveries.

use chrono::{DateTime, TimeDelta, Utc};

use super::{UnknownWord, stored_word::stored_words};

/// An attempt that has ended, as it is kept in the log of deliveries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// The number of the attempt within its delivery, counted from 1.
    pub number: u32,
    /// The instant at which a worker claimed it.
    pub started_at: DateTime<Utc>,
    /// The instant at which its end was recorded.
    pub ended_at: DateTime<Utc>,
    /// The outcome.
    pub report: AttemptReport,
}

/// The outcome of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptReport {
    /// The time it took, from looking up the name to the end of what was read of the response.
    pub duration: TimeDelta,
    /// The response, or the reason why there was none.
    pub result: AttemptResult,
}

impl AttemptReport {
    /// The report of an attempt that lost its worker as often as it may be begun. Its duration is not known, and given
    /// as zero.
    pub const WORKER_LOST: Self =
        Self { duration: TimeDelta::zero(), result: AttemptResult::Failed(AttemptFailure::WorkerLost) };

    /// Returns whether the receiver accepted the event.
    pub const fn is_success(&self) -> bool {
        self.result.is_success()
    }
}

/// The response of a receiver, or the reason why there was none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttemptResult {
    /// The receiver responded.
    Answered {
        /// The HTTP status. Any of 200 to 299 means received; a redirect (3xx) is not followed and means not received.
        status: u16,
        /// The beginning of the response.
        excerpt: Excerpt,
    },
    /// There was no response.
    Failed(AttemptFailure),
}

impl AttemptResult {
    /// Returns whether the receiver accepted the event.
    pub const fn is_success(&self) -> bool {
        matches!(self, Self::Answered { status: 200..=299, .. })
    }
}

/// The reason why there was no response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AttemptFailure {
    /// The name has no address.
    Dns,
    /// The name now leads to an address that is not public, or the address of the endpoint does not begin with `https`.
    RefusedAddress,
    /// No connection was established.
    Connect,
    /// The certificate is not valid, or no secure connection was established.
    Tls,
    /// The time for an attempt ended before there was a response.
    Timeout,
    /// The connection broke off before a response, or what was received is not HTTP.
    BrokenOff,
    /// The operator's own proxy could not be reached, or broke the connection off.
    ProxyUnreachable,
    /// The operator's own proxy demands other credentials.
    ProxyLogin,
    /// The operator's own proxy refuses the connection.
    ProxyRefused,
    /// No worker could report: the attempt was begun [as often as it may be](super::DeliveryState::MAX_TRIES), and
    /// every worker died. The receiver may have received the event.
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

/// The beginning of a response's body as text: at most [`MAX_BYTES`](Self::MAX_BYTES) of UTF-8, without U+0000.
/// Whatever bytes the receiver sent, the text can be stored and shown; it is hostile all the same.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Excerpt(String);

impl Excerpt {
    /// The greatest number of bytes that are kept.
    pub const MAX_BYTES: usize = 1024;

    /// Returns the part of a body that is kept.
    pub fn of(body: &[u8]) -> Self {
        // A few bytes more than are kept, so that the cut falls between characters and not inside one.
        let body = body.get(..Self::MAX_BYTES + 4).unwrap_or(body);
        let mut text = String::from_utf8_lossy(body).replace('\0', "");
        text.truncate(text.floor_char_boundary(Self::MAX_BYTES));
        Self(text)
    }

    /// Returns the text.
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
