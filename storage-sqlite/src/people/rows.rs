//! Conversion of rows to people and what belongs to them.

use std::net::IpAddr;

use a11ycheck_core::{
    domain::{
        AuditRecord, CodePeriod, Invitation, Member, Membership, Notices, PasswordHash, Person, SecondFactor, Session,
    },
    id::PersonId,
    locale::Locale,
    sealing::Sealed,
    store::{Credentials, SignedIn},
};
use chrono::{DateTime, Utc};
use sqlx_macros::FromRow;

use crate::db::{
    columns::{BoxedError, named, word},
    error::Corrupt,
    ids::At,
};

/// The columns of [`MemberRow`] but for those of the person `u`, of a membership `m`.
macro_rules! member_columns {
    () => {
        "m.role, m.since, EXISTS (SELECT 1 FROM second_factors f WHERE f.person_id = u.id) AS has_second_factor"
    };
}

/// The columns of [`PersonRow`], of a person `u`.
macro_rules! person_columns {
    () => {
        "u.id AS person_id, u.email, u.name AS person_name, u.locale, u.kind AS person_kind, u.created_at AS person_created_at, \
         u.notices"
    };
}

/// The columns of [`SessionRow`], of a session `s`.
macro_rules! session_columns {
    () => {
        "s.id AS session_id, s.person_id AS session_person_id, s.browser, s.address AS session_address, \
         s.created_at AS session_created_at, s.last_used_at"
    };
}

/// The columns of [`InvitationRow`], of an invitation `i`.
macro_rules! invitation_columns {
    () => {
        "i.id AS invitation_id, i.team_id AS invitation_team_id, i.email AS invitation_email, i.role AS invitation_role, \
         i.invited_by, i.created_at AS invitation_created_at"
    };
}

/// The condition that a link leads to an invitation `i`: the one that its page showed, or that of the mail that brought it.
macro_rules! invited_by_link {
    ($hash:literal) => {
        concat!(
            "(i.hash = ",
            $hash,
            " OR i.id = (SELECT x.about FROM mails x WHERE x.link_hash = ",
            $hash,
            " AND x.kind = 'invitation'))"
        )
    };
}

/// The columns of [`AuditRow`], of an entry `a`.
macro_rules! audit_columns {
    () => {
        "a.id AS audit_id, a.team_id AS audit_team_id, a.person_id AS audit_person_id, a.actor, a.action, a.subject, \
         a.address AS audit_address, a.at"
    };
}

/// The columns of [`SecondFactorRow`], of a second factor `f`.
macro_rules! second_factor_columns {
    () => {
        "f.person_id, f.secret, f.last_period, f.recovery, f.since"
    };
}

pub(crate) use {
    audit_columns, invitation_columns, invited_by_link, member_columns, person_columns, second_factor_columns,
    session_columns,
};

#[derive(FromRow)]
pub(crate) struct PersonRow {
    person_id: String,
    email: String,
    person_name: String,
    locale: String,
    person_kind: String,
    person_created_at: At,
    notices: bool,
}

impl PersonRow {
    pub(crate) fn person(self) -> Result<Person, Corrupt> {
        named("people", self.person_id.clone(), self.read())
    }

    fn read(self) -> Result<Person, BoxedError> {
        Ok(Person {
            id: self.person_id.parse()?,
            email: self.email.parse()?,
            name: self.person_name,
            locale: Locale::from_stored(&self.locale),
            kind: word(&self.person_kind)?,
            created_at: self.person_created_at.0,
            notices: Notices::from_flag(self.notices),
        })
    }
}

/// A person with the column `password`.
#[derive(FromRow)]
pub(crate) struct CredentialsRow {
    #[sqlx(flatten)]
    person: PersonRow,
    password: Option<String>,
}

impl CredentialsRow {
    pub(crate) fn credentials(self) -> Result<Credentials, Corrupt> {
        Ok(Credentials { person: self.person.person()?, password: self.password.map(PasswordHash::from_stored) })
    }
}

#[derive(FromRow)]
pub(crate) struct SessionRow {
    session_id: String,
    session_person_id: String,
    browser: String,
    session_address: Option<String>,
    session_created_at: At,
    last_used_at: At,
}

impl SessionRow {
    pub(crate) fn session(self) -> Result<Session, Corrupt> {
        named("sessions", self.session_id.clone(), self.read())
    }

    fn read(self) -> Result<Session, BoxedError> {
        Ok(Session {
            id: self.session_id.parse()?,
            person: self.session_person_id.parse()?,
            browser: self.browser,
            address: address(self.session_address)?,
            created_at: self.session_created_at.0,
            last_used_at: self.last_used_at.0,
        })
    }
}

