//! Webhook endpoints: for operators and embedders. The API has no way to them (contract, "What the service does").

use std::collections::BTreeSet;

use chrono::TimeDelta;

use super::Service;
use crate::{
    domain::{
        EndpointDetails, EndpointSecret, EventKind, FieldErrors, NewEndpoint, Problem, SiteUrl, SiteUrlError,
        WebhookEndpoint,
    },
    error::Error,
    id::{EndpointId, TeamId},
    net::PolicyError,
    sealing::Keyring,
    store::CreateEndpointError,
    webhook::target::{self, TargetError},
};

/// An endpoint to be created, or what one is to be changed to, not yet checked.
#[derive(Debug, Clone)]
pub struct EndpointInput {
    /// Where events are sent: a public `https` address. `https://` is added when the scheme was left out.
    pub url: String,
    /// What it listens to: names of [`EventKind::SELECTABLE`], at least one. In a change, kinds of a later release that the
    /// endpoint listens to may be named as well; they stay whether they are or not.
    pub events: Vec<String>,
}

impl EndpointInput {
    /// An endpoint that listens to everything.
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), events: EventKind::SELECTABLE.map(|kind| kind.to_string()).to_vec() }
    }

    /// Names that are looked at.
    const MAX_EVENTS: usize = 10;
    /// Characters of an address, both as it is typed and as it is sent to: receivers are programs, whose addresses are ASCII.
    const MAX_URL: usize = 500;

    /// Checks every field of an endpoint that listens to these kinds so far. Whether the address is public is judged apart, since
    /// that takes a look-up.
    fn check(&self, before: &BTreeSet<EventKind>) -> Result<EndpointDetails, FieldErrors> {
        let mut errors = FieldErrors::default();
        let url = match SiteUrl::typed(&self.url) {
            _ if self.url.trim().is_empty() => Err(Problem::Required),
            Ok(url) if url.as_str().len() > Self::MAX_URL => Err(Problem::TooLong(Self::MAX_URL)),
            Ok(url) => Ok(url),
            Err(SiteUrlError::TooLong) => Err(Problem::TooLong(Self::MAX_URL)),
            Err(SiteUrlError::Invalid) => Err(Problem::NotUrl),
        };
        let url = url.map_err(|problem| errors.add("url", problem)).ok();
        if self.events.is_empty() {
            errors.add("events", Problem::Required);
        }
        if self.events.len() > Self::MAX_EVENTS {
            errors.add("events", Problem::TooMany(Self::MAX_EVENTS));
        }
        let mut events = BTreeSet::new();
        for (index, name) in self.events.iter().take(Self::MAX_EVENTS).enumerate() {
            match EventKind::SELECTABLE.iter().chain(before).find(|kind| kind.as_str() == name) {
                Some(kind) => drop(events.insert(*kind)),
                None => errors.add(&format!("events.{index}"), Problem::NotInList),
            }
        }
        match url {
            Some(url) if errors.is_empty() => Ok(EndpointDetails { url, events }),
            Some(_) | None => Err(errors),
        }
    }
}

impl Service {
    /// How long a replaced secret may sign along at most.
    pub const LONGEST_OVERLAP: TimeDelta = TimeDelta::days(30);

    /// Creates an endpoint. The secret is in the answer and is not shown again.
    ///
    /// The address must be public by the service's [policy](Service::policy), and begin with `https`; plain `http` is let in
    /// where it leads into a network that the policy opens. A name that has no address now is let in: it is judged again at
    /// every attempt.
    ///
    /// # Errors
    /// [`Error::NotFound`] where there is no such team; [`Error::Invalid`] with every field that does not hold up, or with
    /// the number of endpoints; [`Error::NoSealingKey`].
    pub async fn create_endpoint(
        &self,
        team: TeamId,
        input: EndpointInput,
    ) -> Result<(WebhookEndpoint, EndpointSecret), Error> {
        let details = self.checked(&input, &BTreeSet::new()).await?;
        let id = EndpointId::generate(self.parts().clock.now());
        let secret = EndpointSecret::generate();
        let new = NewEndpoint { id, details, secret: secret.seal(self.sealing_keys()?, id) };
        let endpoint = self.store().create_endpoint(team, new).await.map_err(|error| match error {
            CreateEndpointError::LimitReached => invalid("url", Problem::EndpointLimit(WebhookEndpoint::MAX_PER_TEAM)),
            CreateEndpointError::NoTeam => Error::NotFound,
            CreateEndpointError::Store(error) => error.into(),
        })?;
        Ok((endpoint, secret))
    }

    /// The team's endpoints, by creation.
    ///
    /// # Errors
    /// [`Error::NotFound`] where there is no such team.
    pub async fn endpoints(&self, team: TeamId) -> Result<Vec<WebhookEndpoint>, Error> {
        let endpoints = self.store().endpoints(team).await?;
        if endpoints.is_empty() {
            self.team(team).await?;
        }
        Ok(endpoints)
    }

