//! A connection for the time of a step.

use std::{
    collections::VecDeque,
    ops::{Deref, DerefMut},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use sqlx::{PgConnection, PgPool, Postgres, pool::PoolConnection};
use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    time::Instant,
};

use crate::db::pooler::SettingsLost;

/// The connections of a store: those of its pool, and those that one step has left ready for the next.
///
/// The pool examines each connection that comes back, which takes two round trips. A step of one statement takes one,
/// so such a step may leave its connection ready instead ([`Session::leave_ready`]). A connection that was not examined
/// for [`READY`](Self::READY) goes back to the pool.
#[derive(Debug, Clone)]
pub(crate) struct Sessions {
    pool: PgPool,
    /// As many as the pool may have connections: a step with a place finds a connection, ready or in the pool, or makes
    /// one.
    places: Arc<Semaphore>,
    vacant: Vacant,
    returns: watch::Sender<Returns>,
}

/// The connections that have gone back to the pool. It examines them first.
#[derive(Debug, Clone, Copy, Default)]
struct Returns {
    begun: u64,
    ended: u64,
}

/// The places that no step has, each with the connection that is ready there; the one used last is at the end. The pool
/// and the task that returns connections hold it weakly: it goes with the store, and its connections with it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Vacant(Arc<Mutex<Places>>);

/// A reference to [`Vacant`] that does not keep it.
#[derive(Debug, Clone)]
pub(crate) struct WeakVacant(Weak<Mutex<Places>>);

#[derive(Debug, Default)]
struct Places {
    ready: VecDeque<Option<Ready>>,
    /// True if a task waits to return what has been ready for too long.
    is_watched: bool,
}

/// A connection that was taken from the pool, and goes back when this is dropped.
#[derive(Debug)]
struct Ready {
    connection: PoolConnection<Postgres>,
    /// The instant of its last examination, or that at which it left the pool, which had examined it.
    examined_at: Instant,
    returns: watch::Sender<Returns>,
}

impl Ready {
    fn is_stale(&self) -> bool {
        self.examined_at.elapsed() >= Sessions::READY
    }
}

impl Sessions {
    /// The longest time for which a connection is used again without an examination.
    const READY: Duration = Duration::from_secs(1);

    /// Takes over a pool with no vacant place yet. The pool clears `vacant` when it finds a connection unfit
    /// ([`Vacant::clear`]).
    pub(crate) fn new(pool: PgPool, vacant: Vacant) -> Self {
        let places = pool.options().get_max_connections();
        vacant.lock().ready.extend((0..places).map(|_| None));
        Self { pool, places: Arc::new(Semaphore::new(places as usize)), vacant, returns: watch::Sender::default() }
    }

    pub(crate) const fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// Returns the number of open connections that no step uses.
    pub(crate) fn idle(&self) -> usize {
        self.pool.num_idle() + self.vacant.lock().ready.iter().flatten().count()
    }

    /// Returns a connection as soon as one is free.
    ///
    /// # Errors
    /// Those of the pool; [`sqlx::Error::PoolTimedOut`] if none is free in the time that the pool allows.
    pub(crate) async fn begin(&self) -> Result<Session, sqlx::Error> {
        let limit = self.pool.options().get_acquire_timeout();
        tokio::time::timeout(limit, self.begin_in_time()).await.unwrap_or(Err(sqlx::Error::PoolTimedOut))
    }

    async fn begin_in_time(&self) -> Result<Session, sqlx::Error> {
        let place = Arc::clone(&self.places).acquire_owned().await.map_err(|_| sqlx::Error::PoolClosed)?;
        let ready = self.vacant.lock().ready.pop_back().flatten();
        // From here on, its end returns the place.
        let mut session = Session { used: ready, is_left_ready: false, vacant: self.vacant.clone(), _place: place };
        if self.pool.is_closed() || session.used.as_ref().is_none_or(Ready::is_stale) {
            session.used = None;
            let connection = self.of_pool().await?;
            let returns = self.returns.clone();
            session.used = Some(Ready { connection, examined_at: Instant::now(), returns });
        }
        Ok(session)
    }

    /// Takes a connection from the pool, which makes one if it has none. One that is on its way back is waited for: it
    /// is there sooner than a new one, for which the server may have no place.
    async fn of_pool(&self) -> Result<PoolConnection<Postgres>, sqlx::Error> {
        /// The longest wait: a connection that takes longer is probably lost.
        const PATIENCE: Duration = Duration::from_secs(1);
        let Returns { begun, ended } = *self.returns.borrow();
        if begun > ended && self.pool.num_idle() == 0 {
            // Whether one has come back or patience has ended: the pool decides what is to be done.
            let _ = tokio::time::timeout(PATIENCE, self.returns.subscribe().wait_for(|now| now.ended > ended)).await;
        }
        self.pool.acquire().await
    }

    /// Waits until all steps have ended, and closes the connections. Later steps fail.
    pub(crate) async fn close(&self) {
        let closed = self.pool.close();
        self.vacant.clear();
        closed.await;
    }
}

