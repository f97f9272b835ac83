//! Sites: adding, listing, the plan's limit.

use a11ycheck_core::{
    domain::{
        CheckFrequency, Depth, IsoDuration, NewSite, PlatformKey, Scan, ScanKind, ScanState, Site, SiteDetails,
        SiteInput, SiteName, StandardId, Standing, Tag, next_scan_at,
    },
    id::{ScanId, SiteId, TeamId},
    locale::Locale,
    paging::PageRequest,
    store::{AddSiteError, AddedOnce, Store},
};
use chrono::TimeDelta;

use crate::{
    StoreFactory,
    suite::{
        fixtures,
        world::{INSTANT, World},
    },
};

impl<S: Store> World<S> {
    /// Returns the team's sites from all pages of the list.
    async fn site_pages(&self, team: TeamId, tag: Option<&str>, per_page: u32) -> Vec<SiteId> {
        let mut ids = Vec::new();
        for number in 1.. {
            let request = PageRequest::new(number, per_page);
            let page = self.store.sites(team, tag, request).await.unwrap();
            assert_eq!(page.request, request);
            ids.extend(page.items.iter().map(|site| site.id));
            if u64::from(number) >= page.last_page() {
                assert_eq!(ids.len() as u64, page.total, "the pages together hold as many as they say");
                break;
            }
        }
        ids
    }
}

pub(crate) async fn a_site_reads_as_it_was_added<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let bare = |mut site: NewSite| {
        site.details.name = None;
        site.details.platform = None;
        site.details.stack.clear();
        site.details.tags.clear();
        site
    };
    for new in [
        fixtures::new_site("https://shop.example:8443/a/b?c=d&e", world.now()),
        bare(fixtures::new_site("http://[2001:db8::1]/", world.now())),
    ] {
        let expected = Site {
            id: new.id,
            team,
            details: new.details.clone(),
            next_scan_at: next_scan_at(new.id, CheckFrequency::Weekly, world.now()),
            created_at: world.now(),
        };
        assert_eq!(world.store.add_site(team, new.clone(), None).await.unwrap(), expected);
        world.advance(TimeDelta::days(1));
        assert_eq!(world.store.site(team, new.id).await.unwrap().as_ref(), Some(&expected));
        assert_eq!(world.listed(team, new.id).await, [], "no check was asked for");
    }
}

pub(crate) async fn a_first_check_is_queued_with_its_site<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let (new, id) = (fixtures::new_site("https://a.example", world.now()), ScanId::generate(world.now()));
    let site = world.store.add_site(team, new, Some(id)).await.unwrap();
    let expected = Scan {
        id,
        team,
        site: site.id,
        kind: ScanKind::Scheduled,
        pages_requested: 25,
        queued_at: world.now(),
        state: ScanState::Queued,
        express: false,
        depth: Depth::Incremental,
    };
    assert_eq!(world.store.scan(team, id).await.unwrap(), Some(expected));
    assert_eq!(world.claim().await.scan, id);
}

pub(crate) async fn a_site_of_no_team_is_not_added<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let nobody = TeamId::generate(world.now());
    let new = fixtures::new_site("https://a.example", world.now());
    let refused = world.store.add_site(nobody, new, Some(ScanId::generate(world.now()))).await;
    assert!(matches!(refused, Err(AddSiteError::NoTeam)), "{refused:?}");
    assert_eq!(world.store.sites(nobody, None, PageRequest::new(1, 50)).await.unwrap().total, 0);
    assert_eq!(world.try_claim().await, None, "nor is its check queued");
}

pub(crate) async fn a_team_has_the_plans_number_of_sites_and_no_more<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let team = world.team().await;
    for number in 0..5 {
        world.site_at(team, &format!("https://{number}.example")).await;
    }
    let (new, scan) = (fixtures::new_site("https://x.example", world.now()), ScanId::generate(world.now()));
    let id = new.id;
    let refused = world.store.add_site(team, new, Some(scan)).await;
    assert!(matches!(refused, Err(AddSiteError::LimitReached(5))), "{refused:?}");
    assert_eq!(world.store.site(team, id).await.unwrap(), None);
    assert_eq!(world.try_claim().await, None, "nor is its check queued");
    assert_eq!(world.usage(team).await.0, 5);
    let neighbour = world.team().await;
    world.site(neighbour).await;
}

pub(crate) async fn a_plan_without_sites_admits_none<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::plan_with(|limits| limits.sites = 0)).await;
    let team = world.team().await;
    let refused = world.store.add_site(team, fixtures::new_site("https://a.example", world.now()), None).await;
    assert!(matches!(refused, Err(AddSiteError::LimitReached(0))), "{refused:?}");
}

