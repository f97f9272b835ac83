//! An object store that goes away, or hangs, while a server works.

use std::time::Duration;

use a11ycheck_core::{
    domain::Lease,
    engine::Step,
    id::WorkerId,
    scanner::CancellationToken,
    store::{FileStore as _, QueueStore as _},
};
use a11ycheck_server_warp::{ServeLimits, health, serve};
use a11ycheck_tests::http;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::{bounded, world::World};

#[tokio::test]
async fn a_check_whose_pictures_can_not_be_stored_completes_in_its_first_attempt_without_them_and_says_so() {
    let world = World::start().await;
    let scan = world.queued().await;
    world.network.go_down();
    let worker = world.app.worker();
    let working = tokio::spawn(async move { worker.step(&CancellationToken::new()).await });
    while world.app.scanner.requests().is_empty() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // It takes longer than a lease lasts: no other worker is given the check meanwhile.
    bounded("the end of the check", async {
        while !working.is_finished() {
            assert_eq!(world.store.claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap(), None);
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    })
    .await;
    assert_eq!(working.await.unwrap().unwrap(), Step::Worked);
    world.assert_completed_without_pictures(&scan).await;
    // A PDF that can't be kept is not lost either.
    let pdf = world.client.get(&format!("{scan}/pdf")).await;
    assert_eq!((pdf.status, pdf.media_type()), (200, "application/pdf"), "{}", pdf.body);
}

#[tokio::test]
async fn a_worker_that_is_to_stop_keeps_the_result_without_its_pictures() {
    let world = World::start().await;
    let scan = world.queued().await;
    world.network.go_down();
    let (worker, stop) = (world.app.worker(), CancellationToken::new());
    let stopped = stop.clone();
    let working = tokio::spawn(async move { worker.step(&stopped).await });
    // It is known from the first failure.
    bounded("the first failure", async {
        while world.store_of_app_is_ready().await {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    })
    .await;
    stop.cancel();
    bounded("the worker to stop", working).await.unwrap().unwrap();
    world.assert_completed_without_pictures(&scan).await;
}

#[tokio::test]
async fn an_object_store_that_hangs_at_the_end_of_a_check_costs_neither_its_result_nor_its_pictures() {
    let world = World::start().await;
    let scan = world.queued().await;
    world.network.fall_silent();
    let worker = world.app.worker();
    let working = tokio::spawn(async move { worker.step(&CancellationToken::new()).await });
    bounded("a request to be lost", world.network.has_lost_something()).await;
    world.network.speak();
    bounded("the end of the check", working).await.unwrap().unwrap();
    assert_eq!(world.app.scanner.requests().len(), 1, "it was not made again");
    let report = world.report(&scan).await;
    assert_eq!(report["pictures_not_stored"], json!(false));
    let shot = report["groups"][0]["examples"][0]["shot"].as_str().unwrap().to_owned();
    assert_eq!(world.client.get(&shot).await.status, 200);
}

#[tokio::test]
async fn a_server_is_not_ready_while_its_object_store_is_away_and_is_again_afterwards() {
    let world = World::start().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/readyz", listener.local_addr().unwrap());
    let stop = CancellationToken::new();
    tokio::spawn(serve(
        listener,
        health(&world.app.service, world.app.engine.status(), &CancellationToken::new()),
        ServeLimits::default(),
        stop.clone().cancelled_owned(),
    ));
    let client = http().build().unwrap();
    let until = async |status: u16| {
        let asked = async {
            loop {
                let answer = client.get(&url).send().await.unwrap();
                if answer.status() == status {
                    return answer.json::<Value>().await.unwrap();
                }
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        };
        bounded(&format!("{status} at /readyz"), asked).await
    };
    assert_eq!(until(200).await, json!({"status": "ready"}));
    world.network.go_down();
    assert_eq!(until(503).await, json!({"status": "files can't be kept"}));
    world.network.come_up();
    until(200).await;
    stop.cancel();
}

impl World {
    async fn store_of_app_is_ready(&self) -> bool {
        self.store.files_ready().await.is_ok()
    }
}
