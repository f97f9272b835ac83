//! Mail that waits to be sent, and the links in it.

use std::cmp::Reverse;

use a11ycheck_core::{
    domain::{
        EmailAddress, Mail, MailKind, MailOutcome, MailState, MailSubject, NewAuditRecord, NewMail, Notices,
        PasswordHash, Person, SecretHash,
    },
    id::{MailId, PersonId, TeamId, WorkerId},
    store::{ClaimedMail, MailClaim, MailDepth, MailStore, RecordMailError, StoreError},
};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    MemoryStore,
    db::state::{State, corrupt, taken},
    people::end_others,
};

#[async_trait]
impl MailStore for MemoryStore {
    async fn set_notices(&self, person: PersonId, notices: Notices) -> Result<bool, StoreError> {
        self.step(|state, _| {
            let Some(row) = state.people.persons.get_mut(&person) else { return Ok(false) };
            row.person.notices = notices;
            Ok(true)
        })
    }

    async fn switch_notices_off(&self, link: &SecretHash) -> Result<bool, StoreError> {
        self.step(|state, _| {
            let mail = state.mails.of_link(link).map(|row| &row.mail);
            let notice =
                mail.filter(|mail| matches!(mail.subject.kind(), MailKind::CheckFailed | MailKind::EndpointOff));
            let Some(to) = notice.map(|mail| mail.to.clone()) else { return Ok(false) };
            let Some(row) = state.people.persons.values_mut().find(|row| row.person.email == to) else {
                return Ok(false);
            };
            row.person.notices = Notices::Off;
            Ok(true)
        })
    }

    async fn request_reset(&self, mail: NewMail, email: &EmailAddress) -> Result<(), StoreError> {
        self.step(|state, now| {
            let rows = state.mails.rows.values().map(|row| &row.mail);
            let recent = rows.filter(|mail| {
                mail.subject == MailSubject::PasswordReset
                    && mail.to == *email
                    && mail.created_at > now - Mail::RESET_SPAN
            });
            if recent.count() as u64 >= Mail::MOST_RESETS {
                return Ok(());
            }
            state.mails.add(Mail::new(mail, email.clone(), MailSubject::PasswordReset, now))
        })
    }

    async fn claim_mail(
        &self,
        worker: &WorkerId,
        term: TimeDelta,
        link: SecretHash,
    ) -> Result<Option<ClaimedMail>, StoreError> {
        self.step(|state, now| {
            if state.mails.links.contains_key(&link) || state.people.invitation_hashes.contains_key(&link) {
                return Err(taken("the link's hash"));
            }
            while let Some(id) = first_due(state, now) {
                let row = state.mails.rows.get(&id).ok_or_else(|| corrupt(id, "it is due, and missing"))?;
                let mail = row.mail.clone();
                let next = if has_reason(state, &mail, now) {
                    let claimed = mail.state.claim(worker.clone(), term, now);
                    claimed.map_err(|error| StoreError::Corrupt { what: id.to_string(), source: Box::new(error) })?
                } else {
                    MailState::Dropped { finished_at: now }
                };
                let row = state.mails.rows.get_mut(&id).ok_or_else(|| corrupt(id, "it is due, and missing"))?;
                row.mail.state = next.clone();
                if let MailState::Attempting { attempts, lease } = next {
                    let before = row.link.replace((link, now));
                    if let Some((before, _)) = before {
                        state.mails.links.remove(&before);
                    }
                    state.mails.links.insert(link, id);
                    let person = state.people.addresses.get(&mail.to).and_then(|id| state.people.persons.get(id));
                    return Ok(Some(ClaimedMail {
                        claim: MailClaim { mail: id, token: lease.token },
                        attempt: attempts,
                        locale: person.map_or(mail.locale, |row| row.person.locale),
                        to: mail.to,
                        subject: mail.subject,
                        at: now,
                    }));
                }
            }
            Ok(None)
        })
    }

    async fn record_mail(&self, claim: MailClaim, outcome: MailOutcome) -> Result<Mail, RecordMailError> {
        self.step(|state, now| {
            let row = state.mails.rows.get_mut(&claim.mail).ok_or(RecordMailError::Gone)?;
            row.mail.state = row.mail.state.clone().record(claim.token, outcome, now)?;
            Ok(row.mail.clone())
        })
    }

