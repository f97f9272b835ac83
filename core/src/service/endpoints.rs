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
    store::CreateEndpointError,
    webhook::target::{self, TargetError},
};

/// An endpoint to be created, or what one is to be changed to, not yet checked.
#[derive(Debug, Clone)]
pub struct EndpointInput {
    /// Where events are sent: a public `https` address. `https://` is added when the scheme was left out.
    pub url: String,
    /// What it listens to: names of [`EventKind::SELECTABLE`], at least one.
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

    /// Checks every field. Whether the address is public is judged apart, since that takes a look-up.
    fn check(&self) -> Result<EndpointDetails, FieldErrors> {
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
            match name.parse() {
                Ok(kind) if EventKind::SELECTABLE.contains(&kind) => drop(events.insert(kind)),
                Ok(_) | Err(_) => errors.add(&format!("events.{index}"), Problem::NotInList),
            }
        }
        match url {
            Some(url) if errors.is_empty() => Ok(EndpointDetails { url, events }),
            Some(_) | None => Err(errors),
        }
    }
}

impl Service {
    /// Creates an endpoint. The secret is in the answer and is not shown again.
    ///
    /// The address must be public by the service's [policy](Service::policy), and begin with `https`; plain `http` is let in
    /// where it leads into a network that the policy opens. A name that has no address now is let in: it is judged again at
    /// every attempt.
    ///
    /// # Errors
    /// [`Error::NotFound`] where there is no such team; [`Error::Invalid`] with every field that does not hold up, or with
    /// the number of endpoints.
    pub async fn create_endpoint(
        &self,
        team: TeamId,
        input: EndpointInput,
    ) -> Result<(WebhookEndpoint, EndpointSecret), Error> {
        let details = self.checked(&input).await?;
        let id = EndpointId::generate(self.parts().clock.now());
        let secret = EndpointSecret::generate();
        let new = NewEndpoint { id, details, secret: secret.clone() };
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
    /// Only [`Error::Unavailable`] and [`Error::Corrupt`].
    pub async fn endpoints(&self, team: TeamId) -> Result<Vec<WebhookEndpoint>, Error> {
        Ok(self.store().endpoints(team).await?)
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
        let details = self.checked(&input).await?;
        self.store().change_endpoint(team, id, details).await?.ok_or(Error::NotFound)
    }

    /// Replaces an endpoint's secret, and gives the new one, which is not shown again.
    ///
    /// For `overlap` from now, at most 30 days, both secrets sign: `Svc-Signature` then has two `v1`. Zero replaces at once,
    /// for a secret that got into wrong hands, and for receivers that read exactly one `v1`.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn rotate_endpoint_secret(
        &self,
        team: TeamId,
        id: EndpointId,
        overlap: TimeDelta,
    ) -> Result<EndpointSecret, Error> {
        const LONGEST: TimeDelta = TimeDelta::days(30);
        let secret = EndpointSecret::generate();
        let overlap = overlap.clamp(TimeDelta::zero(), LONGEST);
        let is_there = self.store().rotate_secret(team, id, secret.clone(), overlap).await?;
        is_there.then_some(secret).ok_or(Error::NotFound)
    }

    /// Switches an endpoint on that was switched off because its deliveries failed, and sets the count of those to 0.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn enable_endpoint(&self, team: TeamId, id: EndpointId) -> Result<WebhookEndpoint, Error> {
        self.store().enable_endpoint(team, id).await?.ok_or(Error::NotFound)
    }

    /// Deletes an endpoint with all its deliveries.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn delete_endpoint(&self, team: TeamId, id: EndpointId) -> Result<(), Error> {
        if self.store().delete_endpoint(team, id).await? { Ok(()) } else { Err(Error::NotFound) }
    }

    async fn checked(&self, input: &EndpointInput) -> Result<EndpointDetails, Error> {
        let details = input.check().map_err(Error::Invalid)?;
        let parts = self.parts();
        match target::judge(&parts.policy, &*parts.resolver, details.url.url()).await {
            Ok(_) | Err(TargetError::Policy(PolicyError::Resolve(_))) => Ok(details),
            Err(TargetError::NotHttps) => Err(invalid("url", Problem::NotHttps)),
            Err(TargetError::Policy(PolicyError::Refused(refusal))) => {
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
        let errors = input.check().err().unwrap_or_default();
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
        assert_eq!(problems("a.example.com", &["issues.new"; 11]), one("events", Problem::TooMany(10)));
        assert_eq!(problems("", &["x"]).len(), 2);
    }
}
