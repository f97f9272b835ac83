//! `a11ycheck-server`: puts the parts together and runs them until it is asked to stop.

mod config;
mod demo;
mod settings;
mod shutdown;
mod telemetry;
mod welcome;

use std::{error::Error, process::ExitCode, sync::Arc};

use a11ycheck_core::{Engine, Service};
use a11ycheck_scanner_chromium::ChromiumScanner;
use a11ycheck_server_warp::{health, metrics, or_not_found, routes, serve};
use a11ycheck_storage_memory::MemoryStore;
use clap::Parser as _;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use warp::Filter as _;

use crate::{
    demo::Demo,
    settings::{Arguments, Settings},
};

type AnyError = Box<dyn Error + Send + Sync>;

#[tokio::main]
async fn main() -> ExitCode {
    match start(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            welcome::farewell(&*error);
            ExitCode::FAILURE
        }
    }
}

async fn start(arguments: Arguments) -> Result<(), AnyError> {
    let settings = arguments.settled()?;
    telemetry::log(&settings)?;
    shutdown::raise_file_limit();
    run(settings).await
}

async fn run(settings: Settings) -> Result<(), AnyError> {
    let recorded = telemetry::count()?;
    let policy = settings.policy()?;
    let listener = listen(settings.listen()).await?;
    let base_url = settings.base_url(listener.local_addr()?);
    let scanner = Arc::new(ChromiumScanner::new(settings.scanner(policy.clone()))?);
    let service = Service::builder(MemoryStore::new(), Arc::clone(&scanner))
        .with_policy(policy)
        .with_plans(settings.plans()?)
        .with_anonymous_limits(settings.anonymous_limits())
        .with_base_url(&base_url)
        .build()
        .await?;
    let versions = scanner.versions().await?;
    let demo = Demo::create(&service).await?;

    let (stop, limits) = (CancellationToken::new(), settings.serve_limits());
    let api = routes(&service, settings.routes()?);
    let counted = metrics(&service, recorded);
    let mut serving = tokio::task::JoinSet::new();
    let pages = match settings.metrics_listen {
        Some(address) => {
            let pages = or_not_found(counted.or(health(&service)).unify().boxed());
            serving.spawn(serve(listen(address).await?, pages, limits, stop.clone().cancelled_owned()));
            health(&service).or(api).unify().boxed()
        }
        None => health(&service).or(counted).unify().or(api).unify().boxed(),
    };
    serving.spawn(serve(listener, pages, limits, stop.clone().cancelled_owned()));
    let engine = Engine::start(&service, settings.engine());
    if let Some(path) = &settings.ready_file {
        demo.write_ready_file(path, &base_url).map_err(|error| format!("--ready-file {}: {error}", path.display()))?;
    }
    welcome::welcome(&base_url, &versions, &demo);

    shutdown::asked_to_stop().await?;
    tracing::info!("Stopping: no new requests, running checks are handed back");
    stop.cancel();
    serving.join_all().await;
    engine.stop().await;
    scanner.close().await;
    Ok(())
}

async fn listen(address: std::net::SocketAddr) -> Result<TcpListener, AnyError> {
    TcpListener::bind(address).await.map_err(|error| format!("can't listen on {address}: {error}").into())
}
