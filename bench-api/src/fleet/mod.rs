//! A day of many sites on one PostgreSQL, with several servers: `cargo xtask bench fleet`.
//!
//! The servers are processes of their own and run what `a11ycheck-server` runs, workers, scheduler, dispatcher of webhooks and
//! retention, with a scripted scanner that takes a second and no processor: what is measured is everything around the
//! scanner. Each team has fifty sites and an endpoint, which a receiver in the process of the bench answers.
//!
//! Two parts follow the filling. *As fast as it goes*: every site's first check is queued, and the servers work through them:
//! what the database carries at most. *A day*: each site falls due once, in a shorter day, three quarters of the sites within the half of
//! it that are working hours; the table has how long a check waits from being due until a worker begins it.
//!
//! The database's processor time is that of all its processes, and is read on this machine, which must be the database's. What it waits for is
//! looked up five times a second. Times are a report and no verdict.

mod database;
mod node;

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use a11ycheck_core::{
    Service,
    domain::{EndpointDetails, EventKind, PlanCode, SiteInput, SiteUrl},
    sealing::SealingKey,
    service::{TeamHandle, TeamInput},
};
use futures_util::{StreamExt as _, stream};
use tokio::net::TcpListener;
use warp::{Filter as _, http::StatusCode};

use crate::server::{Server, Usage};

use self::database::{Database, Sample};
pub(crate) use self::node::serve;

const SITES_PER_TEAM: usize = 50;

/// The size of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fleet {
    pub(crate) sites: usize,
    /// The length of the day.
    pub(crate) day: Duration,
    pub(crate) servers: usize,
    /// The number of checks that each server works on at once.
    pub(crate) workers: usize,
}

/// Fills the database, runs both parts, and prints what they took.
pub(crate) fn run(fleet: Fleet) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(measure(fleet));
}

async fn measure(fleet: Fleet) {
    let database = Database::open().await;
    database.clean().await;
    let key = SealingKey::generate().reveal().to_string();
    let service = node::service(&key).await;
    let receiver = Receiver::start().await;
    let begun = Instant::now();
    fill(&service, &receiver, fleet.sites).await;
    println!(
        "\n{} sites of {} teams, each with an endpoint, added in {:.0} s.",
        fleet.sites,
        fleet.sites.div_ceil(SITES_PER_TEAM),
        begun.elapsed().as_secs_f64()
    );
    let servers: Vec<Server> =
        (0..fleet.servers).map(|_| Server::start_node(&[&key, &fleet.workers.to_string()])).collect();

    let part = Part::begin(&database, &servers, &receiver).await;
    let queued = fleet.sites as u64;
    let sample = database.watch(Duration::from_secs(3_600), async || database.ended().await >= queued).await;
    part.end("As fast as it goes", &database, &servers, &receiver, queued, &sample).await;
    database.settled().await;

    let part = Part::begin(&database, &servers, &receiver).await;
    database.spread(fleet.day).await;
    let limit = fleet.day * 3 + Duration::from_secs(600);
    let sample = database.watch(limit, async || database.ended().await >= queued * 2).await;
    part.end("A day", &database, &servers, &receiver, queued, &sample).await;
    database.print_waits_of_checks(fleet.day).await;
    database.settled().await;
    database.print_growth(queued * 2).await;
    drop(servers);
    database.clean().await;
}

/// Adds the teams and their endpoints, and then their sites in turns, sixteen at once: neighbours in the queue are of different teams,
/// as they are where checks fall due all day.
async fn fill(service: &Service, receiver: &Receiver, sites: usize) {
    let endpoint = SiteUrl::parse(&receiver.url).unwrap();
    let teams: Vec<TeamHandle> = in_turns(sites.div_ceil(SITES_PER_TEAM), |team| {
        let (service, endpoint) = (service.clone(), endpoint.clone());
        async move {
            let input = TeamInput::new(format!("Team {team}"), PlanCode::new(node::PLAN));
            let team = service.operator().create_team(input).await.unwrap();
            let team = service.team(team.id).await.unwrap();
            team.create_endpoint(EndpointDetails::new(endpoint, EventKind::SELECTABLE)).await.unwrap();
            team
        }
    })
    .await;
    in_turns(sites, |number| {
        let team = teams[number % teams.len()].clone();
        async move {
            // Addresses of their own, which are public; nobody is asked.
            let url = format!("https://93.{}.{}.{}/", number >> 16, (number >> 8) & 255, number & 255);
            team.add_site(SiteInput::parse(&url).unwrap()).await.unwrap();
        }
    })
    .await;
}

