//! Adding a site: `POST /sites`.

use url::Host;

use super::{Service, TeamHandle};
use crate::{
    domain::{Ability, FieldErrors, NewSite, Problem, Site, SiteInput, SiteUrl},
    error::Error,
    id::{ScanId, SiteId},
    net::{PolicyError, ResolveError, route},
    store::AddSiteError,
};

/// A site that was added.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Added {
    /// The site.
    pub site: Site,
    /// The site's first check, if one was queued.
    pub first_scan: Option<ScanId>,
}

impl TeamHandle {
    /// Adds a site and, unless the input says otherwise, queues its first check.
    ///
    /// The address must be public by the service's [policy](Service::policy). A name that has no address now is accepted,
    /// since names come and go, and its checks fail with `dns`. Only a name for local networks must lead into a network
    /// that was opened: otherwise the response would reveal which of these names exist.
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `write`; [`Error::Invalid`] with every field that breaks a rule, or with
    /// the plan's number of sites; and those of [every call](TeamHandle#errors).
    pub async fn add_site(&self, input: SiteInput) -> Result<Added, Error> {
        self.may(Ability::Write).await?;
        let has_first_scan = input.has_first_scan();
        let details = input.into_details()?;
        let service = self.service();
        service.judge(&details.url).await.map_err(|problem| FieldErrors::one("url", problem))?;

        let now = service.parts().clock.now();
        let site = NewSite { id: SiteId::generate(now), details };
        let first_scan = has_first_scan.then(|| ScanId::generate(now));
        let added = service.store().add_site(self.id(), site, first_scan).await;
        let site = added.map_err(|error| match error {
            AddSiteError::LimitReached(limit) => FieldErrors::one("url", Problem::SiteLimit(limit)).into(),
            AddSiteError::NoTeam => Error::NotFound,
            AddSiteError::Store(error) => error.into(),
        })?;
        Ok(Added { site, first_scan })
    }
}

impl Service {
    /// Judges whether the address of a site may be visited, as [`add_site`](TeamHandle::add_site) says.
    pub(super) async fn judge(&self, url: &SiteUrl) -> Result<(), Problem> {
        let url = url.url();
        let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else { return Err(Problem::NotUrl) };
        let host: Host<&str> = host;
        let parts = self.parts();
        let Err(error) = route(&parts.policy, &*parts.resolver, parts.proxy.as_ref(), &host, port).await else {
            return Ok(());
        };
        tracing::debug!(%host, error = &error as &dyn std::error::Error, "A site's address may not be visited");
        match parts.policy.disclosed(&host, error) {
            PolicyError::Resolve(ResolveError::NotFound | ResolveError::TimedOut | ResolveError::Failed(_)) => Ok(()),
            PolicyError::Refused(refusal) => Err(Problem::NotPublic(refusal.to_string())),
            PolicyError::RefusedAnswer(_) => Err(Problem::NotPublic(PolicyError::NO_ADDRESS.to_owned())),
        }
    }
}
