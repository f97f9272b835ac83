//! The one place that chooses parts: which store, which scanner.

use std::{net::SocketAddr, sync::Arc};

use a11ycheck_account_web::{AccountWeb, Smtp};
use a11ycheck_api_v1::EventsV1;
use a11ycheck_core::{
    Engine, Service,
    domain::Tool,
    engine::EngineBuilder,
    service::{BuildError, Mailing, SealingError, ServiceBuilder, SharedSettings},
};
use a11ycheck_scanner_chromium::ChromiumScanner;
use chrono::Utc;

use crate::{
    AnyError,
    egress::EgressError,
    reviewed::{self, ReviewedLanguage},
    sealing,
    settings::{Role, Settings},
    shared,
    store::ChosenStore,
};

/// The parts of a running process.
pub(crate) struct Parts {
    pub(crate) service: Service,
    pub(crate) store: ChosenStore,
    /// The versions of the programs that check, if this process runs workers.
    pub(crate) versions: Option<Tool>,
    pub(crate) scanner: Option<Arc<ChromiumScanner>>,
}

impl Parts {
    /// Assembles the parts that the settings ask for, over their store.
    pub(crate) async fn assemble(
        settings: &Settings,
        store: ChosenStore,
        listening: SocketAddr,
    ) -> Result<Self, AnyError> {
        let plans = settings.plans()?;
        let reviewed = reviewed::checked(&settings.reviewed_language, Utc::now().date_naive())?;
        let shared = shared::settle(settings, store.store(), store.sharing()).await?;
        let base_url = shared::base_url(settings, &shared, store.sharing(), listening)?;
        let scanner = if settings.has_role(Role::Worker) {
            Some(Arc::new(ChromiumScanner::new(settings.scanner(shared.policy.clone())?)?))
        } else {
            None
        };
        let keys = sealing::for_server(settings, &store).await?;
        let builder = configured(store.service(), settings, &shared)?.with_base_url(base_url).with_sealing(keys);
        let builder = plans.into_iter().fold(builder, ServiceBuilder::with_plans);
        let builder = reviewed.iter().fold(builder, |builder, ReviewedLanguage { locale, review }| {
            builder.with_reviewed_language(*locale, review.clone())
        });
        let service = builder.build().await.map_err(|error| explained(error, settings))?;
        let versions = match &scanner {
            Some(scanner) => Some(scanner.versions().await?),
            None => None,
        };
        Ok(Self { service, store, versions, scanner })
    }

    /// Begins the engine: with the scanner, if this process runs workers, and with what sends mail, if it does.
    pub(crate) fn engine(&self, mail: Option<(AccountWeb, Smtp)>) -> EngineBuilder {
        let scanner = self.scanner.iter().map(Arc::clone);
        let engine = scanner.fold(Engine::builder(&self.service), EngineBuilder::with_scanner);
        mail.into_iter().fold(engine, |engine, (writer, smtp)| engine.with_mail(writer, smtp))
    }

    /// Returns what writes and what sends mail, if this process does, and says to all whether it does. A process without the role
    /// `webhooks` neither sends mail nor says so.
    pub(crate) async fn mail(&self, settings: &Settings) -> Result<Option<(AccountWeb, Smtp)>, AnyError> {
        let smtp = settings.smtp()?;
        if !settings.has_role(Role::Webhooks) {
            return Ok(None);
        }
        let mailing = if smtp.is_some() { Mailing::On } else { Mailing::Off };
        self.service.operator().set_mailing(mailing).await?;
        Ok(AccountWeb::new(&self.service).zip(smtp))
    }

    /// Returns the programs that check, each with its version; none if this process runs no worker.
    pub(crate) fn shown_versions(&self) -> Vec<(String, String)> {
        let Some(tool) = &self.versions else { return Vec::new() };
        let axe = ("axe-core".to_owned(), tool.version.clone());
        let browser = tool.browser.clone().map(|browser| ("browser".to_owned(), browser));
        std::iter::once(axe).chain(browser).collect()
    }

    /// Stops the browser and closes the connections.
    pub(crate) async fn close(self) {
        if let Some(scanner) = self.scanner {
            scanner.close().await;
        }
        self.store.close().await;
    }
}

/// The need of a command for the sealing keys: it makes or shows a secret that is stored sealed, or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TakesKeys {
    Yes,
    No,
}

/// Builds a service over the store, for commands that end at once, with the keys to its secrets or without.
pub(crate) async fn for_admin(settings: &Settings, store: &ChosenStore, keys: TakesKeys) -> Result<Service, AnyError> {
    let shared = SharedSettings::peek(store.store(), &settings.own_settings()?, store.sharing()).await?;
    let builder = configured(store.service(), settings, &shared)?;
    let builder = shared.base_url.iter().fold(builder, ServiceBuilder::with_base_url);
    let builder = match keys {
        TakesKeys::Yes => builder.with_sealing(sealing::for_command(settings)?),
        TakesKeys::No => builder.without_sealing(),
    };
    builder.with_stored_plans().build().await.map_err(|error| explained(error, settings))
}

/// Adds advice to the errors that an operator can make with keys and plans.
fn explained(error: BuildError, settings: &Settings) -> AnyError {
    match error {
        BuildError::Sealing(error @ (SealingError::OtherKey { .. } | SealingError::MissingKey { .. })) => {
            format!("{error}: {}", sealing::advice(&error, settings)).into()
        }
        error => shared::explain(error),
    }
}

fn configured(
    builder: ServiceBuilder,
    settings: &Settings,
    shared: &SharedSettings,
) -> Result<ServiceBuilder, EgressError> {
    let builder = builder.with_resolver(settings.resolver()).with_ca_certificates(settings.own_authorities()?);
    let builder = settings.upstream_proxy()?.into_iter().fold(builder, ServiceBuilder::with_upstream_proxy);
    Ok(builder
        .with_policy(shared.policy.clone())
        .with_header_prefix(shared.header_prefix.clone())
        .with_standard(shared.standard)
        .with_anonymous_limits(settings.anonymous_limits())
        .with_event_writer(EventsV1))
}
