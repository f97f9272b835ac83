//! Plans, teams and their tokens.

use async_trait::async_trait;

use super::StoreError;
use crate::{
    domain::{ApiToken, NewTeam, NewToken, Plan, PlanCode, Standing, Subscription, Team, TeamBrand},
    id::{TeamId, TokenId},
    page::{Page, PageRequest},
};

/// A team was to be put on a plan that the store does not have.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UnknownPlan {
    /// No plan has this code.
    #[error("there is no plan `{0}`")]
    Unknown(PlanCode),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Keeps plans, teams, their brands and tokens.
#[async_trait]
pub trait TeamStore {
    /// Adds plans, each code once, and replaces those whose code is there already: for all teams that are on them, at
    /// once. As with [`change_plan`](Self::change_plan), what is there stays, and so do the fields of a stored plan that only
    /// a later release knows ([`Plan::in_place_of`]).
    async fn put_plans(&self, plans: &[Plan]) -> Result<(), StoreError>;

    /// The plans.
    ///
    /// # Ordering
    /// By code.
    async fn plans(&self) -> Result<Vec<Plan>, StoreError>;

    /// Creates a team in good standing.
    ///
    /// # Errors
    /// [`UnknownPlan::Unknown`]: nothing is created.
    async fn create_team(&self, team: NewTeam) -> Result<Team, UnknownPlan>;

    /// The team with its plan; `None` where there is no such team.
    async fn team(&self, id: TeamId) -> Result<Option<Team>, StoreError>;

    /// All teams, for those who run the service.
    ///
    /// # Ordering
    /// By creation, then id.
    async fn teams(&self, page: PageRequest) -> Result<Page<Team>, StoreError>;

    /// Blocks a team or lets it in again. `false` where there is no such team.
    async fn set_standing(&self, id: TeamId, standing: Standing) -> Result<bool, StoreError>;

    /// Puts a team on a plan. `false` where there is no such team.
    ///
    /// The new limits hold at once; what is there stays: sites beyond the new number, and the pages of queued checks. Sites
    /// whose next check would come later than under the new frequency are brought forward
    /// ([`brought_forward`](crate::domain::brought_forward)), in the same step; no check is put off.
    ///
    /// # Errors
    /// [`UnknownPlan::Unknown`]: nothing is changed.
    async fn change_plan(&self, id: TeamId, plan: &PlanCode, subscription: Subscription) -> Result<bool, UnknownPlan>;

    /// The team's brand, whatever its plan; one with nothing in it where none was set or there is no such team.
    async fn brand(&self, team: TeamId) -> Result<TeamBrand, StoreError>;

    /// Puts a brand in place of the team's. `false` where there is no such team.
    async fn set_brand(&self, team: TeamId, brand: TeamBrand) -> Result<bool, StoreError>;

    /// Adds a token. `None` where there is no such team.
    async fn create_token(&self, team: TeamId, token: NewToken) -> Result<Option<ApiToken>, StoreError>;

    /// The team's tokens; none where there is no such team.
    ///
    /// # Ordering
    /// By creation, then id.
    async fn tokens(&self, team: TeamId) -> Result<Vec<ApiToken>, StoreError>;

    /// Deletes a token: no later request is admitted with it. `false` where the team has no such token.
    async fn delete_token(&self, team: TeamId, id: TokenId) -> Result<bool, StoreError>;
}