    async fn reset_link(&self, link: &SecretHash) -> Result<Option<Person>, StoreError> {
        self.step(|state, now| Ok(reset_link(state, link, now).cloned()))
    }

    async fn reset_password(
        &self,
        link: &SecretHash,
        password: PasswordHash,
        audit: NewAuditRecord,
    ) -> Result<Option<Person>, StoreError> {
        self.step(|state, now| {
            let Some(person) = reset_link(state, link, now).cloned() else { return Ok(None) };
            let Some(row) = state.people.persons.get_mut(&person.id) else { return Ok(None) };
            row.password = Some(password);
            end_others(state, person.id, None, now);
            state.mails.forget_resets(&person.email);
            let audit = NewAuditRecord { person: Some(person.id), actor: person.email.as_str().to_owned(), ..audit };
            state.people.append(audit, now);
            Ok(Some(person))
        })
    }

    async fn mail_depth(&self) -> Result<MailDepth, StoreError> {
        self.step(|state, _| {
            let rows = state.mails.rows.values().filter(|row| row.mail.state.due_at().is_some());
            let waiting: Vec<DateTime<Utc>> = rows.map(|row| row.mail.created_at).collect();
            Ok(MailDepth { waiting: waiting.len() as u64, oldest: waiting.into_iter().min() })
        })
    }

    async fn failed_mails(&self, limit: u32) -> Result<Vec<Mail>, StoreError> {
        self.step(|state, _| {
            let rows = state.mails.rows.values().map(|row| &row.mail);
            let mut failed: Vec<&Mail> = rows.filter(|mail| matches!(mail.state, MailState::Failed { .. })).collect();
            failed.sort_unstable_by_key(|mail| (Reverse(mail.state.finished_at()), mail.id));
            Ok(failed.into_iter().take(usize::try_from(limit).unwrap_or(usize::MAX)).cloned().collect())
        })
    }

    async fn purge_mails(&self, limit: u32) -> Result<u32, StoreError> {
        self.step(|state, now| {
            let is_old = |mail: &Mail| {
                let (long, short) = (now - MailState::LOG_TERM, now - TimeDelta::days(1));
                match mail.state.finished_at() {
                    Some(at) if mail.subject.kind() == MailKind::PasswordReset => at < short,
                    Some(at) => at < long,
                    None => mail.created_at < long,
                }
            };
            let rows = state.mails.rows.values().map(|row| &row.mail).filter(|mail| is_old(mail));
            let old: Vec<MailId> =
                rows.map(|mail| mail.id).take(usize::try_from(limit).unwrap_or(usize::MAX)).collect();
            old.iter().for_each(|id| state.mails.remove(*id));
            Ok(u32::try_from(old.len()).unwrap_or(limit))
        })
    }
}

fn first_due(state: &State, now: DateTime<Utc>) -> Option<MailId> {
    let due = state.mails.rows.values().filter_map(|row| Some((row.mail.state.due_at()?, row.mail.id)));
    due.filter(|(at, _)| *at <= now).min().map(|(_, id)| id)
}

/// Returns whether there still is something to say.
fn has_reason(state: &State, mail: &Mail, now: DateTime<Utc>) -> bool {
    let is_noticed = |team: TeamId| {
        let person = state.people.addresses.get(&mail.to);
        person.is_some_and(|id| {
            let role = state.people.members.get(&(team, *id)).map(|(role, _)| *role);
            let notices = state.people.persons.get(id).map(|row| row.person.notices);
            role.is_some_and(|role| role.is_noticed()) && notices == Some(Notices::On)
        })
    };
    match mail.subject {
        MailSubject::Invitation { team, invitation } => {
            state.people.invitations.get(&(team, invitation)).is_some_and(|(_, found)| !found.is_over(now))
        }
        MailSubject::PasswordReset => state.people.addresses.contains_key(&mail.to),
        MailSubject::CheckFailed { team, .. } | MailSubject::EndpointOff { team, .. } => is_noticed(team),
        _ => false,
    }
}

fn reset_link<'a>(state: &'a State, link: &SecretHash, now: DateTime<Utc>) -> Option<&'a Person> {
    let row = state.mails.of_link(link).filter(|row| row.mail.subject == MailSubject::PasswordReset)?;
    row.link.filter(|(_, at)| *at + Mail::RESET_TERM > now)?;
    let person = state.people.addresses.get(&row.mail.to)?;
    state.people.persons.get(person).map(|row| &row.person)
}
