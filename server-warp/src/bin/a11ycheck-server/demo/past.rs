//! The history of the demo team: twelve weeks of checks, which are made in memory within a second and moved into the empty store as
//! an export would be.

use std::{
    iter::Peekable,
    net::IpAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
};

use a11ycheck_core::{
    Engine, Error, Service,
    clock::Clock,
    domain::{ExternalKey, PageCounts, SiteInput, SiteName, Tag},
    engine::EngineConfig,
    net::{ResolveError, Resolver},
    scanner::{CancellationToken, ProgressSink, ScanError, ScanOutput, ScanRequest, Scanner},
    service::BuildError,
    store::{
        StoreError,
        transfer::{Record, RecordSink, RecordSource, Records, Tally, Totals, TransferError, TransferStore as _},
    },
};
use a11ycheck_storage_memory::MemoryStore;
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use tracing::subscriber::NoSubscriber;

use super::{
    Demo, DemoError,
    sites::{SITES, WEEKS},
};
use crate::{AnyError, store::ChosenStore};

/// The time until the sites are checked again by the schedule: nobody answers at their addresses.
const UNCHECKED_FOR: TimeDelta = TimeDelta::days(365);

/// The reason why the history was not made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PastError {
    #[error("the store can't be read")]
    Store(#[from] StoreError),
    #[error("the thread of the past can't begin")]
    Runtime(#[source] std::io::Error),
    #[error("the service of the past can't be built")]
    Build(#[from] BuildError),
    #[error("a step of the past failed")]
    Step(#[from] Error),
    #[error("the past ended before its time")]
    Ended(#[from] tokio::task::JoinError),
    #[error("an invented site is not formed as sites are")]
    Site(#[source] AnyError),
    #[error("a check of the past came out otherwise than was meant")]
    Scan,
    #[error("the history can't be moved into the store")]
    Move(#[from] TransferError),
    #[error(transparent)]
    Team(#[from] Box<DemoError>),
}

/// Fills a store with the demo team and its history, and returns whether it has done so: a store with anything in it stays as it is.
pub(crate) async fn fill(chosen: &ChosenStore) -> Result<bool, PastError> {
    let now = chosen.store().now().await?;
    // Every store that was served has plans.
    if !chosen.store().plans().await?.is_empty() {
        return Ok(false);
    }
    let moved = tokio::task::spawn_blocking(move || unseen(live(now))).await??;
    match chosen.transfer().import(&mut moved.into_source()).await {
        Ok(()) => Ok(true),
        // Of servers that start together, another one came first.
        Err(TransferError::NotEmpty(_)) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Runs this to its end on a thread, so that nothing of it is logged or counted: no check of this server is meant.
fn unseen<T>(past: impl Future<Output = Result<T, PastError>>) -> Result<T, PastError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(PastError::Runtime)?;
    tracing::subscriber::with_default(NoSubscriber::default(), || {
        metrics::with_local_recorder(&metrics::NoopRecorder, || runtime.block_on(past))
    })
}

/// Lives through the weeks until yesterday, and returns what there is then.
async fn live(now: DateTime<Utc>) -> Result<Moved, PastError> {
    let yesterday = now - TimeDelta::days(1);
    let week = |number: u32| yesterday - TimeDelta::weeks(i64::from(WEEKS - 1 - number));
    let clock = Past::at(week(0));
    let store = MemoryStore::with_clock(clock.clone());
    let service = Service::builder(store.clone()).with_clock(clock.clone()).with_resolver(NoNames);
    let service = service.without_sealing().build().await?;
    let key = ExternalKey::new(Demo::KEY).expect("the key of the demo team is a key");
    let team = service.operator().team_for(key, Demo::input(&service).await.map_err(Box::new)?).await?;
    let week_now = Arc::new(AtomicU32::new(0));
    let scanner = PastScanner { week: Arc::clone(&week_now) };
    let config = EngineConfig::default().with_workers(1).without_scheduler().without_retention();
    let engine = Engine::builder(&service).with_scanner(scanner).with_config(config).start();
    let mut added = vec![None; SITES.len()];
    for number in 0..WEEKS {
        clock.set(week(number));
        week_now.store(number, Ordering::Relaxed);
        for (site, added) in SITES.iter().zip(&mut added) {
            let Some(expected) = site.checked_in(number) else { continue };
            let scan = match added {
                Some(id) => team.start_scan(*id).await?.id,
                None => {
                    let input = SiteInput::parse(site.url).map_err(|error| PastError::Site(error.into()))?;
                    let name = SiteName::new(site.name).map_err(|error| PastError::Site(error.into()))?;
                    let tag = Tag::new(site.tag).map_err(|error| PastError::Site(error.into()))?;
                    let new = team.add_site(input.with_name(name).with_tags([tag])).await?;
                    *added = Some(new.site.id);
                    new.first_scan.ok_or(PastError::Scan)?
                }
            };
            if team.wait(scan).await?.into_result().is_ok() != expected.is_ok() {
                return Err(PastError::Scan);
            }
        }
    }
    engine.stop().await;
    clock.set(yesterday);
    let mut moved = Moved { next_scan_at: now + UNCHECKED_FOR, records: Vec::new() };
    store.export(&mut moved).await?;
    Ok(moved)
}

/// A clock that stands still until it is set.
#[derive(Debug, Clone)]
struct Past(Arc<Mutex<DateTime<Utc>>>);

impl Past {
    fn at(now: DateTime<Utc>) -> Self {
        Self(Arc::new(Mutex::new(now)))
    }

    fn set(&self, now: DateTime<Utc>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }
}

impl Clock for Past {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A resolver that knows no name: those of the sites lead nowhere.
#[derive(Debug)]
struct NoNames;

#[async_trait]
impl Resolver for NoNames {
    async fn resolve(&self, _: &str) -> Result<Vec<IpAddr>, ResolveError> {
        Err(ResolveError::NotFound)
    }
}

/// Finds what was there in a week.
struct PastScanner {
    week: Arc<AtomicU32>,
}

#[async_trait]
impl Scanner for PastScanner {
    async fn scan(
        &self,
        request: ScanRequest,
        progress: &dyn ProgressSink,
        _: CancellationToken,
    ) -> Result<ScanOutput, ScanError> {
        let week = self.week.load(Ordering::Relaxed);
        let site = SITES.iter().find(|site| site.url == request.start.as_str());
        let found =
            site.and_then(|site| site.checked_in(week)).ok_or_else(|| ScanError::Broken("no such site".into()))?;
        let findings = found.map_err(ScanError::Failed)?;
        let count = u32::try_from(findings.pages.len()).unwrap_or(u32::MAX);
        progress.progress(PageCounts::new(count, count));
        Ok(ScanOutput::new(findings))
    }
}

/// Records on their way from the store of the past.
struct Moved {
    records: Vec<Record>,
    /// The instant to which sites have their next check put off.
    next_scan_at: DateTime<Utc>,
}

#[async_trait]
impl RecordSink for Moved {
    async fn put(&mut self, record: Record) -> Result<(), TransferError> {
        self.records.push(match record {
            Record::Site(mut site) => {
                site.site.next_scan_at = self.next_scan_at;
                Record::Site(site)
            }
            other => other,
        });
        Ok(())
    }
}

impl Moved {
    fn into_source(self) -> Source {
        Source { records: self.records.into_iter().peekable(), given: Tally::default() }
    }
}

/// Gives records on.
struct Source {
    records: Peekable<std::vec::IntoIter<Record>>,
    given: Tally,
}

#[async_trait]
impl RecordSource for Source {
    async fn next(&mut self) -> Result<Option<Records>, TransferError> {
        let Some(record) = self.records.next() else { return Ok(None) };
        self.given.put(record.clone()).await?;
        Ok(Some(record.into()))
    }

    fn given(&self) -> Totals {
        self.given.totals()
    }
}
