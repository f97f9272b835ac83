//! Judgements.

use std::{cmp::Reverse, collections::BTreeSet};

use a11ycheck_core::{
    domain::{Judgement, Key, NewAuditRecord, NewJudgement, without_repeated},
    id::{JudgementId, SiteId, TeamId},
    paging::{Page, PageRequest},
    store::{JudgeError, ReviewStore, StoreError},
};
use async_trait::async_trait;

use crate::{
    MemoryStore,
    db::state::{State, copied, taken},
};

#[async_trait]
impl ReviewStore for MemoryStore {
    async fn put_judgement(
        &self,
        team: TeamId,
        site: SiteId,
        judgement: NewJudgement,
        instead_of: Option<JudgementId>,
        audit: NewAuditRecord,
    ) -> Result<Judgement, JudgeError> {
        self.step(|state, now| {
            if state.site(team, site).is_none() {
                return Err(JudgeError::NotFound);
            }
            let judgement = judgement.at(team, site, now);
            let subject = judgement.subject();
            let (gone, kept): (Vec<&Judgement>, Vec<&Judgement>) =
                state.judgements_of(site).partition(|other| other.subject() == subject || Some(other.id) == instead_of);
            if kept.len() as u64 >= Judgement::MOST {
                return Err(JudgeError::TooMany);
            }
            if kept.iter().any(|other| other.id == judgement.id) {
                return Err(taken(judgement.id).into());
            }
            let gone: Vec<JudgementId> = gone.into_iter().map(|judgement| judgement.id).collect();
            for id in gone {
                state.judgements.remove(&(site, id));
            }
            state.judgements.insert((site, judgement.id), judgement.clone());
            state.people.append(audit, now);
            Ok(judgement)
        })
    }

    async fn put_judgements(
        &self,
        team: TeamId,
        site: SiteId,
        judgements: Vec<NewJudgement>,
        audit: NewAuditRecord,
    ) -> Result<Vec<Judgement>, JudgeError> {
        self.step(|state, now| {
            if state.site(team, site).is_none() {
                return Err(JudgeError::NotFound);
            }
            let new = without_repeated(judgements.into_iter().map(|one| one.at(team, site, now)).collect());
            if new.is_empty() {
                return Ok(new);
            }
            replace(state, site, &new, &BTreeSet::new())?;
            state.people.append(audit, now);
            Ok(new)
        })
    }

    async fn remove_judgement(
        &self,
        team: TeamId,
        site: SiteId,
        judgement: JudgementId,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError> {
        self.step(|state, now| {
            let is_there = state.site(team, site).is_some() && state.judgements.remove(&(site, judgement)).is_some();
            if is_there {
                state.people.append(audit, now);
            }
            Ok(is_there)
        })
    }

    async fn judgements(&self, team: TeamId, site: SiteId, page: PageRequest) -> Result<Page<Judgement>, StoreError> {
        self.step(|state, _| Ok(copied(Page::cut(listed(state, team, site).into_iter(), page))))
    }

    async fn all_judgements(&self, team: TeamId, site: SiteId) -> Result<Vec<Judgement>, StoreError> {
        self.step(|state, _| Ok(listed(state, team, site).into_iter().cloned().collect()))
    }
}

/// Keeps judgements about a site, in place of those with the same subjects, and of others that are named; returns those whose place they
/// take.
pub(crate) fn replace(
    state: &mut State,
    site: SiteId,
    new: &[Judgement],
    others: &BTreeSet<JudgementId>,
) -> Result<Vec<Judgement>, JudgeError> {
    let subjects: BTreeSet<Key> = new.iter().map(Judgement::subject).collect();
    let (gone, kept): (Vec<&Judgement>, Vec<&Judgement>) =
        state.judgements_of(site).partition(|other| subjects.contains(&other.subject()) || others.contains(&other.id));
    if (kept.len() + new.len()) as u64 > Judgement::MOST {
        return Err(JudgeError::TooMany);
    }
    let kept: BTreeSet<JudgementId> = kept.into_iter().map(|judgement| judgement.id).collect();
    if let Some(judgement) = new.iter().find(|judgement| kept.contains(&judgement.id)) {
        return Err(taken(judgement.id).into());
    }
    let gone: Vec<Judgement> = gone.into_iter().cloned().collect();
    for judgement in &gone {
        state.judgements.remove(&(site, judgement.id));
    }
    state.judgements.extend(new.iter().map(|judgement| ((site, judgement.id), judgement.clone())));
    Ok(gone)
}

/// Returns the judgements of a site in the order of the list; none if the team has no such site.
fn listed(state: &State, team: TeamId, site: SiteId) -> Vec<&Judgement> {
    let is_there = state.site(team, site).is_some();
    let mut judgements: Vec<&Judgement> = state.judgements_of(site).filter(|_| is_there).collect();
    judgements.sort_unstable_by_key(|judgement| (Reverse(judgement.at), judgement.id));
    judgements
}
