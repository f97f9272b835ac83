//! Plans, teams and their tokens.

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use super::StoreError;
use crate::{
    domain::{ApiToken, NewTeam, NewToken, Plan, PlanCode, ShortenedHistory, Standing, Subscription, Team, TeamBrand},
    id::{TeamId, TokenId},
    paging::{Page, PageRequest},
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

/// Why a plan was not deleted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeletePlanError {
    /// So many teams are on it.
    #[error("{0} teams are on the plan")]
    InUse(u64),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Keeps plans, teams, their brands and tokens.
#[async_trait]
pub trait TeamStore {
    /// Stores plans, each code once, where the store has no plan at all. `false` where it has one: then nothing is changed.
    ///
    /// # Concurrency
    /// No plan that another caller stores at the same time is joined by these.
    async fn seed_plans(&self, plans: &[Plan]) -> Result<bool, StoreError>;

    /// Adds the plans whose code is missing, each code once, and returns the stored plans of all these codes. Those that
    /// are there already are not changed.
    ///
    /// # Ordering
    /// By code.
    ///
    /// # Concurrency
    /// All of any number of callers at once get the same plan of a code: the one of the first of them.
    async fn add_missing_plans(&self, plans: &[Plan]) -> Result<Vec<Plan>, StoreError>;

    /// Adds plans, each code once, and replaces those whose code is there already: for all teams that are on them, at
    /// once. As with [`change_plan`](Self::change_plan), what is there stays, and a shorter history holds the purge of
    /// their teams off; the fields of a stored plan that only a later release knows stay as well ([`Plan::in_place_of`]).
    /// Returns the plans whose history became shorter, in the order given.
    async fn put_plans(&self, plans: &[Plan]) -> Result<Vec<ShortenedHistory>, StoreError>;

    /// Deletes a plan. `false` where there is none of this code.
    ///
    /// # Concurrency
    /// No team is ever on a plan that is not there, however teams are put on it at the same time.
    ///
    /// # Errors
    /// [`DeletePlanError::InUse`]: nothing is changed.
    async fn delete_plan(&self, code: &PlanCode) -> Result<bool, DeletePlanError>;

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

    /// Deletes a team with all that it has: its tokens and their counters, brand, sites, checks, findings and files, endpoints,
    /// deliveries with their log, and events. `false` where there is no such team.
    ///
    /// A worker that checks a site of the team learns so from its next move ([`LeaseError::Gone`](super::LeaseError::Gone)), and
    /// its result is dropped; one that delivers to an endpoint of the team learns so when it records the end
    /// ([`RecordError::Gone`](super::RecordError::Gone)). Files that lie outside the store's own tables are deleted by the next
    /// [purge](super::ScanStore::purge_scans) at the latest, as those of a deleted site are.
    ///
    /// # Atomicity
    /// All of this is one step, however much the team has: others see the team whole or not at all. It may take longer than
    /// other steps, and what it waits for is bounded.
    ///
    /// # Concurrency
    /// Whatever is added to the team at the same moment is deleted with it, or refused because there is no such team.
    async fn delete_team(&self, id: TeamId) -> Result<bool, StoreError>;

    /// Puts a team on a plan. `false` where there is no such team.
    ///
    /// The new limits hold at once; what is there stays: sites beyond the new number, and the pages of queued checks. Sites
    /// whose next check would come later than under the new frequency are brought forward
    /// ([`brought_forward`](crate::domain::brought_forward)), in the same step; no check is put off. Where the history
    /// becomes shorter, what left it is not seen any more, and purged 24 hours later at the earliest
    /// ([`purge_hold`](crate::domain::purge_hold)): a team that is put back in time has lost nothing.
    ///
    /// # Errors
    /// [`UnknownPlan::Unknown`]: nothing is changed.
    async fn change_plan(&self, id: TeamId, plan: &PlanCode, subscription: Subscription) -> Result<bool, UnknownPlan>;

    /// Returns the instant before which nothing of the team is purged, because its history became shorter; `None` where
    /// that is over, or never happened, or there is no such team.
    async fn purge_held_until(&self, team: TeamId) -> Result<Option<DateTime<Utc>>, StoreError>;

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
