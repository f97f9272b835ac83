//! The words of mails.

use a11ycheck_core::{
    catalog::{fill, terms},
    domain::{EmailAddress, EndpointStatus},
    id::MailId,
    locale::Locale,
    mail::{Letter, MailContent, MailWriter},
};

use crate::{AccountWeb, shell::role_name, words::Words};

impl MailWriter for AccountWeb {
    /// Writes a mail as plain text. No secret is in it but the link that it brings, and of an endpoint's address only the host, since the
    /// rest may let somebody in.
    fn write(&self, id: MailId, to: &EmailAddress, content: &MailContent, locale: Locale) -> Letter {
        let (words, places) = (&Words::of(locale).mail, &self.parts.places);
        let (subject, mut paragraphs) = match content {
            MailContent::Invitation { team, invitation, link } => {
                let link = places.absolute(&format!("/join?key={}", link.reveal()));
                let values = [("team", team.name.as_str()), ("role", role_name(&invitation.role, Words::of(locale)))];
                (fill(&words.invitation_subject, &values), vec![fill(&words.invitation_text, &values), link])
            }
            MailContent::PasswordReset { link } => {
                let link = places.absolute(&format!("/new-password?key={}", link.reveal()));
                (words.reset_subject.clone(), vec![words.reset_text.clone(), link, words.reset_ignore.clone()])
            }
            MailContent::CheckFailed { team, site, scan, failure } => {
                let values = [("site", site.details.display_name()), ("team", team.name.as_str())];
                let link = places.absolute(&format!("/teams/{}/checks/{scan}", team.id));
                let text = fill(&words.failed_text, &values);
                let reason = terms(locale).failure(failure).into_owned();
                (fill(&words.failed_subject, &values), vec![text, reason, words.failed_link.clone(), link])
            }
            MailContent::EndpointOff { team, endpoint } => {
                let count = EndpointStatus::SWITCH_OFF_AFTER.to_string();
                let host = endpoint.details.url.domain();
                let values = [("host", host), ("team", team.name.as_str()), ("count", count.as_str())];
                let link = places.absolute(&format!("/teams/{}/endpoints/{}", team.id, endpoint.id));
                (fill(&words.off_subject, &values), vec![fill(&words.off_text, &values), words.off_link.clone(), link])
            }
        };
        let is_notice = matches!(content, MailContent::CheckFailed { .. } | MailContent::EndpointOff { .. });
        let switch_off = is_notice.then(|| places.absolute("/profile#notices"));
        if let Some(address) = &switch_off {
            paragraphs.push("--".to_owned());
            paragraphs.push(format!("{}\n{address}", words.switch_off));
        }
        let text = paragraphs.iter().map(|text| plain(text)).collect::<Vec<_>>().join("\n\n") + "\n";
        Letter { id, to: to.clone(), subject, text, switch_off }
    }
}

/// Returns a text without control characters other than line feeds.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect()
}
