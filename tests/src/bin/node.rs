//! A node of the crash tests: a process that does everything that a server does, until it is killed.
//!
//! Its argument is a `NodeSettings` as JSON. It prints the address on which it listens in one line, and ends when its
//! standard input does, that is, with the test that started it. With `RUST_LOG=info` it logs its work to standard
//! error.

#![allow(clippy::unwrap_used, reason = "a node that can't start has nothing to repair")]

use std::io::Read as _;

use a11ycheck_core::scanner::CancellationToken;
use a11ycheck_core::{Engine, engine::EngineConfig};
use a11ycheck_server_warp::{RoutesConfig, ServeLimits, health, routes, serve};
use a11ycheck_tests::{NodeSettings, SeededScanner};
use tokio::net::TcpListener;
use tracing_subscriber::filter::{EnvFilter, LevelFilter};
use warp::Filter as _;

#[tokio::main(worker_threads = 2)]
async fn main() {
    // The tests are about failures: these are logged only on request.
    let filter = EnvFilter::builder().with_default_directive(LevelFilter::OFF.into()).from_env_lossy();
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(false).with_env_filter(filter).init();
    std::thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });

    let settings: NodeSettings = serde_json::from_str(&std::env::args().nth(1).unwrap()).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let service = settings.service(settings.store().await.unwrap());
    let service = service.with_base_url(format!("http://{address}/v1")).build().await.unwrap();
    let poll = std::time::Duration::from_millis(100);
    let config = EngineConfig::default().with_workers(settings.workers).with_poll(poll);
    let engine = Engine::builder(&service).with_scanner(SeededScanner).with_config(config).start();
    say(&address.to_string());
    let pages = health(&service, engine.status(), &CancellationToken::new())
        .or(routes(&service, RoutesConfig::default()))
        .unify()
        .boxed();
    serve(listener, pages, ServeLimits::default(), std::future::pending()).await;
}

#[expect(clippy::print_stdout, reason = "how the test learns where the node listens")]
fn say(line: &str) {
    println!("{line}");
}
