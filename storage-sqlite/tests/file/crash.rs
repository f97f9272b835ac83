//! A server that is killed at a random moment leaves a whole file, in which nothing that it acknowledged is missing, and
//! nothing is done a second time by the next one.
//!
//! A child process works on a store in several tasks at once and writes a line for each step that the store has acknowledged.
//! It is killed with SIGKILL; then the file is compared with all the lines so far, and the next child goes on with it.
//! `A11YCHECK_SQLITE_KILLS` says how often, 20 times by default; `A11YCHECK_CRASH_SEED` repeats a run, though not to the
//! millisecond.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use a11ycheck_core::{
    domain::{AttemptReport, AttemptResult, Depth, Excerpt, Failure, FailureCode, PageCounts},
    id::{ScanId, SiteId, TeamId, WorkerId},
    paging::PageRequest,
    store::{
        Claim, ClaimLimits, Completion, FileStore as _, QueueStore as _, ScanStore as _, SiteStore as _,
        StoreClock as _, TeamStore as _, WebhookStore as _,
    },
};
use a11ycheck_storage_sqlite::{SqliteConfig, SqliteStore};
use chrono::{TimeDelta, Utc};
use rand::{Rng as _, RngExt as _, SeedableRng as _, rngs::StdRng};
use sqlx::Connection as _;

use crate::support;

/// Names the file on which a child works.
const FILE: &str = "A11YCHECK_SQLITE_DRILL";
/// The sites that are checked; others are only added and deleted.
const SITES: usize = 24;
/// Short, so that what a killed child had under way is taken up by the next.
const TERM: TimeDelta = TimeDelta::seconds(3);

#[test]
fn a_server_killed_at_any_moment_has_lost_nothing_that_it_acknowledged() {
    let kills: u32 = number("A11YCHECK_SQLITE_KILLS").unwrap_or(20);
    let seed = number("A11YCHECK_CRASH_SEED").unwrap_or_else(|| rand::rng().next_u64());
    println!("A11YCHECK_CRASH_SEED={seed}");
    let (mut rng, path) = (StdRng::seed_from_u64(seed), support::path());
    let mut ledger = Ledger::default();
    for _ in 0..kills {
        let mut child = start(&path);
        // So many steps later, and a little: what a slow disk acknowledges in a second, another does in a hundredth.
        let (mut steps, pause) = (rng.random_range(1..150), Duration::from_micros(rng.random_range(0..20_000)));
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            // The last line may have been cut off, and a step without a whole line was not acknowledged.
            steps -= i32::from(ledger.enter(&line.unwrap()));
            if steps == 0 {
                std::thread::sleep(pause);
                child.kill().unwrap();
            }
        }
        child.wait().unwrap();
        assert!(steps <= 0, "a child ended by itself");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(ledger.compare(&path));
    }
    println!("{kills} kills: {}, 0 lost, 0 doubled", ledger.summary());
    assert!(!ledger.completed.is_empty() && !ledger.delivered.is_empty(), "the children did nothing");
}

fn number<T: std::str::FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

