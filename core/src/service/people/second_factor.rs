//! The second factor of a sign-in.

use std::net::IpAddr;

use chrono::{DateTime, Utc};

use super::{Actor, OfTeam, People};
use crate::{
    domain::{
        Ability, AuditAction, NewSecondFactor, Person, RecoveryCode, SecondFactor, SecretHash, TotpSecret, TwoSteps,
    },
    error::Error,
    id::{PersonId, SessionId},
    sealing::Keyring,
    store::StoreError,
};

/// The facts about a second factor that is on, for pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SecondFactorState {
    /// The instant at which it was switched on.
    pub since: DateTime<Utc>,
    /// The number of recovery codes that were not used.
    pub recovery_codes: usize,
}

/// The way in which somebody has shown to be a person who has a second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Proof {
    /// By a code of the app.
    Code,
    /// By a recovery code, which is used up.
    RecoveryCode,
}

/// A key that both requests of a sign-in in two steps know, and nobody else: it ends with the second factor. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct BetweenKey([u8; 32]);

impl BetweenKey {
    /// Returns the bytes of the key.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl std::fmt::Debug for BetweenKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BetweenKey(…)")
    }
}

impl People {
    /// Returns whether people can have a second factor: where the service has no key to seal secrets with, they can't.
    pub fn has_second_factors(&self) -> bool {
        self.keys().is_ok()
    }

    /// Returns the second factor of a person; `None` if it is off.
    ///
    /// # Errors
    /// Returns only those of the store.
    pub async fn second_factor(&self, person: PersonId) -> Result<Option<SecondFactorState>, Error> {
        let factor = self.store().second_factor(person).await?;
        Ok(factor.map(|factor| SecondFactorState { since: factor.since, recovery_codes: factor.recovery.len() }))
    }

    /// Returns the key for what is carried from the first step of a person's sign-in to the second; `None` if the person has no second
    /// factor, and one step suffices.
    ///
    /// # Errors
    /// Returns [`Error::NoSealingKey`], and those of the store.
    pub async fn between_key(&self, person: PersonId) -> Result<Option<BetweenKey>, Error> {
        let Some(factor) = self.store().second_factor(person).await? else { return Ok(None) };
        let key = self.opened(person, &factor)?.derived_key("a11ycheck sign-in in two steps");
        Ok(Some(BetweenKey(key)))
    }

    /// Switches the second factor of a person on, whose app has shown a code of the secret, ends all sessions except for one, and returns
    /// the recovery codes, which are stored nowhere; `None` if the code is wrong, and nothing is changed.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no such person, or it is on already; [`Error::NoSealingKey`], and those of the store.
    pub async fn enable_second_factor(
        &self,
        person: &Person,
        secret: &TotpSecret,
        code: &str,
        kept: Option<SessionId>,
        address: Option<IpAddr>,
    ) -> Result<Option<Vec<RecoveryCode>>, Error> {
        let keys = self.keys()?;
        let Some(period) = secret.period_of(code, self.service.parts().clock.now()) else { return Ok(None) };
        let codes = RecoveryCode::generate_all();
        let new = NewSecondFactor { secret: secret.seal(keys, person.id), period, recovery: hashes(&codes) };
        let note = self.note(&Actor::person(person, address), None, AuditAction::SecondFactorEnabled, "");
        let is_on = self.store().enable_second_factor(person.id, new, kept, note).await?;
        if is_on { Ok(Some(codes)) } else { Err(Error::NotFound) }
    }

    /// Judges a code of a person's app, or a recovery code, which is taken once; `None` if it is wrong or was taken before. How often
    /// somebody may try is the caller's to bound.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the person has no second factor; [`Error::NoSealingKey`], and those of the store.
    pub async fn prove_second_factor(
        &self,
        person: &Person,
        code: &str,
        address: Option<IpAddr>,
    ) -> Result<Option<Proof>, Error> {
        let factor = self.store().second_factor(person.id).await?.ok_or(Error::NotFound)?;
        if let Some(period) = self.opened(person.id, &factor)?.period_of(code, self.service.parts().clock.now()) {
            return Ok(self.store().take_code(person.id, period).await?.then_some(Proof::Code));
        }
        let Some(code) = RecoveryCode::presented(code) else { return Ok(None) };
        let note = self.note(&Actor::person(person, address), None, AuditAction::RecoveryCodeUsed, "");
        let is_taken = self.store().take_recovery_code(person.id, code.hash(), note).await?;
        Ok(is_taken.then_some(Proof::RecoveryCode))
    }

    /// Gives a person new recovery codes in place of the former ones. That the person has proved the second factor is the caller's to see to.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the person has no second factor, and those of the store.
    pub async fn replace_recovery_codes(
        &self,
        person: &Person,
        address: Option<IpAddr>,
    ) -> Result<Vec<RecoveryCode>, Error> {
        let codes = RecoveryCode::generate_all();
        let note = self.note(&Actor::person(person, address), None, AuditAction::RecoveryCodesReplaced, "");
        let is_done = self.store().replace_recovery_codes(person.id, hashes(&codes), note).await?;
        if is_done { Ok(codes) } else { Err(Error::NotFound) }
    }

    /// Switches the second factor of a person off: for the person, who has proved it, or for an operator, whom the person has asked.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the person has no second factor, and those of the store.
    pub async fn disable_second_factor(&self, actor: &Actor, person: &Person) -> Result<(), Error> {
        let note = self.note(actor, None, AuditAction::SecondFactorDisabled, person.email.as_str());
        if self.store().disable_second_factor(person.id, note).await? { Ok(()) } else { Err(Error::NotFound) }
    }

    fn keys(&self) -> Result<&Keyring, Error> {
        self.service.parts().sealing.as_ref().ok_or(Error::NoSealingKey)
    }

    fn opened(&self, person: PersonId, factor: &SecondFactor) -> Result<TotpSecret, Error> {
        TotpSecret::open(self.keys()?, person, &factor.secret).map_err(|source| {
            let what = format!("second factor of {person}");
            Error::from(StoreError::Corrupt { what, source: Box::new(source) })
        })
    }
}

impl OfTeam {
    /// Returns whether the team demands a second factor of its members.
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `read`, and those of [every call](crate::service::TeamHandle#errors).
    pub async fn two_steps(&self) -> Result<TwoSteps, Error> {
        self.team.may(Ability::Read).await?;
        Ok(self.people.store().two_steps(self.team.id()).await?)
    }

    /// Sets whether the team demands a second factor of its members. Who has none can then do nothing in the team until it is switched on;
    /// tokens and sessions stay as they are.
    ///
    /// # Errors
    /// Returns [`Error::NoSecondFactor`] if the person who demands one has none, or is no person; and those of
    /// [every call](crate::service::TeamHandle#errors).
    pub async fn set_two_steps(&self, two_steps: TwoSteps) -> Result<(), Error> {
        self.team.may_manage().await?;
        let by = self.actor.id().ok_or(Error::NoSecondFactor)?;
        let words = if two_steps.are_demanded() { "on" } else { "off" };
        let note = self.note(AuditAction::SecondFactorDemandChanged, words);
        self.people.store().set_two_steps(self.team.id(), two_steps, by, note).await?;
        Ok(())
    }
}

fn hashes(codes: &[RecoveryCode]) -> Vec<SecretHash> {
    codes.iter().map(RecoveryCode::hash).collect()
}
