//! Plans, teams and their tokens.

use std::{collections::BTreeSet, sync::Arc};

use a11ycheck_core::{
    domain::{
        ApiToken, NewTeam, NewToken, Plan, PlanCode, RateCounters, Standing, Subscription, Team, TeamBrand,
        brought_forward,
    },
    id::{TeamId, TokenId},
    page::{Page, PageRequest},
    store::{StoreError, TeamStore, UnknownPlan},
};
use async_trait::async_trait;

use crate::{
    MemoryStore,
    state::{TeamRow, TokenRow, corrupt, taken},
};

#[async_trait]
impl TeamStore for MemoryStore {
    async fn put_plans(&self, plans: &[Plan]) -> Result<(), StoreError> {
        self.step(|state, _| {
            for plan in plans {
                let plan = match state.plans.get(&plan.code) {
                    Some(stored) => plan.clone().in_place_of(stored),
                    None => plan.clone(),
                };
                state.plans.insert(plan.code.clone(), plan);
            }
            Ok(())
        })
    }

    async fn plans(&self) -> Result<Vec<Plan>, StoreError> {
        self.step(|state, _| Ok(state.plans.values().cloned().collect()))
    }

    async fn create_team(&self, team: NewTeam) -> Result<Team, UnknownPlan> {
        self.step(|state, now| {
            let Some(plan) = state.plans.get(&team.plan).cloned() else {
                return Err(UnknownPlan::Unknown(team.plan));
            };
            if state.teams.contains_key(&team.id) {
                return Err(taken(team.id).into());
            }
            let NewTeam { id, name, plan: code, subscription, seats_used } = team;
            let row = TeamRow {
                name: name.clone(),
                plan: code,
                subscription,
                standing: Standing::Active,
                seats_used,
                brand: Arc::default(),
                created_at: now,
                sites: BTreeSet::new(),
                tokens: BTreeSet::new(),
                endpoints: BTreeSet::new(),
            };
            state.teams.insert(id, row);
            Ok(Team { id, name, plan, subscription, standing: Standing::Active, seats_used, created_at: now })
        })
    }

    async fn team(&self, id: TeamId) -> Result<Option<Team>, StoreError> {
        self.step(|state, _| state.team(id))
    }

    async fn teams(&self, page: PageRequest) -> Result<Page<Team>, StoreError> {
        self.step(|state, _| {
            let mut order: Vec<_> = state.teams.iter().map(|(id, row)| (row.created_at, *id)).collect();
            order.sort_unstable();
            let Page { request, items, total } = Page::cut(order.into_iter(), page);
            let teams = items
                .into_iter()
                .map(|(_, id)| state.team(id)?.ok_or_else(|| corrupt(id, "it is listed, and missing")));
            Ok(Page { request, items: teams.collect::<Result<_, _>>()?, total })
        })
    }

    async fn set_standing(&self, id: TeamId, standing: Standing) -> Result<bool, StoreError> {
        self.step(|state, _| Ok(state.teams.get_mut(&id).map(|team| team.standing = standing).is_some()))
    }

    async fn change_plan(&self, id: TeamId, plan: &PlanCode, subscription: Subscription) -> Result<bool, UnknownPlan> {
        self.step(|state, now| {
            let Some(limits) = state.plans.get(plan).map(|plan| plan.limits.clone()) else {
                return Err(UnknownPlan::Unknown(plan.clone()));
            };
            let Some(team) = state.teams.get_mut(&id) else { return Ok(false) };
            team.plan = plan.clone();
            team.subscription = subscription;
            let sites: Vec<_> = team.sites.iter().map(|(_, site)| *site).collect();
            for site in sites {
                if let Some(planned) = state.sites.get(&site).map(|row| row.site.next_scan_at) {
                    state.set_next_scan_at(site, brought_forward(site, limits.check_frequency, planned, now));
                }
            }
            Ok(true)
        })
    }

    async fn brand(&self, team: TeamId) -> Result<TeamBrand, StoreError> {
        let brand =
            self.step(|state, _| Ok::<_, StoreError>(state.teams.get(&team).map(|row| Arc::clone(&row.brand))))?;
        Ok(brand.map(Arc::unwrap_or_clone).unwrap_or_default())
    }

    async fn set_brand(&self, team: TeamId, brand: TeamBrand) -> Result<bool, StoreError> {
        self.step(|state, _| Ok(state.teams.get_mut(&team).map(|row| row.brand = Arc::new(brand)).is_some()))
    }

    async fn create_token(&self, team: TeamId, token: NewToken) -> Result<Option<ApiToken>, StoreError> {
        self.step(|state, now| {
            let Some(row) = state.teams.get_mut(&team) else { return Ok(None) };
            if state.tokens.contains_key(&token.id) {
                return Err(taken(token.id));
            }
            if state.hashes.contains_key(&token.hash) {
                return Err(taken("the token's hash"));
            }
            let NewToken { id, name, abilities, hash } = token;
            let token = ApiToken { id, team, name, abilities, created_at: now };
            row.tokens.insert((now, id));
            state.hashes.insert(hash, id);
            state.tokens.insert(id, TokenRow { token: token.clone(), hash, counters: RateCounters::default() });
            Ok(Some(token))
        })
    }

    async fn tokens(&self, team: TeamId) -> Result<Vec<ApiToken>, StoreError> {
        self.step(|state, _| {
            let Some(row) = state.teams.get(&team) else { return Ok(Vec::new()) };
            let token = |id: &TokenId| state.tokens.get(id).map(|row| row.token.clone());
            row.tokens.iter().map(|(_, id)| token(id).ok_or_else(|| corrupt(id, "it is listed, and missing"))).collect()
        })
    }

    async fn delete_token(&self, team: TeamId, id: TokenId) -> Result<bool, StoreError> {
        self.step(|state, _| {
            if state.tokens.get(&id).is_none_or(|row| row.token.team != team) {
                return Ok(false);
            }
            if let Some(TokenRow { token, hash, .. }) = state.tokens.remove(&id) {
                state.hashes.remove(&hash);
                if let Some(row) = state.teams.get_mut(&team) {
                    row.tokens.remove(&(token.created_at, id));
                }
            }
            Ok(true)
        })
    }
}