impl Vacant {
    /// Returns the connections that are ready to the pool, which examines them.
    pub(crate) fn clear(&self) {
        let ready: Vec<_> = self.lock().ready.iter_mut().filter_map(Option::take).collect();
        // Not while the places are locked.
        drop(ready);
    }

    pub(crate) fn downgrade(&self) -> WeakVacant {
        WeakVacant(Arc::downgrade(&self.0))
    }

    /// Returns the connections that nobody has used until they were stale. Returns whether others are ready still.
    fn clear_stale(&self) -> bool {
        let mut places = self.lock();
        let stale: Vec<_> =
            places.ready.iter_mut().filter_map(|place| place.take_if(|ready| ready.is_stale())).collect();
        places.is_watched = places.ready.iter().any(Option::is_some);
        let is_watched = places.is_watched;
        drop(places);
        drop(stale);
        is_watched
    }

    fn lock(&self) -> MutexGuard<'_, Places> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WeakVacant {
    /// Does what [`Vacant::clear`] does, unless the store was dropped.
    pub(crate) fn clear(&self) {
        self.0.upgrade().map(Vacant).iter().for_each(Vacant::clear);
    }

    /// Returns connections to the pool when they are stale, so that idle connections are the pool's to close. Ends when
    /// none is ready.
    async fn watch(self) {
        loop {
            tokio::time::sleep(Sessions::READY).await;
            if !self.0.upgrade().map(Vacant).is_some_and(|vacant| vacant.clear_stale()) {
                return;
            }
        }
    }
}

/// A connection that goes back to the pool when this is dropped, if it still answers then.
pub(crate) struct Session {
    /// `None` only before the pool has given a connection, and at the end.
    used: Option<Ready>,
    is_left_ready: bool,
    vacant: Vacant,
    _place: OwnedSemaphorePermit,
}

impl Session {
    /// Leaves the connection ready for the next step, without the examination by the pool. Only after a statement that
    /// has run to its end without an error, and in no transaction.
    pub(crate) fn leave_ready(mut self) {
        self.is_left_ready = true;
    }

    /// Returns whether a connection may be used again: not if it leads to a server that takes no changes, nor if its
    /// session is not the one that was set up. After a failover, the address leads to another server, while connections
    /// to the former live on; a pooler can be reconfigured at any time.
    pub(crate) async fn is_fit(connection: &mut PgConnection, search_path: &str) -> Result<bool, sqlx::Error> {
        let (takes_changes, is_ours): (bool, bool) = sqlx::query_as(
            "SELECT current_setting('transaction_read_only') = 'off', current_setting('search_path') = $1",
        )
        .bind(search_path)
        .fetch_one(connection)
        .await?;
        if !is_ours {
            tracing::error!("A connection to the database lost its settings and is dropped: {SettingsLost}");
        }
        Ok(takes_changes && is_ours)
    }
}

impl Deref for Session {
    type Target = PgConnection;

    #[expect(clippy::expect_used, reason = "`begin` returns a session with a connection, and only `drop` takes it")]
    fn deref(&self) -> &PgConnection {
        &self.used.as_ref().expect("a session has a connection").connection
    }
}

impl DerefMut for Session {
    #[expect(clippy::expect_used, reason = "as above")]
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.used.as_mut().expect("a session has a connection").connection
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Without a runtime, nothing would return it in time.
        let watcher = Handle::try_current().ok().filter(|_| self.is_left_ready);
        if watcher.is_none() {
            self.used = None;
        }
        let mut places = self.vacant.lock();
        match self.used.take() {
            None => places.ready.push_front(None),
            Some(ready) => places.ready.push_back(Some(ready)),
        }
        if let Some(runtime) = watcher.filter(|_| !std::mem::replace(&mut places.is_watched, true)) {
            runtime.spawn(self.vacant.downgrade().watch());
        }
    }
}

impl Drop for Ready {
    /// Bounds what the pool does without a bound: it waits for a response from a connection that comes back, and, under
    /// TLS, from one that it closes. When the network swallows what is sent, each such connection would keep its place
    /// in the pool for as long as the system's TCP has patience, which is a quarter of an hour.
    fn drop(&mut self) {
        /// The longest time that a connection may take to show that it is fit. One that takes longer is dropped.
        const PATIENCE: Duration = Duration::from_secs(5);
        let returning = self.connection.return_to_pool();
        // Without a runtime nothing can be awaited, and the connection is dropped here.
        let Ok(runtime) = Handle::try_current() else { return };
        self.returns.send_modify(|returns| returns.begun += 1);
        let returns = self.returns.clone();
        runtime.spawn(async move {
            if tokio::time::timeout(PATIENCE, returning).await.is_err() {
                tracing::warn!("A connection to the database did not answer for {PATIENCE:?} and was dropped");
            }
            returns.send_modify(|returns| returns.ended += 1);
        });
    }
}
