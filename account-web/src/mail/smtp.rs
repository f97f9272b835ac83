//! Sends mail by SMTP.

use std::time::Duration;

use a11ycheck_core::{
    domain::{EmailAddress, MailOutcome},
    mail::{Letter, MailSender},
    reexport::async_trait,
};
use lettre::{
    Address, AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor,
    message::{
        Mailbox, MessageBuilder, MultiPart,
        header::{ContentType, HeaderName, HeaderValue},
    },
    transport::smtp::{
        self,
        client::{Certificate, Tls, TlsParameters},
    },
};
use url::Url;

/// The most characters of a subject.
const LONGEST_SUBJECT: usize = 150;
/// The longest wait for one answer of the mail server.
const PATIENCE: Duration = Duration::from_secs(20);

/// Sends mail by SMTP, one connection for each mail.
#[derive(Clone)]
pub struct Smtp {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
}

/// The reason why mail can't be sent with such settings.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SmtpError {
    /// The address of the server is none.
    #[error(
        "the address of the mail server has to be smtps://user:password@host, smtp://host:587?tls=required or the like"
    )]
    Url(#[source] smtp::Error),
    /// A certificate of an authority is none.
    #[error("a certificate of an authority can't be understood")]
    Certificate(#[source] smtp::Error),
    /// The address from which mail comes is none.
    #[error("`{0}` is no e-mail address")]
    From(EmailAddress),
}

impl Smtp {
    /// Returns a sender through the server at an address, with mail from `from`. The address is `smtps://` (TLS from the beginning, port
    /// 465), or `smtp://` with `?tls=required` or `?tls=opportunistic` (STARTTLS, port 587) or without (no TLS, port 25); it may have a user
    /// and a password. No connection is made yet. The system's authorities are trusted and these, each a certificate in DER.
    ///
    /// # Errors
    /// [`SmtpError`].
    pub fn new(url: &str, from: &EmailAddress, ca_certificates: &[Vec<u8>]) -> Result<Self, SmtpError> {
        let transport = AsyncSmtpTransport::<Tokio1Executor>::from_url(url).map_err(SmtpError::Url)?;
        let transport = tls(url, ca_certificates)?.into_iter().fold(transport, |transport, tls| transport.tls(tls));
        let transport = transport.timeout(Some(PATIENCE)).build();
        let address: Address = from.as_str().parse().map_err(|_| SmtpError::From(from.clone()))?;
        Ok(Self { transport, from: Mailbox::new(None, address) })
    }

    fn message(&self, letter: &Letter) -> Result<Message, String> {
        let to: Address = letter.to.as_str().parse().map_err(|error| format!("no address of a mailbox: {error}"))?;
        let id = format!("<{}@{}>", letter.id, self.from.email.domain());
        let message = Message::builder().from(self.from.clone()).to(Mailbox::new(None, to)).message_id(Some(id));
        let subject: String = one_line(&letter.subject).chars().take(LONGEST_SUBJECT).collect();
        let message = message.subject(subject);
        // RFC 3834: no holiday notice answers it.
        let message = with_header(message, "Auto-Submitted", "auto-generated");
        let message = letter.switch_off.iter().fold(message, |message, address| {
            let message = with_header(message, "List-Unsubscribe", &format!("<{}>", one_line(address)));
            // RFC 8058: a click in the mailbox suffices, and following the link does not.
            with_header(message, "List-Unsubscribe-Post", "List-Unsubscribe=One-Click")
        });
        let lines = |text: &str| text.replace('\n', "\r\n");
        let message = if letter.html.is_empty() {
            message.header(ContentType::TEXT_PLAIN).body(lines(&letter.text))
        } else {
            message.multipart(MultiPart::alternative_plain_html(lines(&letter.text), lines(&letter.html)))
        };
        message.map_err(|error| format!("no mail can be made of it: {error}"))
    }
}

/// Returns how a server is reached that the system's authorities and these vouch for; `None` where the address says all of it. The address
/// is one that the transport has taken.
fn tls(url: &str, ca_certificates: &[Vec<u8>]) -> Result<Option<Tls>, SmtpError> {
    let parsed = Url::parse(url).ok();
    let Some(url) = parsed.filter(|_| !ca_certificates.is_empty()) else { return Ok(None) };
    let starts = |word: &str| url.query_pairs().any(|(name, value)| name == "tls" && value == word);
    let kind: fn(TlsParameters) -> Tls = match url.scheme() {
        "smtps" => Tls::Wrapper,
        _ if starts("required") => Tls::Required,
        _ if starts("opportunistic") => Tls::Opportunistic,
        _ => return Ok(None),
    };
    let mut parameters = TlsParameters::builder(url.host_str().unwrap_or_default().to_owned());
    for certificate in ca_certificates {
        let certificate = Certificate::from_der(certificate.clone()).map_err(SmtpError::Certificate)?;
        parameters = parameters.add_root_certificate(certificate);
    }
    parameters.build().map(kind).map(Some).map_err(SmtpError::Certificate)
}

#[async_trait]
impl MailSender for Smtp {
    async fn send(&self, letter: Letter) -> MailOutcome {
        let message = match self.message(&letter) {
            Ok(message) => message,
            Err(reason) => return MailOutcome::Refused(reason),
        };
        match self.transport.send(message).await {
            Ok(_) => MailOutcome::Sent,
            Err(error) if is_for_good(&error) => MailOutcome::Refused(explained(&error)),
            Err(error) => MailOutcome::PutOff(explained(&error)),
        }
    }
}

impl std::fmt::Debug for Smtp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Smtp").field("from", &self.from.email.to_string()).finish_non_exhaustive()
    }
}