async fn in_turns<T, F: Future<Output = T>>(count: usize, make: impl Fn(usize) -> F) -> Vec<T> {
    stream::iter((0..count).map(make)).buffered(16).collect().await
}

/// Takes webhooks, and counts them.
struct Receiver {
    url: String,
    taken: Arc<AtomicU64>,
}

impl Receiver {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let taken = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&taken);
        let take = warp::post().and(warp::body::bytes()).and_then(move |_| {
            count.fetch_add(1, Ordering::Relaxed);
            async { Ok::<_, Infallible>(StatusCode::NO_CONTENT) }
        });
        tokio::spawn(warp::serve(take).incoming(listener).run());
        Self { url, taken }
    }

    fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }
}

/// What had been used when a part began.
struct Part {
    begun: Instant,
    database: Duration,
    servers: Duration,
    log: u64,
    commits: u64,
    deliveries: u64,
}

impl Part {
    async fn begin(database: &Database, servers: &[Server], receiver: &Receiver) -> Self {
        Self {
            begun: Instant::now(),
            database: database.cpu(),
            servers: cpu(servers),
            log: database.log_position().await,
            commits: database.commits().await,
            deliveries: receiver.taken(),
        }
    }

    async fn end(
        self,
        name: &str,
        database: &Database,
        servers: &[Server],
        receiver: &Receiver,
        checks: u64,
        sample: &Sample,
    ) {
        let took = self.begun.elapsed().as_secs_f64();
        let per_check = |used: Duration| used.as_secs_f64() * 1_000.0 / checks as f64;
        let (database_cpu, servers_cpu) = (database.cpu() - self.database, cpu(servers) - self.servers);
        let rate = checks as f64 / took;
        let log = (database.log_position().await - self.log) as f64 / 1_000.0 / checks as f64;
        println!("\n## {name}\n");
        println!("| | |");
        println!("|---|---:|");
        println!("| checks | {checks} in {took:.0} s: {rate:.1} a second |");
        println!("| that is, in 24 hours | {:.1} million |", rate * 86_400.0 / 1e6);
        println!("| processor time of the database for a check | {:.2} ms |", per_check(database_cpu));
        println!("| of the servers, without the scanner | {:.2} ms |", per_check(servers_cpu));
        println!("| processors that the database used | {:.2} |", database_cpu.as_secs_f64() / took);
        println!("| processors that the servers used | {:.2} |", servers_cpu.as_secs_f64() / took);
        println!("| write-ahead log for a check | {log:.1} kB |");
        let commits = (database.commits().await - self.commits) as f64 / checks as f64;
        println!("| transactions for a check | {commits:.1} |");
        println!("| webhooks delivered meanwhile | {} |", receiver.taken() - self.deliveries);
        println!(
            "| memory of a server, at most | {} MiB |",
            servers.iter().map(|server| server.usage().memory.1).max().unwrap_or(0)
        );
        println!(
            "| one processor of the database, alone, carries in 24 hours | {:.1} million |",
            86_400.0 * 1_000.0 / per_check(database_cpu) / 1e6
        );
        println!("\nWhat sessions of the database did, in the mean of {} looks:\n", sample.looks);
        sample.print(&sample.states);
        println!("\nIn which statements:\n");
        sample.print(&sample.statements);
    }
}

fn cpu(servers: &[Server]) -> Duration {
    servers.iter().map(|server| -> Usage { server.usage() }).map(|usage| usage.cpu).sum()
}
