//! The store: a pool of connections, and the one place where a step is run.

use std::{fmt, sync::Arc, time::Duration};

use a11ycheck_core::{
    clock::Clock,
    store::{StoreClock, StoreError},
};
use async_trait::async_trait;
use chrono::{DateTime, SubsecRound as _, Utc};

use crate::{
    ConnectError, PostgresConfig,
    db::{
        error::Failure,
        hints::Node,
        migrate::migrate,
        pool_usage::Waiting,
        session::{Session, Sessions},
        skipped::Unreadable,
        together::Statements,
    },
    files::objects::Objects,
};

/// A store that keeps everything in PostgreSQL, 14 or later. Clones share their connections.
///
/// # Promises
/// Keeps every promise of [`Store`](a11ycheck_core::store::Store), for any number of processes on one database.
///
/// # Time
/// The database's clock counts, never that of a node.
///
/// # Trouble
/// Whatever may pass is [`StoreError::Unavailable`]: no connection available in time, a connection that broke, a server
/// that stops, has no room or is too slow. A step that failed this way has changed nothing, unless the connection broke
/// during the commit: then the step happened as a whole or not at all. The next step tries again, so that nothing need
/// be restarted when the database is well again. A step that lost against another one (SQLSTATE 40001, 40P01) is tried
/// again here.
#[derive(Clone)]
pub struct PostgresStore {
    sessions: Sessions,
    step_timeout: Duration,
    clock: Option<Arc<dyn Clock>>,
    node: Arc<Node>,
    objects: Option<Objects>,
    unreadable: Arc<Unreadable>,
    waiting: Waiting,
    statements: Statements,
}

/// The number of times that a step that loses against others is begun, the first included.
pub(crate) const ATTEMPTS: u32 = 5;

impl PostgresStore {
    /// Connects, and brings the tables up to date. Nodes may start at the same moment. If the database, or a pooler in
    /// front of it, has no connection free, the start waits for up to 100 s, and the log says so.
    ///
    /// # Errors
    /// [`ConnectError`]: nothing that failed is half done.
    pub async fn connect(config: PostgresConfig) -> Result<Self, ConnectError> {
        let objects = config.objects().await?;
        migrate(&config).await.map_err(ConnectError::explained)?;
        let sessions = config.sessions()?;
        let node = Arc::new(Node::new(&config, sessions.clone())?);
        let (step_timeout, unreadable) = (config.step_timeout(), Arc::default());
        let (waiting, statements) = (Waiting::default(), Statements::default());
        Ok(Self { sessions, step_timeout, clock: None, node, objects, unreadable, waiting, statements })
    }

    /// Uses `clock` instead of the database's clock: for tests, and for one process alone. Its instants are truncated
    /// to microseconds.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Some(Arc::new(clock));
        // Calls that share a statement share its instant, so they must not be joined by calls of a store with another
        // clock.
        self.statements = Statements::default();
        self
    }

    /// Waits until all steps have ended, and closes the connections. Later steps fail.
    pub async fn close(&self) {
        self.node.close();
        self.sessions.close().await;
    }

    /// Returns the present instant as statements take it: `coalesce($n, clock_timestamp())`.
    pub(crate) fn instant(&self) -> Option<DateTime<Utc>> {
        self.clock.as_ref().map(|clock| clock.now().trunc_subsecs(6))
    }

    /// Returns the node, which wakes the loops of this process and those of other nodes.
    pub(crate) const fn node(&self) -> &Arc<Node> {
        &self.node
    }

    /// Returns the place where files are kept, if that is not the tables.
    pub(crate) const fn objects(&self) -> Option<&Objects> {
        self.objects.as_ref()
    }

    /// Returns the rows of the queues that this process could not read.
    pub(crate) fn unreadable(&self) -> &Unreadable {
        &self.unreadable
    }

    pub(crate) const fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// Returns the counter of steps that wait for a connection.
    pub(crate) const fn waiting(&self) -> &Waiting {
        &self.waiting
    }

    /// Returns the calls that share statements.
    pub(crate) const fn statements(&self) -> &Statements {
        &self.statements
    }

    pub(crate) async fn session(&self) -> Result<Session, sqlx::Error> {
        let _waiting = self.waiting.begin();
        self.sessions.begin().await
    }

    pub(crate) const fn step_timeout(&self) -> Duration {
        self.step_timeout
    }

    /// Runs one step of a trait: bounds its time, and begins it again if it lost against another.
    ///
    /// A step is either a single statement or one [`transaction`](Self::transaction) at the default level, READ
    /// COMMITTED, where each statement sees what was committed before it began. A step that judges what it has read
    /// locks it first. Locks are taken in one order (plan, team, site, active scan, scan, retention, endpoint,
    /// delivery, event), so that two steps don't wait for each other. The purge begins with a team's row in
    /// `retention`, and skips checks that another step has locked. Positions in the log of occurrences are assigned
    /// under the row of `event_head`, in transactions of their own that lock nothing else but the entries; writers of
    /// entries don't touch that row.
    pub(crate) async fn step<T, E, F>(&self, run: impl Fn() -> F + Send) -> Result<T, E>
    where
        E: From<StoreError>,
        F: Future<Output = Result<T, Failure<E>>> + Send,
    {
        let mut attempt = 1;
        loop {
            let outcome = tokio::time::timeout(self.step_timeout, run()).await;
            match outcome.unwrap_or_else(|_| Err(Failure::TooSlow(self.step_timeout))) {
                Ok(outcome) => return Ok(outcome),
                Err(failure) if failure.is_conflict() && attempt < ATTEMPTS => attempt += 1,
                Err(failure) => return Err(failure.into_error()),
            }
        }
    }
}

impl fmt::Debug for PostgresStore {
    /// Shows the state of the pool and nothing of the address, which may contain a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore")
            .field("connections", &self.sessions.pool().size())
            .field("idle", &self.sessions.idle())
            .field("clock", &self.clock)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl StoreClock for PostgresStore {
    async fn now(&self) -> Result<DateTime<Utc>, StoreError> {
        if let Some(instant) = self.instant() {
            return Ok(instant);
        }
        self.step(|| async {
            let mut session = self.session().await?;
            let now = sqlx::query_scalar("SELECT clock_timestamp()").fetch_one(&mut *session).await?;
            session.leave_ready();
            Ok(now)
        })
        .await
    }
}
