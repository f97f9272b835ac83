//! Teams and their tokens in the state.

use std::{collections::BTreeSet, sync::Arc};

use a11ycheck_core::{
    domain::{
        ApiToken, ExternalKey, Plan, PlanCode, RateCounters, Standing, Subscription, Team, TeamBrand, TokenHash,
        TwoSteps,
    },
    id::{EndpointId, SiteId, TeamId, TokenId},
    store::StoreError,
};
use chrono::{DateTime, Utc};

use crate::db::state::{State, corrupt};

/// A team without its plan, which is shared with others.
pub(crate) struct TeamRow {
    pub(crate) name: String,
    /// The host's key, if the team was created under one.
    pub(crate) external_key: Option<ExternalKey>,
    pub(crate) plan: PlanCode,
    pub(crate) subscription: Subscription,
    pub(crate) standing: Standing,
    pub(crate) seats_used: u32,
    /// Behind an `Arc`, like results.
    pub(crate) brand: Arc<TeamBrand>,
    pub(crate) created_at: DateTime<Utc>,
    /// The end of the hold: until then nothing of the team is purged.
    pub(crate) held_until: Option<DateTime<Utc>>,
    pub(crate) two_steps: TwoSteps,
    /// The sites in the order of lists: by domain, then id.
    pub(crate) sites: BTreeSet<(String, SiteId)>,
    /// The tokens in the order of lists: by creation, then id.
    pub(crate) tokens: BTreeSet<(DateTime<Utc>, TokenId)>,
    /// The endpoints in the order of lists: by creation, then id.
    pub(crate) endpoints: BTreeSet<(DateTime<Utc>, EndpointId)>,
}

pub(crate) struct TokenRow {
    pub(crate) token: ApiToken,
    pub(crate) hash: TokenHash,
    pub(crate) counters: RateCounters,
}

impl State {
    /// Returns the team as callers see it: with the present plan.
    pub(crate) fn team(&self, id: TeamId) -> Result<Option<Team>, StoreError> {
        let Some(row) = self.teams.get(&id) else { return Ok(None) };
        Ok(Some(Team {
            id,
            name: row.name.clone(),
            plan: self.plan(&row.plan)?.clone(),
            subscription: row.subscription,
            standing: row.standing,
            seats_used: row.seats_used,
            created_at: row.created_at,
        }))
    }

    /// Returns a plan by its code. A plan is not removed while a team is on it, and no team is put on one that is
    /// missing.
    pub(crate) fn plan(&self, code: &PlanCode) -> Result<&Plan, StoreError> {
        self.plans.get(code).ok_or_else(|| corrupt(code, "a team is on it, and it is missing"))
    }

    /// Returns the plan of the team that a row names as its owner.
    pub(crate) fn plan_of(&self, team: TeamId) -> Result<&Plan, StoreError> {
        self.plan(&self.teams.get(&team).ok_or_else(|| corrupt(team, "it has data, and it is missing"))?.plan)
    }

    /// Removes a team with all that it has.
    pub(crate) fn remove_team(&mut self, id: TeamId) {
        // The rows below remove themselves from the team's lists, so the team must still be there.
        let Some(row) = self.teams.get(&id) else { return };
        let sites: Vec<SiteId> = row.sites.iter().map(|(_, id)| *id).collect();
        let endpoints: Vec<EndpointId> = row.endpoints.iter().map(|(_, id)| *id).collect();
        let tokens: Vec<TokenId> = row.tokens.iter().map(|(_, id)| *id).collect();
        for site in sites {
            self.remove_site(site);
        }
        for endpoint in endpoints {
            self.remove_endpoint(endpoint);
        }
        for token in tokens {
            if let Some(TokenRow { hash, .. }) = self.tokens.remove(&token) {
                self.hashes.remove(&hash);
            }
        }
        self.people.remove_team(id);
        self.shares.remove_team(id);
        self.site_fields.remove_team(id);
        self.mails.remove_where(|mail| mail.subject.team() == Some(id));
        if let Some(key) = self.teams.remove(&id).and_then(|row| row.external_key) {
            self.external_keys.remove(&key);
        }
    }
}
