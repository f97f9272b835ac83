//! The words of mails.

use a11ycheck_core::{
    catalog::{fill, terms},
    domain::{EmailAddress, EndpointStatus},
    id::MailId,
    locale::Locale,
    mail::{Letter, MailContent, MailWriter},
};

use askama::Template;

use crate::{AccountWeb, shell::role_name, words::Words};

/// A part of a mail.
enum Part {
    Text(String),
    /// The address of a page.
    Link(String),
    /// The text below it, which stands in each mail of the kind.
    Line,
}

/// A mail as a web page: without remote content, scripts and colours, so that it is readable in a dark mailbox as well.
#[derive(Template)]
#[template(path = "mail.html")]
struct MailPage<'a> {
    language: &'a str,
    subject: &'a str,
    parts: &'a [Part],
}

impl MailWriter for AccountWeb {
    /// Writes a mail as plain text, and the same as a web page. No secret is in it but the links that it brings, and of an endpoint's
    /// address only the host, since the rest may let somebody in.
    fn write(&self, id: MailId, to: &EmailAddress, content: &MailContent, locale: Locale) -> Letter {
        let (words, places) = (&Words::of(locale).mail, &self.parts.places);
        let (subject, mut parts) = match content {
            MailContent::Invitation { team, invitation, link } => {
                let link = places.absolute(&format!("/join?key={}", link.reveal()));
                let values = [("team", team.name.as_str()), ("role", role_name(&invitation.role, Words::of(locale)))];
                (
                    fill(&words.invitation_subject, &values),
                    vec![Part::Text(fill(&words.invitation_text, &values)), Part::Link(link)],
                )
            }
            MailContent::PasswordReset { link } => {
                let link = places.absolute(&format!("/new-password?key={}", link.reveal()));
                let (text, ignore) = (words.reset_text.clone(), words.reset_ignore.clone());
                (words.reset_subject.clone(), vec![Part::Text(text), Part::Link(link), Part::Text(ignore)])
            }
            MailContent::CheckFailed { team, site, scan, failure, .. } => {
                let values = [("site", site.details.display_name()), ("team", team.name.as_str())];
                let link = places.absolute(&format!("/teams/{}/checks/{scan}", team.id));
                let text = fill(&words.failed_text, &values);
                let reason = terms(locale).failure(failure).into_owned();
                let parts = [text, reason, words.failed_link.clone()].map(Part::Text);
                (fill(&words.failed_subject, &values), parts.into_iter().chain([Part::Link(link)]).collect())
            }
            MailContent::EndpointOff { team, endpoint, .. } => {
                let count = EndpointStatus::SWITCH_OFF_AFTER.to_string();
                let host = endpoint.details.url.domain();
                let values = [("host", host), ("team", team.name.as_str()), ("count", count.as_str())];
                let link = places.absolute(&format!("/teams/{}/endpoints/{}", team.id, endpoint.id));
                let parts = [fill(&words.off_text, &values), words.off_link.clone()].map(Part::Text);
                (fill(&words.off_subject, &values), parts.into_iter().chain([Part::Link(link)]).collect())
            }
        };
        let switch_off = match content {
            MailContent::CheckFailed { link, .. } | MailContent::EndpointOff { link, .. } => {
                let address = places.absolute("/profile#notices");
                parts.extend([Part::Line, Part::Text(words.switch_off.clone()), Part::Link(address)]);
                Some(places.absolute(&format!("/no-notices?key={}", link.reveal())))
            }
            MailContent::Invitation { .. } | MailContent::PasswordReset { .. } => None,
        };
        let page = MailPage { language: locale.code(), subject: &subject, parts: &parts };
        // A page that can't be written is left out: the text says the same.
        let html = page.render().unwrap_or_default();
        Letter { id, to: to.clone(), text: text_of(&parts), html, subject, switch_off }
    }
}

/// Returns a mail as plain text.
fn text_of(parts: &[Part]) -> String {
    let (mut text, mut is_below) = (String::new(), false);
    for part in parts {
        match part {
            Part::Text(paragraph) => text += &plain(paragraph),
            Part::Link(address) => text += &plain(address),
            Part::Line => {
                is_below = true;
                text += "--";
            }
        }
        // Below the line, an address stands close to what it is for.
        text += if is_below && matches!(part, Part::Text(_)) { "\n" } else { "\n\n" };
    }
    text.trim_end().to_owned() + "\n"
}

/// Returns a text without control characters other than line feeds.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect()
}
