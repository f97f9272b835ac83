//! Puts a service together.

use std::sync::Arc;

use super::{Parts, SealingError, Service, sealing};
use crate::{
    clock::{Clock, SystemClock},
    domain::{PlanCatalog, PlanDifference, RateLimits},
    id::NodeId,
    links::Links,
    net::{AddressPolicy, Resolver, UpstreamProxy, default_resolver},
    scanner::{Gate, Scanner},
    sealing::Keyring,
    store::{Store, StoreError},
    webhook::{HeaderPrefix, WebhookSender},
};

/// Collects the parts of a [`Service`]: the store and the scanner are required, everything else has a default that a
/// public installation can run with.
pub struct ServiceBuilder {
    store: Box<dyn Store>,
    scanner: Box<dyn Scanner>,
    clock: Box<dyn Clock>,
    resolver: Arc<dyn Resolver>,
    policy: AddressPolicy,
    proxy: Option<UpstreamProxy>,
    ca_certificates: Vec<Vec<u8>>,
    plans: Plans,
    base_url: String,
    anonymous_limits: RateLimits,
    sender: Option<Box<dyn WebhookSender>>,
    header_prefix: HeaderPrefix,
    #[cfg(feature = "pdf")]
    render_limits: super::RenderLimits,
    sealing: Sealing,
}

/// Which plans a service stores when it is put together.
#[derive(Debug)]
enum Plans {
    /// The shipped ones, where the store has none at all.
    Shipped,
    /// These, where their codes are missing.
    Given(PlanCatalog),
    /// None.
    Stored,
}

/// What the service is to do about secrets.
enum Sealing {
    /// Nobody said anything: there must not be any.
    Unsaid,
    LeftOut,
    With(Keyring),
}

