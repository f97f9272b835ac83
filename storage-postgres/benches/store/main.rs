//! Compares the cost of each step of the store with its cost when there is a hundred times as much data:
//! `cargo xtask bench store`.
//!
//! It fills two schemas, the small one with 100 teams, 1,000 sites and 20,000 checks, the large one with a hundred
//! times that, with endpoints, events, deliveries, findings and pictures in proportion, and two SQLite files with the same
//! data, and takes the same steps in all four. First it examines the plan of every statement in the large schema: each
//! table must be reached by an index, and no more rows read than in the small one; otherwise it fails. (SQLite's plans
//! are examined by `storage-sqlite/tests/query_plans`.) Then it prints how long each step takes in each, large beside
//! small, and SQLite beside PostgreSQL: once with every commit on the disk before it is acknowledged, as both are
//! used, and once without that wait. The stores take turns, so that other load on the machine affects all alike. Times
//! are a report and no verdict: they depend on the machine.
//!
//! It needs a superuser of PostgreSQL in `DATABASE_URL`, for the module `auto_explain`, and 12 GB of disk. `--factor N`
//! is the ratio of large to small instead of 100, `--plans` prints every plan in full.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench prints its result and stops at what it did not expect"
)]

mod plans;
mod report;
mod seed;
mod sqlite;
mod steps;

use std::{env, ops::Range, path::Path, process::ExitCode, time::Instant};

use a11ycheck_storage_postgres::PostgresConfig;
use a11ycheck_storage_sqlite::SqliteConfig;
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
/// The number of rounds in which times are taken, with each choice about the disk.
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

    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for (name, scale) in worlds {
        let began = Instant::now();
        let bytes = sqlite::seed(&folder.path().join(name), scale).await;
        println!("Filled the SQLite file {name} in {:.0?}: {} MB", began.elapsed(), bytes / 1_000_000);
    }

    let mut looked: Vec<Looked> = Step::ALL.iter().map(|step| Looked::new(step.name())).collect();
    look(&url, worlds, 0..LOOKS, &mut looked).await;
    // In the first of these rounds there is something to purge, in later ones nothing is left.
    let rounds = LOOKS..LOOKS + ROUNDS;
    let synced = time(&url, folder.path(), worlds, rounds, true).await;
    let rounds = LOOKS + ROUNDS..LOOKS + 2 * ROUNDS;
    let unsynced = time(&url, folder.path(), worlds, rounds, false).await;
    look(&url, worlds, LOOKS + 2 * ROUNDS..2 * (LOOKS + ROUNDS), &mut looked).await;
    let is_sound = report::plans(&looked, in_full);
    let fsync: String = sqlx::query_scalar("SELECT current_setting('fsync')").fetch_one(&mut db).await.unwrap();
    let setting = format!("PostgreSQL {version} (fsync {fsync}, synchronous_commit on), SQLite (synchronous=FULL)");
    report::times(&synced, factor, &setting);
    report::times(&unsynced, factor, "PostgreSQL (synchronous_commit off), SQLite (synchronous=OFF)");
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
        let mut world = World::postgres(config.with_max_connections(1), url, schema, scale).await;
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

/// Takes the times of all steps, store by store, as [`report::STORES`] has them.
async fn time(
    url: &str,
    folder: &Path,
    worlds: [(&'static str, Scale); 2],
    rounds: Range<usize>,
    waits_for_disk: bool,
) -> Vec<Timed> {
    let mut timed: Vec<Timed> = Step::ALL.iter().map(|step| Timed::new(step.name())).collect();
    let mut made = Vec::new();
    for (schema, scale) in worlds {
        let commit = if waits_for_disk { "on" } else { "off" };
        let of_connection = with_options(url, &format!("-c synchronous_commit={commit}"));
        let config = PostgresConfig::new(of_connection).with_schema(schema);
        made.push(World::postgres(config, url, schema, scale).await);
        let path = folder.join(schema);
        let config = SqliteConfig::new(&path);
        let config = if waits_for_disk { config } else { config.without_sync() };
        made.push(World::sqlite(config, &path, scale).await);
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