pub(crate) async fn a_changed_site_keeps_its_address_and_its_checks<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let site = world.site_at(team, "https://a.example").await;
    let neighbour = world.site_at(team, "https://b.example").await;
    let input = SiteInput::parse("https://other.example").unwrap().with_name(SiteName::new("Другий").unwrap());
    let input = input.with_report_locale(Locale::Uk).with_tags([Tag::new("x").unwrap(), Tag::new("y").unwrap()]);
    let input = input.with_stack([PlatformKey::new("vue")]).with_standard(StandardId::Wcag22Aa);
    let details = input.into_details().unwrap();
    let expected = SiteDetails { url: site.details.url.clone(), ..details.clone() };
    let changed = world.store.change_site(team, site.id, details.clone()).await.unwrap().unwrap();
    assert_eq!(changed, Site { details: expected, ..site.clone() });
    assert_eq!(world.store.site(team, site.id).await.unwrap(), Some(changed));
    assert_eq!(world.site_pages(team, Some("y"), 100).await, [site.id]);
    assert_eq!(world.store.site(team, neighbour.id).await.unwrap(), Some(neighbour));
    let bare = SiteInput::parse("https://a.example").unwrap().into_details().unwrap();
    let cleared = world.store.change_site(team, site.id, bare.clone()).await.unwrap().unwrap();
    assert_eq!(cleared.details, SiteDetails { url: site.details.url, ..bare });

    let stranger = world.team().await;
    assert_eq!(world.store.change_site(stranger, site.id, details.clone()).await.unwrap(), None);
    assert_eq!(world.store.change_site(team, SiteId::generate(world.now()), details).await.unwrap(), None);
    assert_eq!(world.store.site(team, site.id).await.unwrap().unwrap().details, cleared.details);
}

pub(crate) async fn a_deleted_site_makes_room_for_another<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::plan_with(|limits| limits.sites = 1)).await;
    let (team, site) = world.team_and_site().await;
    assert!(world.store.delete_site(team, site).await.unwrap());
    world.site(team).await;
}

pub(crate) async fn a_plan_of_fewer_sites_keeps_those_that_are_there<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let sites = [world.site_at(team, "https://a.example").await.id, world.site_at(team, "https://b.example").await.id];
    world.put_plan(fixtures::plan_with(|limits| limits.sites = 1)).await;
    assert_eq!(world.site_pages(team, None, 100).await, sites);
    assert!(world.store.delete_site(team, sites[0]).await.unwrap());
    let refused = world.store.add_site(team, fixtures::new_site("https://c.example", world.now()), None).await;
    assert!(matches!(refused, Err(AddSiteError::LimitReached(1))), "one is left, and that is all: {refused:?}");
}

pub(crate) async fn one_address_may_be_added_twice<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let mut sites = [world.site(team).await, world.site(team).await];
    sites.sort_unstable();
    assert_eq!(world.site_pages(team, None, 100).await, sites);
}

pub(crate) async fn a_taken_site_id_is_refused_and_changes_nothing<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, neighbour) = (world.team().await, world.team().await);
    let site = world.site_at(team, "https://a.example").await;
    let scan = world.start(team, site.id).await;
    let again = NewSite { id: site.id, ..fixtures::new_site("https://b.example", world.now()) };
    assert_matches!(world.store.add_site(neighbour, again, None).await, Err(AddSiteError::Store(_)));
    let new = fixtures::new_site("https://c.example", world.now());
    assert_matches!(world.store.add_site(neighbour, new, Some(scan)).await, Err(AddSiteError::Store(_)));
    assert_eq!(world.site_pages(neighbour, None, 100).await, [], "no half of it was added");
    assert_eq!(world.store.site(team, site.id).await.unwrap(), Some(site.clone()));
    assert_eq!(world.scan(team, scan).await.site, site.id);
}

pub(crate) async fn sites_are_listed_by_the_bytes_of_their_domain_then_id<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let team = world.team().await;
    let mut sites = Vec::new();
    for url in [
        "https://zebra.example/",
        "https://Apple.example/z",
        "https://bücher.example/",
        "https://магазин.example/",
        "https://apple-tart.example/",
        "https://apple.example/a",
        "http://apple.example:8080/",
        "https://apple2.example/",
        "https://a_b.example/",
        "https://10.example/",
        "https://9.example/",
        "http://[2001:db8::1]/",
        "http://192.0.2.1/",
        "https://www.apple.example/",
    ] {
        sites.push(world.site_at(team, url).await);
    }
    sites.sort_by(|one, other| {
        let key = |site: &Site| (site.details.url.domain().as_bytes().to_vec(), site.id);
        key(one).cmp(&key(other))
    });
    let expected: Vec<SiteId> = sites.iter().map(|site| site.id).collect();
    assert_eq!(world.site_pages(team, None, 100).await, expected);
    let listed = world.store.sites(team, None, PageRequest::new(1, 100)).await.unwrap().items;
    assert_eq!(listed, sites, "whole, as each reads by itself");
}

