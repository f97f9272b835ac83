//! `a11ycheck-server`: puts the parts together and runs them until it is asked to stop.

mod config;
mod demo;
mod shutdown;

use std::{error::Error, process::ExitCode, sync::Arc};

use a11ycheck_core::{Engine, Service, domain, engine::EngineConfig};
use a11ycheck_scanner_chromium::{ChromiumConfig, ChromiumScanner};
use a11ycheck_server_warp::{ServeLimits, routes, serve};
use a11ycheck_storage_memory::MemoryStore;
use clap::Parser as _;
use tokio::{net::TcpListener, sync::oneshot};
use tracing_subscriber::EnvFilter;

use crate::{config::Config, demo::Demo};

type AnyError = Box<dyn Error + Send + Sync>;

#[tokio::main]
async fn main() -> ExitCode {
    let config = Config::parse();
    let filter = EnvFilter::try_from_env("A11YCHECK_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    match run(config).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report(&*error);
            ExitCode::FAILURE
        }
    }
}

async fn run(config: Config) -> Result<(), AnyError> {
    let policy = config.policy()?;
    let plans = config.plans()?;
    let scanner = Arc::new(ChromiumScanner::new(ChromiumConfig::new(policy.clone()))?);
    let versions = scanner.versions().await?;
    let listener = TcpListener::bind(config.listen)
        .await
        .map_err(|error| format!("can't listen on {}: {error}", config.listen))?;
    let base_url = config.base_url(listener.local_addr()?);
    let builder = Service::builder(MemoryStore::new(), Arc::clone(&scanner));
    let service = builder.with_policy(policy).with_plans(plans).with_base_url(&base_url).build().await?;
    let demo = Demo::create(&service).await?;

    let engine = Engine::start(&service, EngineConfig { workers: config.workers, ..EngineConfig::default() });
    let (stop, stopped) = oneshot::channel::<()>();
    let until_stopped = async {
        // A dropped sender is as good as a message.
        stopped.await.unwrap_or_default();
    };
    let serving = tokio::spawn(serve(listener, routes(&service), ServeLimits::default(), until_stopped));
    if let Some(path) = &config.ready_file {
        demo.write_ready_file(path, &base_url).map_err(|error| format!("--ready-file {}: {error}", path.display()))?;
    }
    welcome(&base_url, &versions, &demo);

    shutdown::asked_to_stop().await?;
    tracing::info!("Stopping: no new requests, running checks are handed back");
    drop(stop);
    serving.await?;
    engine.stop().await;
    scanner.close().await;
    Ok(())
}

#[expect(clippy::print_stdout, reason = "what the operator asked to see")]
fn welcome(base_url: &str, versions: &domain::Engine, demo: &Demo) {
    let token = demo.token.reveal();
    println!(
        "\
a11ycheck answers at {base_url}

  store     memory: everything is gone when this process ends
  browser   {browser}
  axe-core  {axe}
  team      {team}, plan {plan}
  token     {token}   (shown this once)

Try it:

  curl -H 'Authorization: Bearer {token}' {base_url}/account

  curl -H 'Authorization: Bearer {token}' -H 'Content-Type: application/json' \\
       -d '{{\"url\": \"https://example.com\", \"report_locale\": \"en\"}}' {base_url}/sites

  curl -H 'Authorization: Bearer {token}' {base_url}/sites

Ctrl-C stops it.",
        browser = versions.browser,
        axe = versions.axe,
        team = demo.team.name,
        plan = demo.team.plan.name,
    );
}

#[expect(clippy::print_stderr, reason = "the last word of a program that could not start")]
fn report(error: &dyn Error) {
    eprintln!("a11ycheck-server: {error}");
    let mut cause = error.source();
    while let Some(error) = cause {
        eprintln!("  because: {error}");
        cause = error.source();
    }
}
