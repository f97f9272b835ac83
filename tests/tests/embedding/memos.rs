//! What a check remembers for the next one of its site: who gets it, and what may be taken over.

use a11ycheck_core::{
    Engine, Service,
    clock::{Clock as _, ManualClock},
    domain::{Course, Depth, Impact, Memo, PlanCode, ScreenshotId, SiteInput},
    engine::{EngineParts, Step},
    id::{ScanId, SiteId, TeamId},
    net::StaticResolver,
    scanner::{CancellationToken, ScanRequest, Script, ScriptedScanner},
    service::{TeamHandle, TeamInput},
    store::{FileStore as _, QueueStore as _, ScanStore as _},
};
use a11ycheck_storage_memory::MemoryStore;
use chrono::{DateTime, TimeDelta, Utc};

const SITE: &str = "https://shop.example.com/";

/// A site whose first check is queued, and what checks it.
struct World {
    store: MemoryStore,
    clock: ManualClock,
    scanner: ScriptedScanner,
    engine: EngineParts,
    team: TeamHandle,
    site: SiteId,
}

impl World {
    async fn new(scripts: impl IntoIterator<Item = Script>) -> Self {
        let clock = ManualClock::at(DateTime::<Utc>::from_timestamp(1_811_851_200, 0).unwrap());
        let store = MemoryStore::with_clock(clock.clone());
        let resolver = StaticResolver::new().with("shop.example.com", ["93.184.216.34".parse().unwrap()]);
        let builder = Service::builder(store.clone()).with_clock(clock.clone()).with_resolver(resolver);
        let service = builder.build().await.unwrap();
        let team = service.operator().create_team(TeamInput::new("Team", PlanCode::AGENCY)).await.unwrap().id;
        let team = service.team(team).await.unwrap();
        let site = team.add_site(SiteInput::parse(SITE).unwrap()).await.unwrap().site.id;
        let scanner = ScriptedScanner::new(scripts);
        let engine = Engine::builder(&service).with_scanner(scanner.clone()).build();
        Self { store, clock, scanner, engine, team, site }
    }

    /// Carries out the check that waits.
    async fn check(&self) -> ScanId {
        let worker = self.engine.worker().expect("it was given a scanner");
        assert_eq!(worker.step(&CancellationToken::new()).await.unwrap(), Step::Worked);
        let scan = self.store.latest_completed(self.team_id(), self.site).await.unwrap().expect("it has completed");
        assert_eq!(scan.finished_at(), Some(self.clock.now()));
        scan.id
    }

    /// Carries out the next scheduled check, after so many days.
    async fn check_after(&self, days: i64) -> ScanId {
        self.clock.advance(TimeDelta::days(days));
        self.engine.scheduler().step().await.unwrap();
        self.check().await
    }

    /// Returns what the latest scan was asked for.
    fn asked(&self) -> ScanRequest {
        self.scanner.requests().pop().expect("there was a scan")
    }

    fn depth(&self) -> Option<Depth> {
        self.asked().earlier.map(|earlier| earlier.depth)
    }

    async fn memo(&self, scan: ScanId) -> Option<Memo> {
        self.store.memo(self.team_id(), self.site, scan).await.unwrap()
    }

    fn team_id(&self) -> TeamId {
        self.team.id()
    }
}

fn shop() -> Script {
    Script::page(SITE).and_page("https://shop.example.com/about").with_problem(
        "image-alt",
        Impact::Critical,
        "#logo",
        "<img id=logo>",
    )
}

#[tokio::test]
async fn a_scheduled_check_may_take_over_what_the_one_before_remembers_and_a_manual_one_may_not() {
    let world = World::new([shop().remembering(Course::Full, "first"), shop().remembering(Course::Full, "next")]).await;
    let first = world.check().await;
    assert!(world.asked().earlier.is_none(), "nothing was before it");
    let memo = world.memo(first).await.unwrap();
    assert_eq!((memo.full_at, memo.document.as_slice()), (world.clock.now(), b"first".as_slice()));

    let second = world.check_after(2).await;
    let earlier = world.asked().earlier.unwrap();
    assert_eq!((earlier.depth, &earlier.memo), (Depth::Incremental, &memo));
    assert_eq!(Some(&earlier.findings), world.store.findings(world.team_id(), first).await.unwrap().as_ref());

    world.team.start_scan(world.site).await.unwrap();
    world.clock.advance(TimeDelta::hours(1));
    world.check().await;
    assert_eq!(world.depth(), Some(Depth::Full));
    assert_eq!(world.memo(second).await, None, "a later check has completed");
}

#[tokio::test]
async fn a_manual_check_may_take_over_what_has_not_changed_where_somebody_asks_for_that() {
    let world = World::new([
        shop().remembering(Course::Full, "first"),
        shop().remembering(Course::Incremental, "second"),
        shop().remembering(Course::Full, "third"),
    ])
    .await;
    world.check().await;
    world.clock.advance(TimeDelta::hours(1));
    let queued = world.team.start_scan_of(world.site, Depth::Incremental).await.unwrap();
    assert_eq!(queued.depth, Depth::Incremental);
    world.check().await;
    assert_eq!(world.depth(), Some(Depth::Incremental));

    world.clock.advance(TimeDelta::days(30));
    world.team.start_scan_of(world.site, Depth::Incremental).await.unwrap();
    world.check().await;
    assert_eq!(world.depth(), Some(Depth::Full), "the latest full one is too old");
}

#[tokio::test]
async fn what_is_taken_over_is_stored_with_the_check_and_the_instant_of_its_look_stays() {
    let kept = || {
        Script::page(SITE)
            .and_page("https://shop.example.com/about")
            .taken_over()
            .with_problem("image-alt", Impact::Critical, "#logo", "<img id=logo>")
            .with_kept_picture(1)
            .remembering(Course::Incremental, "next")
    };
    let world = World::new([shop().with_pictures().remembering(Course::Full, "first"), kept()]).await;
    let first = world.check().await;
    let looked_at = world.clock.now();
    let second = world.check_after(2).await;

    let findings = world.store.findings(world.team_id(), second).await.unwrap().unwrap();
    assert_eq!(findings.pages.iter().map(|page| page.looked_at).collect::<Vec<_>>(), [None, Some(looked_at)]);
    assert_eq!(findings.items.len(), 1);
    assert!(!findings.items[0].is_new);
    let picture = async |scan, id| world.store.screenshot(world.team_id(), scan, ScreenshotId(id)).await.unwrap();
    let (before, after) = (picture(first, 1).await.unwrap(), picture(second, 1_001).await.unwrap());
    assert_eq!(before.bytes, after.bytes);
    assert_eq!(world.memo(second).await.unwrap().full_at, looked_at, "it was no full check");
}

#[tokio::test]
async fn checks_are_full_thirty_days_after_a_full_one_and_after_a_contradiction() {
    let scripts = [
        shop().remembering(Course::Full, "1"),
        shop().remembering(Course::Incremental, "2"),
        shop().remembering(Course::Full, "3"),
        shop().remembering(Course::Contradicted, "4"),
        shop().remembering(Course::Full, "5"),
        shop().remembering(Course::Full, "6"),
    ];
    let world = World::new(scripts).await;
    world.check().await;
    for (days, depth) in [
        (20, Depth::Incremental),
        (10, Depth::Full),
        (2, Depth::Incremental),
        (29, Depth::Full),
        (2, Depth::Incremental),
    ] {
        world.check_after(days).await;
        assert_eq!(world.depth(), Some(depth), "{days}");
    }
}
