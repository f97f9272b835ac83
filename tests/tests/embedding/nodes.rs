//! Events on one node are known on another.

use std::time::Duration;

use a11ycheck_core::{
    Engine, Service,
    clock::SystemClock,
    net::StaticResolver,
    scanner::{CancellationToken, Script, ScriptedScanner},
    service::{Ended, EventsFrom, ScanEvent},
};
use a11ycheck_storage_postgres::{PostgresConfig, PostgresStore};
use a11ycheck_tests::database_url;

use crate::queued;

const LOST: Duration = Duration::from_secs(60);

/// Creates a service that is a node of its own to the database.
async fn node(schema: &str) -> Service {
    let url = database_url();
    let store = PostgresStore::connect(PostgresConfig::new(url).with_schema(schema).with_max_connections(4)).await;
    let resolver = StaticResolver::new().with("shop.example.com", ["93.184.215.14".parse().unwrap()]);
    let service = Service::builder(store.unwrap()).with_clock(SystemClock).with_resolver(resolver);
    service.build().await.unwrap()
}

#[tokio::test]
async fn a_check_that_another_node_completes_ends_a_wait_and_is_in_the_stream() {
    // The prefix with which the store's own tests recognise what earlier runs have left.
    let schema = format!("a11ycheck_test_{}", ulid::Ulid::generate().to_string().to_lowercase());
    let (here, elsewhere) = (node(&schema).await, node(&schema).await);
    let (team, _, scan) = queued(&here).await;
    let mut events = here.events(EventsFrom::Now).await.unwrap();
    let waiting = tokio::spawn(async move { team.wait(scan).await });
    let scanner = ScriptedScanner::new([Script::page("https://shop.example.com/")]);
    let worker = Engine::builder(&elsewhere).with_scanner(scanner).build().worker().unwrap();
    worker.step(&CancellationToken::new()).await.unwrap();
    let ended = tokio::time::timeout(LOST, waiting).await.unwrap().unwrap().unwrap();
    assert!(matches!(&ended, Ended::Completed(completed) if completed.id == scan), "{ended:?}");
    let mut next = async || tokio::time::timeout(LOST, events.next()).await.unwrap().unwrap();
    let (one, two) = (next().await, next().await);
    assert!(matches!(one, ScanEvent::Started(about) if about.scan == scan), "{one:?}");
    assert!(matches!(two, ScanEvent::Completed(about) if about.scan == scan), "{two:?}");
}
