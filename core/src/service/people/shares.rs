//! Reports that are shown to whoever has a link.

use chrono::TimeDelta;

use super::{OfTeam, People};
use crate::{
    domain::{Ability, AuditAction, NewSharedReport, PlainSecret, SharedReport, Sharing, Site, bounded},
    error::Error,
    id::{ScanId, ShareId},
    locale::Locale,
    report::Report,
    service::{TeamHandle, TeamInput},
    store::ShareStore,
};

/// A report that is shown to whoever has its link.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SharedView {
    /// The link.
    pub link: SharedReport,
    /// The site. Only its name and its address are for others to see.
    pub site: Site,
    /// The report, without what people decided about its elements.
    pub report: Report,
}

impl OfTeam {
    /// Returns whether the team shares its reports.
    ///
    /// # Errors
    /// Returns those of [every call](crate::service::TeamHandle#errors).
    pub async fn sharing(&self) -> Result<Sharing, Error> {
        self.team.may(Ability::Read).await?;
        match self.people.share_store() {
            Some(store) => Ok(store.sharing(self.team.id()).await?),
            None => Ok(Sharing::Off),
        }
    }

    /// Sets whether the team shares its reports. While it does not, no link leads anywhere.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the service keeps no links, and those of [every call](crate::service::TeamHandle#errors).
    pub async fn set_sharing(&self, sharing: Sharing) -> Result<(), Error> {
        self.team.may_manage().await?;
        let note = self.note(AuditAction::SharingChanged, if sharing.is_on() { "on" } else { "off" });
        self.shares()?.set_sharing(self.team.id(), sharing, note).await?;
        Ok(())
    }

    /// Makes a link to the report of a completed check, valid for so many days, at most [`SharedReport::LONGEST`]. The secret is returned
    /// here and stored nowhere. Who may start checks may share their reports.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no such check, the team does not share its reports, or the service keeps no links;
    /// [`Error::NotCompleted`], [`Error::TooManyShares`], and those of [every call](crate::service::TeamHandle#errors).
    pub async fn share_report(&self, scan: ScanId, days: u32) -> Result<(SharedReport, PlainSecret), Error> {
        self.team.may(Ability::Write).await?;
        let scan = self.team.scan(scan).await?;
        if scan.outcome().is_none() {
            return Err(Error::NotCompleted);
        }
        let (secret, now) = (PlainSecret::generate(), self.people.service.parts().clock.now());
        let made_by = bounded(self.actor.shown(), TeamInput::MAX_NAME);
        let term = TimeDelta::days(days.max(1).into());
        let new = NewSharedReport { id: ShareId::generate(now), scan: scan.id, hash: secret.hash(), made_by, term };
        let note = self.note(AuditAction::ReportShared, &format!("{} {}", scan.id, new.id));
        let link = self.shares()?.share_report(self.team.id(), new, note).await?;
        Ok((link, secret))
    }

    /// Returns the links to the report of a check that are valid, the newest first.
    ///
    /// # Errors
    /// Returns those of [every call](crate::service::TeamHandle#errors).
    pub async fn shared_reports(&self, scan: ScanId) -> Result<Vec<SharedReport>, Error> {
        self.team.may(Ability::Read).await?;
        match self.people.share_store() {
            Some(store) => Ok(store.shared_reports(self.team.id(), scan).await?),
            None => Ok(Vec::new()),
        }
    }

    /// Withdraws a link, which leads nowhere from then on.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the team has no such link, and those of [every call](crate::service::TeamHandle#errors).
    pub async fn revoke_shared_report(&self, id: ShareId) -> Result<(), Error> {
        self.team.may(Ability::Write).await?;
        let note = self.note(AuditAction::ReportUnshared, &id.to_string());
        let is_revoked = self.shares()?.revoke_shared_report(self.team.id(), id, note).await?;
        if is_revoked { Ok(()) } else { Err(Error::NotFound) }
    }

    fn shares(&self) -> Result<&dyn ShareStore, Error> {
        self.people.share_store().ok_or(Error::NotFound)
    }
}

impl People {
    /// Returns the report that a link shows, and nothing else of its team.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the link is unknown, withdrawn or over, the team does not share its reports or is blocked, or the
    /// check has left the history; and those of the store.
    pub async fn shared_report(&self, secret: &PlainSecret, locale: Locale) -> Result<SharedView, Error> {
        let store = self.share_store().ok_or(Error::NotFound)?;
        let link = store.shared_report(&secret.hash()).await?.ok_or(Error::NotFound)?;
        let team = TeamHandle::of_host(self.service.clone(), link.team);
        let view = async {
            let scan = team.scan(link.scan).await?;
            let site = team.site(scan.site).await?;
            Ok(SharedView { report: team.report(scan.id, locale).await?, site, link })
        };
        match view.await {
            Err(Error::TeamBlocked) => Err(Error::NotFound),
            other => other,
        }
    }

    fn share_store(&self) -> Option<&dyn ShareStore> {
        self.service.parts().shares.as_deref()
    }
}
