//! The builder of a service.

use std::{collections::BTreeMap, sync::Arc};

use super::{Parts, SealingError, Service, sealing};
use crate::{
    catalog::Review,
    clock::{Clock, SystemClock},
    domain::{BaseUrl, PlanCatalog, PlanDifference, RateLimits, StandardId},
    locale::Locale,
    net::{AddressPolicy, Resolver, UpstreamProxy, default_resolver},
    sealing::Keyring,
    store::{MailStore, PeopleStore, ReviewStore, ShareStore, SiteFieldStore, Store, StoreError},
    webhook::{EventWriter, HeaderPrefix},
};

/// Collects the parts of a [`Service`]: the store is required, and everything else has a default that suits a public installation.
pub struct ServiceBuilder {
    store: Box<dyn Store>,
    people: Option<Box<dyn PeopleStore>>,
    judgements: Option<Box<dyn ReviewStore>>,
    mail: Option<Box<dyn MailStore>>,
    shares: Option<Box<dyn ShareStore>>,
    site_fields: Option<Box<dyn SiteFieldStore>>,
    clock: Box<dyn Clock>,
    resolver: Arc<dyn Resolver>,
    policy: AddressPolicy,
    proxy: Option<UpstreamProxy>,
    ca_certificates: Vec<Vec<u8>>,
    plans: Plans,
    base_url: String,
    anonymous_limits: RateLimits,
    header_prefix: HeaderPrefix,
    standard: StandardId,
    event_writer: Option<Box<dyn EventWriter>>,
    #[cfg(feature = "pdf")]
    render_limits: super::RenderLimits,
    reviews: BTreeMap<Locale, Review>,
    sealing: Sealing,
}

/// The plans that a service stores when it is put together.
#[derive(Debug)]
enum Plans {
    /// The shipped plans, if the store has none at all.
    Shipped,
    /// These plans, if their codes are missing.
    Given(PlanCatalog),
    /// No plan.
    Stored,
}

/// The way in which the service treats secrets.
enum Sealing {
    /// No choice was made: the store must have no secrets.
    Unsaid,
    LeftOut,
    With(Keyring),
}

/// The reason why a service could not be put together.
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
    /// The keys do not match what is stored.
    #[error("secrets can't be sealed and opened")]
    Sealing(#[from] SealingError),
}

impl ServiceBuilder {
    /// Returns a builder for this store, with the defaults of all other parts.
    pub fn new(store: impl Store) -> Self {
        Self {
            store: Box::new(store),
            people: None,
            judgements: None,
            mail: None,
            shares: None,
            site_fields: None,
            clock: Box::new(SystemClock),
            resolver: default_resolver(),
            policy: AddressPolicy::default(),
            proxy: None,
            ca_certificates: Vec::new(),
            plans: Plans::Shipped,
            base_url: "http://localhost/v1".to_owned(),
            anonymous_limits: RateLimits { general: 60, files: 20 },
            header_prefix: HeaderPrefix::default(),
            standard: StandardId::default(),
            event_writer: None,
            #[cfg(feature = "pdf")]
            render_limits: super::RenderLimits::default(),
            reviews: BTreeMap::new(),
            sealing: Sealing::Unsaid,
        }
    }

    /// Adds people who sign in: they are kept in this store, which is a clone of the service's own. The seats that a team uses are then
    /// counted, and a new team has none. Default: none; the host has people of its own, and says how many seats a team uses.
    #[must_use]
    pub fn with_people(self, store: impl PeopleStore) -> Self {
        Self { people: Some(Box::new(store)), ..self }
    }

    /// Adds what people decide about findings: it is kept in this store, which is a clone of the service's own. It takes
    /// [people](Self::with_people), who decide. Files for people (HTML, PDF) then mark what is accepted, and what is no barrier leaves
    /// drafts of conformance reports. What people say about success criteria is kept there as well, and is in these drafts. Default: none;
    /// nothing can be decided or assessed.
    #[must_use]
    pub fn with_judgements(self, store: impl ReviewStore) -> Self {
        Self { judgements: Some(Box::new(store)), ..self }
    }

