//! Our server over one of the stores, as `a11ycheck-server` with the role `api` puts it together.

use std::{env, fs::File, path::PathBuf, sync::Arc};

use a11ycheck_api_v1::EventsV1;
use a11ycheck_core::{
    Engine, Service, Store,
    domain::{
        Ability, Finding, Findings, Impact, PageCounts, PageOutcome, PlanCatalog, PlanCode, RuleFacts, RuleId,
        SiteInput, Tool,
    },
    engine::EngineConfig,
    scanner::{CancellationToken, ProgressSink, ScanError, ScanOutput, ScanRequest, Scanner},
    sealing::Keyring,
    service::{ServiceBuilder, TeamInput, TokenInput},
    store::{ReviewStore, SiteFieldStore},
};
use a11ycheck_server_warp::{RoutesConfig, ServeLimits, routes, serve as accept};
use a11ycheck_storage_memory::MemoryStore;
use a11ycheck_storage_postgres::{PostgresConfig, PostgresStore};
use a11ycheck_storage_sqlite::{SqliteConfig, SqliteStore};
use async_trait::async_trait;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder};
use sqlx::{Connection as _, PgConnection};
use tempfile::TempDir;
use tokio::net::TcpListener;

use crate::{
    TOKENS, database_url,
    server::{Caller, Kind, Ready, say},
};

const PATHS: [&str; 4] = ["account", "sites", "scans", "report"];
const SCHEMA: &str = "a11ycheck_bench_api";
/// The number of sites of a team, each with one completed check.
const SITES: usize = 5;
/// A plan under which no request of the bench is refused.
const PLANS: &str = r#"
    [[plan]]
    code = "bench"
    name = "Bench"
    features = { api = true, exports = true, white_label = true, statement_drafts = true, acr_drafts = true }

    [plan.limits]
    sites = 2000
    pages_per_check = 50
    check_frequency = "monthly"
    history_months = 12
    seats = 1
    manual_check_interval = "PT1S"
    requests_per_minute = 100000000
    files_per_minute = 100000000
"#;

/// Fills the store, and serves until `end`.
pub(crate) async fn serve(kind: Kind, end: impl Future<Output = ()> + Send + 'static) {
    let Ours { listener, service, folder } = Ours::open(kind).await;
    let engine = Engine::builder(&service).with_scanner(TwelveProblems);
    let engine = engine.with_config(EngineConfig::default().with_workers(4).without_scheduler().without_retention());
    let engine = engine.start();
    let callers = fill(&service).await;
    engine.stop().await;

    let address = listener.local_addr().unwrap();
    say(&Ready { address, paths: PATHS.map(str::to_owned).into(), callers });
    accept(listener, routes(&service, RoutesConfig::default()), ServeLimits::default(), end).await;
    close(kind, folder).await;
}

/// A service over a store without data, and where it will be served.
pub(crate) struct Ours {
    pub(crate) listener: TcpListener,
    pub(crate) service: Service,
    /// The folder of its log and its data, which ends when this is dropped.
    pub(crate) folder: TempDir,
}

impl Ours {
    pub(crate) async fn open(kind: Kind) -> Self {
        let folder = tempfile::tempdir_in(program_folder()).unwrap();
        let log = Arc::new(File::create(folder.path().join("log")).unwrap());
        tracing_subscriber::fmt().with_env_filter("info,sqlx=warn").with_writer(log).with_ansi(false).init();
        let times = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0];
        let metrics = PrometheusBuilder::new();
        let metrics = metrics.set_buckets_for_metric(Matcher::Prefix("a11ycheck_http_".to_owned()), &times).unwrap();
        metrics.install_recorder().unwrap();

        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let builder = match kind {
            Kind::Sqlite => {
                let config = SqliteConfig::new(folder.path().join("data"));
                with_people(SqliteStore::open(config).await.unwrap())
            }
            Kind::Postgres => {
                clean().await;
                let config = PostgresConfig::new(database_url()).with_schema(SCHEMA);
                with_people(PostgresStore::connect(config).await.unwrap())
            }
            Kind::Memory | Kind::BareQuery | Kind::BareCounted => with_people(MemoryStore::new()),
        };
        let service = builder
            .with_event_writer(EventsV1)
            .with_sealing(Keyring::ephemeral())
            .with_plans(PlanCatalog::from_toml(PLANS).unwrap())
            .with_base_url(format!("http://{address}/v1"))
            .build()
            .await
            .unwrap();
        Self { listener, service, folder }
    }
}

