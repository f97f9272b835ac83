//! Pictures.

use super::{StoreFactory, fixtures, world::World};
use crate::{
    domain::ScreenshotId,
    id::ScanId,
    scanner::{Screenshot, ScreenshotFormat},
    store::{Completion, Store},
};

pub(super) async fn pictures_come_back_byte_for_byte<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let claim = world.running(team, site).await;
    let screenshots = vec![
        fixtures::screenshot(u32::MAX, 1),
        fixtures::screenshot(0, 3_000_000),
        Screenshot { format: ScreenshotFormat::WebP, width: u32::MAX, height: 1, ..fixtures::screenshot(5, 256) },
        Screenshot { bytes: vec![0; 64], ..fixtures::screenshot(6, 0) },
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

pub(super) async fn a_picture_that_is_not_there_is_none<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let scan = world.completed(team, site).await;
    let nowhere = ScanId::generate(world.now());
    assert_eq!(world.store.screenshot(team, scan, ScreenshotId(1)).await.unwrap(), None);
    assert_eq!(world.store.screenshot(team, nowhere, ScreenshotId(7)).await.unwrap(), None);
    assert_eq!(world.store.screen(team, nowhere).await.unwrap(), None);
}

pub(super) async fn the_first_pages_picture_is_none_of_the_elements<S: Store>(factory: &impl StoreFactory<Store = S>) {
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

pub(super) async fn each_check_has_pictures_of_its_own<S: Store>(factory: &impl StoreFactory<Store = S>) {
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
