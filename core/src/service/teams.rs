//! Teams and tokens: for operators and embedders. The API has no way to them (contract, "What the service does").

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};

use super::Service;
use crate::{
    domain::{
        Ability, ApiToken, NewTeam, NewToken, PlainToken, Plan, PlanCatalog, PlanCode, ShortenedHistory, Standing,
        Subscription, Team, bounded,
    },
    error::Error,
    id::{ScanId, TeamId, TokenId},
    paging::{Page, PageRequest},
    store::{DeletePlanError, UnknownPlan},
};

/// A team to be created.
#[derive(Debug, Clone)]
pub struct TeamInput {
    /// Its name for people.
    pub name: String,
    /// The plan that it is on.
    pub plan: PlanCode,
    /// On what terms.
    pub subscription: Subscription,
    /// Members that it has.
    pub seats_used: u32,
}

impl TeamInput {
    /// Characters of a name that are kept, of a token's as well.
    pub const MAX_NAME: usize = 120;

    /// A team with one member, on a plan without end.
    pub fn new(name: impl Into<String>, plan: PlanCode) -> Self {
        Self { name: name.into(), plan, subscription: Subscription::ACTIVE, seats_used: 1 }
    }
}

/// A token to be created.
#[derive(Debug, Clone)]
pub struct TokenInput {
    /// What its holder calls it: one token per integration.
    pub name: String,
    /// What it may do.
    pub abilities: BTreeSet<Ability>,
}

/// Why a plan was not deleted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RemovePlanError {
    /// There is no such plan.
    #[error("there is no plan `{0}`")]
    NoPlan(PlanCode),
    /// Teams are on it, or the store failed.
    #[error(transparent)]
    Plan(#[from] DeletePlanError),
}

/// Why a team was not created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CreateTeamError {
    /// The name holds nothing that can be seen.
    #[error("the team's name is blank; give it one that people can read")]
    BlankName,
    /// There is no such plan, or the store failed.
    #[error(transparent)]
    Plan(#[from] UnknownPlan),
}

/// Why a team stays on the plan that it is on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChangePlanError {
    /// There is no such team.
    #[error("there is no such team")]
    NoTeam,
    /// There is no such plan, or the store failed.
    #[error(transparent)]
    Plan(#[from] UnknownPlan),
}

impl Service {
    /// Returns the plans in the store, by code: those that hold, whichever process stored them.
    ///
    /// # Errors
    /// Only those of the store.
    pub async fn plans(&self) -> Result<Vec<Plan>, Error> {
        Ok(self.store().plans().await?)
    }

    /// Stores plans, in place of those of the same code, for all teams that are on them. Returns those whose history became
    /// shorter: nothing of their teams is purged for 24 hours, so that the plan can be put back.
    ///
    /// # Errors
    /// Only those of the store.
    pub async fn put_plans(&self, plans: &PlanCatalog) -> Result<Vec<ShortenedHistory>, Error> {
        let shortened = self.store().put_plans(plans.plans()).await?;
        for plan in plans.plans() {
            tracing::info!(plan = %plan.code, "Stored a plan");
        }
        for ShortenedHistory { plan, months_before, months, held_until } in &shortened {
            tracing::warn!(
                %plan, months_before, months, %held_until,
                "The history of a plan became shorter: older checks are hidden now, and purged from then on; \
                 until then, putting the plan back brings them back"
            );
        }
        Ok(shortened)
    }

    /// Deletes a plan that no team is on.
    ///
    /// # Errors
    /// [`RemovePlanError`]: nothing is changed.
    pub async fn delete_plan(&self, code: &PlanCode) -> Result<(), RemovePlanError> {
        if !self.store().delete_plan(code).await? {
            return Err(RemovePlanError::NoPlan(code.clone()));
        }
        tracing::info!(plan = %code, "Deleted a plan");
        Ok(())
    }

    /// Creates a team.
    ///
    /// # Errors
    /// [`CreateTeamError`]: nothing is created.
    pub async fn create_team(&self, input: TeamInput) -> Result<Team, CreateTeamError> {
        let TeamInput { name, plan, subscription, seats_used } = input;
        let name = bounded(name.trim(), TeamInput::MAX_NAME);
        if name.chars().all(|character| character.is_whitespace() || character.is_control()) {
            return Err(CreateTeamError::BlankName);
        }
        let id = TeamId::generate(self.parts().clock.now());
        Ok(self.store().create_team(NewTeam { id, name, plan, subscription, seats_used }).await?)
    }