fn start(path: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::child", "--nocapture", "--test-threads=1"])
        .env(FILE, path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The steps that the store acknowledged, as the child processes reported them before they were killed.
#[derive(Default)]
struct Ledger {
    queued: BTreeSet<String>,
    /// The tokens of claims, each of which may be given once.
    claims: BTreeSet<String>,
    /// Checks, each with the id of its event.
    completed: BTreeMap<String, String>,
    failed: BTreeSet<String>,
    delivered: BTreeSet<String>,
    added: BTreeSet<String>,
    deleted: BTreeSet<String>,
}

impl Ledger {
    /// Enters a line. Returns whether it is a step's.
    fn enter(&mut self, line: &str) -> bool {
        let words: Vec<&str> = line.split(' ').collect();
        let is_new = match words[..] {
            ["queued", scan, "."] => self.queued.insert(scan.to_owned()),
            ["claimed", scan, token, "."] => self.claims.insert(format!("{scan} {token}")),
            ["completed", scan, event, "."] => self.completed.insert(scan.to_owned(), event.to_owned()).is_none(),
            ["failed", scan, "."] => self.failed.insert(scan.to_owned()),
            ["delivered", delivery, "."] => self.delivered.insert(delivery.to_owned()),
            ["added", site, "."] => self.added.insert(site.to_owned()),
            ["deleted", site, "."] => self.deleted.insert(site.to_owned()),
            _ => return false,
        };
        assert!(is_new, "done twice: {line}");
        true
    }

    fn summary(&self) -> String {
        format!(
            "{} checks queued, {} claims, {} checks completed, {} failed, {} deliveries, {} sites added, {} deleted",
            self.queued.len(),
            self.claims.len(),
            self.completed.len(),
            self.failed.len(),
            self.delivered.len(),
            self.added.len(),
            self.deleted.len(),
        )
    }

    /// Compares a file that nobody has open with what was acknowledged.
    async fn compare(&self, path: &Path) {
        let mut db = support::connect(&SqliteConfig::new(path)).await;
        let integrity: Vec<String> = sqlx::query_scalar("PRAGMA integrity_check").fetch_all(&mut db).await.unwrap();
        assert_eq!(integrity, ["ok"]);
        let astray = sqlx::query("PRAGMA foreign_key_check").fetch_all(&mut db).await.unwrap();
        assert!(astray.is_empty(), "{} rows refer to rows that are missing", astray.len());

        let mut ids = async |statement: &'static str| -> BTreeSet<String> {
            sqlx::query_scalar(statement).fetch_all(&mut db).await.unwrap().into_iter().collect()
        };
        let lost = |kind: &str, acknowledged: &BTreeSet<String>, there: &BTreeSet<String>| {
            let lost: Vec<_> = acknowledged.difference(there).collect();
            assert!(lost.is_empty(), "lost {kind}: {lost:?}");
        };
        lost("queued", &self.queued, &ids("SELECT id FROM scans").await);
        let completed = ids("SELECT id FROM scans WHERE outcome IS NOT NULL").await;
        lost("completed", &self.completed.keys().cloned().collect(), &completed);
        lost("events", &self.completed.values().cloned().collect(), &ids("SELECT id FROM events").await);
        lost("failed", &self.failed, &ids("SELECT id FROM scans WHERE failure IS NOT NULL").await);
        lost("delivered", &self.delivered, &ids("SELECT id FROM deliveries WHERE state = 'delivered'").await);
        let sites = ids("SELECT id FROM sites").await;
        let kept: BTreeSet<String> = self.added.difference(&self.deleted).cloned().collect();
        // One may be deleted without a line that says so, for the child died in between: it was to be deleted.
        let missing: Vec<&String> = kept.difference(&sites).collect();
        assert!(missing.len() <= 200, "{missing:?}");
        assert!(self.deleted.is_disjoint(&sites), "a site that was deleted is there again");

        // Each step as a whole or not at all: of each completed check the findings, the picture, one event with one delivery,
        // one entry in the log, and no place in the queue.
        assert_eq!(ids("SELECT scan_id FROM findings").await, completed);
        assert_eq!(ids("SELECT scan_id FROM screenshots").await, completed);
        assert_eq!(ids("SELECT scan_id FROM scan_events WHERE kind = 'completed'").await, completed);
        assert!(ids("SELECT scan_id FROM active_scans").await.is_disjoint(&completed));
        let halves: Vec<(String, i64)> = sqlx::query_as(
            "SELECT 'entries', count(*) FROM scan_events WHERE kind = 'completed'
             UNION ALL SELECT 'events', count(*) FROM events
             UNION ALL SELECT 'deliveries', count(*) FROM deliveries
             UNION ALL SELECT 'active', (SELECT count(*) FROM scans WHERE finished_at IS NULL) - count(*) FROM active_scans
             UNION ALL SELECT 'attempts', count(*) - (SELECT count(*) FROM deliveries WHERE state = 'delivered')
             FROM delivery_attempts WHERE status = 200",
        )
        .fetch_all(&mut db)
        .await
        .unwrap();
        let halves: BTreeMap<&str, i64> = halves.iter().map(|(name, number)| (name.as_str(), *number)).collect();
        let number = i64::try_from(completed.len()).unwrap();
        assert_eq!(
            halves,
            [("entries", number), ("events", number), ("deliveries", number), ("active", 0), ("attempts", 0)].into()
        );
        db.close().await.unwrap();
    }
}

/// Says that the store has acknowledged a step. The point shows that the line is whole.
fn say(line: std::fmt::Arguments<'_>) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("{line} .\n").as_bytes()).unwrap();
    out.flush().unwrap();
}

/// The child, which works until it is killed. Among the tests it is none.
#[test]
fn child() {
    let Some(path) = std::env::var_os(FILE).map(PathBuf::from) else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(3).enable_all().build().unwrap();
    runtime.block_on(async {
        // The lock of the one before it went with it. A machine that is busy with other tests may take long for a step, and a
        // step that fails for that ends a child, which is no crash.
        let config = SqliteConfig::new(path).with_step_timeout(Duration::from_secs(600));
        let store = SqliteStore::open(config).await.unwrap();
        let world = Arc::new(Working::begin(store).await);
        // The harness has written the beginning of a line.
        println!();
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..2 {
            tasks.spawn(Arc::clone(&world).queue());
            tasks.spawn(Arc::clone(&world).check());
            tasks.spawn(Arc::clone(&world).deliver());
        }
        tasks.spawn(Arc::clone(&world).add_and_delete());
        // None ends by itself; one that fails ends the child, which the parent notices by what is missing.
        tasks.join_next().await.unwrap().unwrap();
    });
}

struct Working {
    store: SqliteStore,
    team: TeamId,
    sites: Vec<SiteId>,
}

impl Working {
    async fn begin(store: SqliteStore) -> Self {
        let teams = store.teams(PageRequest::new(1, 10)).await.unwrap();
        let team = match teams.items.first() {
            Some(team) => team.id,
            None => support::seed(&store).await,
        };
        if store.endpoints(team).await.unwrap().is_empty() {
            support::add_endpoint(&store, team).await;
        }
        // Those with a name are checked.
        let mut sites: Vec<SiteId> = Vec::new();
        for page in 1.. {
            let page = store.sites(team, Some("checked"), PageRequest::new(page, 100)).await.unwrap();
            sites.extend(page.items.iter().map(|site| site.id));
            if page.items.len() < 100 {
                break;
            }
        }
        while sites.len() < SITES {
            let mut site = support::new_site();
            site.details.tags = vec!["checked".to_owned()];
            sites.push(store.add_site(team, site, None).await.unwrap().id);
        }
        Self { store, team, sites }
    }

    async fn queue(self: Arc<Self>) {
        loop {
            let site = self.sites[rand::random_range(0..self.sites.len())];
            let id = ScanId::generate(Utc::now());
            if self.store.start_manual_scan(self.team, site, id, Depth::Full).await.is_ok() {
                say(format_args!("queued {id}"));
            }
            tokio::task::yield_now().await;
        }
    }

    async fn check(self: Arc<Self>) {
        let worker = WorkerId::generate();
        loop {
            let Some(claimed) = self.store.claim_scan(&worker, TERM).await.unwrap() else { continue };
            let claim @ Claim { scan, token } = claimed.claim;
            say(format_args!("claimed {scan} {}", token.get()));
            // A lease may end while the machine is busy: then the next worker has it, and this one is refused.
            if self.store.renew_lease(claim, TERM, PageCounts::new(1, 2)).await.is_err() {
                continue;
            }
            match rand::random_range(0..8) {
                0 => self.store.hand_back(claim).await.unwrap_or_default(),
                1 => {
                    let failure = Failure::new(FailureCode::Dns, "no address");
                    if self.store.fail_scan(claim, failure).await.is_ok() {
                        say(format_args!("failed {scan}"));
                    }
                }
                _ => {
                    let event = support::event();
                    let id = event.id;
                    let result = Completion {
                        finished_at: self.store.now().await.unwrap(),
                        screenshots: vec![support::picture(1, rand::random_range(1_000..60_000))],
                        events: vec![event],
                        ..support::completion()
                    };
                    if self.store.complete_scan(claim, result).await.is_ok() {
                        say(format_args!("completed {scan} {id}"));
                        let picture = self.store.screenshot(self.team, scan, support::picture(1, 0).id).await.unwrap();
                        assert!(picture.is_some());
                    }
                }
            }
        }
    }

    async fn deliver(self: Arc<Self>) {
        let (worker, keys) = (WorkerId::generate(), support::ring().ids());
        let limits = ClaimLimits { all: 4, retries: 2, per_endpoint: 4 };
        loop {
            for claimed in self.store.claim_deliveries(&worker, limits, TERM, &keys).await.unwrap() {
                let result = AttemptResult::Answered { status: 200, excerpt: Excerpt::of(b"ok") };
                let report = AttemptReport { duration: TimeDelta::milliseconds(3), result };
                if self.store.record_attempt(claimed.claim, report).await.is_ok() {
                    say(format_args!("delivered {}", claimed.claim.delivery));
                }
            }
            tokio::task::yield_now().await;
        }
    }

    async fn add_and_delete(self: Arc<Self>) {
        loop {
            let site = self.store.add_site(self.team, support::new_site(), None).await.unwrap().id;
            say(format_args!("added {site}"));
            if rand::random_range(0..10) > 0 && self.store.delete_site(self.team, site).await.unwrap() {
                say(format_args!("deleted {site}"));
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}
