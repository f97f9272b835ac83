//! Lets a request in, or says why not: 401, then 429, then 403 of team and plan (contract §3, decision 0004).

use std::net::{IpAddr, Ipv6Addr};

use chrono::{DateTime, Utc};

use super::{Service, TeamHandle};
use crate::{
    domain::{PlainToken, RateDecision, RequestClass, TokenHash},
    error::Error,
    id::TokenId,
    store::AdmittedToken,
};

/// The facts that a request shows of its sender.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Caller {
    /// The bearer token that it carries.
    pub token: Option<PlainToken>,
    /// The address from which it came.
    pub address: IpAddr,
}

impl Caller {
    /// Returns the sender of a request without a token.
    pub const fn new(address: IpAddr) -> Self {
        Self { token: None, address }
    }

    /// Sets the token that the request carries, if it carries one.
    #[must_use]
    pub fn with_token(self, token: impl Into<Option<PlainToken>>) -> Self {
        Self { token: token.into(), ..self }
    }
}

/// The answer to a request at the door. Every response shows [`rate`](Self::rate), whatever else it says.
#[derive(Debug)]
#[non_exhaustive]
pub struct Admission {
    /// The decision of the counters.
    pub rate: RateDecision,
    /// The instant of the decision.
    pub at: DateTime<Utc>,
    /// The owner of the counters.
    pub against: CountedAgainst,
    /// The team that the request may act for, or why it may not be carried out.
    pub team: Result<TeamHandle, Error>,
}

/// The owner of the counters against which a request is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountedAgainst {
    /// Those of the token that it carries.
    Token(TokenId),
    /// Those of the address that it came from: it carries no valid token.
    Address,
}

impl Service {
    /// Recognises the token of a request and counts the request: against the token, or, without a valid one, against the
    /// address; of an IPv6 address, its first 64 bits count (RFC 6177: a customer has that many addresses and more).
    ///
    /// # Errors
    /// Only [`Error::Unavailable`] and [`Error::Corrupt`]; refusals stand in [`Admission::team`], in this order:
    /// [`Error::Unauthenticated`] (or [`Error::TooManyRequests`] of the address), [`Error::TooManyRequests`],
    /// [`Error::TeamBlocked`], [`Error::ApiNotIncluded`], also from the end of a plan on.
    pub async fn admit(&self, caller: &Caller, class: RequestClass) -> Result<Admission, Error> {
        let known = match caller.token.as_ref().map(PlainToken::hash) {
            Some(hash) => self.known(&hash, class).await?,
            None => None,
        };
        let Some(known) = known else {
            let limits = self.parts().anonymous_limits;
            let (rate, at) = self.store().admit_address(network_of(caller.address), class, limits).await?;
            let error = if rate.is_admitted() { Error::Unauthenticated } else { Error::TooManyRequests(rate) };
            return Ok(Admission { rate, at, against: CountedAgainst::Address, team: Err(error) });
        };
        self.note_use(&known).await;
        let (rate, at, against) = (known.rate, known.at, CountedAgainst::Token(known.token.id));
        Ok(Admission { rate, at, against, team: self.judged(known) })
    }

    /// Gives a request of this class back to the counters of its token where it was refused because the service is busy, and
    /// the client is to ask again: [`Error::PdfUnavailable`]. Returns what is left then; `None` for a request that stays
    /// counted. `admitted_at` is [`Admission::at`].
    pub async fn give_back(
        &self,
        against: CountedAgainst,
        class: RequestClass,
        admitted_at: DateTime<Utc>,
        refusal: &Error,
    ) -> Option<RateDecision> {
        let (CountedAgainst::Token(token), Error::PdfUnavailable) = (against, refusal) else { return None };
        match self.store().give_back_token(token, class, admitted_at).await {
            Ok(left) => left,
            Err(error) => {
                // It stays counted: the client waits for the rest of a minute at most.
                tracing::warn!(%token, error = &error as &dyn std::error::Error, "Could not give a request back");
                None
            }
        }
    }

    /// Notes the day of a token's use, at its first request of the day. A request is carried out all the same where that fails.
    async fn note_use(&self, known: &AdmittedToken) {
        let (token, today) = (known.token.id, known.at.date_naive());
        if known.token.last_used_on.is_some_and(|day| day >= today) {
            return;
        }
        if let Err(error) = self.store().note_token_use(token, today).await {
            tracing::warn!(%token, error = &error as &dyn std::error::Error, "The use of a token could not be noted");
        }
    }

    pub(super) fn judged(&self, AdmittedToken { team, token, rate, at }: AdmittedToken) -> Result<TeamHandle, Error> {
        if !rate.is_admitted() {
            Err(Error::TooManyRequests(rate))
        } else if team.standing.is_blocked() {
            Err(Error::TeamBlocked)
        } else if !team.includes_api(at) {
            Err(Error::ApiNotIncluded)
        } else {
            Ok(TeamHandle::admitted(self.clone(), team, token.abilities, at))
        }
    }

    pub(super) async fn known(&self, hash: &TokenHash, class: RequestClass) -> Result<Option<AdmittedToken>, Error> {
        Ok(self.store().admit_token(hash, class).await?)
    }
}

/// The address for which a request without a valid token counts: who has one IPv6 address has its whole /64.
fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64)).into(),
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_of_ipv6_addresses_counts_as_one_caller_and_an_ipv4_address_as_itself() {
        let of = |address: &str| network_of(address.parse().unwrap()).to_string();
        assert_eq!(of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(of("2001:db8:1:2:ffff::1"), "2001:db8:1:2::");
        assert_eq!(of("2001:db8:1:3::1"), "2001:db8:1:3::");
        assert_eq!(of("203.0.113.9"), "203.0.113.9");
        assert_eq!(of("::ffff:203.0.113.9"), "203.0.113.9");
    }
}
