//! Fields that teams add to their sites, and the values of sites.

use std::collections::BTreeMap;

use a11ycheck_core::{
    domain::{NewAuditRecord, SiteField, SiteValueChanges, SiteValues},
    id::{SiteFieldId, SiteId, TeamId},
    store::{SiteFieldError, SiteFieldStore, StoreError},
};
use async_trait::async_trait;

use crate::{MemoryStore, db::state::taken};

#[async_trait]
impl SiteFieldStore for MemoryStore {
    async fn site_fields(&self, team: TeamId) -> Result<Vec<SiteField>, StoreError> {
        self.step(|state, _| Ok(state.site_fields.of_team(team)))
    }

    async fn add_site_field(
        &self,
        team: TeamId,
        field: SiteField,
        audit: NewAuditRecord,
    ) -> Result<(), SiteFieldError> {
        self.step(|state, now| {
            if !state.teams.contains_key(&team) {
                return Err(SiteFieldError::NotFound);
            }
            field.beside(&state.site_fields.of_team(team))?;
            if state.site_fields.rows.contains_key(&field.id) {
                return Err(taken(field.id).into());
            }
            state.site_fields.rows.insert(field.id, (team, field));
            state.people.append(audit, now);
            Ok(())
        })
    }

    async fn change_site_field(
        &self,
        team: TeamId,
        field: SiteField,
        audit: NewAuditRecord,
    ) -> Result<(), SiteFieldError> {
        self.step(|state, now| {
            let mut others = state.site_fields.of_team(team);
            let before = others.len();
            others.retain(|other| other.id != field.id);
            if others.len() == before {
                return Err(SiteFieldError::NotFound);
            }
            field.beside(&others)?;
            if let Some((value, sites)) = field.first_refused(state.site_fields.carried(field.id)) {
                return Err(SiteFieldError::InUse { value, sites });
            }
            state.site_fields.rows.insert(field.id, (team, field));
            state.people.append(audit, now);
            Ok(())
        })
    }

    async fn delete_site_field(
        &self,
        team: TeamId,
        id: SiteFieldId,
        audit: NewAuditRecord,
    ) -> Result<Option<u64>, StoreError> {
        self.step(|state, now| {
            if state.site_fields.rows.get(&id).is_none_or(|(of, _)| *of != team) {
                return Ok(None);
            }
            let lost = state.site_fields.remove(id);
            state.people.append(audit, now);
            Ok(Some(lost))
        })
    }

    async fn site_values(&self, team: TeamId, sites: &[SiteId]) -> Result<BTreeMap<SiteId, SiteValues>, StoreError> {
        self.step(|state, _| {
            let of_team = sites.iter().filter(|id| state.site(team, **id).is_some());
            Ok(of_team.filter_map(|id| Some((*id, state.site_fields.values.get(id)?.clone()))).collect())
        })
    }

    async fn all_site_values(&self, team: TeamId) -> Result<BTreeMap<SiteId, SiteValues>, StoreError> {
        self.step(|state, _| {
            let sites = state.teams.get(&team).into_iter().flat_map(|row| &row.sites);
            Ok(sites.filter_map(|(_, id)| Some((*id, state.site_fields.values.get(id)?.clone()))).collect())
        })
    }

    async fn set_site_values(
        &self,
        team: TeamId,
        site: SiteId,
        changes: &SiteValueChanges,
    ) -> Result<Option<bool>, StoreError> {
        self.step(|state, _| {
            if state.site(team, site).is_none() {
                return Ok(None);
            }
            let fields = state.site_fields.of_team(team);
            let before = state.site_fields.values.get(&site).cloned().unwrap_or_default();
            let after = SiteField::changed_values(&fields, &before, changes);
            let is_changed = after != before;
            if after.is_empty() {
                state.site_fields.values.remove(&site);
            } else {
                state.site_fields.values.insert(site, after);
            }
            Ok(Some(is_changed))
        })
    }
}
