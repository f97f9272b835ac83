//! The configuration of the store: the address of the database, and how much of it to use.

use std::{fmt, io, str::FromStr as _, sync::Arc, time::Duration};

use sqlx::{
    PgConnection,
    postgres::{PgConnectOptions, PgPoolOptions},
};

use crate::{
    ConnectError,
    db::{
        pooler::{SessionSettings, StartPatience},
        session::{Session, Sessions, Vacant},
    },
    files::objects::Objects,
};

/// The address of the database, and how much of it to use. Everything but the address has a default that suits a server
/// of a few thousand sites.
#[derive(Clone)]
pub struct PostgresConfig {
    url: String,
    schema: String,
    max_connections: u32,
    acquire_timeout: Duration,
    step_timeout: Duration,
    #[cfg(feature = "object-store")]
    files: Option<Files>,
}

/// The place where files are kept, if that is not the database.
#[cfg(feature = "object-store")]
#[derive(Clone)]
struct Files {
    url: String,
    settings: Vec<(String, String)>,
    test: FilesTest,
}

/// The choice to try an object store before it is used, or not to.
#[cfg(feature = "object-store")]
#[derive(Clone, Copy, PartialEq, Eq)]
enum FilesTest {
    AtStart,
    LeftOut,
}

impl PostgresConfig {
    /// The schema that holds all tables if no other is chosen.
    pub const DEFAULT_SCHEMA: &'static str = "a11ycheck";
    /// The most bytes that a name in PostgreSQL may have.
    const MAX_NAME: usize = 63;

