//! The use-cases of the operator of an installation.

use chrono::{DateTime, Utc};

use super::{Service, TeamHandle};
use crate::{
    domain::{
        ExternalKey, NewTeam, Plan, PlanCatalog, PlanCode, ShortenedHistory, Standing, Subscription, Team, bounded,
    },
    error::Error,
    id::{ScanId, TeamId},
    paging::{Page, PageRequest},
};

/// A team to be created.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TeamInput {
    /// The name of the team, for people.
    pub name: String,
    /// The plan of the team.
    pub plan: PlanCode,
    /// The terms on which the team has the plan.
    pub subscription: Subscription,
    /// The number of the team's members; ignored where the service has people, and counts them.
    pub seats_used: u32,
}

impl TeamInput {
    /// The most characters of a name that are kept; of a token's name as well.
    pub const MAX_NAME: usize = 120;

    /// Returns the description of a team with one member, on a plan without an end.
    pub fn new(name: impl Into<String>, plan: PlanCode) -> Self {
        Self { name: name.into(), plan, subscription: Subscription::ACTIVE, seats_used: 1 }
    }

    /// Sets the terms on which the team has the plan.
    #[must_use]
    pub fn with_subscription(self, subscription: Subscription) -> Self {
        Self { subscription, ..self }
    }

    /// Sets the number of the team's members.
    #[must_use]
    pub fn with_seats_used(self, seats_used: u32) -> Self {
        Self { seats_used, ..self }
    }
}

/// The use-cases of the operator of an installation: plans, teams, settings, keys, and anything that a team may do. A
/// program that has the service has this, too: the host decides who may use it.
#[derive(Debug, Clone)]
pub struct Operator {
    service: Service,
}

impl Service {
    /// Returns the use-cases of the operator of the installation.
    pub fn operator(&self) -> Operator {
        Operator { service: self.clone() }
    }
}

impl Operator {
    pub(super) const fn service(&self) -> &Service {
        &self.service
    }

    /// Returns the plans in the store, by code: those in force, whichever process stored them.
    ///
    /// # Errors
    /// Returns only those of the store.
    pub async fn plans(&self) -> Result<Vec<Plan>, Error> {
        Ok(self.service.store().plans().await?)
    }

    /// Stores plans, in place of those with the same code, for all teams that are on them. Returns those whose history
    /// became shorter: nothing of their teams is purged for 24 hours, so that the plan can be put back.
    ///
    /// # Errors
    /// Returns only those of the store.
    pub async fn put_plans(&self, plans: &PlanCatalog) -> Result<Vec<ShortenedHistory>, Error> {
        let shortened = self.service.store().put_plans(plans.plans()).await?;
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
    /// Returns [`Error::NoPlan`], [`Error::PlanInUse`] and those of the store. Nothing is then changed.
    pub async fn delete_plan(&self, code: &PlanCode) -> Result<(), Error> {
        if !self.service.store().delete_plan(code).await? {
            return Err(Error::NoPlan(code.clone()));
        }
        tracing::info!(plan = %code, "Deleted a plan");
        Ok(())
    }

    /// Creates a team.
    ///
    /// # Errors
    /// Returns [`Error::BlankName`], [`Error::NoPlan`] and those of the store. Nothing is then created.
    pub async fn create_team(&self, input: TeamInput) -> Result<Team, Error> {
        Ok(self.service.store().create_team(self.new_team(input)?).await?)
    }

    /// Returns a handle of the team under a key of the host's, and creates the team if there is none: however often this is
    /// called, and by however many callers at once, there is one team. `input` applies when the team is created, and
    /// changes nothing of an existing team. Every call of the handle checks that the team exists and is not blocked, as
    /// with [`Service::team`].
    ///
    /// ```
    /// use a11ycheck_core::{Service, domain::PlanCode, service::TeamInput};
    ///
    /// # async fn example(service: Service) -> Result<(), Box<dyn std::error::Error>> {
    /// let input = TeamInput::new("Customer 4711", PlanCode::PRO);
    /// let team = service.operator().team_for("customer-4711".parse()?, input).await?;
    /// assert_eq!(team.team().await?.name, "Customer 4711");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::BlankName`] in any case, [`Error::NoPlan`] only if the team does not exist yet, and those of the
    /// store. Nothing is then created.
    pub async fn team_for(&self, key: ExternalKey, input: TeamInput) -> Result<TeamHandle, Error> {
        let team = self.service.store().team_for(&key, self.new_team(input)?).await?;
        Ok(TeamHandle::of_host(self.service.clone(), team.id))
    }

    fn new_team(&self, input: TeamInput) -> Result<NewTeam, Error> {
        let TeamInput { name, plan, subscription, seats_used } = input;
        let name = bounded(name.trim(), TeamInput::MAX_NAME);
        if name.chars().all(|character| character.is_whitespace() || character.is_control()) {
            return Err(Error::BlankName);
        }
        // Its members are counted, and there are none yet.
        let seats_used = if self.service.parts().people.is_some() { 0 } else { seats_used };
        Ok(NewTeam { id: TeamId::generate(self.service.parts().clock.now()), name, plan, subscription, seats_used })
    }

    /// Returns all teams, the oldest first.
    ///
    /// # Errors
    /// Returns only those of the store.
    pub async fn teams(&self, page: PageRequest) -> Result<Page<Team>, Error> {
        Ok(self.service.store().teams(page).await?)
    }

    /// Returns the use-cases of the operator for one team, blocked or not.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no such team.
    pub async fn team(&self, id: TeamId) -> Result<OperatedTeam, Error> {
        let handle = TeamHandle::of_operator(self.service.clone(), id);
        handle.team().await?;
        Ok(OperatedTeam { handle })
    }
}

/// The use-cases of the operator for one team.
#[derive(Debug, Clone)]
pub struct OperatedTeam {
    handle: TeamHandle,
}

impl OperatedTeam {
    /// Returns a handle with everything that the team itself may do. It works for a blocked team as well.
    pub const fn handle(&self) -> &TeamHandle {
        &self.handle
    }

