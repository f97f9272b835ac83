//! Objects that were deleted behind the server's back.

use crate::world::World;

/// Returns the addresses of the picture of the example and of the page.
async fn pictures(world: &World, scan: &str) -> [String; 2] {
    let report = world.report(scan).await;
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    [text(&report["groups"][0]["examples"][0]["shot"]), text(&report["screen"]["url"])]
}

#[tokio::test]
async fn a_lost_picture_is_404_and_the_pdf_is_made_without_it() {
    let world = World::start().await;
    let scan = world.completed().await;
    let pictures = pictures(&world, &scan).await;
    let (element, screen) = (world.object("/element-1").await, world.object("/screen-0").await);
    let kept = (world.s3.read(&element).await, world.s3.read(&screen).await);
    for name in [&element, &screen] {
        world.s3.delete(name).await;
    }
    for picture in &pictures {
        assert_eq!(world.client.get(picture).await.status, 404);
    }
    let pdf = format!("{scan}/pdf");
    for _ in 0..2 {
        let answer = world.client.get(&pdf).await;
        assert_eq!((answer.status, answer.media_type()), (200, "application/pdf"), "{}", answer.body);
    }
    // A file that lacks pictures is not kept: once they are restored, it is whole again.
    assert!(world.s3.names().await.iter().all(|name| !name.ends_with("/document")));
    world.s3.write(&element, kept.0).await;
    world.s3.write(&screen, kept.1).await;
    for picture in &pictures {
        assert_eq!(world.client.get(picture).await.status, 200);
    }
    assert_eq!(world.client.get(&pdf).await.status, 200);
    world.object("/document").await;
}

#[tokio::test]
async fn a_lost_pdf_is_rendered_again() {
    let world = World::start().await;
    let scan = world.completed().await;
    let pdf = format!("{scan}/pdf");
    let first = world.client.get(&pdf).await;
    world.s3.delete(&world.object("/document").await).await;
    let second = world.client.get(&pdf).await;
    assert_eq!((first.status, second.status), (200, 200), "{}", second.body);
    world.object("/document").await;
}
