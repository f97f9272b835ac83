//! The second factors of people's sign-ins.

use async_trait::async_trait;

use super::StoreError;
use crate::{
    domain::{CodePeriod, NewAuditRecord, NewSecondFactor, SecondFactor, SecretHash, TwoSteps},
    id::{PersonId, SessionId, TeamId},
};

/// The reason why a team does not demand a second factor of its members.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DemandError {
    /// The person who demands it has none.
    #[error("the person has no second factor")]
    NoSecondFactor,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Keeps the second factors of people, and which teams demand one of their members. It is a part of [`PeopleStore`](super::PeopleStore), and its steps take entries of the audit log as
/// those do. The secrets are sealed, and are among those that a [`SealingStore`](super::SealingStore) knows.
#[async_trait]
pub trait SecondFactorStore {
    /// Returns the second factor of a person; `None` if the person has none.
    async fn second_factor(&self, person: PersonId) -> Result<Option<SecondFactor>, StoreError>;

    /// Switches a second factor on, and ends all of the person's sessions except for `kept`. Returns `false`, and changes nothing, if there is
    /// no such person, or the person has one.
    ///
    /// # Concurrency
    /// Of any number of callers at once, one switches it on.
    async fn enable_second_factor(
        &self,
        person: PersonId,
        factor: NewSecondFactor,
        kept: Option<SessionId>,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError>;

    /// Takes a code of a period. Returns `false` if a code of it or of a later one was taken before, or the person has no second factor.
    ///
    /// # Concurrency
    /// Of any number of callers at once, one takes the code.
    async fn take_code(&self, person: PersonId, period: CodePeriod) -> Result<bool, StoreError>;

    /// Takes a recovery code, which is used up. Returns `false` if it is none of the person's, or was used.
    ///
    /// # Concurrency
    /// Of any number of callers at once, one takes the code.
    async fn take_recovery_code(
        &self,
        person: PersonId,
        code: SecretHash,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError>;

    /// Puts these recovery codes in place of all former ones. Returns `false` if the person has no second factor.
    async fn replace_recovery_codes(
        &self,
        person: PersonId,
        codes: Vec<SecretHash>,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError>;

    /// Switches the second factor of a person off; nothing of it stays. Returns `false` if the person has none.
    async fn disable_second_factor(&self, person: PersonId, audit: NewAuditRecord) -> Result<bool, StoreError>;

    /// Returns whether a team demands a second factor of its members: [`TwoSteps::Optional`] until it is set, and for a team that does not
    /// exist.
    async fn two_steps(&self, team: TeamId) -> Result<TwoSteps, StoreError>;

    /// Sets whether a team demands a second factor of its members, as `by` wants it. Returns `false` if there is no such team, or nothing
    /// changes.
    ///
    /// # Errors
    /// [`DemandError::NoSecondFactor`] if `by` demands one and has none: nothing is changed.
    async fn set_two_steps(
        &self,
        team: TeamId,
        two_steps: TwoSteps,
        by: PersonId,
        audit: NewAuditRecord,
    ) -> Result<bool, DemandError>;
}
