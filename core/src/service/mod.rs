//! The use-cases: what a team can ask for.
//!
//! A [`Service`] is cheap to clone and safe to share. Every use-case takes an [`Actor`] first: the proof of whose data it
//! may touch and what it may do with it. Nothing here knows of HTTP; a frontend translates.

mod account;
mod acr;
mod actor;
mod add_site;
mod admit;
mod brand;
mod builder;
mod choice;
mod delete_site;
mod deliveries;
mod endpoints;
mod evidence;
mod export_scan;
mod exported_file;
mod list_sites;
mod operate;
#[cfg(feature = "pdf")]
mod pdf;
mod read_report;
mod read_scan;
pub(crate) mod sealing;
mod settings;
mod start_scan;
mod teams;

use std::sync::Arc;

#[cfg(feature = "pdf")]
pub use self::pdf::RenderLimits;
pub use self::{
    account::Account,
    acr::AcrRequest,
    actor::Actor,
    admit::{Admission, Caller, CountedAgainst},
    builder::{BuildError, ServiceBuilder},
    endpoints::EndpointInput,
    export_scan::{ExportRequest, ExportTarget},
    exported_file::{ExportedFile, FileChunks},
    list_sites::SitesQuery,
    operate::{Backlog, DeliveryBacklog, NotReady, Queue},
    read_report::ReportRequest,
    sealing::{Rotation, SealingError, SealingStatus},
    settings::{InvalidSetting, OwnSettings, SetSettingError, SettingDifference, SettingsError, SharedSettings},
    teams::{ChangePlanError, CreateTeamError, RemovePlanError, TeamInput, TokenInput},
};
use crate::{
    clock::Clock,
    domain::RateLimits,
    id::NodeId,
    links::Links,
    net::{AddressPolicy, Resolver, UpstreamProxy},
    scanner::{Gate, Scanner},
    sealing::Keyring,
    store::Store,
    webhook::{HeaderPrefix, WebhookSender},
};

/// The service: use-cases over a store and a scanner.
#[derive(Clone)]
pub struct Service {
    parts: Arc<Parts>,
}

pub(crate) struct Parts {
    pub(crate) store: Box<dyn Store>,
    pub(crate) scanner: Box<dyn Scanner>,
    /// Whether the scanner can work, for all workers of this process.
    pub(crate) gate: Gate,
    /// What workers of this process have in common: other nodes see them as one.
    pub(crate) node: NodeId,
    pub(crate) clock: Box<dyn Clock>,
    pub(crate) resolver: Arc<dyn Resolver>,
    pub(crate) policy: AddressPolicy,
    pub(crate) proxy: Option<UpstreamProxy>,
    pub(crate) links: Links,
    pub(crate) anonymous_limits: RateLimits,
    #[cfg(feature = "pdf")]
    pub(crate) renderings: Arc<pdf::Renderings>,
    /// Makes the attempts of deliveries; without it they wait.
    pub(crate) sender: Option<Box<dyn WebhookSender>>,
    pub(crate) header_prefix: HeaderPrefix,
    /// Seals and opens secrets; without it nothing that takes one can be done.
    pub(crate) sealing: Option<Keyring>,
    /// What sends the webhooks, and for whom.
    pub(crate) user_agent: String,
}

impl Service {
    /// Begins a service over these two parts; see [`ServiceBuilder`] for the rest.
    pub fn builder(store: impl Store, scanner: impl Scanner) -> ServiceBuilder {
        ServiceBuilder::new(store, scanner)
    }

    /// The addresses that the service gives out.
    pub fn links(&self) -> &Links {
        &self.parts.links
    }

    /// Where the service may be sent to.
    pub fn policy(&self) -> &AddressPolicy {
        &self.parts.policy
    }

    /// What the names of the service's headers begin with.
    pub fn header_prefix(&self) -> &HeaderPrefix {
        &self.parts.header_prefix
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
            .field("links", &self.parts.links)
            .finish_non_exhaustive()
    }
}
