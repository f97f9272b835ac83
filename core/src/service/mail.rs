//! Mail, as operators see it.

use chrono::TimeDelta;

use super::{Operator, Service};
use crate::{
    domain::{Mail, SharedSetting},
    error::Error,
    store::StoreError,
};

/// The state of mail to people: sent or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mailing {
    /// A server sends it.
    On,
    /// Nobody sends it, and none is written.
    Off,
}

/// The mail of an installation.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct MailBacklog {
    /// The number of mails that wait.
    pub waiting: u64,
    /// The time for which the oldest of them has waited.
    pub oldest: TimeDelta,
    /// Mails that failed in the last 30 days, the newest first, at most [`MailBacklog::MOST`].
    pub failed: Vec<Mail>,
}

impl MailBacklog {
    /// The most mails that failed and are listed.
    pub const MOST: u32 = 50;
}

impl Operator {
    /// Sets whether mail is sent: for the process that does, when it starts. While it is off, none is written.
    ///
    /// # Errors
    /// Returns only those of the store.
    pub async fn set_mailing(&self, mailing: Mailing) -> Result<(), Error> {
        let value = match mailing {
            Mailing::On => SharedSetting::ON,
            Mailing::Off => SharedSetting::OFF,
        };
        self.service().store().replace_setting(SharedSetting::Mail, value).await?;
        Ok(())
    }

    /// Returns the mail that waits, and what failed; `None` if the service keeps no mail.
    ///
    /// # Errors
    /// Returns only those of the store.
    pub async fn mail_backlog(&self) -> Result<Option<MailBacklog>, Error> {
        let Some(store) = &self.service().parts().mail else { return Ok(None) };
        let (depth, failed) = (store.mail_depth().await?, store.failed_mails(MailBacklog::MOST).await?);
        let now = self.service().parts().clock.now();
        let oldest = depth.oldest.map_or(TimeDelta::zero(), |at| (now - at).max(TimeDelta::zero()));
        Ok(Some(MailBacklog { waiting: depth.waiting, oldest, failed }))
    }
}

impl Service {
    /// Removes links to reports that are over, and returns how many; 0 if the service keeps none.
    pub(crate) async fn purge_shared_reports(&self, limit: u32) -> Result<u32, StoreError> {
        match &self.parts.shares {
            Some(store) => store.purge_shared_reports(limit).await,
            None => Ok(0),
        }
    }

    /// Removes mail that is old, and returns how much; 0 if the service keeps no mail.
    pub(crate) async fn purge_mails(&self, limit: u32) -> Result<u32, StoreError> {
        let Some(store) = &self.parts.mail else { return Ok(0) };
        let purged = store.purge_mails(limit).await?;
        if purged > 0 {
            tracing::debug!(purged, "Purged mail that has left its log");
        }
        Ok(purged)
    }
}
