//! The database that nodes share, and the service as one who watches it sees it.

use std::time::Duration;

use a11ycheck_core::{
    Service,
    domain::{Ability, Delivery, EndpointSecret, EventKind, PlanCode, SiteInput},
    id::{EndpointId, SiteId, TeamId},
    page::PageInput,
    scanner::NoScanner,
    service::{EndpointInput, TeamInput, TokenInput},
};
use a11ycheck_tests::{NodeSettings, QuickClock};
use sqlx::{
    PgPool,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use ulid::Ulid;

/// A schema of its own, and two ways into it beside the nodes: as the service that nodes are, and into its tables.
pub(crate) struct Cluster {
    /// How to start a node.
    pub(crate) settings: NodeSettings,
    /// The service, without a loop that works.
    pub(crate) service: Service,
    /// Its tables.
    pub(crate) db: PgPool,
}

impl Cluster {
    /// A cluster that goes by this time, or by the database's.
    pub(crate) async fn new(clock: Option<QuickClock>) -> Self {
        // The prefix by which the store's own tests know what earlier runs have left.
        let schema = format!("a11ycheck_test_{}", Ulid::generate().to_string().to_lowercase());
        let settings = NodeSettings::new(super::url(), &schema, clock);
        let service = settings.service(settings.store().await.unwrap(), NoScanner).build().await.unwrap();
        let options: PgConnectOptions = super::url().parse().unwrap();
        let options = options.options([("search_path", schema)]);
        let patience = Duration::from_secs(60);
        let pool = PgPoolOptions::new().max_connections(4).acquire_timeout(patience);
        Self { settings, service, db: pool.connect_with(options).await.unwrap() }
    }

    pub(crate) async fn team(&self, name: &str) -> TeamId {
        let plan = PlanCode::new(NodeSettings::PLAN);
        self.service.create_team(TeamInput::new(name, plan)).await.unwrap().id
    }

    /// A token that may do everything.
    pub(crate) async fn token(&self, team: TeamId) -> String {
        let input = TokenInput { name: "Test".to_owned(), abilities: [Ability::Read, Ability::Write].into() };
        self.service.create_token(team, input).await.unwrap().1.reveal().to_owned()
    }

    /// An endpoint that listens to these.
    pub(crate) async fn endpoint(
        &self,
        team: TeamId,
        url: String,
        events: &[EventKind],
    ) -> (EndpointId, EndpointSecret) {
        let input = EndpointInput { url, events: events.iter().map(ToString::to_string).collect() };
        let (endpoint, secret) = self.service.create_endpoint(team, input).await.unwrap();
        (endpoint.id, secret)
    }

    /// A site whose first check is queued.
    pub(crate) async fn site(&self, team: TeamId, path: &str) -> SiteId {
        let actor = self.service.act_for(team).await.unwrap();
        let site = SiteInput::new(format!("https://93.184.215.14/{path}"));
        self.service.add_site(&actor, site).await.unwrap().id
    }

    /// The deliveries to an endpoint, the newest first.
    pub(crate) async fn deliveries(&self, team: TeamId, endpoint: EndpointId) -> Vec<Delivery> {
        self.service.deliveries(team, endpoint, &PageInput::default()).await.unwrap().items
    }

    /// Whether a step of a node waits for what this connection has locked.
    pub(crate) async fn is_waited_for(&self, holder: i32) -> bool {
        let blocked = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid)))";
        sqlx::query_scalar(blocked).bind(holder).fetch_one(&self.db).await.unwrap()
    }
}
