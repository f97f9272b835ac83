//! A host that uses every part, and only afterwards makes the changes to its process that can be made once: nobody has
//! made them before.
//!
//! One test, since these changes affect its whole process.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

use std::sync::Arc;

use a11ycheck_core::{
    Engine, Service,
    domain::{AttemptFailure, AttemptResult, PageCounts, SiteInput, SiteUrl},
    id::ScanId,
    net::{AddressPolicy, SystemResolver},
    scanner::{CancellationToken, ProgressSink, ScanRequest, Scanner as _},
    sealing::Keyring,
    webhook::{HttpSender, WebhookRequest, WebhookSender as _},
};
use a11ycheck_scanner_chromium::{ChromiumConfig, ChromiumScanner};
use a11ycheck_server_warp::{RoutesConfig, ServeLimits, routes, serve};
use a11ycheck_storage_memory::MemoryStore;
use a11ycheck_storage_postgres::{PostgresConfig, PostgresStore};
use a11ycheck_tests::{Page, S3, TestSite, TestTeam, database_url, http};
use metrics_exporter_prometheus::PrometheusBuilder;
use rustls::crypto::{CryptoProvider, ring};
use tokio::{io::AsyncWriteExt as _, net::TcpListener};
use tracing_subscriber::util::SubscriberInitExt as _;

struct NoProgress;

impl ProgressSink for NoProgress {
    fn progress(&self, _: PageCounts) {}
}

fn loopback() -> AddressPolicy {
    AddressPolicy::builder().allow_network("127.0.0.0/8".parse().unwrap()).build()
}

/// Returns a sender that has begun a TLS handshake, with a receiver that does not speak TLS.
async fn sender() -> HttpSender {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/", listener.local_addr().unwrap()).parse().unwrap();
    let receiver = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(b"220 mail.example.com ESMTP\r\n").await.unwrap();
        stream
    });
    let sender = HttpSender::new(loopback(), Arc::new(SystemResolver::new()));
    let request = WebhookRequest::new(url, Vec::new(), Vec::new());
    assert_eq!(sender.send(request).await, AttemptResult::Failed(AttemptFailure::Tls));
    receiver.await.unwrap();
    sender
}

/// Returns a scanner that has checked a page: the browser was started, and the crawler has requested robots.txt.
async fn scanner() -> ChromiumScanner {
    let page = "<!doctype html><html lang=en><title>Page</title><main><h1>Page</h1></main>";
    let site = TestSite::start([("/", Page::html(page))]).await;
    let scanner = ChromiumScanner::new(ChromiumConfig::new(loopback())).unwrap();
    let (scan, start) = (ScanId::generate(chrono::Utc::now()), SiteUrl::parse(&site.url("/")).unwrap());
    let request = ScanRequest::new(scan, start, 1);
    let checked = scanner.scan(request, &NoProgress, CancellationToken::new()).await.unwrap();
    assert_eq!(checked.findings.pages_checked(), 1);
    scanner
}

/// Returns a store in PostgreSQL whose files are in an object store, which was tried.
async fn store(s3: &S3) -> PostgresStore {
    let url = database_url();
    // The prefix with which the store's own tests recognise what earlier runs have left.
    let schema = format!("a11ycheck_test_{}", ulid::Ulid::generate().to_string().to_lowercase());
    let config = PostgresConfig::new(url).with_schema(schema).with_max_connections(4);
    PostgresStore::connect(config.with_files("s3://bucket/files", S3::settings(s3.address()))).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_parts_leave_to_the_host_what_a_process_has_once() {
    let s3 = S3::start().await;
    let builder = Service::builder(store(&s3).await);
    let of_postgres = builder.with_policy(loopback()).with_sealing(Keyring::ephemeral()).build().await.unwrap();
    let with_sender = Engine::builder(&of_postgres).with_sender(sender().await);
    let in_memory = Service::builder(MemoryStore::new()).build().await.unwrap();
    let without_sender = Engine::builder(&in_memory);
    let stop = CancellationToken::new();
    for (service, engine) in [(of_postgres, with_sender), (in_memory, without_sender)] {
        let team = TestTeam::create(&service, "Blue Team", "agency").await;
        team.add_site(SiteInput::parse("https://93.184.215.14").unwrap().without_first_scan()).await;
        engine.with_scanner(scanner().await).start().stop().await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1/openapi.json", listener.local_addr().unwrap());
        let routes = routes(&service, RoutesConfig::default());
        tokio::spawn(serve(listener, routes, ServeLimits::default(), stop.clone().cancelled_owned()));
        assert_eq!(http().build().unwrap().get(url).send().await.unwrap().status(), 200);
    }
    stop.cancel();

    assert!(CryptoProvider::get_default().is_none());
    ring::default_provider().install_default().expect("no part has installed a TLS provider");
    tracing_subscriber::fmt().finish().try_init().expect("no part has installed a subscriber for logs");
    PrometheusBuilder::new().install_recorder().expect("no part has installed a recorder of metrics");
}