    /// Returns the team with its plan as it is now.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if it was deleted, and those of the store.
    pub async fn read(&self) -> Result<Team, Error> {
        self.store().team(self.handle.id()).await?.ok_or(Error::NotFound)
    }

    /// Puts the team on another plan or other terms, at once. If the history of the team became shorter within the last 24
    /// hours, returns the instant before which nothing of the team is purged.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`], [`Error::NoPlan`] and those of the store.
    pub async fn change_plan(&self, plan: &PlanCode, terms: Subscription) -> Result<Option<DateTime<Utc>>, Error> {
        let team = self.handle.id();
        if !self.store().change_plan(team, plan, terms).await? {
            return Err(Error::NotFound);
        }
        let held_until = self.store().purge_held_until(team).await?;
        if let Some(held_until) = held_until {
            tracing::warn!(
                %team, %plan, %held_until,
                "The history of a team became shorter within the last day: older checks are hidden, and purged from then on; \
                 until then, putting the team back on its plan brings them back"
            );
        }
        Ok(held_until)
    }

    /// Blocks the team: its tokens are refused, and no further check of its sites is scheduled.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] and those of the store.
    pub async fn block(&self) -> Result<(), Error> {
        self.set_standing(Standing::Blocked).await
    }

    /// Lifts the block of the team.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] and those of the store.
    pub async fn unblock(&self) -> Result<(), Error> {
        self.set_standing(Standing::Active).await
    }

    async fn set_standing(&self, standing: Standing) -> Result<(), Error> {
        if self.store().set_standing(self.handle.id(), standing).await? { Ok(()) } else { Err(Error::NotFound) }
    }

    /// Notes that an express report was bought for a check, which opens all its exports whatever the plan.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the team has no such check, and those of the store.
    pub async fn mark_express(&self, scan: ScanId) -> Result<(), Error> {
        if self.store().mark_express(self.handle.id(), scan).await? { Ok(()) } else { Err(Error::NotFound) }
    }

    /// Deletes the team permanently, with everything it has: tokens, sites, checks, reports, endpoints, deliveries. Its
    /// running checks stop, and their results are dropped. A large team takes as long as it needs; others see the team
    /// whole until then.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if it was already deleted, and those of the store.
    pub async fn delete(self) -> Result<(), Error> {
        if self.store().delete_team(self.handle.id()).await? { Ok(()) } else { Err(Error::NotFound) }
    }

    fn store(&self) -> &dyn crate::store::Store {
        self.handle.service().store()
    }
}
