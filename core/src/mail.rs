//! Mail to people on its way to a mail server: its words, and its sending.
//!
//! A [`MailWriter`] writes a mail in the language of its reader. The [store](crate::store::MailStore) knows which mails are due, and the
//! [`Mailer`](crate::engine::Mailer) asks for them; a [`MailSender`] makes one attempt.

use async_trait::async_trait;

use crate::{
    domain::{EmailAddress, Failure, Invitation, MailOutcome, PlainSecret, Site, Team, WebhookEndpoint},
    id::{MailId, ScanId},
    locale::Locale,
};

/// The content of a mail, as far as it is no matter of language.
#[expect(clippy::large_enum_variant, reason = "one is made at a time, and written at once")]
#[derive(Debug, Clone)]
pub enum MailContent {
    /// Somebody is invited into a team.
    Invitation {
        /// The team.
        team: Team,
        /// The invitation.
        invitation: Invitation,
        /// The secret of the link.
        link: PlainSecret,
    },
    /// Somebody asked for another password.
    PasswordReset {
        /// The secret of the link.
        link: PlainSecret,
    },
    /// A check failed.
    CheckFailed {
        /// The team.
        team: Team,
        /// The site.
        site: Site,
        /// The check.
        scan: ScanId,
        /// The reason why it failed.
        failure: Failure,
        /// The secret by which the reader switches notices off without signing in.
        link: PlainSecret,
    },
    /// An endpoint was switched off because its deliveries kept failing.
    EndpointOff {
        /// The team.
        team: Team,
        /// The endpoint.
        endpoint: WebhookEndpoint,
        /// The secret by which the reader switches notices off without signing in.
        link: PlainSecret,
    },
}

/// A mail in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    /// The id of the mail, the same on every attempt, by which a mailbox may know a second copy.
    pub id: MailId,
    /// The address.
    pub to: EmailAddress,
    /// The line of the subject. A sender takes control characters out of it: names of teams and sites are in it.
    pub subject: String,
    /// The text, with line feeds at the ends of lines.
    pub text: String,
    /// The same as a web page of its own, with all that people named escaped; empty if there is none.
    pub html: String,
    /// The address at which a `POST` switches such mail off without a sign-in, as programs for mail do (RFC 8058), and a `GET` shows a page
    /// with a button for it; `None` for mail that somebody asked for.
    pub switch_off: Option<String>,
}

/// Writes mails.
pub trait MailWriter: Send + Sync + std::fmt::Debug + 'static {
    /// Writes a mail in a language.
    fn write(&self, id: MailId, to: &EmailAddress, content: &MailContent, locale: Locale) -> Letter;
}

/// Sends mails.
#[async_trait]
pub trait MailSender: Send + Sync + std::fmt::Debug + 'static {
    /// Makes one attempt, which ends by itself within [`LIMIT`](crate::engine::Mailer::SENDER_LIMIT); one that lasts longer is cut off, and
    /// counts as put off.
    async fn send(&self, letter: Letter) -> MailOutcome;
}