pub(crate) async fn pages_of_sites_skip_none_and_repeat_none<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let team = world.team().await;
    for number in 0..23 {
        world.site_at(team, &format!("https://{}.example", number % 5)).await;
    }
    let whole = world.site_pages(team, None, 100).await;
    assert_eq!(whole.len(), 23);
    for per_page in [1, 2, 5, 22, 23, 24] {
        assert_eq!(world.site_pages(team, None, per_page).await, whole, "{per_page} a page");
    }
}

pub(crate) async fn a_page_of_sites_beyond_the_end_is_empty_and_has_the_total<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, _) = world.team_and_site().await;
    for number in [2, u32::MAX] {
        let page = world.store.sites(team, None, PageRequest::new(number, 100)).await.unwrap();
        assert_eq!((page.items.len(), page.total, page.request.page()), (0, 1, number));
    }
    let nobody = TeamId::generate(world.now());
    assert_eq!(world.store.sites(nobody, None, PageRequest::new(1, 100)).await.unwrap().total, 0);
}

pub(crate) async fn a_tag_is_matched_whole_and_letter_by_letter<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let team = world.team().await;
    // Among them: letter case, parts of others, wildcards and quotes of query languages, and é in its two spellings.
    let tags = [
        "shop",
        "Shop",
        "shops",
        "sho",
        "%",
        "_hop",
        "*",
        "'; --",
        "\\",
        "{shop}",
        "café",
        "cafe\u{301}",
        "крамниця",
        "🛒",
    ];
    let mut ids = Vec::new();
    for (number, tag) in tags.iter().enumerate() {
        let site = fixtures::tagged(&format!("https://{number}.example"), &["all", tag], world.now());
        ids.push(world.add_site(team, site).await.id);
    }
    for (tag, id) in tags.iter().zip(&ids) {
        assert_eq!(world.site_pages(team, Some(tag), 100).await, [*id], "{tag}");
    }
    for tag in ["", "ALL", " all", "al", "КРАМНИЦЯ"] {
        assert_eq!(world.site_pages(team, Some(tag), 100).await, [], "{tag:?}");
    }
}

pub(crate) async fn a_tags_pages_are_those_of_its_sites_alone<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let team = world.team().await;
    for number in 0..10 {
        let tags: &[&str] = if number % 2 == 0 { &["even", "all"] } else { &["all"] };
        world.add_site(team, fixtures::tagged(&format!("https://{number}.example"), tags, world.now())).await;
    }
    for per_page in [1, 2, 3, 5] {
        assert_eq!(world.site_pages(team, Some("even"), per_page).await.len(), 5, "{per_page} a page");
    }
}

pub(crate) async fn a_site_that_is_added_once_is_the_one_that_is_there<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, stranger) = (world.team().await, world.team().await);
    let new = |url: &str| fixtures::new_site(url, world.now());
    let once =
        async |team, new: NewSite| world.store.add_site_once(team, new, Some(ScanId::generate(world.now()))).await;
    let first = new("https://shop.example/a?b=c");
    let AddedOnce::Added(site) = once(team, first.clone()).await.unwrap() else { panic!("it was not there") };
    assert_eq!((site.id, &site.details), (first.id, &first.details));
    assert_eq!(world.store.site(team, site.id).await.unwrap().as_ref(), Some(&site));
    assert_eq!(world.listed(team, site.id).await.len(), 1, "its first check is queued");
    let mut again = new("https://shop.example/a?b=c");
    again.details.name = Some("Another name".to_owned());
    assert_eq!(once(team, again).await.unwrap(), AddedOnce::Present(site.clone()));
    assert_eq!(world.store.queue_depth().await.unwrap().requested.checks, 1, "and nothing else");
    for url in ["https://shop.example/a?b=d", "https://shop.example/", "http://shop.example/a?b=c"] {
        assert!(matches!(once(team, new(url)).await.unwrap(), AddedOnce::Added(_)), "{url}");
    }
    let twice = world.site_at(team, "https://shop.example/a?b=c").await;
    let least = site.id.min(twice.id);
    let AddedOnce::Present(found) = once(team, new("https://shop.example/a?b=c")).await.unwrap() else {
        panic!("it is there twice")
    };
    assert_eq!(found.id, least);
    let refused = once(team, new("https://sixth.example/")).await;
    assert!(matches!(refused, Err(AddSiteError::LimitReached(5))), "{refused:?}");
    assert!(matches!(once(team, new("https://shop.example/")).await.unwrap(), AddedOnce::Present(_)), "none is added");
    assert!(matches!(once(stranger, new("https://shop.example/")).await.unwrap(), AddedOnce::Added(_)));
    let refused = once(TeamId::generate(world.now()), new("https://shop.example/")).await;
    assert!(matches!(refused, Err(AddSiteError::NoTeam)), "{refused:?}");
}

