//! Checks of an unchanged site in a real browser, on a store that writes everything down: what is taken over is what is found.

use a11ycheck_api_v1::EventsV1;
use a11ycheck_core::{
    Engine, Service,
    clock::ManualClock,
    domain::{Depth, Findings, PlanCode, SiteInput},
    engine::{EngineParts, Step},
    id::SiteId,
    net::AddressPolicy,
    scanner::CancellationToken,
    sealing::Keyring,
    service::{TeamHandle, TeamInput},
    store::{FileStore as _, ScanStore as _},
};
use a11ycheck_scanner_chromium::{ChromiumConfig, ChromiumScanner, Reuse};
use a11ycheck_storage_sqlite::{SqliteConfig, SqliteStore};
use a11ycheck_tests::{Page, TestSite};
use chrono::{DateTime, TimeDelta, Utc};

const PATHS: [&str; 6] = ["/one", "/two", "/three", "/four", "/five", "/six"];

/// A site that stays as it is, and what checks it.
struct World {
    _site: TestSite,
    _folder: tempfile::TempDir,
    store: SqliteStore,
    clock: ManualClock,
    engine: EngineParts,
    team: TeamHandle,
    site: SiteId,
}

impl World {
    async fn new() -> Self {
        let page = |path: &'static str| {
            Page::html(format!(
                "<!doctype html><html lang=en><title>{path}</title><main><h1>{path}</h1>\
                 <p style='color: #999'>Words of {path}</p><img src=/same.svg width=9 height=9>\
                 <p style='background: linear-gradient(red, blue)'>Undecided</p><input value='jane@example.org'></main>"
            ))
        };
        let links: String = PATHS.iter().map(|path| format!("<a href={path}>{path}</a>, ")).collect();
        let home = format!("<!doctype html><html lang=en><title>Home</title><main><h1>Home</h1>{links}</main>");
        // Served as a page it is no picture, which is a part as any other.
        let same = ("/same.svg", Page::html("<svg xmlns='http://www.w3.org/2000/svg'/>"));
        let pages = PATHS.map(|path| (path, page(path))).into_iter().chain([("/", Page::html(home)), same]);
        let site = TestSite::start(pages).await;
        let folder = tempfile::tempdir().unwrap();
        let clock = ManualClock::at(DateTime::<Utc>::from_timestamp(1_811_851_200, 0).unwrap());
        let store = SqliteStore::open(SqliteConfig::new(folder.path().join("a.db"))).await.unwrap();
        let store = store.with_clock(clock.clone());
        let policy = AddressPolicy::builder().allow_network("127.0.0.0/8".parse().unwrap()).build();
        let builder = Service::builder(store.clone()).with_clock(clock.clone()).with_policy(policy.clone());
        let builder = builder.with_sealing(Keyring::ephemeral()).with_event_writer(EventsV1);
        let service = builder.build().await.unwrap();
        let team = service.operator().create_team(TeamInput::new("Team", PlanCode::AGENCY)).await.unwrap().id;
        let team = service.team(team).await.unwrap();
        let id = team.add_site(SiteInput::parse(&site.url("/")).unwrap()).await.unwrap().site.id;
        let scanner = ChromiumScanner::new(ChromiumConfig::new(policy).with_reuse(Reuse::On)).unwrap();
        let engine = Engine::builder(&service).with_scanner(scanner).build();
        Self { _site: site, _folder: folder, store, clock, engine, team, site: id }
    }

    /// Carries out the check that waits, and returns what was stored of it. Its pictures are all there.
    async fn check(&self) -> Findings {
        let worker = self.engine.worker().expect("it was given a scanner");
        assert_eq!(worker.step(&CancellationToken::new()).await.unwrap(), Step::Worked);
        let scan = self.store.latest_completed(self.team.id(), self.site).await.unwrap().expect("it has completed").id;
        let findings = self.store.findings(self.team.id(), scan).await.unwrap().unwrap();
        let pictures: Vec<_> =
            findings.items.iter().chain(&findings.undecided).filter_map(|item| item.screenshot).collect();
        assert!(!pictures.is_empty());
        for picture in pictures {
            let stored = self.store.screenshot(self.team.id(), scan, picture.id).await.unwrap().expect("it is kept");
            assert_eq!((stored.width, stored.height), (picture.width, picture.height));
        }
        findings
    }

    async fn check_after(&self, days: i64) -> Findings {
        self.clock.advance(TimeDelta::days(days));
        self.engine.scheduler().step().await.unwrap();
        self.check().await
    }
}

/// Returns findings without what tells a page that was taken over from one that was examined.
fn plain(findings: &Findings) -> Findings {
    let mut plain = findings.clone();
    plain.pages.iter_mut().for_each(|page| (page.looked_at, page.picture) = (None, None));
    plain.items.iter_mut().chain(&mut plain.undecided).for_each(|item| item.screenshot = None);
    plain
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scheduled_check_takes_over_what_is_unchanged_and_finds_what_full_checks_find() {
    let world = World::new().await;
    let first = world.check().await;
    let all = PATHS.len();
    assert_eq!((first.pages_checked(), first.pages_taken_over()), (all + 1, 0));

    let second = world.check_after(2).await;
    assert_eq!(second.pages_taken_over(), all - 2, "all but the start page and a sample");
    assert_eq!(plain(&second), plain(&first));

    world.clock.advance(TimeDelta::hours(1));
    world.team.start_scan(world.site).await.unwrap();
    let by_hand = world.check().await;
    assert_eq!(by_hand.pages_taken_over(), 0, "somebody asked for it");
    assert_eq!(plain(&by_hand), plain(&first));

    world.clock.advance(TimeDelta::hours(1));
    world.team.start_scan_of(world.site, Depth::Incremental).await.unwrap();
    let only_changed = world.check().await;
    assert_eq!(only_changed.pages_taken_over(), all - 2, "somebody asked for only what has changed");
    assert_eq!(plain(&only_changed), plain(&first));

    let third = world.check_after(29).await;
    assert_eq!((third.pages_taken_over(), plain(&third)), (all - 2, plain(&first)));
    let fourth = world.check_after(2).await;
    assert_eq!((fourth.pages_taken_over(), plain(&fourth)), (0, plain(&first)), "the latest full one is too old");
}
