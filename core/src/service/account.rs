//! `GET /account`.

use super::{Actor, Service};
use crate::{
    domain::{Ability, PlanStatus, Team},
    error::Error,
    store::SiteUsage,
};

/// A team, its plan, and how much of it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The team with its plan.
    pub team: Team,
    /// How the plan stood when the actor was admitted: canceled from its end on.
    pub status: PlanStatus,
    /// How much is used.
    pub usage: SiteUsage,
}

impl Service {
    /// The team's account.
    ///
    /// # Errors
    /// [`Error::MissingAbility`] without `read`.
    pub async fn account(&self, actor: &Actor) -> Result<Account, Error> {
        actor.require(Ability::Read)?;
        let usage = self.store().site_usage(actor.team_id()).await?;
        let status = actor.team().subscription.status_at(actor.admitted_at());
        Ok(Account { team: actor.team().clone(), status, usage })
    }
}