pub(crate) async fn a_site_is_failing_from_a_failed_check_until_one_completes<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let other = world.site_at(team, "https://other.example/").await.id;
    let is_failing = async || {
        let page = world.store.failing_sites(team, None, PageRequest::new(1, 10)).await.unwrap();
        assert_eq!(page.total, page.items.len() as u64);
        page.items.iter().any(|found| found.id == site)
    };
    assert!(!is_failing().await, "it has not been checked");
    world.completed(team, other).await;
    world.failed(team, site).await;
    assert!(is_failing().await);
    world.advance(TimeDelta::hours(2));
    let claim = world.running(team, site).await;
    assert!(is_failing().await, "a check that has not ended changes nothing");
    world.store.complete_scan(claim, world.completion()).await.unwrap();
    assert!(!is_failing().await);
    world.advance(TimeDelta::hours(2));
    world.failed(team, site).await;
    assert!(is_failing().await, "the one that ended last counts");
    world.advance(TimeDelta::days(100));
    assert!(!is_failing().await, "it has left the history");
    world.failed(team, site).await;
    world.store.delete_site(team, site).await.unwrap();
    assert!(!is_failing().await);
    let nobody = TeamId::generate(world.now());
    assert_eq!(world.store.failing_sites(nobody, None, PageRequest::new(1, 10)).await.unwrap().total, 0);
}

pub(crate) async fn failing_sites_are_listed_as_sites_are_by_tag_and_page<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, stranger) = (world.team().await, world.team().await);
    let mut expected = Vec::new();
    for (host, tag, fails) in
        [("c", "red", true), ("a", "blue", true), ("b", "red", false), ("d", "red", true), ("e", "blue", true)]
    {
        let mut new = fixtures::new_site(&format!("https://{host}.example/"), world.now());
        new.details.tags = vec![tag.to_owned()];
        let site = world.add_site(team, new).await;
        if fails {
            world.failed(team, site.id).await;
            expected.push((host, tag, site.id));
        } else {
            world.completed(team, site.id).await;
        }
    }
    let foreign = world.site(stranger).await;
    world.failed(stranger, foreign).await;
    expected.sort_unstable();
    for tag in [None, Some("red"), Some("blue"), Some("green")] {
        let wanted = expected.iter().filter(|(_, own, _)| tag.is_none_or(|tag| tag == *own));
        let wanted: Vec<_> = wanted.map(|(.., id)| *id).collect();
        let mut found = Vec::new();
        for number in 1..=4 {
            let page = world.store.failing_sites(team, tag, PageRequest::new(number, 2)).await.unwrap();
            assert_eq!(page.total, wanted.len() as u64, "{tag:?}, page {number}");
            found.extend(page.items.into_iter().map(|site| site.id));
        }
        assert_eq!(found, wanted, "{tag:?}");
    }
}

pub(crate) async fn usage_counts_sites_and_those_on_which_a_check_could_start<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    assert_eq!(world.usage(TeamId::generate(world.now())).await, (0, 0), "no such team");
    let team = world.team().await;
    assert_eq!(world.usage(team).await, (0, 0));
    let (one, _other) = (world.site(team).await, world.site(team).await);
    assert_eq!(world.usage(team).await, (2, 2));
    let claim = world.running(team, one).await;
    assert_eq!(world.usage(team).await, (2, 1), "a check is active");
    world.store.complete_scan(claim, world.completion()).await.unwrap();
    assert_eq!(world.usage(team).await, (2, 1), "its interval lasts");
    world.advance(TimeDelta::hours(1) - INSTANT);
    assert_eq!(world.usage(team).await, (2, 1));
    world.advance(INSTANT);
    assert_eq!(world.usage(team).await, (2, 2));

    world.put_plan(fixtures::plan_with(|limits| limits.manual_check_interval = IsoDuration::hours(2))).await;
    assert_eq!(world.usage(team).await, (2, 1), "the interval is that of the plan of now");
    let first_check = Some(ScanId::generate(world.now()));
    world.store.add_site(team, fixtures::new_site("https://c.example", world.now()), first_check).await.unwrap();
    assert_eq!(world.usage(team).await, (3, 1));
    world.claim().await;
    assert_eq!(world.usage(team).await, (3, 1));
    world.store.set_standing(team, Standing::Blocked).await.unwrap();
    world.advance(TimeDelta::hours(1));
    assert_eq!(world.usage(team).await, (3, 2), "whether the team is blocked is not judged");
}