    /// Changes an endpoint's address and what it listens to. Pending deliveries go to the new address.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`] as for [`create_endpoint`](Self::create_endpoint).
    pub async fn change_endpoint(
        &self,
        team: TeamId,
        id: EndpointId,
        input: EndpointInput,
    ) -> Result<WebhookEndpoint, Error> {
        let endpoints = self.store().endpoints(team).await?;
        let before = endpoints.into_iter().find(|endpoint| endpoint.id == id).ok_or(Error::NotFound)?;
        let details = self.checked(&input, &before.details.events).await?;
        self.store().change_endpoint(team, id, details).await?.ok_or(Error::NotFound)
    }

    /// Replaces an endpoint's secret, and gives the new one, which is not shown again.
    ///
    /// With an overlap of zero the new secret signs alone at once. With a longer one, at most
    /// [`LONGEST_OVERLAP`](Self::LONGEST_OVERLAP), both secrets sign for so long: `Svc-Signature` then has two `v1`, which
    /// receivers that read exactly one can't verify.
    ///
    /// # Errors
    /// [`Error::Invalid`] where the overlap is negative or too long, [`Error::NotFound`], [`Error::NoSealingKey`]. The secret is
    /// not replaced.
    pub async fn rotate_endpoint_secret(
        &self,
        team: TeamId,
        id: EndpointId,
        overlap: TimeDelta,
    ) -> Result<EndpointSecret, Error> {
        if overlap < TimeDelta::zero() || overlap > Self::LONGEST_OVERLAP {
            return Err(invalid("overlap", Problem::OverlapOutOfRange(Self::LONGEST_OVERLAP)));
        }
        let secret = EndpointSecret::generate();
        let sealed = secret.seal(self.sealing_keys()?, id);
        let is_there = self.store().rotate_secret(team, id, sealed, overlap).await?;
        is_there.then_some(secret).ok_or(Error::NotFound)
    }

    /// Switches an endpoint on that was switched off because its deliveries failed, and sets the count of those to 0.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn enable_endpoint(&self, team: TeamId, id: EndpointId) -> Result<WebhookEndpoint, Error> {
        self.store().enable_endpoint(team, id).await?.ok_or(Error::NotFound)
    }

    /// Switches an endpoint off by hand: what waits for it is dropped, and nothing is sent to it until it is
    /// [switched on](Self::enable_endpoint).
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn disable_endpoint(&self, team: TeamId, id: EndpointId) -> Result<WebhookEndpoint, Error> {
        self.store().disable_endpoint(team, id).await?.ok_or(Error::NotFound)
    }

    /// Deletes an endpoint with all its deliveries.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn delete_endpoint(&self, team: TeamId, id: EndpointId) -> Result<(), Error> {
        if self.store().delete_endpoint(team, id).await? { Ok(()) } else { Err(Error::NotFound) }
    }

    fn sealing_keys(&self) -> Result<&Keyring, Error> {
        self.parts().sealing.as_ref().ok_or(Error::NoSealingKey)
    }

    async fn checked(&self, input: &EndpointInput, before: &BTreeSet<EventKind>) -> Result<EndpointDetails, Error> {
        let details = input.check(before).map_err(Error::Invalid)?;
        let parts = self.parts();
        match target::judge(&parts.policy, &*parts.resolver, parts.proxy.as_ref(), details.url.url()).await {
            Ok(_) | Err(TargetError::Policy(PolicyError::Resolve(_))) => Ok(details),
            Err(TargetError::NotHttps) => Err(invalid("url", Problem::NotHttps)),
            Err(TargetError::Policy(PolicyError::Refused(refusal) | PolicyError::RefusedAnswer(refusal))) => {
                Err(invalid("url", Problem::NotPublic(refusal.to_string())))
            }
        }
    }
}

fn invalid(field: &str, problem: Problem) -> Error {
    Error::Invalid(FieldErrors::one(field, problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(url: &str, events: &[&str]) -> Vec<(String, Problem)> {
        let input = EndpointInput { url: url.to_owned(), events: events.iter().map(|&name| name.to_owned()).collect() };
        let before = BTreeSet::from([EventKind::from_stored("scan.failed").unwrap()]);
        let errors = input.check(&before).err().unwrap_or_default();
        errors.iter().map(|(field, problems)| (field.to_owned(), problems[0].clone())).collect()
    }

    #[test]
    fn each_field_rule_is_held_and_all_errors_are_told_at_once() {
        let one = |field: &str, problem| vec![(field.to_owned(), problem)];
        assert_eq!(problems("hooks.example.com/a", &["scan.completed", "issues.new", "issues.new"]), []);
        assert_eq!(problems(" ", &["issues.new"]), one("url", Problem::Required));
        assert_eq!(problems("ftp://a.example.com", &["issues.new"]), one("url", Problem::NotUrl));
        assert_eq!(problems(&"a".repeat(501), &["issues.new"]), one("url", Problem::TooLong(500)));
        assert_eq!(problems("a.example.com", &[]), one("events", Problem::Required));
        assert_eq!(problems("a.example.com", &["issues.new", "ping"]), one("events.1", Problem::NotInList));
        assert_eq!(problems("a.example.com", &["scan.failed"]), [], "it listens to that of a later release");
        assert_eq!(problems("a.example.com", &["scan.begun"]), one("events.0", Problem::NotInList));
        assert_eq!(problems("a.example.com", &["issues.new"; 11]), one("events", Problem::TooMany(10)));
        assert_eq!(problems("", &["x"]).len(), 2);
    }
}
