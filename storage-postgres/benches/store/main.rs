//! Compares the cost of each step of the store with its cost when there is a hundred times as much data:
//! `cargo xtask bench store`.
//!
//! It fills two schemas, the small one with 100 teams, 1,000 sites and 20,000 checks, the large one with a hundred
//! times that, with endpoints, events, deliveries, findings and pictures in proportion, and takes the same steps in
//! both. First it examines the plan of every statement in the large one: each table must be reached by an index, and no
//! more rows read than in the small one; otherwise it fails. Then it prints how long each step takes in both, and the
//! ratio. The two schemas take turns, so that other load on the machine affects both alike. Times are a report and no
//! verdict: they depend on the machine.
//!
//! It needs a superuser of PostgreSQL in `DATABASE_URL`, for the module `auto_explain`, and 6 GB of disk. `--factor N`
//! is the ratio of large to small instead of 100, `--plans` prints every plan in full.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench prints its result and stops at what it did not expect"
)]

mod plans;
mod report;
mod seed;
mod steps;

use std::{env, ops::Range, process::ExitCode, time::Instant};

use a11ycheck_storage_postgres::{PostgresConfig, PostgresStore};
use sqlx::{Connection as _, Executor as _, PgConnection};

use crate::{
    report::{Looked, Timed},
    seed::{Scale, seed},
    steps::{Step, World},
};

const SMALL: (&str, Scale) = ("a11ycheck_bench_small", Scale { teams: 100, sites: 10, checks: 20, queued: 100 });
const LARGE: &str = "a11ycheck_bench_large";
const CLEAN: &str = "SET client_min_messages = warning; DROP SCHEMA IF EXISTS a11ycheck_bench_small CASCADE; \
    DROP SCHEMA IF EXISTS a11ycheck_bench_large CASCADE";
/// More than the five times after which PostgreSQL may keep one plan for all values.
const LOOKS: usize = 8;
/// The number of rounds in which times are taken.
const ROUNDS: usize = 300;

#[tokio::main]
async fn main() -> ExitCode {
    tracing::subscriber::set_global_default(plans::Collector).unwrap();
    let url = env::var("DATABASE_URL").expect("DATABASE_URL names no database: `cargo xtask bench store` starts one");
    let arguments: Vec<String> = env::args().collect();
    let factor = arguments.iter().position(|argument| argument == "--factor").and_then(|at| arguments.get(at + 1));
    let factor: i64 = factor.map_or(100, |factor| factor.parse().expect("--factor is a number"));
    let in_full = arguments.iter().any(|argument| argument == "--plans");

    let mut db = PgConnection::connect(&url).await.unwrap();
    let version: String =
        sqlx::query_scalar("SELECT current_setting('server_version')").fetch_one(&mut db).await.unwrap();
    db.execute(CLEAN).await.unwrap();
    let worlds = [SMALL, (LARGE, Scale { teams: SMALL.1.teams * factor, ..SMALL.1 })];
    for (schema, scale) in worlds {
        let began = Instant::now();
        let config = PostgresConfig::new(&url).with_schema(schema);
        // The references are correct by construction; to check them would take longer than the rest.
        seed(&config, &with_options(&url, "-c session_replication_role=replica"), schema, scale).await;
        let bytes: i64 = sqlx::query_scalar(
            "SELECT sum(pg_total_relation_size(c.oid))::bigint FROM pg_class c
             WHERE relnamespace = $1::regnamespace AND relkind = 'r'",
        )
        .bind(schema)
        .fetch_one(&mut db)
        .await
        .unwrap();
        let Scale { teams, sites, checks, .. } = scale;
        println!(
            "Filled {schema} in {:.0?}: {teams} teams, {} sites, {} checks, {} MB",
            began.elapsed(),
            teams * sites,
            teams * sites * checks,
            bytes / 1_000_000
        );
    }

    let mut looked: Vec<Looked> = Step::ALL.iter().map(|step| Looked::new(step.name())).collect();
    look(&url, worlds, 0..LOOKS, &mut looked).await;
    // In the first of these rounds there is something to purge, in later ones nothing is left.
    let timed = time(&url, worlds, LOOKS..LOOKS + ROUNDS).await;
    look(&url, worlds, LOOKS + ROUNDS..LOOKS + ROUNDS + LOOKS, &mut looked).await;
    let is_sound = report::plans(&looked, in_full);
    report::times(&timed, factor, &version);
    db.execute(CLEAN).await.unwrap();
    if is_sound { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Returns the address, with settings of the connection.
fn with_options(url: &str, options: &str) -> String {
    let joint = if url.contains('?') { '&' } else { '?' };
    format!("{url}{joint}options={}", options.replace(' ', "%20").replace('=', "%3D"))
}

/// Collects the plans of all steps: of each statement of a step the last one.
async fn look(url: &str, worlds: [(&'static str, Scale); 2], rounds: Range<usize>, looked: &mut [Looked]) {
    for (at, (schema, scale)) in worlds.into_iter().enumerate() {
        let config = PostgresConfig::new(with_options(url, plans::SETTINGS)).with_schema(schema);
        let store = PostgresStore::connect(config.with_max_connections(1)).await.unwrap();
        let mut world = World::new(store, url, schema, scale).await;
        for round in rounds.clone() {
            for (step, looked) in Step::ALL.iter().zip(&mut *looked) {
                if let Some(sample) = world.run(*step, round).await {
                    looked.add(at, sample.plans);
                }
            }
        }
        world.close().await;
    }
}

async fn time(url: &str, worlds: [(&'static str, Scale); 2], rounds: Range<usize>) -> Vec<Timed> {
    let mut timed: Vec<Timed> = Step::ALL.iter().map(|step| Timed::new(step.name())).collect();
    let mut made = Vec::new();
    for (schema, scale) in worlds {
        let store = PostgresStore::connect(PostgresConfig::new(url).with_schema(schema)).await.unwrap();
        made.push(World::new(store, url, schema, scale).await);
    }
    for round in rounds {
        for (step, timed) in Step::ALL.iter().zip(&mut timed) {
            for (at, world) in made.iter_mut().enumerate() {
                if let Some(sample) = world.run(*step, round).await {
                    timed.add(at, sample.took);
                }
            }
        }
    }
    for world in made {
        world.close().await;
    }
    timed
}
