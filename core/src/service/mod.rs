//! The use-cases: the things that a team and the operator can ask for.
//!
//! A [`Service`] is cheap to clone and safe to share. The methods of a [`TeamHandle`] are what a team may do, and those of
//! [`Operator`] what the operator may do: nothing touches a team's data without one of them. Nothing here knows of HTTP; a
//! frontend translates.

mod account;
mod add_site;
mod admit;
mod assessments;
mod assignments;
mod batches;
mod brand;
mod builder;
mod change_site;
mod delete_site;
mod deliveries;
mod drafts;
mod elements;
mod endpoints;
mod events;
mod feed;
mod file_chunks;
mod fixed;
mod gallery;
mod handle;
pub(crate) mod judgements;
mod list_sites;
mod made_file;
mod mail;
mod operate;
mod operator;
#[cfg(feature = "pdf")]
mod pdf;
mod people;
mod picture;
mod read_scan;
mod roll_up;
mod scan_files;
pub(crate) mod sealing;
mod settings;
mod site_fields;
mod site_list;
mod start_scan;
mod tokens;
mod watch;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use chrono::{DateTime, Utc};

#[cfg(feature = "pdf")]
pub use self::pdf::RenderLimits;
pub use self::{
    account::Account,
    add_site::Added,
    admit::{Admission, Caller, CountedAgainst},
    assessments::{AssessedCriterion, AssessedStep, AssessmentCounts, CriterionFound, CriterionState, SiteAssessments},
    batches::{Chosen, Found},
    builder::{BuildError, ServiceBuilder},
    elements::{CheckElements, ElementsQuery, ListedElement, Shown},
    events::{EventsFrom, Occurrence, ScanEvent, ScanEvents},
    file_chunks::FileChunks,
    fixed::{FixedElement, FixedElements},
    handle::TeamHandle,
    judgements::{ElementToJudge, ListedJudgement, ReviewedReport, SiteJudgements},
    list_sites::SitesQuery,
    made_file::MadeFile,
    mail::{MailBacklog, Mailing},
    operate::{Backlog, DeliveryBacklog, LastRuns, NotReady, Queue, RunningCheck},
    operator::{OperatedTeam, Operator, TeamInput},
    people::{
        Actor, BetweenKey, Browser, InviteInput, Invited, OfTeam, People, PersonInput, Proof, SecondFactorState,
        SharedView, Visit,
    },
    roll_up::{RollUp, SiteTotals},
    scan_files::{ScanFiles, ScanTarget},
    sealing::{Rotation, SealingError, SealingStatus},
    settings::{OwnSettings, SettingDifference, SettingsError, SharedSettings, Sharing},
    site_list::{FirstChecks, Imported},
    tokens::TokenInput,
    watch::{Ended, Progress, Watch},
};
use crate::{
    catalog::Review,
    clock::Clock,
    domain::{BaseUrl, RateLimits, SiteDetails, StandardId},
    locale::Locale,
    net::{AddressPolicy, Resolver, UpstreamProxy},
    sealing::Keyring,
    store::{MailStore, PeopleStore, ReviewStore, ShareStore, SiteFieldStore, Store},
    webhook::{EventWriter, HeaderPrefix},
};

/// The service: use-cases over a store. The [`Engine`](crate::Engine) beside it, in the same process or in another over the
/// same store, checks sites and delivers webhooks.
#[derive(Clone)]
pub struct Service {
    parts: Arc<Parts>,
}

pub(crate) struct Parts {
    pub(crate) store: Box<dyn Store>,
    /// Keeps people; `None` for a host that has its own, or none.
    pub(crate) people: Option<Box<dyn PeopleStore>>,
    /// Keeps what people decide about findings and say about criteria; `None` where they do neither.
    pub(crate) judgements: Option<Box<dyn ReviewStore>>,
    /// Keeps the mail that is to be sent; `None` where none is.
    pub(crate) mail: Option<Box<dyn MailStore>>,
    /// Keeps links to reports; `None` where no report is shown to others.
    pub(crate) shares: Option<Box<dyn ShareStore>>,
    /// Keeps fields that teams add to their sites; `None` where sites have none but those that every site has.
    pub(crate) site_fields: Option<Box<dyn SiteFieldStore>>,
    pub(crate) clock: Box<dyn Clock>,
    pub(crate) resolver: Arc<dyn Resolver>,
    pub(crate) policy: AddressPolicy,
    pub(crate) proxy: Option<UpstreamProxy>,
    /// The authorities that may have issued the certificates of webhook receivers, besides the system's.
    #[cfg_attr(not(feature = "delivery"), expect(dead_code, reason = "`HttpSender` trusts them"))]
    pub(crate) ca_certificates: Vec<Vec<u8>>,
    pub(crate) base_url: BaseUrl,
    /// The instants at which the loops of this process last ran.
    pub(crate) last_runs: Mutex<LastRuns>,
    /// The log of occurrences, as this process reads it.
    pub(crate) feed: feed::Feed,
    pub(crate) anonymous_limits: RateLimits,
    #[cfg(feature = "pdf")]
    pub(crate) renderings: Arc<pdf::Renderings>,
    pub(crate) header_prefix: HeaderPrefix,
    /// The standard of sites that name none.
    pub(crate) standard: StandardId,
    /// Writes the bodies of events; without it, no events are made.
    pub(crate) event_writer: Option<Box<dyn EventWriter>>,
    /// The languages whose texts the operator has declared reviewed.
    pub(crate) reviews: BTreeMap<Locale, Review>,
    /// Seals and opens secrets; without it, nothing that needs a secret can be done.
    pub(crate) sealing: Option<Keyring>,
}

impl Service {
    /// Returns a builder of a service over this store; see [`ServiceBuilder`] for the rest.
    pub fn builder(store: impl Store) -> ServiceBuilder {
        ServiceBuilder::new(store)
    }

    /// Returns the address at which clients reach the installation.
    pub fn base_url(&self) -> &BaseUrl {
        &self.parts.base_url
    }

    /// Returns the policy on the addresses to which the service may be sent.
    pub fn policy(&self) -> &AddressPolicy {
        &self.parts.policy
    }

    /// Returns the prefix of the names of the service's headers.
    pub fn header_prefix(&self) -> &HeaderPrefix {
        &self.parts.header_prefix
    }

    /// Returns the present instant by this process's clock, for what concerns this process alone: what is stored has the store's time.
    pub fn now(&self) -> DateTime<Utc> {
        self.parts.clock.now()
    }

    /// Returns the standard of sites that name none.
    pub fn standard(&self) -> StandardId {
        self.parts.standard
    }

    /// Returns the standard against which the next check of a site is made. In place of one of a later release, whose rules
    /// this release does not have, it is the one of sites that name none.
    pub(crate) fn standard_of(&self, site: &SiteDetails) -> StandardId {
        site.standard.filter(|id| id.standard().is_some()).unwrap_or(self.parts.standard)
    }

    pub(crate) fn parts(&self) -> &Parts {
        &self.parts
    }

    pub(crate) fn store(&self) -> &dyn Store {
        &*self.parts.store
    }
}

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Service")
            .field("store", &self.parts.store)
            .field("base_url", &self.parts.base_url)
            .finish_non_exhaustive()
    }
}