    /// A team by its id.
    ///
    /// # Errors
    /// [`Error::NotFound`] where there is no such team.
    pub async fn team(&self, id: TeamId) -> Result<Team, Error> {
        self.store().team(id).await?.ok_or(Error::NotFound)
    }

    /// Deletes a team with all that it has, for good: tokens, sites, checks, reports, endpoints, deliveries. Its running checks
    /// stop, and their results are dropped. With a large team it takes as long as it needs; others see the team whole until then.
    ///
    /// # Errors
    /// [`Error::NotFound`] where there is no such team.
    pub async fn delete_team(&self, id: TeamId) -> Result<(), Error> {
        if self.store().delete_team(id).await? { Ok(()) } else { Err(Error::NotFound) }
    }

    /// All teams, the oldest first.
    ///
    /// # Errors
    /// Only those of the store.
    pub async fn teams(&self, page: PageRequest) -> Result<Page<Team>, Error> {
        Ok(self.store().teams(page).await?)
    }

    /// Puts a team on another plan or other terms, at once. Returns the instant before which nothing of the team is purged,
    /// where its history became shorter within the last 24 hours.
    ///
    /// # Errors
    /// [`ChangePlanError`].
    pub async fn change_plan(
        &self,
        team: TeamId,
        plan: &PlanCode,
        terms: Subscription,
    ) -> Result<Option<DateTime<Utc>>, ChangePlanError> {
        if !self.store().change_plan(team, plan, terms).await? {
            return Err(ChangePlanError::NoTeam);
        }
        let held_until = self.store().purge_held_until(team).await.map_err(UnknownPlan::Store)?;
        if let Some(held_until) = held_until {
            tracing::warn!(
                %team, %plan, %held_until,
                "The history of a team became shorter within the last day: older checks are hidden, and purged from then on; \
                 until then, putting the team back on its plan brings them back"
            );
        }
        Ok(held_until)
    }

    /// Creates a token. The secret is in the answer and nowhere else: only its hash is stored.
    ///
    /// # Errors
    /// [`Error::NotFound`] where there is no such team.
    pub async fn create_token(&self, team: TeamId, input: TokenInput) -> Result<(ApiToken, PlainToken), Error> {
        let secret = PlainToken::generate();
        let TokenInput { name, abilities } = input;
        let name = bounded(name.trim(), TeamInput::MAX_NAME);
        let id = TokenId::generate(self.parts().clock.now());
        let token = NewToken { id, name, abilities, hash: secret.hash() };
        let token = self.store().create_token(team, token).await?.ok_or(Error::NotFound)?;
        Ok((token, secret))
    }

    /// The tokens of a team, the oldest first, without their secrets.
    ///
    /// # Errors
    /// [`Error::NotFound`] where there is no such team.
    pub async fn tokens(&self, team: TeamId) -> Result<Vec<ApiToken>, Error> {
        self.store().team(team).await?.ok_or(Error::NotFound)?;
        Ok(self.store().tokens(team).await?)
    }

    /// Deletes a token, which stops working at once.
    ///
    /// # Errors
    /// [`Error::NotFound`] where the team has no such token.
    pub async fn delete_token(&self, team: TeamId, token: TokenId) -> Result<(), Error> {
        if self.store().delete_token(team, token).await? { Ok(()) } else { Err(Error::NotFound) }
    }

    /// Notes that an express report was bought for a check, which opens all its exports whatever the plan.
    ///
    /// # Errors
    /// [`Error::NotFound`] where the team has no such check.
    pub async fn mark_express(&self, team: TeamId, scan: ScanId) -> Result<(), Error> {
        if self.store().mark_express(team, scan).await? { Ok(()) } else { Err(Error::NotFound) }
    }

    /// Blocks a team or lets it in again.
    ///
    /// # Errors
    /// [`Error::NotFound`] where there is no such team.
    pub async fn set_standing(&self, team: TeamId, standing: Standing) -> Result<(), Error> {
        if self.store().set_standing(team, standing).await? { Ok(()) } else { Err(Error::NotFound) }
    }
}
