//! Webhook endpoints: for operators and hosts. The API has no operations for them (contract §1.1).

use std::collections::BTreeSet;

use chrono::TimeDelta;

use super::TeamHandle;
use crate::{
    domain::{EndpointDetails, EndpointSecret, EventKind, FieldErrors, NewEndpoint, Problem, WebhookEndpoint},
    error::Error,
    id::EndpointId,
    net::PolicyError,
    sealing::Keyring,
    store::CreateEndpointError,
    webhook::target::{self, TargetError},
};

impl TeamHandle {
    /// The longest time for which a replaced secret may continue to sign.
    pub const LONGEST_OVERLAP: TimeDelta = TimeDelta::days(30);

    /// Creates an endpoint. The secret is returned here, and is not shown again.
    ///
    /// The address must be public by the service's [policy](crate::Service::policy), and begin with `https`; plain `http`
    /// is accepted if it leads into a network that the policy opens. A name that has no address now is accepted: it is
    /// judged again at every attempt.
    ///
    /// # Errors
    /// Returns [`Error::Invalid`] with every field that breaks a rule, or with the number of endpoints; [`Error::NoSealingKey`]; and
    /// those of [every call](TeamHandle#errors).
    pub async fn create_endpoint(&self, details: EndpointDetails) -> Result<(WebhookEndpoint, EndpointSecret), Error> {
        self.may_manage().await?;
        let details = self.checked(details, &BTreeSet::new()).await?;
        let id = EndpointId::generate(self.service().parts().clock.now());
        let secret = EndpointSecret::generate();
        let new = NewEndpoint { id, details, secret: secret.seal(self.sealing_keys()?, id) };
        let endpoint = self.service().store().create_endpoint(self.id(), new).await.map_err(|error| match error {
            CreateEndpointError::LimitReached => invalid("url", Problem::EndpointLimit(WebhookEndpoint::MAX_PER_TEAM)),
            CreateEndpointError::NoTeam => Error::NotFound,
            CreateEndpointError::Store(error) => error.into(),
        })?;
        Ok((endpoint, secret))
    }

    /// Returns the team's endpoints, in the order of their creation.
    ///
    /// # Errors
    /// Returns those of [every call](TeamHandle#errors).
    pub async fn endpoints(&self) -> Result<Vec<WebhookEndpoint>, Error> {
        self.may_manage().await?;
        Ok(self.service().store().endpoints(self.id()).await?)
    }

    /// Changes an endpoint's address and the events that it listens to. Pending deliveries go to the new address.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`]; [`Error::Invalid`] as [`create_endpoint`](Self::create_endpoint) does; and those of
    /// [every call](TeamHandle#errors).
    pub async fn change_endpoint(&self, id: EndpointId, details: EndpointDetails) -> Result<WebhookEndpoint, Error> {
        self.may_manage().await?;
        let endpoints = self.service().store().endpoints(self.id()).await?;
        let before = endpoints.into_iter().find(|endpoint| endpoint.id == id).ok_or(Error::NotFound)?;
        let details = self.checked(details, &before.details.events).await?;
        self.service().store().change_endpoint(self.id(), id, details).await?.ok_or(Error::NotFound)
    }

    /// Replaces an endpoint's secret, and returns the new one, which is not shown again.
    ///
    /// With an overlap of zero, the new secret signs alone at once. With a longer one, at most
    /// [`LONGEST_OVERLAP`](Self::LONGEST_OVERLAP), both secrets sign for that time: `Svc-Signature` then has two `v1`,
    /// which receivers that read exactly one can't verify.
    ///
    /// # Errors
    /// Returns [`Error::Invalid`] where the overlap is negative or too long, [`Error::NotFound`], [`Error::NoSealingKey`], and those
    /// of [every call](TeamHandle#errors). The secret is not replaced then.
    pub async fn rotate_endpoint_secret(&self, id: EndpointId, overlap: TimeDelta) -> Result<EndpointSecret, Error> {
        self.may_manage().await?;
        if overlap < TimeDelta::zero() || overlap > Self::LONGEST_OVERLAP {
            return Err(invalid("overlap", Problem::OverlapOutOfRange(Self::LONGEST_OVERLAP)));
        }
        let secret = EndpointSecret::generate();
        let sealed = secret.seal(self.sealing_keys()?, id);
        let is_there = self.service().store().rotate_secret(self.id(), id, sealed, overlap).await?;
        is_there.then_some(secret).ok_or(Error::NotFound)
    }

    /// Switches on an endpoint that was switched off because its deliveries failed, and resets the count of those to 0.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`], and those of [every call](TeamHandle#errors).
    pub async fn enable_endpoint(&self, id: EndpointId) -> Result<WebhookEndpoint, Error> {
        self.may_manage().await?;
        self.service().store().enable_endpoint(self.id(), id).await?.ok_or(Error::NotFound)
    }

    /// Switches an endpoint off by hand: its pending deliveries are dropped, and nothing is sent to it until it is
    /// [switched on](Self::enable_endpoint).
    ///
    /// # Errors
    /// Returns [`Error::NotFound`], and those of [every call](TeamHandle#errors).
    pub async fn disable_endpoint(&self, id: EndpointId) -> Result<WebhookEndpoint, Error> {
        self.may_manage().await?;
        self.service().store().disable_endpoint(self.id(), id).await?.ok_or(Error::NotFound)
    }

    /// Deletes an endpoint with all its deliveries.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`], and those of [every call](TeamHandle#errors).
    pub async fn delete_endpoint(&self, id: EndpointId) -> Result<(), Error> {
        self.may_manage().await?;
        if self.service().store().delete_endpoint(self.id(), id).await? { Ok(()) } else { Err(Error::NotFound) }
    }

    fn sealing_keys(&self) -> Result<&Keyring, Error> {
        self.service().parts().sealing.as_ref().ok_or(Error::NoSealingKey)
    }

    /// Judges the fields, and whether the address is public.
    async fn checked(&self, details: EndpointDetails, before: &BTreeSet<EventKind>) -> Result<EndpointDetails, Error> {
        let problems = details.problems(before);
        if !problems.is_empty() {
            return Err(problems.into());
        }
        let parts = self.service().parts();
        let url = details.url.url();
        let error = match target::judge(&parts.policy, &*parts.resolver, parts.proxy.as_ref(), url).await {
            Ok(_) => return Ok(details),
            Err(TargetError::NotHttps) => return Err(invalid("url", Problem::NotHttps)),
            Err(TargetError::Policy(error)) => error,
        };
        let error = match url.host() {
            Some(host) => parts.policy.disclosed(&host, error),
            None => error,
        };
        match error {
            PolicyError::Resolve(_) => Ok(details),
            PolicyError::Refused(refusal) => Err(invalid("url", Problem::NotPublic(refusal.to_string()))),
            PolicyError::RefusedAnswer(_) => {
                Err(invalid("url", Problem::NotPublic(PolicyError::NO_ADDRESS.to_owned())))
            }
        }
    }
}

fn invalid(field: &str, problem: Problem) -> Error {
    Error::Invalid(FieldErrors::one(field, problem))
}
