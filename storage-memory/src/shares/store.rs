//! Links that show one report to whoever has them.

use std::cmp::Reverse;

use a11ycheck_core::{
    domain::{NewAuditRecord, NewSharedReport, SecretHash, SharedReport, Sharing},
    id::{ScanId, ShareId, TeamId},
    store::{ShareError, ShareStore, StoreError},
};
use async_trait::async_trait;

use crate::{MemoryStore, db::state::taken};

#[async_trait]
impl ShareStore for MemoryStore {
    async fn sharing(&self, team: TeamId) -> Result<Sharing, StoreError> {
        self.step(|state, _| Ok(Sharing::from_flag(state.shares.teams.contains(&team))))
    }

    async fn set_sharing(&self, team: TeamId, sharing: Sharing, audit: NewAuditRecord) -> Result<bool, StoreError> {
        self.step(|state, now| {
            let is_changed = state.teams.contains_key(&team)
                && if sharing.is_on() { state.shares.teams.insert(team) } else { state.shares.teams.remove(&team) };
            if is_changed {
                state.people.append(audit, now);
            }
            Ok(is_changed)
        })
    }

    async fn share_report(
        &self,
        team: TeamId,
        report: NewSharedReport,
        audit: NewAuditRecord,
    ) -> Result<SharedReport, ShareError> {
        self.step(|state, now| {
            if !state.teams.contains_key(&team) {
                return Err(ShareError::NotFound);
            }
            if !state.shares.teams.contains(&team) {
                return Err(ShareError::Off);
            }
            let rows = &mut state.shares.rows;
            if rows.contains_key(&report.id) {
                return Err(taken(report.id).into());
            }
            if rows.values().any(|(hash, _)| *hash == report.hash) {
                return Err(taken("the link's hash").into());
            }
            let valid = rows.values().filter(|(_, link)| link.team == team && !link.is_over(now));
            if valid.count() as u64 >= SharedReport::MOST {
                return Err(ShareError::TooMany);
            }
            let hash = report.hash;
            let link = report.at(team, now);
            rows.insert(link.id, (hash, link.clone()));
            state.people.append(audit, now);
            Ok(link)
        })
    }

    async fn shared_reports(&self, team: TeamId, scan: ScanId) -> Result<Vec<SharedReport>, StoreError> {
        self.step(|state, now| {
            let rows = state.shares.rows.values().map(|(_, link)| link);
            let of_check = rows.filter(|link| link.team == team && link.scan == scan && !link.is_over(now));
            let mut links: Vec<SharedReport> = of_check.cloned().collect();
            links.sort_unstable_by_key(|link| (Reverse(link.created_at), link.id));
            Ok(links)
        })
    }

    async fn revoke_shared_report(&self, team: TeamId, id: ShareId, audit: NewAuditRecord) -> Result<bool, StoreError> {
        self.step(|state, now| {
            let is_there = state.shares.rows.get(&id).is_some_and(|(_, link)| link.team == team && !link.is_over(now));
            if is_there {
                state.shares.rows.remove(&id);
                state.people.append(audit, now);
            }
            Ok(is_there)
        })
    }

    async fn shared_report(&self, hash: &SecretHash) -> Result<Option<SharedReport>, StoreError> {
        self.step(|state, now| {
            let found = state.shares.rows.values().find(|(stored, _)| stored == hash).map(|(_, link)| link);
            Ok(found.filter(|link| !link.is_over(now) && state.shares.teams.contains(&link.team)).cloned())
        })
    }

    async fn purge_shared_reports(&self, limit: u32) -> Result<u32, StoreError> {
        self.step(|state, now| {
            let over = state.shares.rows.values().filter(|(_, link)| link.is_over(now)).map(|(_, link)| link.id);
            let over: Vec<ShareId> = over.take(usize::try_from(limit).unwrap_or(usize::MAX)).collect();
            for id in &over {
                state.shares.rows.remove(id);
            }
            // Not more than `limit`.
            Ok(u32::try_from(over.len()).unwrap_or(limit))
        })
    }
}
