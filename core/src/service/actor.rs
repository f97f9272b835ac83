//! Who asks.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};

use super::Service;
use crate::{
    domain::{Ability, Team},
    error::Error,
    id::TeamId,
};

/// A team's proven right: whose data a use-case may touch, and what it may do.
#[derive(Debug, Clone)]
pub struct Actor {
    team: Team,
    abilities: BTreeSet<Ability>,
    admitted_at: DateTime<Utc>,
}

impl Actor {
    pub(crate) const fn new(team: Team, abilities: BTreeSet<Ability>, admitted_at: DateTime<Utc>) -> Self {
        Self { team, abilities, admitted_at }
    }

    /// The team as it was when the actor was admitted.
    pub const fn team(&self) -> &Team {
        &self.team
    }

    /// The team's id.
    pub const fn team_id(&self) -> TeamId {
        self.team.id
    }

    /// When the actor was admitted, by the store's clock.
    pub const fn admitted_at(&self) -> DateTime<Utc> {
        self.admitted_at
    }

    /// Lets pass who has this ability. Every use-case asks by itself; a frontend asks when it has work to do before the
    /// use-case can be called.
    ///
    /// # Errors
    /// [`Error::MissingAbility`].
    pub fn require(&self, ability: Ability) -> Result<(), Error> {
        if self.abilities.contains(&ability) { Ok(()) } else { Err(Error::MissingAbility(ability)) }
    }
}

impl Service {
    /// Acts for a team with all abilities and without a token: for embedders, who answer for their own callers.
    ///
    /// # Errors
    /// [`Error::NotFound`] where there is no such team, [`Error::TeamBlocked`].
    pub async fn act_for(&self, team: TeamId) -> Result<Actor, Error> {
        let team = self.store().team(team).await?.ok_or(Error::NotFound)?;
        if team.standing.is_blocked() {
            return Err(Error::TeamBlocked);
        }
        let now = self.store().now().await?;
        Ok(Actor::new(team, BTreeSet::from([Ability::Read, Ability::Write]), now))
    }
}
