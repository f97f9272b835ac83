//! Sends mail to people.

use std::{error::Error as StdError, sync::Arc, time::Duration};

use chrono::TimeDelta;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{Step, pace};
use crate::{
    domain::{MailOutcome, MailState, MailSubject, PlainSecret, ScanState},
    error::Error,
    id::WorkerId,
    mail::{MailContent, MailSender, MailWriter},
    service::Service,
    store::{ClaimedMail, MailStore, RecordMailError, StoreError},
};

/// Sends mail that is due, several at a time. Any number of mailers may run, on any number of nodes.
#[derive(Debug, Clone)]
pub struct Mailer {
    service: Service,
    writer: Arc<dyn MailWriter>,
    sender: Arc<dyn MailSender>,
    id: WorkerId,
}

impl Mailer {
    /// The most attempts that are under way at once.
    pub const AT_ONCE: usize = 8;
    /// The time after which an attempt that should have ended by itself is cut off.
    pub const SENDER_LIMIT: Duration = Duration::from_secs(60);
    /// The lease of an attempt: the time that the sender has, and time to record the end.
    const LEASE: TimeDelta = TimeDelta::seconds(120);
    /// The longest pause before the mailer looks again: nobody waits for a mail as for a page.
    const POLL: Duration = Duration::from_secs(3);

    /// Returns a mailer with an id of its own; `None` if the service keeps no mail.
    pub(super) fn new(service: Service, writer: Arc<dyn MailWriter>, sender: Arc<dyn MailSender>) -> Option<Self> {
        service.parts().mail.as_ref()?;
        Some(Self { service, writer, sender, id: WorkerId::generate() })
    }

    /// Runs until `stop`; attempts that are under way then are completed.
    pub(super) async fn run(self, poll: Duration, stop: CancellationToken) {
        pace::run("mailer", poll.max(Self::POLL), &stop, std::future::pending, || self.step()).await;
    }

    /// Claims mails that are due, as many as may be under way at once, makes one attempt of each concurrently, and returns when all
    /// have ended.
    ///
    /// # Errors
    /// Those of the store. An attempt whose end could not be recorded counts, and another one is made when its lease ends.
    pub async fn step(&self) -> Result<Step, StoreError> {
        let mut under_way = JoinSet::new();
        let mut result = Ok(());
        let Some(store) = self.service.parts().mail.as_deref() else { return Ok(Step::Idle) };
        while under_way.len() < Self::AT_ONCE {
            let link = PlainSecret::generate();
            let mail = match store.claim_mail(&self.id, Self::LEASE, link.hash()).await {
                Ok(Some(mail)) => mail,
                Ok(None) => break,
                // Those that were claimed are attempted to their end: a mail that is cut off may have been sent, and would be sent again.
                Err(error) => {
                    result = Err(error);
                    break;
                }
            };
            let mailer = self.clone();
            under_way.spawn(async move { mailer.attempt(mail, link).await });
        }
        let is_idle = under_way.is_empty();
        while let Some(ended) = under_way.join_next().await {
            match ended {
                Ok(recorded) => result = result.and(recorded),
                Err(panic) => tracing::error!(error = &panic as &dyn StdError, "A sender of mail panicked"),
            }
        }
        result.map(|()| if is_idle { Step::Idle } else { Step::Worked })
    }

    async fn attempt(&self, mail: ClaimedMail, link: PlainSecret) -> Result<(), StoreError> {
        let id = mail.claim.mail;
        let outcome = match self.content(&mail, link).await? {
            Some(content) => {
                let letter = self.writer.write(id, &mail.to, &content, mail.locale);
                drop(content);
                let sent = tokio::time::timeout(Self::SENDER_LIMIT, self.sender.send(letter)).await;
                sent.unwrap_or_else(|_| MailOutcome::PutOff("the mail server did not answer in time".to_owned()))
            }
            None => MailOutcome::Dropped,
        };
        let Some(store) = self.service.parts().mail.as_deref() else { return Ok(()) };
        record(store, &mail, outcome).await
    }

    /// Returns what the mail says; `None` if what it was about has gone meanwhile.
    async fn content(&self, mail: &ClaimedMail, link: PlainSecret) -> Result<Option<MailContent>, StoreError> {
        let store = self.service.store();
        Ok(match mail.subject {
            MailSubject::Invitation { .. } => {
                let Some(people) = self.service.people() else { return Ok(None) };
                match people.invitation(&link).await {
                    Ok((invitation, team)) => Some(MailContent::Invitation { team, invitation, link }),
                    Err(Error::NotFound) => None,
                    Err(Error::Unavailable(error) | Error::Corrupt(error)) => return Err(error),
                    Err(error) => return Err(StoreError::Unavailable(error.into())),
                }
            }
            MailSubject::PasswordReset => Some(MailContent::PasswordReset { link }),
            MailSubject::CheckFailed { team, scan } => {
                let Some(scan) = store.scan(team, scan).await? else { return Ok(None) };
                let ScanState::Failed { failure, .. } = scan.state else { return Ok(None) };
                let (site, team) = (store.site(team, scan.site).await?, store.team(team).await?);
                let (Some(site), Some(team)) = (site, team) else { return Ok(None) };
                Some(MailContent::CheckFailed { team, site, scan: scan.id, failure, link })
            }
            MailSubject::EndpointOff { team, endpoint } => {
                let endpoint = store.endpoints(team).await?.into_iter().find(|found| found.id == endpoint);
                let endpoint = endpoint.filter(|endpoint| !endpoint.status.is_on());
                let (Some(endpoint), Some(team)) = (endpoint, store.team(team).await?) else { return Ok(None) };
                Some(MailContent::EndpointOff { team, endpoint, link })
            }
        })
    }
}

/// Records the end of an attempt. If the store refuses it, nothing is left to do: another worker has the mail, or it was deleted.
async fn record(store: &dyn MailStore, mail: &ClaimedMail, outcome: MailOutcome) -> Result<(), StoreError> {
    let (id, kind) = (mail.claim.mail, mail.subject.kind());
    match store.record_mail(mail.claim, outcome).await {
        Ok(recorded) => {
            let (outcome, reason) = match &recorded.state {
                MailState::Sent { .. } => ("sent", None),
                MailState::Waiting { .. } | MailState::Attempting { .. } => ("put_off", None),
                MailState::Failed { reason, .. } => ("failed", Some(reason)),
                MailState::Dropped { .. } => ("dropped", None),
            };
            metrics::counter!("a11ycheck_mail_attempts_total", "outcome" => outcome).increment(1);
            if let Some(reason) = reason {
                tracing::warn!(mail = %id, %kind, reason, "A mail could not be sent, and is given up");
            } else {
                tracing::debug!(mail = %id, %kind, outcome, "Made an attempt to send a mail");
            }
            Ok(())
        }
        Err(RecordMailError::Gone) => Ok(()),
        Err(RecordMailError::Refused(error)) => {
            tracing::warn!(mail = %id, error = &error as &dyn StdError, "The end of sending a mail was not recorded: another worker has it");
            Ok(())
        }
        Err(RecordMailError::Store(error)) => Err(error),
    }
}