    /// Creates a configuration for the database at an address: `postgres://user:password@host:port/database`.
    ///
    /// `?sslmode=verify-full` asks for TLS with a certificate that the system, or `&sslrootcert=FILE`, vouches for; the
    /// default of PostgreSQL, `prefer`, encrypts where the server can and verifies nothing. `?host=/folder` means a
    /// Unix socket in that folder. `sslmode=verify-ca` affects the process: see the
    /// [crate](crate#what-it-does-to-the-process). A pooler in front of the database must keep sessions
    /// (`pool_mode = session`); its pool must have room for all connections of all processes.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            schema: Self::DEFAULT_SCHEMA.to_owned(),
            max_connections: 16,
            acquire_timeout: Duration::from_secs(5),
            step_timeout: Duration::from_secs(20),
            #[cfg(feature = "object-store")]
            files: None,
        }
    }

    /// Keeps pictures and documents in an object store, `s3://bucket/folder`, or in an existing folder that all nodes
    /// share, `file:///folder`, instead of the database. The settings are those of S3, under the names that Amazon's
    /// own tools read from the environment: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, and
    /// `AWS_ENDPOINT` for stores of other vendors; further names are ignored. Credentials are taken from the machine's
    /// metadata service only where `AWS_METADATA_ENDPOINT` names it.
    ///
    /// [`PostgresStore::connect`](crate::PostgresStore::connect) writes, reads and deletes an object there first, and
    /// fails if it can't.
    ///
    /// Files that are in the database already stay there, and are read from there. Likewise, files in an object store
    /// are read from it as long as one is configured, which must be the same one. All nodes of a database are given the
    /// same address.
    #[cfg(feature = "object-store")]
    #[must_use]
    pub fn with_files(mut self, url: impl Into<String>, settings: impl IntoIterator<Item = (String, String)>) -> Self {
        let settings = settings.into_iter().collect();
        self.files = Some(Files { url: url.into(), settings, test: FilesTest::AtStart });
        self
    }

    /// Does not try the object store before it is used: for a command that ends soon and should work even while the
    /// object store does not.
    #[cfg(feature = "object-store")]
    #[must_use]
    pub fn without_files_test(mut self) -> Self {
        if let Some(files) = &mut self.files {
            files.test = FilesTest::LeftOut;
        }
        self
    }

    /// Opens the object store, if one is configured, and tries it unless that is left out.
    #[cfg(feature = "object-store")]
    pub(crate) async fn objects(&self) -> Result<Option<Objects>, ConnectError> {
        let Some(Files { url, settings, test }) = &self.files else { return Ok(None) };
        let objects = Objects::open(url, settings.clone(), self.step_timeout).map_err(ConnectError::Files)?;
        if *test == FilesTest::AtStart {
            objects.test().await.map_err(ConnectError::Files)?;
        }
        Ok(Some(objects))
    }

    #[cfg(not(feature = "object-store"))]
    #[expect(clippy::unnecessary_wraps, clippy::unused_async, clippy::unused_self, reason = "as with the feature")]
    pub(crate) async fn objects(&self) -> Result<Option<Objects>, ConnectError> {
        Ok(None)
    }

    /// The schema that holds all tables, so that a database can be shared with a host application: at most 63 ASCII
    /// lower-case letters, digits and underscores, no digit first. It is created when it is missing.
    #[must_use]
    pub fn with_schema(mut self, schema: impl Into<String>) -> Self {
        self.schema = schema.into();
        self
    }

    /// Sets how many connections this process may hold; at least 1. One more is made when a loop waits for work, to
    /// listen for hints of other nodes. Over all processes they must fit the server's `max_connections`.
    #[must_use]
    pub const fn with_max_connections(mut self, connections: u32) -> Self {
        self.max_connections = connections;
        self
    }

    /// Sets how long a step waits for a connection before it fails with
    /// [`StoreError::Unavailable`](a11ycheck_core::store::StoreError::Unavailable).
    #[must_use]
    pub const fn with_acquire_timeout(mut self, timeout: Duration) -> Self {
        self.acquire_timeout = timeout;
        self
    }

    /// Sets how long a step may take, once it has a connection, before it fails likewise. The server gives up first, at
    /// three quarters of this time, so that a slow statement ends there too.
    #[must_use]
    pub const fn with_step_timeout(mut self, timeout: Duration) -> Self {
        self.step_timeout = timeout;
        self
    }

    pub(crate) const fn step_timeout(&self) -> Duration {
        self.step_timeout
    }

    pub(crate) fn schema(&self) -> &str {
        &self.schema
    }

    /// Returns the schema, quoted for use in a statement.
    pub(crate) fn quoted_schema(&self) -> Result<String, ConnectError> {
        let is_name = self.schema.len() <= Self::MAX_NAME
            && !self.schema.starts_with(|first: char| first.is_ascii_digit())
            && !self.schema.is_empty()
            && self.schema.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        if is_name { Ok(format!("\"{}\"", self.schema)) } else { Err(ConnectError::Schema(self.schema.clone())) }
    }

    /// Returns the options with which a connection is made. Other settings of a session are made by a statement
    /// ([`SessionSettings`]): poolers know only a few parameters of a start-up, and refuse or drop the others.
    pub(crate) fn connect_options(&self) -> Result<PgConnectOptions, ConnectError> {
        if !["postgres://", "postgresql://"].iter().any(|scheme| self.url.starts_with(scheme)) {
            return Err(ConnectError::Address(sqlx::Error::Configuration("it begins with another scheme".into())));
        }
        let options = PgConnectOptions::from_str(&self.url).map_err(ConnectError::Address)?;
        // Operators see the name in `pg_stat_activity`; the address may give another one.
        let name = options.get_application_name().unwrap_or("a11ycheck").to_owned();
        Ok(options.application_name(&name).extra_float_digits(None))
    }

    /// Returns how a start waits for its first connections.
    pub(crate) const fn start_patience(&self) -> StartPatience {
        // One more connection listens.
        StartPatience::of(self.max_connections.saturating_add(1))
    }

    /// Makes a connection to migrate with, on which nothing is set yet.
    pub(crate) async fn connect_to_migrate(&self) -> Result<PgConnection, ConnectError> {
        const LEAST: Duration = Duration::from_secs(10);
        let options = self.connect_options()?;
        let connect = <PgConnection as sqlx::Connection>::connect_with(&options);
        // A start need not be as impatient as a step may be.
        match tokio::time::timeout(self.acquire_timeout.max(LEAST), connect).await {
            Ok(connected) => connected.map_err(ConnectError::Unreachable),
            Err(_) => Err(ConnectError::Unreachable(sqlx::Error::Io(io::ErrorKind::TimedOut.into()))),
        }
    }

    /// Returns a function that makes pools of a single connection, for listening: that connection is not returned while
    /// it works, and one that hangs must not be in the way of the next.
    pub(crate) fn listening_pools(&self) -> Result<impl Fn() -> sqlx::PgPool + Send + Sync + use<>, ConnectError> {
        let connection = self.connect_options()?;
        let pool = PgPoolOptions::new().max_connections(1).max_lifetime(None).idle_timeout(None);
        let pool = pool.acquire_timeout(self.acquire_timeout);
        Ok(move || pool.clone().connect_lazy_with(connection.clone()))
    }

    /// Creates the connections of a store: each is made when it is needed.
    pub(crate) fn sessions(&self) -> Result<Sessions, ConnectError> {
        /// Connections that were idle for longer are tried before they are used: the server may have stopped meanwhile.
        const RESTED: Duration = Duration::from_secs(5);
        let options = self.connect_options()?;
        let schema = self.quoted_schema()?;
        let settings = Arc::new(SessionSettings::of_steps(schema.clone(), self.step_timeout));
        let search_path: Arc<str> = schema.into();
        let vacant = Vacant::default();
        let ready = vacant.downgrade();
        let pool = PgPoolOptions::new()
            .after_connect(move |connection, _| {
                let settings = Arc::clone(&settings);
                Box::pin(async move { settings.apply(connection).await })
            })
            .max_connections(self.max_connections.max(1))
            .acquire_timeout(self.acquire_timeout)
            .test_before_acquire(false)
            .before_acquire(|connection, resting| {
                Box::pin(async move {
                    if resting.idle_for > RESTED {
                        sqlx::Connection::ping(connection).await?;
                    }
                    Ok(true)
                })
            })
            .after_release(move |connection, _| {
                let (search_path, ready) = (Arc::clone(&search_path), ready.clone());
                Box::pin(async move {
                    let is_fit = Session::is_fit(connection, &search_path).await;
                    if !matches!(is_fit, Ok(true)) {
                        // The others may lead to the same server.
                        ready.clear();
                    }
                    is_fit
                })
            })
            .connect_lazy_with(options);
        Ok(Sessions::new(pool, vacant))
    }
}

