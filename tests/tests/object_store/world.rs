//! A server over PostgreSQL and an S3 server, with a network between the two.

use std::{net::SocketAddr, time::Duration};

use a11ycheck_api_v1::EventsV1;
use a11ycheck_core::{
    Service,
    clock::{Clock as _, ManualClock, SystemClock},
    domain::Impact,
    scanner::{Script, ScriptedScanner},
    sealing::Keyring,
};
use a11ycheck_storage_postgres::{PostgresConfig, PostgresStore};
use a11ycheck_tests::{Client, Postgres, S3, TestApp};
use serde_json::{Value, json};

use crate::proxy::Proxy;

/// The longest time that the store may take for a step, or an object: a test should not wait for a server's patience.
pub(crate) const STEP: Duration = Duration::from_secs(4);

pub(crate) struct World {
    pub(crate) s3: S3,
    /// The network between the store and the S3 server.
    pub(crate) network: Proxy,
    /// The store of another node, which uses the database's time as this one does.
    pub(crate) store: PostgresStore,
    pub(crate) app: TestApp<Postgres>,
    pub(crate) client: Client,
}

/// Returns a configuration with a schema of its own, and files at this address.
pub(crate) fn config(url: &str, settings: Vec<(String, String)>) -> PostgresConfig {
    // The prefix with which the store's own tests recognise what earlier runs have left.
    let schema = format!("a11ycheck_test_{}", ulid::Ulid::generate().to_string().to_lowercase());
    let config = PostgresConfig::new(crate::url()).with_schema(schema).with_max_connections(4);
    config.with_step_timeout(STEP).with_files(url, settings)
}

/// The address of the files of these tests.
pub(crate) const FILES: &str = "s3://bucket/files";

pub(crate) fn settings(way: SocketAddr) -> Vec<(String, String)> {
    S3::settings(way)
}

impl World {
    /// Starts the server. Each check finds an element, with its picture and one of the page.
    pub(crate) async fn start() -> Self {
        let s3 = S3::start().await;
        let network = Proxy::to(s3.address()).await;
        let store = PostgresStore::connect(config(FILES, settings(network.address()))).await.unwrap();
        let script = Script::page("https://93.184.215.14/")
            .with_problem("image-alt", Impact::Critical, "#logo", "<img id=logo>")
            .with_pictures();
        let scanner = ScriptedScanner::new([script]);
        let service = Service::builder(store.clone()).with_event_writer(EventsV1).with_sealing(Keyring::ephemeral());
        let app = TestApp::over(service, ManualClock::at(SystemClock.now()), scanner, "agency").await;
        let client = app.client().await;
        Self { s3, network, store, app, client }
    }

    /// Queues the first check of a new site; returns its path.
    pub(crate) async fn queued(&self) -> String {
        let site = self.client.post("/sites", json!({"url": "https://93.184.215.14/", "report_locale": "en"})).await;
        let site = site.data(201)["id"].as_str().unwrap().to_owned();
        let scans = self.client.get(&format!("/sites/{site}/scans")).await;
        format!("/scans/{}", scans.body["data"][0]["id"].as_str().unwrap())
    }

    /// Completes a check, with its pictures, and returns its path.
    pub(crate) async fn completed(&self) -> String {
        let scan = self.queued().await;
        self.app.run_checks().await;
        assert_eq!(self.report(&scan).await["pictures_not_stored"], json!(false));
        scan
    }

    pub(crate) async fn report(&self, scan: &str) -> Value {
        self.client.get(&format!("{scan}/report")).await.data(200).clone()
    }

    /// Asserts that the check has completed after one crawl, that its findings are whole, and that it says that it has
    /// no pictures.
    pub(crate) async fn assert_completed_without_pictures(&self, scan: &str) {
        assert_eq!(self.app.scanner.requests().len(), 1, "it was not made again");
        assert_eq!(self.client.get(scan).await.data(200)["status"], json!("completed"));
        let report = self.report(scan).await;
        let example = &report["groups"][0]["examples"][0];
        assert_eq!(
            (&report["pictures_not_stored"], &report["screen"], &report["total"], &example["shot"]),
            (&json!(true), &Value::Null, &json!(1), &Value::Null),
            "{report}"
        );
        assert_eq!(self.client.get(&format!("{scan}/evidence/screen")).await.status, 404);
    }

    /// Returns the name of the one object with this end.
    pub(crate) async fn object(&self, end: &str) -> String {
        let names = self.s3.names().await;
        let found = names.iter().find(|name| name.ends_with(end));
        found.unwrap_or_else(|| panic!("no {end} among {names:?}")).clone()
    }
}