/// As the server does.
fn with_people(store: impl Store + ReviewStore + SiteFieldStore + Clone) -> ServiceBuilder {
    Service::builder(store.clone()).with_people(store.clone()).with_judgements(store.clone()).with_site_fields(store)
}

/// Removes the data.
pub(crate) async fn close(kind: Kind, folder: TempDir) {
    folder.close().unwrap();
    if kind == Kind::Postgres {
        clean().await;
    }
}

/// The folder of the program, which is on a disk; the system's temporary folder may be memory.
fn program_folder() -> PathBuf {
    env::current_exe().unwrap().parent().unwrap().to_owned()
}

/// Makes a team for each token, with sites and checks.
async fn fill(service: &Service) -> Vec<Caller> {
    let mut callers = Vec::new();
    for number in 0..TOKENS[TOKENS.len() - 1] {
        let input = TeamInput::new(format!("Team {number}"), PlanCode::new("bench"));
        let team = service.operator().create_team(input).await.unwrap();
        let team = service.team(team.id).await.unwrap();
        let mut added = Vec::new();
        for site in 0..SITES {
            let url = format!("https://93.184.215.14/{number}/{site}/");
            added.push(team.add_site(SiteInput::parse(&url).unwrap()).await.unwrap());
        }
        for added in &added {
            team.wait(added.first_scan.unwrap()).await.unwrap().into_result().unwrap();
        }
        let (_, token) = team.create_token(TokenInput::new("Bench", [Ability::Read])).await.unwrap();
        let (site, scan) = (added[0].site.id, added[0].first_scan.unwrap());
        callers.push(Caller {
            token: token.reveal().to_owned(),
            paths: vec![
                "/v1/account".to_owned(),
                "/v1/sites".to_owned(),
                format!("/v1/sites/{site}/scans"),
                format!("/v1/scans/{scan}/report"),
            ],
        });
    }
    callers
}

/// A scanner that finds twelve problems on ten pages.
#[derive(Debug)]
struct TwelveProblems;

#[async_trait]
impl Scanner for TwelveProblems {
    async fn scan(
        &self,
        request: ScanRequest,
        progress: &dyn ProgressSink,
        _cancel: CancellationToken,
    ) -> Result<ScanOutput, ScanError> {
        let start = request.start.to_string();
        let rules = [("image-alt", "wcag111"), ("label", "wcag412"), ("link-name", "wcag244")];
        let rules =
            rules.map(|(rule, criterion)| (RuleId::new(rule), RuleFacts::new(Impact::Critical, ["wcag2a", criterion])));
        let mut items = Vec::new();
        for (rule, _) in &rules {
            for number in 0..4 {
                let (selector, html) = (format!("#{rule}-{number}"), format!("<a id={rule}-{number} class=pale></a>"));
                items.push(Finding::new(rule.clone(), 0, &start, &selector, &html, "Give it a name."));
            }
        }
        let pages: Vec<_> = (0..10).map(|page| PageOutcome::checked(format!("{start}{page}"), "A page")).collect();
        progress.progress(PageCounts::new(10, 10));
        let ran: Vec<RuleId> = rules.iter().map(|(rule, _)| rule.clone()).collect();
        let findings = Findings::new(Tool::new("bench", "1"));
        Ok(ScanOutput::new(findings.with_pages(pages).with_rules(rules).with_items(items).with_ran(ran)))
    }
}

async fn clean() {
    let mut db = PgConnection::connect(&database_url()).await.unwrap();
    let statement = format!("SET client_min_messages = warning; DROP SCHEMA IF EXISTS {SCHEMA} CASCADE");
    sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&mut db).await.unwrap();
}
