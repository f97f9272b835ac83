//! What the database says about itself, and what its processes use.

use std::{
    collections::BTreeMap,
    fs,
    time::{Duration, Instant},
};

use sqlx::{AssertSqlSafe, PgPool, postgres::PgPoolOptions};

use crate::database_url;

pub(super) const SCHEMA: &str = "a11ycheck_bench_fleet";

/// What sessions were seen doing.
#[derive(Debug, Default)]
pub(super) struct Sample {
    pub(super) looks: u64,
    pub(super) states: BTreeMap<String, u64>,
    pub(super) statements: BTreeMap<String, u64>,
}

impl Sample {
    /// Prints what was seen most, in sessions at once in the mean.
    pub(super) fn print(&self, seen: &BTreeMap<String, u64>) {
        let mut seen: Vec<_> = seen.iter().collect();
        seen.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (what, count) in seen.into_iter().take(10) {
            println!("- {what}: {:.2}", *count as f64 / self.looks.max(1) as f64);
        }
    }
}

/// A look from outside of the store.
pub(super) struct Database {
    pool: PgPool,
    /// The process that all of the database's are children of.
    parent: u32,
}

impl Database {
    pub(super) async fn open() -> Self {
        let pool = PgPoolOptions::new().max_connections(2).connect(&database_url()).await.unwrap();
        let session: i32 = sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(&pool).await.unwrap();
        let parent = stat(&session.to_string()).and_then(|stat| stat.get(1)?.parse().ok());
        Self { pool, parent: parent.expect("the database runs on this machine") }
    }

    async fn execute(&self, statement: String) {
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(&self.pool).await.unwrap();
    }

    async fn number(&self, statement: String) -> i64 {
        sqlx::query_scalar(AssertSqlSafe(statement)).fetch_one(&self.pool).await.unwrap()
    }

    /// Removes the data.
    pub(super) async fn clean(&self) {
        self.execute(format!("SET client_min_messages = warning; DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")).await;
    }

