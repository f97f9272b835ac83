//! A server of this build over the rows that a release left.

use std::collections::{BTreeMap, BTreeSet};

use a11ycheck_api_v1::EventsV1;
use a11ycheck_core::{
    Service,
    clock::ManualClock,
    domain::{AttemptReport, AttemptResult, Excerpt, Lease},
    id::WorkerId,
    scanner::{Script, ScriptedScanner},
    store::{ClaimLimits, WebhookStore as _},
};
use a11ycheck_storage_postgres::{PostgresConfig, PostgresStore};
use a11ycheck_tests::{
    Postgres, TestApp, database_url,
    release::{self, Table},
    ring,
};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;
use sqlx::{Connection as _, PgConnection};

/// A server of this build, which has brought the tables of a release up to date.
pub(crate) struct Upgraded {
    pub(crate) app: TestApp<Postgres>,
    pub(crate) store: PostgresStore,
    /// A connection beside the store's, in the same schema.
    pub(crate) db: PgConnection,
    schema: String,
}

impl Upgraded {
    pub(crate) async fn start(release: &str, scripts: impl IntoIterator<Item = Script>) -> Self {
        let url = database_url();
        // The prefix with which the store's own tests recognise what earlier runs have left.
        let schema = format!("a11ycheck_test_{}", ulid::Ulid::generate().to_string().to_lowercase());
        let mut db = PgConnection::connect(&url).await.unwrap();
        release::load(&mut db, &schema, &release::folder(release)).await;
        let clock = ManualClock::at(DateTime::<Utc>::from_timestamp(TestApp::<Postgres>::START, 0).unwrap());
        let config = PostgresConfig::new(url).with_schema(&schema).with_max_connections(4);
        let store = PostgresStore::connect(config).await.unwrap().with_clock(clock.clone());
        let scanner = ScriptedScanner::new(scripts);
        let service = Service::builder(store.clone()).with_event_writer(EventsV1).with_sealing(ring());
        let app = TestApp::over(service, clock, scanner, "agency").await;
        Self { app, store, db, schema }
    }

    /// Lets every delivery that is due be received, and returns the kinds of their events.
    pub(crate) async fn deliver(&self) -> Vec<String> {
        let mut kinds = Vec::new();
        loop {
            self.app.clock.advance(TimeDelta::minutes(2));
            let limits = ClaimLimits { all: 9, retries: 9, per_endpoint: 9 };
            let due =
                self.store.claim_deliveries(&WorkerId::generate(), limits, Lease::TERM, &ring().ids()).await.unwrap();
            if due.is_empty() {
                kinds.sort_unstable();
                return kinds;
            }
            for claimed in due {
                kinds.push(claimed.kind.to_string());
                let result = AttemptResult::Answered { status: 204, excerpt: Excerpt::default() };
                let report = AttemptReport { duration: TimeDelta::milliseconds(1), result };
                self.store.record_attempt(claimed.claim, report).await.unwrap();
            }
        }
    }

    /// Changes the address of every check's first page.
    pub(crate) async fn move_first_pages(&mut self, url: &str) {
        let tables = self.tables().await;
        for row in &tables.iter().find(|table| table.name == "findings").unwrap().rows {
            let mut document = row["document"].as_object().unwrap().values().next().unwrap().clone();
            document["pages"][0]["url"] = url.into();
            sqlx::query("UPDATE findings SET document = $2 WHERE scan_id = $1")
                .bind(row["scan_id"].as_str().unwrap())
                .bind(release::compressed(&document))
                .execute(&mut self.db)
                .await
                .unwrap();
        }
    }

    /// Returns the tables whose rows stay: without the record of migrations, and without those of checks that have not
    /// ended.
    pub(crate) async fn tables(&mut self) -> Vec<Table> {
        let mut tables = release::tables(&mut self.db, &self.schema).await;
        tables.retain(|table| !["migrations", "active_scans"].contains(&table.name.as_str()));
        tables
    }

    /// Returns everything that is named "later" in the tables: for each row, the paths with their values.
    pub(crate) async fn later(&mut self) -> BTreeMap<String, BTreeSet<String>> {
        let mut later = BTreeMap::new();
        for Table { name, rows } in self.tables().await {
            for row in &rows {
                let key = ["id", "code", "delivery_id", "scan_id", "team_id", "subject", "number", "kind", "locale"]
                    .map(|column| row.get(column).map_or_else(String::new, ToString::to_string));
                let mut found = BTreeSet::new();
                find(row, "", &mut found);
                later.insert(format!("{name} {}", key.concat()), found);
            }
        }
        later
    }
}

/// Collects everything below `value` that is, or is below, something named "later".
fn find(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| find(value, &format!("{path}/{name}"), found)),
        // By its content, not its place: a list may grow in front of it.
        Value::Array(items) => items.iter().for_each(|item| find(item, &format!("{path}/*"), found)),
        _ if path.contains("later") || value.to_string().contains("later") => {
            found.insert(format!("{path} = {value}"));
        }
        _ => {}
    }
}
