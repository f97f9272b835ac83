//! The second factors of people.

use a11ycheck_core::{
    domain::{CodePeriod, NewAuditRecord, NewSecondFactor, SecondFactor, SecretHash, TwoSteps},
    id::{PersonId, SessionId, TeamId},
    store::{DemandError, SecondFactorStore, StoreError},
};
use async_trait::async_trait;

use super::store::end_others;
use crate::MemoryStore;

#[async_trait]
impl SecondFactorStore for MemoryStore {
    async fn second_factor(&self, person: PersonId) -> Result<Option<SecondFactor>, StoreError> {
        self.step(|state, _| Ok(state.people.second_factors.get(&person).cloned()))
    }

    async fn enable_second_factor(
        &self,
        person: PersonId,
        factor: NewSecondFactor,
        kept: Option<SessionId>,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError> {
        self.step(|state, now| {
            let people = &mut state.people;
            if !people.persons.contains_key(&person) || people.second_factors.contains_key(&person) {
                return Ok(false);
            }
            let NewSecondFactor { secret, period, recovery } = factor;
            people.second_factors.insert(person, SecondFactor { secret, last_period: period, recovery, since: now });
            end_others(state, person, kept, now);
            state.people.append(audit, now);
            Ok(true)
        })
    }

    async fn take_code(&self, person: PersonId, period: CodePeriod) -> Result<bool, StoreError> {
        self.step(|state, _| {
            let factor = state.people.second_factors.get_mut(&person);
            Ok(factor.is_some_and(|factor| factor.take_code(period)))
        })
    }

    async fn take_recovery_code(
        &self,
        person: PersonId,
        code: SecretHash,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError> {
        self.step(|state, now| {
            let factor = state.people.second_factors.get_mut(&person);
            let is_taken = factor.is_some_and(|factor| factor.take_recovery_code(&code));
            if is_taken {
                state.people.append(audit, now);
            }
            Ok(is_taken)
        })
    }

    async fn replace_recovery_codes(
        &self,
        person: PersonId,
        codes: Vec<SecretHash>,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError> {
        self.step(|state, now| {
            let Some(factor) = state.people.second_factors.get_mut(&person) else { return Ok(false) };
            factor.recovery = codes;
            state.people.append(audit, now);
            Ok(true)
        })
    }

    async fn disable_second_factor(&self, person: PersonId, audit: NewAuditRecord) -> Result<bool, StoreError> {
        self.step(|state, now| {
            let is_off = state.people.second_factors.remove(&person).is_some();
            if is_off {
                state.people.append(audit, now);
            }
            Ok(is_off)
        })
    }

    async fn two_steps(&self, team: TeamId) -> Result<TwoSteps, StoreError> {
        self.step(|state, _| Ok(state.teams.get(&team).map(|row| row.two_steps).unwrap_or_default()))
    }

    async fn set_two_steps(
        &self,
        team: TeamId,
        two_steps: TwoSteps,
        by: PersonId,
        audit: NewAuditRecord,
    ) -> Result<bool, DemandError> {
        self.step(|state, now| {
            let Some(row) = state.teams.get_mut(&team) else { return Ok(false) };
            if two_steps.are_demanded() && !state.people.second_factors.contains_key(&by) {
                return Err(DemandError::NoSecondFactor);
            }
            if row.two_steps == two_steps {
                return Ok(false);
            }
            row.two_steps = two_steps;
            state.people.append(audit, now);
            Ok(true)
        })
    }
}