    /// Adds mail to people: what is to be sent is kept in this store, which is a clone of the service's own. It takes
    /// [people](Self::with_people), who read it; and an engine [that sends it](crate::engine::EngineBuilder::with_mail). Default: none;
    /// links are handed over by other means.
    #[must_use]
    pub fn with_mail(self, store: impl MailStore) -> Self {
        Self { mail: Some(Box::new(store)), ..self }
    }

    /// Adds links that show one report to whoever has them: they are kept in this store, which is a clone of the service's own. It takes
    /// [people](Self::with_people), who make them, and teams share nothing until an owner says so. Default: none.
    #[must_use]
    pub fn with_shared_reports(self, store: impl ShareStore) -> Self {
        Self { shares: Some(Box::new(store)), ..self }
    }

    /// Adds fields of their own that teams give their sites: they are kept in this store, which is a clone of the service's own. It takes
    /// [people](Self::with_people), whose owners add them. Answers of the API are the same with them and without. Default: none.
    #[must_use]
    pub fn with_site_fields(self, store: impl SiteFieldStore) -> Self {
        Self { site_fields: Some(Box::new(store)), ..self }
    }

    /// Sets the address at which clients reach the API, for links and for the `User-Agent` of webhooks; it ends with `/v1`.
    /// Default: `http://localhost/v1`.
    #[must_use]
    pub fn with_base_url(self, base_url: impl Into<String>) -> Self {
        Self { base_url: base_url.into(), ..self }
    }

    /// Sets the policy that judges the addresses of sites and webhook endpoints. Default: public ones only. Give the
    /// scanner the same.
    #[must_use]
    pub fn with_policy(self, policy: AddressPolicy) -> Self {
        Self { policy, ..self }
    }

    /// Sets the resolver of names. Default: [`default_resolver`].
    #[must_use]
    pub fn with_resolver(self, resolver: impl Resolver + 'static) -> Self {
        Self { resolver: Arc::new(resolver), ..self }
    }

    /// Sets the plans on offer, which are stored if their codes are missing. If the store has another plan under one of the
    /// codes, [`build`](Self::build) refuses: only [`put_plans`](crate::store::TeamStore::put_plans) replaces the plans of
    /// a store. Default: [`PlanCatalog::shipped`] if the store has no plan at all, and otherwise the store's.
    #[must_use]
    pub fn with_plans(self, plans: PlanCatalog) -> Self {
        Self { plans: Plans::Given(plans), ..self }
    }

    /// Takes the plans that the store has and stores none, not even in an empty store: for commands beside a running service.
    #[must_use]
    pub fn with_stored_plans(self) -> Self {
        Self { plans: Plans::Stored, ..self }
    }

    /// Sets the clock for what this process times by itself; stored instants are the store's. Default: the machine's.
    #[must_use]
    pub fn with_clock(self, clock: impl Clock + 'static) -> Self {
        Self { clock: Box::new(clock), ..self }
    }

    /// Sets the number of requests without a valid token that an address may make within a minute. Default: 60, of which 20
    /// may be for files.
    #[must_use]
    pub fn with_anonymous_limits(self, anonymous_limits: RateLimits) -> Self {
        Self { anonymous_limits, ..self }
    }

    /// Sets the operator's proxy, through which webhooks are sent, and which resolves the names that the operator leaves to
    /// it. Default: none. A scanner has a setting of its own.
    #[must_use]
    pub fn with_upstream_proxy(self, proxy: UpstreamProxy) -> Self {
        Self { proxy: Some(proxy), ..self }
    }

    /// Sets authorities that may have issued the certificates of webhook receivers, besides the system's (certificates in
    /// DER). Default: none. A scanner has a setting of its own.
    #[must_use]
    pub fn with_ca_certificates(self, ca_certificates: impl IntoIterator<Item = Vec<u8>>) -> Self {
        Self { ca_certificates: ca_certificates.into_iter().collect(), ..self }
    }

    /// Sets the prefix of the names of a webhook's headers. Default: `Svc-`.
    #[must_use]
    pub fn with_header_prefix(self, header_prefix: HeaderPrefix) -> Self {
        Self { header_prefix, ..self }
    }

