//! Requests per second of the API, beside bare warp handlers in the same run: `cargo xtask bench api`.
//!
//! Five servers, each a process of its own: a bare handler with one query on PostgreSQL, a bare handler with one query
//! and one counted update on PostgreSQL, and ours over memory, SQLite and PostgreSQL. Ours counts each request as in
//! production, under a plan with high limits, and writes its log into a file and its metrics. The bare ones do
//! neither; their pools have as many connections as ours, and do not test them before use.
//!
//! Each path is requested by 16 connections, once with one token and once with 64 of as many teams. The servers take
//! turns, so that other load on the machine affects all alike; the table has medians over the rounds. Client, servers
//! and database share the machine's processors. Times are a report and no verdict.
//!
//! `--pages` measures the pages of the account interface instead: `cargo xtask bench pages`; `--fleet` a day of many sites on
//! several servers: `cargo xtask bench fleet`.
//!
//! It needs a PostgreSQL in `DATABASE_URL`. `--rounds N` in place of 7 rounds, `--seconds S` in place of 1 second at
//! most for each of the 28 measures of a round.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench prints its result and stops at what it did not expect"
)]

mod bare;
mod fleet;
mod load;
mod ours;
mod pages;
mod server;
mod table;

use std::{env, str::FromStr, time::Duration};

use crate::{
    fleet::Fleet,
    load::{Load, offer},
    server::{Kind, Server},
    table::Table,
};

/// That of `a11ycheck-server`.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// The number of connections of the client.
const CONNECTIONS: usize = 16;
/// The numbers of tokens with which each path is requested.
const TOKENS: [usize; 2] = [1, 64];
/// The most requests of a measure.
const MOST: usize = 50_000;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let Some(kind) = value::<Kind>(&arguments, "--serve") {
        return server::run(kind);
    }
    if let Some(kind) = value::<Kind>(&arguments, "--serve-pages") {
        return server::run_for_pages(kind);
    }
    if arguments.iter().any(|argument| argument == "--pages") {
        return pages::run(value(&arguments, "--rounds").unwrap_or(60), value(&arguments, "--store"));
    }
    if arguments.first().is_some_and(|argument| argument == "--serve-fleet") {
        return server::run_for_fleet(&arguments[1], arguments[2].parse().unwrap());
    }
    if arguments.iter().any(|argument| argument == "--fleet") {
        return fleet::run(Fleet {
            sites: value(&arguments, "--sites").unwrap_or(100_000),
            day: Duration::from_secs(60 * value::<u64>(&arguments, "--minutes").unwrap_or(30)),
            servers: value(&arguments, "--servers").unwrap_or(3),
            workers: value(&arguments, "--workers").unwrap_or(128),
        });
    }
    let rounds = value(&arguments, "--rounds").unwrap_or(7);
    let longest = Duration::from_secs_f64(value(&arguments, "--seconds").unwrap_or(1.0));
    let mut servers: Vec<Server> = Kind::ALL.into_iter().map(Server::start).collect();
    let mut table = Table::default();
    // The first round fills caches and connections, and is not counted.
    for round in 0..=rounds {
        for server in &mut servers {
            for path in 0..server.paths().len() {
                for tokens in TOKENS {
                    let load = Load { connections: CONNECTIONS, most: MOST, longest };
                    let before = server.usage();
                    let measured = offer(server.address(), &server.requests(path, tokens), load);
                    let after = server.usage();
                    if round > 0 {
                        table.add((server.kind(), path, tokens), &measured, after.cpu - before.cpu);
                    }
                }
            }
        }
    }
    table.print(&servers, rounds);
}

/// Returns the value of an option.
fn value<T: FromStr>(arguments: &[String], name: &str) -> Option<T> {
    let at = arguments.iter().position(|argument| argument == name)?;
    let value = arguments.get(at + 1).and_then(|value| value.parse().ok());
    assert!(value.is_some(), "{name} has no value that can be used");
    value
}

fn database_url() -> String {
    env::var("DATABASE_URL").expect("DATABASE_URL names no database: `cargo xtask bench api` starts one")
}
