//! `POST /sites`.

use url::Host;

use super::{Actor, Service};
use crate::{
    domain::{Ability, FieldErrors, NewSite, Problem, RawSite, Site, SiteUrl},
    error::Error,
    id::{ScanId, SiteId},
    net::{PolicyError, ResolveError, route},
    store::AddSiteError,
};

impl Service {
    /// Adds a site and, unless it is asked not to, queues its first check.
    ///
    /// The address must be public by the service's [policy](Service::policy); a name that has no address now is let in,
    /// since names come and go, and its checks say `dns`. Only a name for local networks must lead into one that was opened:
    /// else the answer would tell which of these names exist.
    ///
    /// # Errors
    /// [`Error::MissingAbility`] without `write`; [`Error::Invalid`] with every field that does not hold up, or with the
    /// plan's number of sites.
    pub async fn add_site(&self, actor: &Actor, input: impl Into<RawSite> + Send) -> Result<Site, Error> {
        actor.require(Ability::Write)?;
        let checked = input.into().check().map_err(Error::Invalid)?;
        self.judge(&checked.details.url).await.map_err(|problem| Error::Invalid(FieldErrors::one("url", problem)))?;

        let now = self.parts().clock.now();
        let site = NewSite { id: SiteId::generate(now), details: checked.details };
        let first_scan = checked.scan.then(|| ScanId::generate(now));
        self.store().add_site(actor.team_id(), site, first_scan).await.map_err(|error| match error {
            AddSiteError::LimitReached(limit) => Error::Invalid(FieldErrors::one("url", Problem::SiteLimit(limit))),
            AddSiteError::NoTeam => Error::NotFound,
            AddSiteError::Store(error) => error.into(),
        })
    }

    async fn judge(&self, url: &SiteUrl) -> Result<(), Problem> {
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
