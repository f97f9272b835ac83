//! The account of a team: `GET /account`.

use super::TeamHandle;
use crate::{
    domain::{Ability, PlanStatus, Team},
    error::Error,
    store::SiteUsage,
};

/// A team, its plan, and the usage of the plan.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Account {
    /// The team with its plan.
    pub team: Team,
    /// The status of the plan when the request was admitted, or at the call of a host: canceled as of its end.
    pub status: PlanStatus,
    /// The usage of the plan.
    pub usage: SiteUsage,
}

impl TeamHandle {
    /// Returns the team's account.
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `read`, and those of [every call](TeamHandle#errors).
    pub async fn account(&self) -> Result<Account, Error> {
        let team = self.team_that_may(Ability::Read).await?;
        let usage = self.service().store().site_usage(team.id).await?;
        let status = team.subscription.status_at(self.at().await?);
        Ok(Account { team: Team::clone(&team), status, usage })
    }
}