    /// Sets the standard against which sites are checked that name none. Default: WCAG 2.1 AA. All services over one store
    /// need the same, since any of them may check a site.
    #[must_use]
    pub fn with_standard(self, standard: StandardId) -> Self {
        Self { standard, ..self }
    }

    /// Sets the writer of the bodies of events, for workers and for test events. `EventsV1` of the crate `a11ycheck-api-v1`
    /// writes what the contract says.
    ///
    /// Default: none, for installations without webhook endpoints. A test event is then refused, and a worker that
    /// completes a check of a team with endpoints is [not ready](crate::engine::EngineFault::NoEventWriter).
    #[must_use]
    pub fn with_event_writer(self, writer: impl EventWriter + 'static) -> Self {
        Self { event_writer: Some(Box::new(writer)), ..self }
    }

    /// Sets the numbers of PDFs that are rendered at a time, and that wait. Default: a rendering for every two processor cores.
    #[cfg(feature = "pdf")]
    #[must_use]
    pub fn with_render_limits(self, render_limits: super::RenderLimits) -> Self {
        Self { render_limits, ..self }
    }

    /// Declares that a person has read the texts of this language: reports in it, of all teams, no longer call their texts machine
    /// drafts, and say who has read them and when. PDFs that were kept before are rendered again. A later declaration for
    /// the same language takes the place of an earlier one. Default: no language.
    #[must_use]
    pub fn with_reviewed_language(mut self, locale: Locale, review: Review) -> Self {
        self.reviews.insert(locale, review);
        self
    }

    /// Sets the keys with which secrets are sealed: those of webhook endpoints. Default: none; then no endpoint can be
    /// created, nothing is delivered, and a store that holds secrets is refused.
    ///
    /// The keys must live as long as the store: [`Keyring::ephemeral`] is for stores that end with the process. All
    /// services over one store are given the same first key, which the store knows by its id;
    /// [`Operator::rotate_sealing_key`](super::Operator::rotate_sealing_key) changes it.
    #[must_use]
    pub fn with_sealing(self, keys: Keyring) -> Self {
        Self { sealing: Sealing::With(keys), ..self }
    }

    /// Leaves the secrets in the store alone, sealed or not: for programs that have no key and need none for their work.
    #[must_use]
    pub fn without_sealing(self) -> Self {
        Self { sealing: Sealing::LeftOut, ..self }
    }

    /// Checks the parts, stores plans that are missing, and seals secrets that an earlier release stored in the clear.
    ///
    /// # Errors
    /// A [`BuildError`] with the part that does not fit.
    pub async fn build(self) -> Result<Service, BuildError> {
        let base_url = BaseUrl::parse(&self.base_url).ok_or(BuildError::BaseUrl(self.base_url))?;
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
        Ok(Service {
            parts: Arc::new(Parts {
                store: self.store,
                people: self.people,
                judgements: self.judgements,
                mail: self.mail,
                shares: self.shares,
                site_fields: self.site_fields,
                clock: self.clock,
                resolver: self.resolver,
                policy: self.policy,
                proxy: self.proxy,
                ca_certificates: self.ca_certificates,
                base_url,
                last_runs: Default::default(),
                feed: super::feed::Feed::default(),
                anonymous_limits: self.anonymous_limits,
                #[cfg(feature = "pdf")]
                renderings: super::pdf::Renderings::new(self.render_limits),
                header_prefix: self.header_prefix,
                standard: self.standard,
                event_writer: self.event_writer,
                reviews: self.reviews,
                sealing: keys,
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
    // Another process may have stored its plans in the meantime.
    refuse(plans.differences(&store.add_missing_plans(plans.plans()).await?))?;
    for plan in plans.plans().iter().filter(|plan| before.iter().all(|stored| stored.code != plan.code)) {
        tracing::info!(plan = %plan.code, "Stored a plan that was missing");
    }
    Ok(())
}

/// Returns one line for each fact.
fn lines<T: ToString>(facts: &[T]) -> String {
    facts.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
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
