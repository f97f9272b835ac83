//! The one place that chooses parts: which store, which scanner.

use std::sync::Arc;

use a11ycheck_core::{
    Service,
    domain::Engine,
    scanner::NoScanner,
    service::{BuildError, SealingError, ServiceBuilder},
};
use a11ycheck_scanner_chromium::ChromiumScanner;
use a11ycheck_storage_memory::MemoryStore;
use a11ycheck_storage_postgres::PostgresStore;

use crate::{
    AnyError,
    admin::TakesKeys,
    sealing,
    settings::{Role, Settings},
};

/// The parts of a running process.
pub(crate) struct Parts {
    pub(crate) service: Service,
    /// Whether what is stored outlives the process.
    pub(crate) is_durable: bool,
    /// The programs that check, where this process runs workers.
    pub(crate) versions: Option<Engine>,
    scanner: Option<Arc<ChromiumScanner>>,
    database: Option<PostgresStore>,
}

impl Parts {
    /// Puts together what the settings ask for.
    pub(crate) async fn assemble(settings: &Settings, base_url: &str) -> Result<Self, AnyError> {
        let scanner = if settings.has_role(Role::Worker) {
            Some(Arc::new(ChromiumScanner::new(settings.scanner(settings.policy()?))?))
        } else {
            None
        };
        let database = match settings.database()? {
            Some(config) => Some(PostgresStore::connect(config).await?),
            None => None,
        };
        let builder = match (&database, &scanner) {
            (Some(store), Some(scanner)) => Service::builder(store.clone(), Arc::clone(scanner)),
            (Some(store), None) => Service::builder(store.clone(), NoScanner),
            (None, Some(scanner)) => Service::builder(MemoryStore::new(), Arc::clone(scanner)),
            (None, None) => Service::builder(MemoryStore::new(), NoScanner),
        };
        let keys = sealing::for_server(settings, database.as_ref()).await?;
        let builder = configured(builder, settings)?.with_base_url(base_url).with_sealing(keys);
        let service = builder.build().await.map_err(|error| with_advice(error, settings))?;
        let versions = match &scanner {
            Some(scanner) => Some(scanner.versions().await?),
            None => None,
        };
        Ok(Self { service, is_durable: database.is_some(), versions, scanner, database })
    }

    /// Ends the browser and the connections.
    pub(crate) async fn close(self) {
        if let Some(scanner) = self.scanner {
            scanner.close().await;
        }
        if let Some(database) = self.database {
            database.close().await;
        }
    }
}

/// A service over the database, for commands that end at once, with the keys to its secrets or without.
pub(crate) async fn for_admin(settings: &Settings, keys: TakesKeys) -> Result<Service, AnyError> {
    let config = settings.database()?.ok_or(
        "admin commands work on a database: name it with --database-url before `admin`, or in A11YCHECK_DATABASE_URL",
    )?;
    let builder = Service::builder(PostgresStore::connect(config).await?, NoScanner);
    let builder = match keys {
        TakesKeys::Yes => builder.with_sealing(sealing::for_command(settings)?),
        TakesKeys::No => builder.without_sealing(),
    };
    configured(builder, settings)?.build().await.map_err(|error| with_advice(error, settings))
}

/// What an operator can get wrong about keys, with what to do.
fn with_advice(error: BuildError, settings: &Settings) -> AnyError {
    match error {
        BuildError::Sealing(error @ (SealingError::OtherKey { .. } | SealingError::MissingKey { .. })) => {
            format!("{error}: {}", sealing::advice(&error, settings)).into()
        }
        error => error.into(),
    }
}

fn configured(builder: ServiceBuilder, settings: &Settings) -> Result<ServiceBuilder, AnyError> {
    Ok(builder
        .with_policy(settings.policy()?)
        .with_plans(settings.plans()?)
        .with_header_prefix(settings.header_prefix()?)
        .with_anonymous_limits(settings.anonymous_limits()))
}
