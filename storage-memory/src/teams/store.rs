//! Plans, teams and their tokens.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use a11ycheck_core::{
    domain::{
        ApiToken, ExternalKey, NewTeam, NewToken, Plan, PlanCode, RateCounters, ShortenedHistory, Standing,
        Subscription, Team, TeamBrand, TwoSteps, brought_forward, is_held, purge_hold,
    },
    id::{TeamId, TokenId},
    paging::{Page, PageRequest},
    store::{DeletePlanError, StoreError, TeamStore, UnknownPlan},
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::{
    MemoryStore,
    db::{
        state::{State, corrupt, taken},
        team_rows::{TeamRow, TokenRow},
    },
};

#[async_trait]
impl TeamStore for MemoryStore {
    async fn seed_plans(&self, plans: &[Plan]) -> Result<bool, StoreError> {
        self.step(|state, _| {
            if !state.plans.is_empty() {
                return Ok(false);
            }
            state.plans.extend(plans.iter().map(|plan| (plan.code.clone(), plan.clone())));
            Ok(true)
        })
    }

    async fn add_missing_plans(&self, plans: &[Plan]) -> Result<Vec<Plan>, StoreError> {
        self.step(|state, _| {
            let stored: BTreeMap<_, _> = plans
                .iter()
                .map(|plan| {
                    let stored = state.plans.entry(plan.code.clone()).or_insert_with(|| plan.clone());
                    (plan.code.clone(), stored.clone())
                })
                .collect();
            Ok(stored.into_values().collect())
        })
    }

    async fn put_plans(&self, plans: &[Plan]) -> Result<Vec<ShortenedHistory>, StoreError> {
        self.step(|state, now| {
            let mut shortened = Vec::new();
            for plan in plans {
                let Some(stored) = state.plans.get_mut(&plan.code) else {
                    state.plans.insert(plan.code.clone(), plan.clone());
                    continue;
                };
                let before = std::mem::replace(stored, plan.clone().in_place_of(stored));
                let (before, months) = (before.limits.history_months, plan.limits.history_months);
                for team in state.teams.values_mut().filter(|team| team.plan == plan.code) {
                    team.held_until = purge_hold(before, months, team.held_until, now);
                }
                shortened.extend(ShortenedHistory::by(before, plan, now));
            }
            Ok(shortened)
        })
    }

    async fn delete_plan(&self, code: &PlanCode) -> Result<bool, DeletePlanError> {
        self.step(|state, _| {
            let teams = state.teams.values().filter(|team| team.plan == *code).count();
            if teams > 0 {
                return Err(DeletePlanError::InUse(u64::try_from(teams).unwrap_or(u64::MAX)));
            }
            Ok(state.plans.remove(code).is_some())
        })
    }

    async fn plans(&self) -> Result<Vec<Plan>, StoreError> {
        self.step(|state, _| Ok(state.plans.values().cloned().collect()))
    }

    async fn create_team(&self, team: NewTeam) -> Result<Team, UnknownPlan> {
        self.step(|state, now| create(state, team, None, now))
    }

    async fn team_for(&self, key: &ExternalKey, team: NewTeam) -> Result<Team, UnknownPlan> {
        self.step(|state, now| {
            let Some(id) = state.external_keys.get(key).copied() else {
                return create(state, team, Some(key), now);
            };
            Ok(state.team(id)?.ok_or_else(|| corrupt(id, "it has a key, and it is missing"))?)
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

    async fn delete_team(&self, id: TeamId) -> Result<bool, StoreError> {
        self.step(|state, _| {
            if !state.teams.contains_key(&id) {
                return Ok(false);
            }
            state.remove_team(id);
            Ok(true)
        })
    }

    async fn change_plan(&self, id: TeamId, plan: &PlanCode, subscription: Subscription) -> Result<bool, UnknownPlan> {
        self.step(|state, now| {
            let Some(new) = state.plans.get(plan) else { return Err(UnknownPlan::Unknown(plan.clone())) };
            let (frequency, months) = (new.limits.check_frequency, new.limits.history_months);
            let Some(before) = state.teams.get(&id).map(|team| state.plan(&team.plan)).transpose()? else {
                return Ok(false);
            };
            let before = before.limits.history_months;
            let Some(team) = state.teams.get_mut(&id) else { return Ok(false) };
            team.held_until = purge_hold(before, months, team.held_until, now);
            team.plan = plan.clone();
            team.subscription = subscription;
            let sites: Vec<_> = team.sites.iter().map(|(_, site)| *site).collect();
            for site in sites {
                if let Some(planned) = state.sites.get(&site).map(|row| row.site.next_scan_at) {
                    state.set_next_scan_at(site, brought_forward(site, frequency, planned, now));
                }
            }
            Ok(true)
        })
    }

    async fn purge_held_until(&self, team: TeamId) -> Result<Option<DateTime<Utc>>, StoreError> {
        self.step(|state, now| {
            Ok(state.teams.get(&team).and_then(|team| team.held_until).filter(|until| is_held(Some(*until), now)))
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
            let NewToken { id, name, abilities, hash, created_by } = token;
            let token = ApiToken { id, team, name, abilities, created_at: now, created_by, last_used_on: None };
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

fn create(
    state: &mut State,
    team: NewTeam,
    key: Option<&ExternalKey>,
    now: DateTime<Utc>,
) -> Result<Team, UnknownPlan> {
    let Some(plan) = state.plans.get(&team.plan).cloned() else {
        return Err(UnknownPlan::Unknown(team.plan));
    };
    if state.teams.contains_key(&team.id) {
        return Err(taken(team.id).into());
    }
    let NewTeam { id, name, plan: code, subscription, seats_used } = team;
    let row = TeamRow {
        name: name.clone(),
        external_key: key.cloned(),
        plan: code,
        subscription,
        standing: Standing::Active,
        seats_used,
        brand: Arc::default(),
        created_at: now,
        held_until: None,
        two_steps: TwoSteps::default(),
        sites: BTreeSet::new(),
        tokens: BTreeSet::new(),
        endpoints: BTreeSet::new(),
    };
    state.teams.insert(id, row);
    state.external_keys.extend(key.map(|key| (key.clone(), id)));
    Ok(Team { id, name, plan, subscription, standing: Standing::Active, seats_used, created_at: now })
}
