//! The settings of a node, given when it is started.

use std::time::Duration;

use a11ycheck_api_v1::EventsV1;
use a11ycheck_core::{Service, domain::PlanCatalog, net::AddressPolicy, service::ServiceBuilder};
use a11ycheck_storage_postgres::{ConnectError, PostgresConfig, PostgresStore};
use serde::{Deserialize, Serialize};

use super::QuickClock;

use crate::ring;

/// All settings of a node: its one argument, as JSON.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NodeSettings {
    /// The database.
    pub database_url: String,
    /// The schema in it.
    pub schema: String,
    /// The clock of everything; `None` for the database's.
    pub clock: Option<QuickClock>,
    /// The number of checks that the node works on at once.
    pub workers: usize,
    /// The longest time that a step waits for a connection to the database.
    pub acquire_timeout: Duration,
    /// The longest time that a step may take after that.
    pub step_timeout: Duration,
}

/// The one plan, under which a test may do in a minute what a team does in a year.
const PLANS: &str = r#"
    [[plan]]
    code = "busy"
    name = "Busy"
    features = { api = true, exports = true, white_label = true, statement_drafts = true, acr_drafts = true }

    [plan.limits]
    sites = 100
    pages_per_check = 10
    check_frequency = "monthly"
    history_months = 12
    seats = 1
    manual_check_interval = "PT1S"
    requests_per_minute = 1000000
    files_per_minute = 1000000
"#;

impl NodeSettings {
    /// The code of the only plan.
    pub const PLAN: &'static str = "busy";

    /// Returns the settings of nodes of this schema, which work on two checks at once and are as patient as a server
    /// is.
    pub fn new(database_url: impl Into<String>, schema: impl Into<String>, clock: Option<QuickClock>) -> Self {
        Self {
            database_url: database_url.into(),
            schema: schema.into(),
            clock,
            workers: 2,
            acquire_timeout: Duration::from_secs(5),
            step_timeout: Duration::from_secs(20),
        }
    }

    /// Connects the store of a node.
    ///
    /// # Errors
    /// Those of [`PostgresStore::connect`].
    pub async fn store(&self) -> Result<PostgresStore, ConnectError> {
        let config = PostgresConfig::new(&self.database_url)
            .with_schema(&self.schema)
            .with_max_connections(8)
            .with_acquire_timeout(self.acquire_timeout)
            .with_step_timeout(self.step_timeout);
        let store = PostgresStore::connect(config).await?;
        Ok(match self.clock {
            Some(clock) => store.with_clock(clock),
            None => store,
        })
    }

    /// Begins the service of a node, or of the test that watches it: webhooks may go to receivers on loopback.
    pub fn service(&self, store: PostgresStore) -> ServiceBuilder {
        let loopback = "127.0.0.0/8".parse().unwrap();
        let builder = Service::builder(store).with_event_writer(EventsV1);
        let builder = match self.clock {
            Some(clock) => builder.with_clock(clock),
            None => builder,
        };
        builder
            .with_policy(AddressPolicy::builder().allow_network(loopback).build())
            .with_plans(PlanCatalog::from_toml(PLANS).unwrap())
            .with_sealing(ring())
    }
}
