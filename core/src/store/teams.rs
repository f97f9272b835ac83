//! Plans, teams and their tokens.

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use super::StoreError;
use crate::{
    domain::{
        ApiToken, ExternalKey, NewTeam, NewToken, Plan, PlanCode, ShortenedHistory, Standing, Subscription, Team,
        TeamBrand,
    },
    id::{TeamId, TokenId},
    paging::{Page, PageRequest},
};

/// The reason why a team was not put on a plan.
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

/// The reason why a plan was not deleted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeletePlanError {
    /// This many teams are on it.
    #[error("{0} teams are on the plan")]
    InUse(u64),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Keeps plans, teams, their brands and tokens.
#[async_trait]
pub trait TeamStore {
    /// Stores plans, each code once, if the store has no plan at all. Returns `false` if it has one: nothing is then changed.
    ///
    /// # Concurrency
    /// These plans are never added beside a plan that another caller stores at the same time.
    async fn seed_plans(&self, plans: &[Plan]) -> Result<bool, StoreError>;

    /// Adds the plans whose code is missing, each code once, and returns the stored plans of all these codes. Existing
    /// plans are not changed.
    ///
    /// # Ordering
    /// By code.
    ///
    /// # Concurrency
    /// Any number of callers at once get the same plan of a code: that of the first of them.
    async fn add_missing_plans(&self, plans: &[Plan]) -> Result<Vec<Plan>, StoreError>;

    /// Adds plans, each code once, and replaces those whose code already exists: for all teams that are on them, at once.
    /// As with [`change_plan`](Self::change_plan), existing data stays, and a shorter history delays the purge of their
    /// teams; the fields of a stored plan that only a later release knows stay as well ([`Plan::in_place_of`]). Returns the
    /// plans whose history became shorter, in the order given.
    async fn put_plans(&self, plans: &[Plan]) -> Result<Vec<ShortenedHistory>, StoreError>;

    /// Deletes a plan. Returns `false` if there is none with this code.
    ///
    /// # Concurrency
    /// No team is ever on a plan that does not exist, even if teams are put on it at the same time.
    ///
    /// # Errors
    /// [`DeletePlanError::InUse`]: nothing is changed.
    async fn delete_plan(&self, code: &PlanCode) -> Result<bool, DeletePlanError>;

    /// Returns the plans.
    ///
    /// # Ordering
    /// By code.
    async fn plans(&self) -> Result<Vec<Plan>, StoreError>;

    /// Creates a team in good standing.
    ///
    /// # Errors
    /// [`UnknownPlan::Unknown`]: nothing is created.
    async fn create_team(&self, team: NewTeam) -> Result<Team, UnknownPlan>;

    /// Returns the team that was created under a key of the host's; if there is none, creates `team` under it, in good
    /// standing. An existing team stays as it is, whatever `team` says. The key of a deleted team is free again.
    ///
    /// # Concurrency
    /// Any number of callers at once with one key get the same team.
    ///
    /// # Errors
    /// [`UnknownPlan::Unknown`] if the team would have to be created: nothing is created.
    async fn team_for(&self, key: &ExternalKey, team: NewTeam) -> Result<Team, UnknownPlan>;

    /// Returns the team with its plan; `None` if there is no such team.
    async fn team(&self, id: TeamId) -> Result<Option<Team>, StoreError>;

    /// Returns all teams, for operators.
    ///
    /// # Ordering
    /// By creation, then id.
    async fn teams(&self, page: PageRequest) -> Result<Page<Team>, StoreError>;

    /// Blocks a team, or lifts its block. Returns `false` if there is no such team.
    async fn set_standing(&self, id: TeamId, standing: Standing) -> Result<bool, StoreError>;

    /// Deletes a team with everything it has: its tokens and their counters, brand, sites, checks, findings and files,
    /// endpoints, deliveries with their log, and events. Returns `false` if there is no such team.
    ///
    /// A worker that checks a site of the team learns of this from its next transition
    /// ([`LeaseError::Gone`](super::LeaseError::Gone)), and its result is dropped; one that delivers to an endpoint of the
    /// team learns of it when it records the end ([`RecordError::Gone`](super::RecordError::Gone)). Files outside the
    /// store's own tables are deleted by the next [purge](super::ScanStore::purge_scans) at the latest, as those of a
    /// deleted site are. The entries of the [log of occurrences](super::EventLog) about its checks, in ids, stay there for
    /// their day.
    ///
    /// # Atomicity
    /// All of this is one step, however much the team has: others see the team whole or not at all. It may take longer than
    /// other steps, and the time that it waits is bounded.
    ///
    /// # Concurrency
    /// Anything that is added to the team at the same moment is deleted with it, or refused because there is no such team.
    async fn delete_team(&self, id: TeamId) -> Result<bool, StoreError>;

    /// Puts a team on a plan. Returns `false` if there is no such team.
    ///
    /// The new limits hold at once; existing data stays: sites beyond the new number, and the pages of queued checks. Sites
    /// whose next check would come later than under the new frequency are brought forward
    /// ([`brought_forward`](crate::domain::brought_forward)), in the same step; no check is put off. If the history becomes
    /// shorter, checks that left it are no longer visible, and are purged 24 hours later at the earliest
    /// ([`purge_hold`](crate::domain::purge_hold)): a team that is put back in time has lost nothing.
    ///
    /// # Errors
    /// [`UnknownPlan::Unknown`]: nothing is changed.
    async fn change_plan(&self, id: TeamId, plan: &PlanCode, subscription: Subscription) -> Result<bool, UnknownPlan>;

    /// Returns the instant before which nothing of the team is purged, because its history became shorter; `None` if that
    /// instant has passed, if the history never became shorter, or if there is no such team.
    async fn purge_held_until(&self, team: TeamId) -> Result<Option<DateTime<Utc>>, StoreError>;

    /// Returns the team's brand, whatever its plan; an empty one if none was set or there is no such team.
    async fn brand(&self, team: TeamId) -> Result<TeamBrand, StoreError>;

    /// Replaces the team's brand. Returns `false` if there is no such team.
    async fn set_brand(&self, team: TeamId, brand: TeamBrand) -> Result<bool, StoreError>;

    /// Adds a token. Returns `None` if there is no such team.
    async fn create_token(&self, team: TeamId, token: NewToken) -> Result<Option<ApiToken>, StoreError>;

    /// Returns the team's tokens; none if there is no such team.
    ///
    /// # Ordering
    /// By creation, then id.
    async fn tokens(&self, team: TeamId) -> Result<Vec<ApiToken>, StoreError>;

    /// Deletes a token: no later request is admitted with it. Returns `false` if the team has no such token.
    async fn delete_token(&self, team: TeamId, id: TokenId) -> Result<bool, StoreError>;
}
