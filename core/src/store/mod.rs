//! The interface to the part that keeps data.
//!
//! [`Store`] is the sum of one trait per concern. Its methods are not rows to read and write but whole steps, each of which
//! upholds an invariant of the service. Their promises are tested by the store suite, which every store passes:
//! `store_suite!` of the crate `a11ycheck-storage-testkit`.
//!
//! [`PeopleStore`] is not part of it: a host that has people of its own needs none. Its promises have a suite of their own,
//! `people_suite!`. What people decide about findings is kept by a [`ReviewStore`], with a suite of its own, `review_suite!`,
//! as is who repairs them ([`AssignmentStore`]), and what people say about success criteria ([`AssessmentStore`]);
//! and the mail that is to be sent to them by a [`MailStore`], with `mail_suite!`. Links that
//! show one report to whoever has them are kept by a [`ShareStore`], with `share_suite!`; fields that teams add
//! to their sites by a [`SiteFieldStore`], with `site_field_suite!`.
//!
//! # Promises common to all methods
//! - *Atomicity*: a method happens as a whole or not at all, whenever the process or the machine stops.
//! - *Teams*: a method that takes a team sees nothing of another. Anything that belongs to another team is treated as if it
//!   did not exist.
//! - *Time*: every instant is the store's own: [`StoreClock::now`], truncated to microseconds. Callers on several nodes need
//!   not agree on the time. The instants and durations that callers pass are whole microseconds.
//! - *Ids*: an id that comes with something new, and a token's hash, is new too. If it is already taken, the error is
//!   [`StoreError::Taken`], and nothing is changed.
//! - *Fidelity*: what is stored is read back as it was given: texts in any script, without U+0000 (the domain drops it),
//!   of any length; lists in their order; instants to the microsecond.
//! - *Errors*: [`StoreError::Unavailable`] and [`StoreError::Corrupt`] may come from any method and are not repeated below.
//!   Steps that choose work themselves (claims, the scheduler's) skip what they can't read and log it: one bad row holds up
//!   nothing behind it.
//!
//! # What may grow
//! Most public structs of this crate are `#[non_exhaustive]`. Those that a store makes of its rows are open on purpose,
//! as are those that it is given in order to keep them: [`Site`](crate::domain::Site), [`Scan`](crate::domain::Scan),
//! [`Team`](crate::domain::Team), [`Delivery`](crate::domain::Delivery), [`ApiToken`](crate::domain::ApiToken),
//! [`WebhookEndpoint`](crate::domain::WebhookEndpoint), [`Person`](crate::domain::Person), [`Session`](crate::domain::Session),
//! [`Invitation`](crate::domain::Invitation), [`AuditRecord`](crate::domain::AuditRecord), [`Judgement`](crate::domain::Judgement), [`Assignment`](crate::domain::Assignment), [`Assessment`](crate::domain::Assessment), [`RateDecision`](crate::domain::RateDecision),
//! [`Page`](crate::paging::Page), and the claims and depths of this module. A new field of theirs is one that every
//! store must keep or supply, and the compiler names the places. Write them as literals, and take them apart without
//! `..`.
//!
//! Values that hosts write or scanners make are not open, although a store keeps them:
//! [`Findings`](crate::domain::Findings), [`Outcome`](crate::domain::Outcome) and [`Plan`](crate::domain::Plan), which
//! are documents that a store keeps whole with serde, and [`Subscription`](crate::domain::Subscription),
//! [`EndpointDetails`](crate::domain::EndpointDetails), [`TeamBrand`](crate::domain::TeamBrand) and
//! [`Screenshot`](crate::scanner::Screenshot), each field of which the store suite expects back.

mod assessments;
mod assignments;
mod batches;
mod error;
mod event_log;
mod files;
mod hints;
mod mails;
mod open_findings;
mod people;
mod queue;
mod rate_limits;
mod reviews;
mod runs;
mod scans;
mod sealing;
mod second_factors;
mod settings;
mod shares;
mod site_fields;
mod sites;
mod teams;
pub mod transfer;
mod webhooks;

use async_trait::async_trait;
use chrono::{DateTime, Utc};

#[cfg(test)]
pub(crate) use self::webhooks::MockWebhookStore;
pub use self::{
    assessments::AssessmentStore,
    assignments::{AssignError, AssignmentFilter, AssignmentStore, Progress, Whose},
    batches::{BatchStore, UndoError},
    error::StoreError,
    event_log::{EventLog, EventPage, ReadEventsError},
    files::{Document, DocumentKey, FileStore, StyleHash},
    hints::{HintStore, Hints, Work},
    mails::{ClaimedMail, MailClaim, MailDepth, MailStore, RecordMailError},
    open_findings::OpenFindings,
    people::{
        AcceptError, AddMemberError, ChangeMemberError, CreatePersonError, Credentials, Entry, InviteError, Joining,
        PeopleStore, PurgedPeople, RedeemError, SignedIn,
    },
    queue::{Claim, ClaimedScan, Completion, DueSites, LeaseError, QueueDepth, QueueStore, Waiting},
    rate_limits::{AdmittedToken, RateLimitStore},
    reviews::{JudgeError, ReviewStore},
    scans::{ScanStore, StartScanError, TrendPoint},
    sealing::{SealedValue, SealingStore, UnsealedValue},
    second_factors::{DemandError, SecondFactorStore},
    settings::SettingsStore,
    shares::{ShareError, ShareStore},
    site_fields::{SiteFieldError, SiteFieldStore},
    sites::{AddSiteError, AddedOnce, SiteStore, SiteUsage},
    teams::{DeletePlanError, TeamStore, UnknownPlan},
    webhooks::{
        ClaimLimits, ClaimedDelivery, CreateEndpointError, DeliveryClaim, DeliveryDepth, DeliveryFilter, RecordError,
        Resent, SendError, WebhookStore,
    },
};

/// The clock of the store.
#[async_trait]
pub trait StoreClock {
    /// Returns the present instant, the same for all users of this store, truncated to microseconds.
    async fn now(&self) -> Result<DateTime<Utc>, StoreError>;
}

/// Everything that the service needs from a store.
pub trait Store:
    StoreClock
    + TeamStore
    + RateLimitStore
    + SiteStore
    + ScanStore
    + QueueStore
    + EventLog
    + FileStore
    + WebhookStore
    + SealingStore
    + HintStore
    + SettingsStore
    + Send
    + Sync
    + std::fmt::Debug
    + 'static
{
}

impl<S> Store for S where
    S: StoreClock
        + TeamStore
        + RateLimitStore
        + SiteStore
        + ScanStore
        + QueueStore
        + EventLog
        + FileStore
        + WebhookStore
        + SealingStore
        + HintStore
        + SettingsStore
        + Send
        + Sync
        + std::fmt::Debug
        + 'static
{
}
