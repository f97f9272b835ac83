//! `a11ycheck-server`: puts the parts together and runs them until it is asked to stop.

mod admin;
mod any_error;
mod arguments;
mod config;
mod demo;
mod egress;
mod gauges;
mod log_lines;
mod manual;
mod parts;
mod probe;
mod ready_file;
mod reviewed;
mod sealing;
mod secret_file;
mod settings;
mod shared;
mod shutdown;
mod sign_on;
mod state_folder;
mod store;
mod supervisor;
mod telemetry;
mod welcome;

use std::{net::SocketAddr, process::ExitCode};

use a11ycheck_account_web::{AccountWeb, Installation};
use a11ycheck_server_warp::{account_pages, ending_connections, health, metrics, or_not_found, routes, serve};
use clap::Parser as _;
use tokio::{net::TcpListener, task::JoinSet};
use tokio_util::sync::CancellationToken;
use warp::Filter as _;

use crate::{
    any_error::AnyError,
    arguments::{Arguments, Command},
    demo::Demo,
    parts::Parts,
    settings::{Role, Settings},
    shutdown::StopSignals,
    store::ChosenStore,
    welcome::{AccountAddress, Addresses},
};

/// Requests of the API are many small allocations, and what a check or a PDF took goes back to the system (decision 0067).
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

#[tokio::main]
async fn main() -> ExitCode {
    match start(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            welcome::print_shutdown_message(&*error);
            ExitCode::FAILURE
        }
    }
}

async fn start(arguments: Arguments) -> Result<(), AnyError> {
    let (settings, command) = arguments.settled()?;
    match command {
        Some(Command::Admin(command)) => {
            // A statement of an export or an import is as slow as there are data.
            telemetry::log(&settings, "warn,sqlx::query=error,rustls_platform_verifier=off")?;
            admin::run(&settings, command).await
        }
        Some(Command::Probe { question }) => probe::ask(question, settings.listen()).await,
        Some(Command::Manual { folder }) => Ok(manual::write(&folder)?),
        None => {
            telemetry::log(&settings, "info,sqlx=warn,rustls_platform_verifier=off")?;
            shutdown::raise_file_limit();
            run(settings).await
        }
    }
}

async fn run(settings: Settings) -> Result<(), AnyError> {
    let mut stop_signals = StopSignals::listen()?;
    let recorded = telemetry::count()?;
    // Whoever starts a second server on a folder learns that, and not that its port is taken.
    let opening = async {
        let store = ChosenStore::open(&settings).await?;
        let is_filled = settings.fills_demo() && demo::fill(&store).await?;
        let listener = listen(settings.listen()).await?;
        let listening = listener.local_addr()?;
        let parts = Parts::assemble(&settings, store, listening).await?;
        Ok::<_, AnyError>((listener, listening, parts, is_filled))
    };
    let (listener, listening, parts, is_filled) = tokio::select! {
        opened = opening => opened?,
        // Nothing has begun that would have to be handed back.
        () = stop_signals.received() => return Ok(()),
    };
    let service = &parts.service;
    let wants_demo = settings.demo == Some(true) || settings.fills_demo() || !parts.store.is_durable();
    let demo = if wants_demo { Some(Demo::once(service, is_filled).await?) } else { None };

    let mail = parts.mail(&settings).await?;
    let engine = parts.engine(mail).with_config(settings.engine());
    let (stop, limits) = (CancellationToken::new(), settings.serve_limits());
    let stopping = CancellationToken::new();
    gauges::set_constants(&parts);
    let counted = metrics(service, recorded, gauges::refresher(&parts));
    let health = health(service, engine.status(), &stopping);
    let mut serving = JoinSet::new();
    let base_url = service.base_url().as_str().to_owned();
    let web = AccountWeb::new(service).filter(|_| settings.serves_web(listening));
    let web = web.map(|web| settings.with_sign_on(web)).transpose()?;
    let installation = Installation::new(parts.shown_versions(), settings.shown()).with_demo(settings.fills_demo());
    let web = web.map(|web| web.with_installation(installation));
    let account = match &web {
        Some(web) => Some(AccountAddress::of(web, service).await?),
        None => None,
    };
    let mut addresses = Addresses { listen: listening, metrics_listen: None, base_url, account };
    let pages = match settings.metrics_listen {
        Some(address) => {
            let pages = or_not_found(counted.or(health.clone()).unify().boxed());
            let listener = listen(address).await?;
            addresses.metrics_listen = Some(listener.local_addr()?);
            serving.spawn(serve(listener, pages, limits.clone(), stop.clone().cancelled_owned()));
            health
        }
        None => health.or(counted).unify().boxed(),
    };
    let pages = if settings.has_role(Role::Api) {
        let people = web.iter().map(|web| account_pages(web, settings.routes(), &stopping));
        let pages = people.fold(pages, |pages, people| pages.or(people).unify().boxed());
        pages.or(routes(service, settings.routes())).unify().boxed()
    } else {
        or_not_found(pages)
    };
    let pages = ending_connections(pages, &stopping);
    serving.spawn(serve(listener, pages, limits, stop.clone().cancelled_owned()));
    let engine = engine.start();
    if let Some(path) = &settings.ready_file {
        ready_file::write(path, &addresses, demo.as_ref())
            .map_err(|error| format!("--ready-file {}: {error}", path.display()))?;
    }
    welcome::welcome(&settings, &addresses, &parts, demo.as_ref());
    supervisor::notify_ready();

    // Running checks may take a while to be handed back: the watchdog is fed until the end.
    let watchdog = tokio::spawn(supervisor::feed_watchdog());
    stop_signals.received().await;
    stopping.cancel();
    supervisor::notify_stopping();
    engine.drain();
    let delay = settings.drain_delay();
    if !delay.is_zero() {
        tracing::info!(?delay, "Not ready any more: requests are served until the delay is over");
        tokio::select! {
            () = tokio::time::sleep(delay) => {}
            // An operator who asks twice is in a hurry.
            () = stop_signals.received() => {}
        }
    }
    tracing::info!("Stopping: no new requests, running checks are handed back");
    stop.cancel();
    serving.join_all().await;
    engine.stop().await;
    parts.close().await;
    watchdog.abort();
    Ok(())
}

async fn listen(address: SocketAddr) -> Result<TcpListener, AnyError> {
    TcpListener::bind(address).await.map_err(|error| format!("can't listen on {address}: {error}").into())
}
