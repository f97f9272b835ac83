//! Medians and ratios.

use std::{collections::BTreeMap, time::Duration};

use crate::{
    CONNECTIONS, TOKENS,
    load::Measured,
    server::{Kind, Server},
};

/// A server, the number of one of its paths, and the number of tokens.
type Case = (Kind, usize, usize);

/// All measures.
#[derive(Default)]
pub(crate) struct Table(BTreeMap<Case, Vec<Figures>>);

/// The figures of a measure.
#[derive(Clone, Copy)]
struct Figures {
    per_second: f64,
    /// In milliseconds.
    median: f64,
    /// In milliseconds.
    late: f64,
    /// The server's time on processors for each request, in microseconds.
    cpu: f64,
}

impl Table {
    pub(crate) fn add(&mut self, case: Case, measured: &Measured, cpu: Duration) {
        let count = measured.times.len();
        assert_ne!(count, 0, "no request was answered");
        let requests = count as f64;
        let at = |percent: usize| measured.times[(count * percent / 100).min(count - 1)].as_secs_f64() * 1_000.0;
        self.0.entry(case).or_default().push(Figures {
            per_second: requests / measured.took.as_secs_f64(),
            median: at(50),
            late: at(99),
            cpu: cpu.as_secs_f64() * 1_000_000.0 / requests,
        });
    }

    pub(crate) fn print(&self, servers: &[Server], rounds: usize) {
        let processors = std::thread::available_parallelism().map_or(0, usize::from);
        println!(
            "\nMedians of {rounds} rounds, {CONNECTIONS} connections, {processors} processors for client, server and database. \
             CPU is the server's own, without the database's.\n"
        );
        println!("| server | path | tokens | requests/s | p50 ms | p99 ms | CPU µs |");
        println!("|---|---|---:|---:|---:|---:|---:|");
        for server in servers {
            for (path, name) in server.paths().iter().enumerate() {
                for tokens in TOKENS {
                    let case = (server.kind(), path, tokens);
                    let figure = |figure: fn(&Figures) -> f64| self.median(case, figure);
                    println!(
                        "| {} | {name} | {tokens} | {:.0} | {:.2} | {:.2} | {:.0} |",
                        server.kind(),
                        figure(|figures| figures.per_second),
                        figure(|figures| figures.median),
                        figure(|figures| figures.late),
                        figure(|figures| figures.cpu),
                    );
                }
            }
        }
        println!("\n| server | memory MiB at the end | at most |\n|---|---:|---:|");
        for server in servers {
            let (now, most) = server.usage().memory;
            println!("| {} | {now} | {most} |", server.kind());
        }
        println!("\nRatios of requests/s, medians of the ratios of the rounds:\n");
        println!("| path | tokens | ours on | to one query | to query and update | to PostgreSQL |");
        println!("|---|---:|---|---:|---:|---:|");
        let paths = servers.iter().find(|server| server.kind() == Kind::Postgres).map_or(&[][..], Server::paths);
        for (path, name) in paths.iter().enumerate() {
            for tokens in TOKENS {
                for store in Kind::STORES {
                    let ratio = |to: Case| self.ratio((store, path, tokens), to);
                    println!(
                        "| {name} | {tokens} | {store} | {:.2} | {:.2} | {:.2} |",
                        ratio((Kind::BareQuery, 0, tokens)),
                        ratio((Kind::BareCounted, 0, tokens)),
                        ratio((Kind::Postgres, path, tokens)),
                    );
                }
            }
        }
        println!(
            "\nGoals, with 64 tokens, of account and sites on PostgreSQL: 0.5 to one query, 0.8 to query and update; of SQLite to \
             PostgreSQL: 0.5."
        );
    }

    fn median(&self, case: Case, figure: fn(&Figures) -> f64) -> f64 {
        median(self.0[&case].iter().map(figure).collect())
    }

    fn ratio(&self, of: Case, to: Case) -> f64 {
        let rounds = self.0[&of].iter().zip(&self.0[&to]);
        median(rounds.map(|(of, to)| of.per_second / to.per_second).collect())
    }
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
