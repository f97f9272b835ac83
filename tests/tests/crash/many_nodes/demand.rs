//! Teams that want their sites checked, again and again, whichever node responds.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use a11ycheck_core::{clock::Clock as _, id::SiteId};
use a11ycheck_tests::{QuickClock, http};
use sqlx::PgPool;
use sqlx_macros::FromRow;
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};

use super::{CHECKS_PER_SITE, chaos::Nodes};
use crate::support::LIMIT;

/// The requests for checks over HTTP; the last check of each site is requested by letting it fall due.
pub(super) struct Demand<'a> {
    db: &'a PgPool,
    clock: QuickClock,
    nodes: &'a Nodes,
    http: reqwest::Client,
    counts: Counts,
}

/// The number of requests by their responses.
#[derive(Default)]
struct Counts {
    accepted: AtomicUsize,
    refused: AtomicUsize,
    unanswered: AtomicUsize,
}

/// The progress of the checks of a site.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Progress {
    checks: i64,
    is_active: bool,
}

#[derive(FromRow)]
struct ProgressRow {
    site_id: String,
    checks: i64,
    is_active: bool,
}

impl<'a> Demand<'a> {
    pub(super) fn new(db: &'a PgPool, clock: QuickClock, nodes: &'a Nodes) -> Self {
        // No response of a node that runs takes so long.
        let http = http().timeout(Duration::from_secs(3)).build().unwrap();
        Self { db, clock, nodes, http, counts: Counts::default() }
    }

    /// Runs until each site has had its checks, and all have ended.
    pub(super) async fn drive(&self, sites: Vec<(SiteId, String)>) {
        let (progress, known) = watch::channel(HashMap::new());
        let watching = async {
            loop {
                progress.send_replace(self.progress().await);
                sleep(Duration::from_millis(100)).await;
            }
        };
        let all = async {
            let sites = sites.iter().enumerate();
            let sites = sites.map(|(number, (site, token))| self.drive_site(number, *site, token, known.clone()));
            futures_util::future::join_all(sites).await;
        };
        let driven = timeout(LIMIT, async {
            tokio::select! {
                () = all => {}
                () = watching => {}
            }
        });
        if driven.await.is_err() {
            let (known, left) = (known.borrow(), |now: &Progress| now.is_active || now.checks < CHECKS_PER_SITE);
            let left: BTreeMap<_, _> = known.iter().filter(|(_, now)| left(now)).collect();
            panic!("after {LIMIT:?} there is more to check: {left:?}");
        }
    }

    async fn drive_site(
        &self,
        number: usize,
        site: SiteId,
        token: &str,
        mut known: watch::Receiver<HashMap<String, Progress>>,
    ) {
        let mut asked = number;
        loop {
            known.changed().await.unwrap();
            let now = known.borrow_and_update().get(&site.to_string()).copied().unwrap_or_default();
            match now {
                Progress { is_active: true, .. } => {}
                Progress { checks, .. } if checks >= CHECKS_PER_SITE => return,
                Progress { checks, .. } if checks == CHECKS_PER_SITE - 1 => self.let_fall_due(site).await,
                Progress { .. } => {
                    asked += 1;
                    self.ask(asked, site, token).await;
                }
            }
        }
    }

    async fn ask(&self, number: usize, site: SiteId, token: &str) {
        let url = format!("http://{}/v1/sites/{site}/scans", self.nodes.address(number));
        let counter = match self.http.post(url).bearer_auth(token).send().await {
            Ok(answer) => match answer.status().as_u16() {
                202 => &self.counts.accepted,
                // A check is active already, or the last one was started less than a second ago; or the node can't use
                // the database, because a node that stands still holds a lock that it needs.
                422 | 503 => &self.counts.refused,
                status => panic!("{site}: {status} {}", answer.text().await.unwrap_or_default()),
            },
            Err(error) => {
                assert!(!error.is_builder(), "{error}");
                &self.counts.unanswered
            }
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Lets a site fall due: the scheduler of some node will see it.
    async fn let_fall_due(&self, site: SiteId) {
        sqlx::query("UPDATE sites SET next_scan_at = $2 WHERE id = $1 AND next_scan_at > $2")
            .bind(site.to_string())
            .bind(self.clock.now())
            .execute(self.db)
            .await
            .unwrap();
    }

    async fn progress(&self) -> HashMap<String, Progress> {
        let rows: Vec<ProgressRow> = sqlx::query_as(
            "SELECT site_id, count(*) AS checks, bool_or(finished_at IS NULL) AS is_active FROM scans GROUP BY site_id",
        )
        .fetch_all(self.db)
        .await
        .unwrap();
        let progress = |row: ProgressRow| (row.site_id, Progress { checks: row.checks, is_active: row.is_active });
        rows.into_iter().map(progress).collect()
    }
}

impl fmt::Display for Demand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let read = |count: &AtomicUsize| count.load(Ordering::Relaxed);
        let Counts { accepted, refused, unanswered } = &self.counts;
        let (accepted, refused, unanswered) = (read(accepted), read(refused), read(unanswered));
        write!(f, "{accepted} checks started over HTTP ({refused} requests refused, {unanswered} unanswered)")
    }
}
