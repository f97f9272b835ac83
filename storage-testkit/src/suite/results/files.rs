//! Pictures and documents.

use a11ycheck_core::{
    domain::ScreenshotId,
    id::ScanId,
    locale::Locale,
    scanner::{Screenshot, ScreenshotFormat},
    store::{Completion, Document, DocumentKey, Store, StyleHash},
};

use crate::{
    StoreFactory,
    suite::{fixtures, world::World},
};

pub(crate) async fn pictures_come_back_byte_for_byte<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let claim = world.running(team, site).await;
    let screenshots = vec![
        fixtures::screenshot(u32::MAX, 1),
        fixtures::screenshot(0, 3_000_000),
        Screenshot::new(ScreenshotId(5), ScreenshotFormat::WebP, u32::MAX, 1, fixtures::screenshot(5, 256).bytes),
        Screenshot::new(ScreenshotId(6), ScreenshotFormat::Png, 320, 48, vec![0; 64]),
        fixtures::screenshot(7, 0),
    ];
    let screen = Some(fixtures::screenshot(8, 2_000_000));
    let completion = Completion { screenshots: screenshots.clone(), screen: screen.clone(), ..world.completion() };
    world.store.complete_scan(claim, completion).await.unwrap();
    for picture in screenshots {
        let kept = world.store.screenshot(team, claim.scan, picture.id).await.unwrap();
        assert!(kept.as_ref() == Some(&picture), "picture {:?}", picture.id);
    }
    assert!(world.store.screen(team, claim.scan).await.unwrap() == screen, "the first page");
}

pub(crate) async fn a_picture_that_is_not_there_is_none<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let scan = world.completed(team, site).await;
    let nowhere = ScanId::generate(world.now());
    assert_eq!(world.store.screenshot(team, scan, ScreenshotId(1)).await.unwrap(), None);
    assert_eq!(world.store.screenshot(team, nowhere, ScreenshotId(7)).await.unwrap(), None);
    assert_eq!(world.store.screen(team, nowhere).await.unwrap(), None);
}

pub(crate) async fn the_first_pages_picture_is_none_of_the_elements<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let claim = world.running(team, site).await;
    let (element, screen) = (fixtures::screenshot(3, 10), fixtures::screenshot(3, 20));
    let completion =
        Completion { screenshots: vec![element.clone()], screen: Some(screen.clone()), ..world.completion() };
    world.store.complete_scan(claim, completion).await.unwrap();
    assert_eq!(world.store.screenshot(team, claim.scan, ScreenshotId(3)).await.unwrap(), Some(element));
    assert_eq!(world.store.screen(team, claim.scan).await.unwrap(), Some(screen));

    let other = world.running(team, world.site(team).await).await;
    let completion =
        Completion { screenshots: vec![], screen: Some(fixtures::screenshot(3, 20)), ..world.completion() };
    world.store.complete_scan(other, completion).await.unwrap();
    assert_eq!(world.store.screenshot(team, other.scan, ScreenshotId(3)).await.unwrap(), None);
}

pub(crate) async fn each_check_has_pictures_of_its_own<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let (team, site) = world.team_and_site().await;
    let mut scans = Vec::new();
    for bytes in 1..=3 {
        let claim = world.running(team, site).await;
        let completion = Completion { screenshots: vec![fixtures::screenshot(1, bytes)], ..world.completion() };
        world.store.complete_scan(claim, completion).await.unwrap();
        scans.push((claim.scan, bytes));
    }
    for (scan, bytes) in scans {
        let kept = world.store.screenshot(team, scan, ScreenshotId(1)).await.unwrap();
        assert_eq!(kept, Some(fixtures::screenshot(1, bytes)));
    }
}

pub(crate) async fn a_document_comes_back_byte_for_byte_and_the_last_one_put_stays<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let scan = world.completed(team, site).await;
    let (english, german) = (DocumentKey::Report(Locale::En), DocumentKey::Report(Locale::De));
    let full = DocumentKey::FullReport(Locale::En);
    let large = fixtures::screenshot(0, 2_000_000).bytes;
    let large = Document { style: StyleHash([255; 16]), bytes: large };
    assert_eq!(world.store.document(team, scan, english).await.unwrap(), None);
    assert!(world.store.put_document(team, scan, english, document(vec![1])).await.unwrap());
    assert!(world.store.put_document(team, scan, english, large.clone()).await.unwrap());
    assert!(world.store.put_document(team, scan, german, document(vec![])).await.unwrap());
    assert!(world.store.put_document(team, scan, full, document(vec![2])).await.unwrap());
    assert_eq!(world.store.document(team, scan, english).await.unwrap(), Some(large), "the last one, with its look");
    assert_eq!(world.store.document(team, scan, german).await.unwrap(), Some(document(vec![])));
    assert_eq!(world.store.document(team, scan, full).await.unwrap(), Some(document(vec![2])), "a file of its own");
    assert_eq!(world.store.document(team, scan, DocumentKey::ConformanceReport(Locale::En)).await.unwrap(), None);
}

pub(crate) async fn a_document_is_kept_for_completed_checks_of_the_team_alone<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let key = DocumentKey::Report(Locale::Uk);
    let running = world.running(team, site).await;
    assert!(
        !world.store.put_document(team, running.scan, key, document(vec![1])).await.unwrap(),
        "it is still running"
    );
    world.store.complete_scan(running, world.completion()).await.unwrap();
    assert_eq!(world.store.document(team, running.scan, key).await.unwrap(), None);

    let stranger = world.team().await;
    assert!(!world.store.put_document(stranger, running.scan, key, document(vec![2])).await.unwrap());
    assert!(world.store.put_document(team, running.scan, key, document(vec![3])).await.unwrap());
    assert_eq!(world.store.document(stranger, running.scan, key).await.unwrap(), None);
    assert_eq!(world.store.document(team, running.scan, key).await.unwrap(), Some(document(vec![3])));
    let nowhere = ScanId::generate(world.now());
    assert!(!world.store.put_document(team, nowhere, key, document(vec![4])).await.unwrap());
}

pub(crate) async fn documents_go_with_their_check<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let scan = world.completed(team, site).await;
    let key = DocumentKey::Report(Locale::Cs);
    assert!(world.store.put_document(team, scan, key, document(vec![1])).await.unwrap());
    assert!(world.store.delete_site(team, site).await.unwrap());
    assert_eq!(world.store.document(team, scan, key).await.unwrap(), None);
    assert!(!world.store.put_document(team, scan, key, document(vec![2])).await.unwrap());
}

fn document(bytes: Vec<u8>) -> Document {
    Document { style: StyleHash([7; 16]), bytes }
}

pub(crate) async fn a_store_in_order_says_that_files_can_be_kept<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    world.store.files_ready().await.unwrap();
    let (team, site) = world.team_and_site().await;
    world.completed(team, site).await;
    world.store.files_ready().await.unwrap();
}
