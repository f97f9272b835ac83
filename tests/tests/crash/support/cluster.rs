//! The database that nodes share, and the service from an observer's point of view.

use std::time::Duration;

use a11ycheck_core::{
    Service,
    domain::{Ability, SiteInput},
    id::SiteId,
};
use a11ycheck_tests::{NodeSettings, QuickClock, TestTeam};
use sqlx::{
    PgPool,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use ulid::Ulid;

/// A schema of its own, and two ways into it beside the nodes: a service like theirs, and its tables.
pub(crate) struct Cluster {
    /// The settings with which a node is started.
    pub(crate) settings: NodeSettings,
    /// The service, without any running loop.
    pub(crate) service: Service,
    /// A pool of connections to its tables.
    pub(crate) db: PgPool,
}

impl Cluster {
    /// Creates a cluster that uses this clock, or the database's.
    pub(crate) async fn new(clock: Option<QuickClock>) -> Self {
        // The prefix with which the store's own tests recognise what earlier runs have left.
        let schema = format!("a11ycheck_test_{}", Ulid::generate().to_string().to_lowercase());
        let settings = NodeSettings::new(super::url(), &schema, clock);
        let service = settings.service(settings.store().await.unwrap()).build().await.unwrap();
        let options: PgConnectOptions = super::url().parse().unwrap();
        let options = options.options([("search_path", schema)]);
        let patience = Duration::from_secs(60);
        let pool = PgPoolOptions::new().max_connections(4).acquire_timeout(patience);
        Self { settings, service, db: pool.connect_with(options).await.unwrap() }
    }

    pub(crate) async fn team(&self, name: &str) -> TestTeam {
        TestTeam::create(&self.service, name, NodeSettings::PLAN).await
    }

    /// Returns whether a step of a node waits for what this connection has locked.
    pub(crate) async fn is_waited_for(&self, holder: i32) -> bool {
        let blocked = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid)))";
        sqlx::query_scalar(blocked).bind(holder).fetch_one(&self.db).await.unwrap()
    }
}

/// Creates a token of the team that may do everything.
pub(crate) async fn token(team: &TestTeam) -> String {
    team.token(&[Ability::Read, Ability::Write]).await.1.reveal().to_owned()
}

/// Adds a site to the team, whose first check is queued.
pub(crate) async fn site(team: &TestTeam, path: &str) -> SiteId {
    team.add_site(SiteInput::parse(&format!("https://93.184.215.14/{path}")).unwrap()).await.id
}