impl fmt::Debug for PostgresConfig {
    /// Shows nothing of the address, which may hold a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresConfig")
            .field("schema", &self.schema)
            .field("max_connections", &self.max_connections)
            .field("acquire_timeout", &self.acquire_timeout)
            .field("step_timeout", &self.step_timeout)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_a_plain_name() {
        let quoted = |schema: &str| PostgresConfig::new("").with_schema(schema).quoted_schema();
        assert_eq!(quoted("a11ycheck").unwrap(), "\"a11ycheck\"");
        assert_eq!(quoted("_2").unwrap(), "\"_2\"");
        for schema in ["", "2", "A", "a\"b", "a b", "a,public", "ä", "a;drop", &"a".repeat(64)] {
            assert!(matches!(quoted(schema), Err(ConnectError::Schema(named)) if named == schema), "{schema}");
        }
    }

    #[test]
    fn an_address_that_is_none_is_refused_before_anything_is_tried() {
        for url in ["", "mysql://a/b", "postgres://h:port/"] {
            assert!(matches!(PostgresConfig::new(url).connect_options(), Err(ConnectError::Address(_))), "{url}");
        }
    }

    #[test]
    fn a_password_is_in_no_log() {
        let config = PostgresConfig::new("postgres://user:hidden@host/database");
        assert!(!format!("{config:?}").contains("hidden"));
    }
}