/// Why a service could not be put together.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The base address is not an `http` or `https` address that ends with `/v1`.
    #[error("the base address `{0}` is not an http or https address that ends with /v1")]
    BaseUrl(String),
    /// The store has other plans under the codes of those that were given: at least one field differs.
    #[error("{}", lines(.0))]
    PlansDiffer(Vec<PlanDifference>),
    /// The plans could not be stored.
    #[error("the plans could not be stored")]
    Store(#[from] StoreError),
    /// The keys do not go with what is stored.
    #[error("secrets can't be sealed and opened")]
    Sealing(#[from] SealingError),
}

impl ServiceBuilder {
    /// Begins with a store and a scanner.
    pub fn new(store: impl Store, scanner: impl Scanner) -> Self {
        Self {
            store: Box::new(store),
            scanner: Box::new(scanner),
            clock: Box::new(SystemClock),
            resolver: default_resolver(),
            policy: AddressPolicy::default(),
            proxy: None,
            ca_certificates: Vec::new(),
            plans: Plans::Shipped,
            base_url: "http://localhost/v1".to_owned(),
            anonymous_limits: RateLimits { general: 60, files: 20 },
            sender: None,
            header_prefix: HeaderPrefix::default(),
            #[cfg(feature = "pdf")]
            render_limits: super::RenderLimits::default(),
            sealing: Sealing::Unsaid,
        }
    }

    /// Where clients reach the API, for the links in answers; ends with `/v1`. Default: `http://localhost/v1`.
    #[must_use]
    pub fn with_base_url(self, base_url: impl Into<String>) -> Self {
        Self { base_url: base_url.into(), ..self }
    }

    /// Which addresses sites and webhook endpoints may have. Default: public ones only. Give the scanner the same.
    #[must_use]
    pub fn with_policy(self, policy: AddressPolicy) -> Self {
        Self { policy, ..self }
    }

    /// How names are resolved. Default: [`default_resolver`].
    #[must_use]
    pub fn with_resolver(self, resolver: impl Resolver + 'static) -> Self {
        Self { resolver: Arc::new(resolver), ..self }
    }

    /// Plans on offer, which are stored where their codes are missing. Where the store has another plan under one of the
    /// codes, [`build`](Self::build) refuses: the store's plans are replaced by
    /// [`put_plans`](crate::store::TeamStore::put_plans) and by nothing else. Default: [`PlanCatalog::shipped`], where the
    /// store has no plan at all, and otherwise the store's.
    #[must_use]
    pub fn with_plans(self, plans: PlanCatalog) -> Self {
        Self { plans: Plans::Given(plans), ..self }
    }

    /// Takes the plans that the store has and stores none, not even in an empty store: for commands beside a running
    /// service.
    #[must_use]
    pub fn with_stored_plans(self) -> Self {
        Self { plans: Plans::Stored, ..self }
    }

    /// The clock for what this process times by itself; stored instants are the store's. Default: the machine's.
    #[must_use]
    pub fn with_clock(self, clock: impl Clock + 'static) -> Self {
        Self { clock: Box::new(clock), ..self }
    }

    /// How many requests without a valid token an address may make within a minute. Default: as a token may.
    #[must_use]
    pub fn with_anonymous_limits(self, anonymous_limits: RateLimits) -> Self {
        Self { anonymous_limits, ..self }
    }

    /// The operator's proxy, through which webhooks are sent, and which resolves the names that the operator leaves to it. Default:
    /// none. A scanner has a setting of its own.
    #[must_use]
    pub fn with_upstream_proxy(self, proxy: UpstreamProxy) -> Self {
        Self { proxy: Some(proxy), ..self }
    }

    /// Authorities that receivers of webhooks may have their certificates from, besides the system's (certificates in DER).
    /// Default: none. A scanner has a setting of its own.
    #[must_use]
    pub fn with_ca_certificates(self, ca_certificates: impl IntoIterator<Item = Vec<u8>>) -> Self {
        Self { ca_certificates: ca_certificates.into_iter().collect(), ..self }
    }

    /// What makes the attempts of webhook deliveries. Default: `HttpSender`, with the service's policy, resolver, proxy and
    /// authorities; without the feature `delivery` there is none, and deliveries wait.
    #[must_use]
    pub fn with_sender(self, sender: impl WebhookSender + 'static) -> Self {
        Self { sender: Some(Box::new(sender)), ..self }
    }

    /// What the names of a webhook's headers begin with. Default: `Svc-`.
    #[must_use]
    pub fn with_header_prefix(self, header_prefix: HeaderPrefix) -> Self {
        Self { header_prefix, ..self }
    }

    /// How many PDFs are rendered at a time, and how many wait. Default: a rendering for every two processor cores.
    #[cfg(feature = "pdf")]
    #[must_use]
    pub fn with_render_limits(self, render_limits: super::RenderLimits) -> Self {
        Self { render_limits, ..self }
    }

    /// The keys that secrets are sealed with: those of webhook endpoints. Default: none; then no endpoint can be created, none
    /// is delivered to, and a store that holds secrets is refused.
    ///
    /// The keys must outlive the process where the store does: [`Keyring::ephemeral`] is for stores that end with it. All
    /// services over one store are given the same first key, which the store knows by its id; it is changed by
    /// [`Service::rotate_sealing_key`].
    #[must_use]
    pub fn with_sealing(self, keys: Keyring) -> Self {
        Self { sealing: Sealing::With(keys), ..self }
    }

    /// Leaves the secrets in the store alone, sealed or not: for programs that have no key, and need none for what they do.
    #[must_use]
    pub fn without_sealing(self) -> Self {
        Self { sealing: Sealing::LeftOut, ..self }
    }

    /// Checks the parts, stores plans where they are missing, and seals secrets that an earlier release stored in the clear.
    ///
    /// # Errors
    /// [`BuildError`].
    pub async fn build(self) -> Result<Service, BuildError> {
        let links = Links::new(&self.base_url).ok_or(BuildError::BaseUrl(self.base_url))?;
        let is_left_out = matches!(self.sealing, Sealing::LeftOut);
        let keys = match self.sealing {
            Sealing::With(keys) => Some(keys),
            Sealing::Unsaid | Sealing::LeftOut => None,
        };
        if !is_left_out {
            sealing::begin(&*self.store, keys.as_ref()).await?;
        }
        match &self.plans {
            Plans::Shipped => {
                if self.store.seed_plans(PlanCatalog::shipped().plans()).await? {
                    tracing::info!("Stored the shipped plans: there was none");
                }
            }
            Plans::Given(plans) => store_missing(&*self.store, plans).await?,
            Plans::Stored => {}
        }
        let sender = self
            .sender
            .or_else(|| default_sender(&self.policy, &self.resolver, self.proxy.clone(), self.ca_certificates));
        let user_agent = format!("a11ycheck/{} (+{})", env!("CARGO_PKG_VERSION"), links.base_in_ascii());
        Ok(Service {
            parts: Arc::new(Parts {
                store: self.store,
                scanner: self.scanner,
                gate: Gate::open(),
                node: NodeId::generate(),
                clock: self.clock,
                resolver: self.resolver,
                policy: self.policy,
                proxy: self.proxy,
                links,
                anonymous_limits: self.anonymous_limits,
                #[cfg(feature = "pdf")]
                renderings: super::pdf::Renderings::new(self.render_limits),
                sender,
                header_prefix: self.header_prefix,
                sealing: keys,
                user_agent,
            }),
        })
    }
}

/// Stores the plans whose codes are missing, unless one of the others differs.
async fn store_missing(store: &dyn Store, plans: &PlanCatalog) -> Result<(), BuildError> {
    let refuse = |differences: Vec<PlanDifference>| {
        if differences.is_empty() { Ok(()) } else { Err(BuildError::PlansDiffer(differences)) }
    };
    let before = store.plans().await?;
    refuse(plans.differences(&before))?;
    // Others may have stored theirs meanwhile.
    refuse(plans.differences(&store.add_missing_plans(plans.plans()).await?))?;
    for plan in plans.plans().iter().filter(|plan| before.iter().all(|stored| stored.code != plan.code)) {
        tracing::info!(plan = %plan.code, "Stored a plan that was missing");
    }
    Ok(())
}

/// One line for each.
fn lines<T: ToString>(facts: &[T]) -> String {
    facts.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[cfg(feature = "delivery")]
fn default_sender(
    policy: &AddressPolicy,
    resolver: &Arc<dyn Resolver>,
    proxy: Option<UpstreamProxy>,
    ca_certificates: Vec<Vec<u8>>,
) -> Option<Box<dyn WebhookSender>> {
    use crate::webhook::HttpSender;

    let sender = HttpSender::new(policy.clone(), Arc::clone(resolver)).with_root_certificates(ca_certificates);
    Some(Box::new(proxy.into_iter().fold(sender, HttpSender::with_upstream_proxy)))
}

#[cfg(not(feature = "delivery"))]
fn default_sender(
    _: &AddressPolicy,
    _: &Arc<dyn Resolver>,
    _: Option<UpstreamProxy>,
    _: Vec<Vec<u8>>,
) -> Option<Box<dyn WebhookSender>> {
    None
}

impl std::fmt::Debug for ServiceBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServiceBuilder")
            .field("store", &self.store)
            .field("policy", &self.policy)
            .field("base_url", &self.base_url)
            .finish_non_exhaustive()
    }
}
