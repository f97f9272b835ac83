//! Mail in the state.

use std::collections::{BTreeMap, HashMap};

use a11ycheck_core::{
    domain::{
        EmailAddress, Mail, MailSubject, NewMail, Notices, Scan, ScanState, SecretHash, SharedSetting, SiteNotice,
    },
    id::{EndpointId, MailId, SiteId, TeamId},
    store::StoreError,
};
use chrono::{DateTime, Utc};

use super::state::{State, taken};

/// Mails, and what they were about.
#[derive(Default)]
pub(crate) struct Mails {
    pub(crate) rows: BTreeMap<MailId, MailRow>,
    /// The links that were sent, by their hashes.
    pub(crate) links: HashMap<SecretHash, MailId>,
    /// The last notice about each site that had one.
    pub(crate) notices: HashMap<SiteId, SiteNotice>,
}

pub(crate) struct MailRow {
    pub(crate) mail: Mail,
    /// The hash of the latest link, and the instant of the attempt that sends it.
    pub(crate) link: Option<(SecretHash, DateTime<Utc>)>,
}

impl Mails {
    /// Adds a mail.
    pub(crate) fn add(&mut self, mail: Mail) -> Result<(), StoreError> {
        if self.rows.contains_key(&mail.id) {
            return Err(taken(mail.id));
        }
        self.rows.insert(mail.id, MailRow { mail, link: None });
        Ok(())
    }

    /// Returns the mail with a link.
    pub(crate) fn of_link(&self, link: &SecretHash) -> Option<&MailRow> {
        self.links.get(link).and_then(|id| self.rows.get(id))
    }

    /// Removes mails that a condition names.
    pub(crate) fn remove_where(&mut self, is_gone: impl Fn(&Mail) -> bool) {
        let gone: Vec<MailId> = self.rows.values().filter(|row| is_gone(&row.mail)).map(|row| row.mail.id).collect();
        for id in gone {
            self.remove(id);
        }
    }

    /// Forgets the links for another password of an address: one was set, with a link or otherwise.
    pub(crate) fn forget_resets(&mut self, email: &EmailAddress) {
        self.remove_where(|mail| mail.subject == MailSubject::PasswordReset && mail.to == *email);
    }

    pub(crate) fn remove(&mut self, id: MailId) {
        if let Some((link, _)) = self.rows.remove(&id).and_then(|row| row.link) {
            self.links.remove(&link);
        }
    }
}

impl State {
    /// Writes the notices of a check that has failed, where they are due.
    pub(crate) fn notice_failed(&mut self, scan: &Scan) -> Result<(), StoreError> {
        let ScanState::Failed { failure, finished_at, .. } = &scan.state else { return Ok(()) };
        let now = *finished_at;
        let last = self.mails.notices.get(&scan.site).copied();
        let completed = self.sites.get(&scan.site).and_then(|row| row.completed.last()).map(|(at, _)| *at);
        if !self.sends_mail() || !SiteNotice::is_due(last, completed, failure.code, now) {
            return Ok(());
        }
        self.mails.notices.insert(scan.site, SiteNotice { code: failure.code, at: now });
        self.notice(scan.team, MailSubject::CheckFailed { team: scan.team, scan: scan.id }, now)
    }

    /// Writes the notices of an endpoint that was switched off by its failures.
    pub(crate) fn notice_switched_off(&mut self, id: EndpointId, now: DateTime<Utc>) -> Result<(), StoreError> {
        let Some(team) = self.endpoints.get(&id).map(|row| row.endpoint.team) else { return Ok(()) };
        if !self.sends_mail() {
            return Ok(());
        }
        self.notice(team, MailSubject::EndpointOff { team, endpoint: id }, now)
    }

    fn sends_mail(&self) -> bool {
        self.settings.get(SharedSetting::MAIL).is_some_and(|value| value == SharedSetting::ON)
    }

    fn notice(&mut self, team: TeamId, subject: MailSubject, now: DateTime<Utc>) -> Result<(), StoreError> {
        for member in self.people.listed_members(team)? {
            if member.role.is_noticed() && member.person.notices == Notices::On {
                let new = NewMail { id: MailId::generate(now), locale: member.person.locale };
                self.mails.add(Mail::new(new, member.person.email, subject, now))?;
            }
        }
        Ok(())
    }
}