    /// The time on processors of all processes of the database so far, those that have ended included.
    pub(super) fn cpu(&self) -> Duration {
        let parent = self.parent.to_string();
        let ticks = |stat: &[String], fields: &[usize]| -> u64 {
            fields.iter().map(|field| stat[*field].parse::<u64>().unwrap()).sum()
        };
        // User and system time, and those of children that have ended: fields 14 to 17 of the manual.
        let mut sum = stat(&parent).map_or(0, |stat| ticks(&stat, &[11, 12, 13, 14]));
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            // A process may end between the two.
            if let Some(stat) = entry.file_name().to_str().and_then(stat)
                && stat[1] == parent
            {
                sum += ticks(&stat, &[11, 12]);
            }
        }
        Duration::from_millis(sum * 10)
    }

    /// The number of bytes of the write-ahead log so far.
    pub(super) async fn log_position(&self) -> u64 {
        let position = self.number("SELECT (pg_current_wal_lsn() - '0/0')::bigint".to_owned()).await;
        u64::try_from(position).unwrap()
    }

    /// The number of transactions that were committed so far.
    pub(super) async fn commits(&self) -> u64 {
        let statement = "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()";
        u64::try_from(self.number(statement.to_owned()).await).unwrap()
    }

    /// The number of checks that have ended.
    pub(super) async fn ended(&self) -> u64 {
        let ended = self.number(format!("SELECT count(*) FROM {SCHEMA}.scans WHERE finished_at IS NOT NULL")).await;
        u64::try_from(ended).unwrap()
    }

    /// Looks what sessions do until `done`, five times a second; asks every two seconds whether it is.
    pub(super) async fn watch(&self, limit: Duration, done: impl AsyncFn() -> bool) -> Sample {
        let (begun, mut sample) = (Instant::now(), Sample::default());
        let mut pause = tokio::time::interval(Duration::from_millis(200));
        pause.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            pause.tick().await;
            let states: Vec<(String, String, i64)> = sqlx::query_as(
                "SELECT CASE WHEN wait_event IS NULL THEN 'on a processor' ELSE wait_event_type || ' ' || wait_event END,
                     left(regexp_replace(query, '\\s+', ' ', 'g'), 80), count(*)
                 FROM pg_stat_activity WHERE state = 'active' AND backend_type = 'client backend' AND pid <> pg_backend_pid()
                 GROUP BY 1, 2",
            )
            .fetch_all(&self.pool)
            .await
            .unwrap();
            sample.looks += 1;
            for (state, statement, count) in states {
                let count = u64::try_from(count).unwrap();
                *sample.states.entry(state).or_default() += count;
                *sample.statements.entry(statement).or_default() += count;
            }
            if sample.looks % 10 == 0 && done().await {
                return sample;
            }
            assert!(begun.elapsed() < limit, "it has not ended within {} s", limit.as_secs());
        }
    }

    /// Waits until all webhooks are delivered, and vacuums, so that what follows is not burdened by what was before.
    pub(super) async fn settled(&self) {
        let pending = format!("SELECT count(*) FROM {SCHEMA}.deliveries WHERE state = 'pending'");
        self.watch(Duration::from_secs(600), async || self.number(pending.clone()).await == 0).await;
        self.execute("CHECKPOINT".to_owned()).await;
        let tables: Vec<String> = sqlx::query_scalar("SELECT tablename::text FROM pg_tables WHERE schemaname = $1")
            .bind(SCHEMA)
            .fetch_all(&self.pool)
            .await
            .unwrap();
        for table in tables {
            self.execute(format!("VACUUM ANALYZE {SCHEMA}.{table}")).await;
        }
    }

    /// Makes each site due once within a day: three quarters of them in its middle half.
    pub(super) async fn spread(&self, day: Duration) {
        let day = day.as_secs();
        self.execute(format!(
            "SELECT setseed(0.5);
             CREATE TABLE {SCHEMA}.bench_due AS
             SELECT id AS site_id, clock_timestamp() + make_interval(secs => 1 + {day} *
                 CASE WHEN random() < 0.75 THEN 0.25 + random() / 2
                      ELSE (CASE WHEN random() < 0.5 THEN 0 ELSE 0.75 END) + random() / 4 END) AS due
             FROM {SCHEMA}.sites;
             UPDATE {SCHEMA}.sites s SET next_scan_at = d.due FROM {SCHEMA}.bench_due d WHERE d.site_id = s.id"
        ))
        .await;
    }

    /// Prints how long checks waited: from due to queued, and from due to begun.
    pub(super) async fn print_waits_of_checks(&self, day: Duration) {
        let row: (i64, Vec<f64>, Vec<f64>) = sqlx::query_as(AssertSqlSafe(format!(
            "SELECT count(*),
                 percentile_cont(ARRAY[0.5, 0.99, 1]) WITHIN GROUP (ORDER BY extract(epoch FROM s.queued_at - d.due)::float8),
                 percentile_cont(ARRAY[0.5, 0.99, 1]) WITHIN GROUP (ORDER BY extract(epoch FROM s.started_at - d.due)::float8)
             FROM {SCHEMA}.bench_due d JOIN {SCHEMA}.scans s ON s.site_id = d.site_id AND s.kind = 'scheduled' AND s.queued_at >= d.due"
        )))
        .fetch_one(&self.pool)
        .await
        .unwrap();
        let (checks, queued, begun) = row;
        println!("\n{checks} scheduled checks in a day of {} minutes, in seconds:\n", day.as_secs() / 60);
        println!("| | p50 | p99 | longest |");
        println!("|---|---:|---:|---:|");
        for (name, at) in [("from due to queued", queued), ("from due to begun", begun)] {
            println!("| {name} | {:.2} | {:.2} | {:.2} |", at[0], at[1], at[2]);
        }
    }

    /// Prints what is kept of a check.
    pub(super) async fn print_growth(&self, checks: u64) {
        let tables: Vec<(String, i64, i64)> = sqlx::query_as(
            "SELECT relname::text, pg_table_size(oid), pg_indexes_size(oid) FROM pg_class
             WHERE relnamespace = $1::regnamespace AND relkind = 'r' ORDER BY pg_total_relation_size(oid) DESC",
        )
        .bind(SCHEMA)
        .fetch_all(&self.pool)
        .await
        .unwrap();
        let per_check = |bytes: i64| bytes as f64 / checks as f64;
        let all: i64 = tables.iter().map(|(_, table, indexes)| table + indexes).sum();
        println!(
            "\nKept of a check, without pictures: {:.0} bytes. The largest tables, in bytes for a check:\n",
            per_check(all)
        );
        println!("| table | rows | indexes |");
        println!("|---|---:|---:|");
        for (name, table, indexes) in tables.iter().take(8) {
            println!("| {name} | {:.0} | {:.0} |", per_check(*table), per_check(*indexes));
        }
    }
}

/// The fields of a process after its name, the state first; `None` if there is none.
fn stat(process: &str) -> Option<Vec<String>> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name may have blanks.
    Some(text.rsplit_once(')')?.1.split_whitespace().map(str::to_owned).collect())
}
