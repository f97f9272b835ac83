//! People: who signs in, to which teams they belong with which role, and what they have done.
//!
//! A host with people of its own has no use for any of it (decision 0053).

mod audit;
mod email_address;
mod invitation;
mod mail;
mod membership;
mod person;
mod second_factor;
mod secret;
mod session;
mod share;

pub use self::{
    audit::{AuditAction, AuditRecord, NewAuditRecord},
    email_address::{EmailAddress, EmailAddressError},
    invitation::{Invitation, NewInvitation},
    mail::{
        Mail, MailKind, MailOutcome, MailRefusal, MailState, MailSubject, MailSubjectError, NewMail, Notices,
        SiteNotice,
    },
    membership::{LastOwner, Member, Membership, Role, keeps_an_owner},
    person::{NewPerson, PasswordHash, Person, PersonKind},
    second_factor::{CodePeriod, NewSecondFactor, OpenFactorError, RecoveryCode, SecondFactor, TotpSecret, TwoSteps},
    secret::{PlainSecret, SecretHash},
    session::{NewSession, Session},
    share::{NewSharedReport, SharedReport, Sharing},
};
