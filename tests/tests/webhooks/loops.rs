//! The dispatcher as it runs beside a server.

use std::{sync::Arc, time::Duration};

use a11ycheck_core::{
    domain::{AttemptFailure, AttemptResult, DeliveryStatus},
    engine::EngineConfig,
    net::SystemResolver,
    webhook::{HttpSender, WebhookRequest, WebhookSender},
};
use a11ycheck_tests::{Receiver, Reply, TestTeam};

use crate::hooks::{loopback, sending_with};

#[tokio::test]
async fn stopping_waits_for_what_is_being_sent_and_begins_nothing() {
    let receiver = Receiver::start([Reply::SlowBody]).await;
    let sender = HttpSender::new(loopback(), Arc::new(SystemResolver::new())).with_timeout(Duration::from_secs(1));
    let (service, engine) = sending_with(sender).await;
    let team = TestTeam::create(&service, "Blue Team", "pro").await;
    let (endpoint, _) = team.endpoint(receiver.url("/")).await;
    // A poll that never comes: work made in this process is seen at once.
    let config = EngineConfig::default().with_workers(0).with_poll(Duration::from_secs(3_600));
    let engine = engine.with_config(config).start();
    team.ping(endpoint).await;
    receiver.wait_for(1).await;
    engine.stop().await;
    let delivered = team.deliveries(endpoint).await;
    assert_eq!(delivered[0].state.status(), DeliveryStatus::Delivered);
    team.ping(endpoint).await;
    assert_eq!(receiver.count(), 1);
}

/// An embedder's sender that never returns.
#[derive(Debug)]
struct Lost;

#[async_trait::async_trait]
impl WebhookSender for Lost {
    async fn send(&self, _: WebhookRequest) -> AttemptResult {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_sender_that_does_not_come_back_is_given_up_and_the_attempt_counts() {
    let (service, engine) = sending_with(Lost).await;
    let team = TestTeam::create(&service, "Blue Team", "pro").await;
    let (endpoint, _) = team.endpoint("http://127.0.0.1:9000/").await;
    let delivery = team.ping(endpoint).await;
    engine.build().dispatcher().unwrap().step().await.unwrap();
    let attempts = team.attempts(delivery.id).await;
    assert_eq!(attempts[0].report.result, AttemptResult::Failed(AttemptFailure::Timeout));
}