/// A session with its person.
#[derive(FromRow)]
pub(crate) struct SignedInRow {
    #[sqlx(flatten)]
    session: SessionRow,
    #[sqlx(flatten)]
    person: PersonRow,
}

impl SignedInRow {
    /// Returns who is signed in; `None` if the session is over.
    pub(crate) fn signed_in(self, at: DateTime<Utc>) -> Result<Option<SignedIn>, Corrupt> {
        let session = self.session.session()?;
        if session.is_over(at) {
            return Ok(None);
        }
        Ok(Some(SignedIn { session, person: self.person.person()?, at }))
    }
}

/// The columns `m.team_id, m.person_id, m.role, m.since` of a membership `m`.
#[derive(FromRow)]
pub(crate) struct MembershipRow {
    team_id: String,
    person_id: String,
    role: String,
    since: At,
}

impl MembershipRow {
    pub(crate) fn membership(self) -> Result<Membership, Corrupt> {
        named("memberships", format!("{} {}", self.team_id, self.person_id), self.read())
    }

    fn read(self) -> Result<Membership, BoxedError> {
        Ok(Membership {
            team: self.team_id.parse()?,
            person: self.person_id.parse()?,
            role: word(&self.role)?,
            since: self.since.0,
        })
    }
}

/// A person with the columns `role` and `since`.
#[derive(FromRow)]
pub(crate) struct MemberRow {
    #[sqlx(flatten)]
    person: PersonRow,
    role: String,
    has_second_factor: bool,
    since: At,
}

impl MemberRow {
    pub(crate) fn member(self) -> Result<Member, Corrupt> {
        let person = self.person.person()?;
        let role = named("memberships", person.id.to_string(), word(&self.role))?;
        Ok(Member { person, role, since: self.since.0, has_second_factor: self.has_second_factor })
    }
}

#[derive(FromRow)]
pub(crate) struct SecondFactorRow {
    person_id: String,
    secret: Vec<u8>,
    last_period: i64,
    recovery: Vec<u8>,
    since: At,
}

impl SecondFactorRow {
    pub(crate) fn second_factor(self) -> Result<(PersonId, SecondFactor), Corrupt> {
        named("second_factors", self.person_id.clone(), self.read())
    }

    fn read(self) -> Result<(PersonId, SecondFactor), BoxedError> {
        let factor = SecondFactor {
            secret: Sealed::from_bytes(&self.secret)?,
            last_period: CodePeriod::from_stored(self.last_period.try_into()?),
            recovery: SecondFactor::recovery_from_stored(&self.recovery).ok_or("its recovery codes are not whole")?,
            since: self.since.0,
        };
        Ok((self.person_id.parse()?, factor))
    }
}

#[derive(FromRow)]
pub(crate) struct InvitationRow {
    invitation_id: String,
    invitation_team_id: String,
    invitation_email: String,
    invitation_role: String,
    invited_by: Option<String>,
    invitation_created_at: At,
}

impl InvitationRow {
    pub(crate) fn invitation(self) -> Result<Invitation, Corrupt> {
        named("invitations", self.invitation_id.clone(), self.read())
    }

    fn read(self) -> Result<Invitation, BoxedError> {
        Ok(Invitation {
            id: self.invitation_id.parse()?,
            team: self.invitation_team_id.parse()?,
            email: self.invitation_email.parse()?,
            role: word(&self.invitation_role)?,
            invited_by: self.invited_by.map(|id| id.parse()).transpose()?,
            created_at: self.invitation_created_at.0,
        })
    }
}

#[derive(FromRow)]
pub(crate) struct AuditRow {
    audit_id: String,
    audit_team_id: Option<String>,
    audit_person_id: Option<String>,
    actor: String,
    action: String,
    subject: String,
    audit_address: Option<String>,
    at: At,
}

impl AuditRow {
    pub(crate) fn record(self) -> Result<AuditRecord, Corrupt> {
        named("audit_records", self.audit_id.clone(), self.read())
    }

    fn read(self) -> Result<AuditRecord, BoxedError> {
        Ok(AuditRecord {
            id: self.audit_id.parse()?,
            team: self.audit_team_id.map(|id| id.parse()).transpose()?,
            person: self.audit_person_id.map(|id| id.parse()).transpose()?,
            actor: self.actor,
            action: word(&self.action)?,
            subject: self.subject,
            address: address(self.audit_address)?,
            at: self.at.0,
        })
    }
}

fn address(stored: Option<String>) -> Result<Option<IpAddr>, BoxedError> {
    Ok(stored.map(|address| address.parse()).transpose()?)
}