/// Returns whether no later attempt would succeed: the server refuses this mail or this address with 5xx. Answers that ask for TLS or for
/// another password (RFC 4954, 6) are about the settings, which an operator repairs.
fn is_for_good(error: &smtp::Error) -> bool {
    let is_about_settings = error.status().is_some_and(|code| matches!(code.into(), 530 | 534 | 535 | 538));
    error.is_permanent() && !is_about_settings
}

/// Returns an error with its causes.
fn explained(error: &smtp::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let further = error.to_string();
        if !text.contains(&further) {
            text = format!("{text}: {further}");
        }
        cause = error.source();
    }
    text
}

/// Returns a text without control characters: what people name things must not begin another line of the head.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn with_header(message: MessageBuilder, name: &'static str, value: &str) -> MessageBuilder {
    message.raw_header(HeaderValue::new(HeaderName::new_from_ascii_str(name), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use a11ycheck_core::id::MailId;

    use super::*;

    fn smtp() -> Smtp {
        Smtp::new("smtp://127.0.0.1:2525", &"checks@a11y.example".parse().unwrap(), &[]).unwrap()
    }

    #[test]
    fn a_name_with_line_breaks_is_no_line_of_the_head_and_no_second_mail() {
        let letter = Letter {
            id: MailId::MIN,
            to: "jo@example.org".parse().unwrap(),
            subject: "The check of Shop\r\nBcc: eve@example.org\r\n\r\nfailed".to_owned(),
            text: "Line\n.\nMAIL FROM:<eve@example.org>\näöü".to_owned(),
            html: "<p>Line\n.\nMAIL FROM:&lt;eve@example.org&gt;</p>".to_owned(),
            switch_off: Some("https://a11y.example/app/profile\r\nX-Evil: 1".to_owned()),
        };
        let message = smtp().message(&letter).unwrap();
        assert_eq!(message.envelope().to().len(), 1);
        let text = String::from_utf8(message.formatted()).unwrap();
        let head = text.split_once("\r\n\r\n").unwrap().0;
        for line in head.split("\r\n") {
            assert!(!line.starts_with("Bcc") && !line.starts_with("X-Evil"), "{head}");
        }
        for name in
            ["From: checks@a11y.example", "To: jo@example.org", "Auto-Submitted: auto-generated", "Message-ID: <mail_"]
        {
            assert!(head.contains(name), "{name}: {head}");
        }
        assert!(head.contains("multipart/alternative"), "{head}");
        assert!(text.contains("text/plain; charset=utf-8") && text.contains("text/html; charset=utf-8"), "{text}");
    }

    #[test]
    fn settings_that_make_no_sense_are_refused_at_the_start() {
        let from: EmailAddress = "checks@a11y.example".parse().unwrap();
        for url in ["", "mail.example.org", "http://mail.example.org", "smtp://mail.example.org?tls=maybe"] {
            assert!(matches!(Smtp::new(url, &from, &[]), Err(SmtpError::Url(_))), "{url}");
        }
        for url in
            ["smtps://user:pa%40ss@mail.example.org", "smtp://mail.example.org:587?tls=required", "smtp://[::1]:25"]
        {
            Smtp::new(url, &from, &[]).unwrap();
        }
        assert!(!format!("{:?}", smtp()).contains("127.0.0.1"), "the address may hold a password");
    }
}
