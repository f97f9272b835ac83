//! The dispatcher as it runs beside a server.

use std::{sync::Arc, time::Duration};

use a11ycheck_core::{
    Engine, Service,
    domain::{AttemptFailure, AttemptResult, DeliveryStatus, PlanCode},
    engine::{Dispatcher, EngineConfig},
    net::SystemResolver,
    page::PageInput,
    scanner::ScriptedScanner,
    sealing::Keyring,
    service::{EndpointInput, TeamInput},
    webhook::{HttpSender, WebhookRequest, WebhookSender},
};
use a11ycheck_storage_memory::MemoryStore;
use a11ycheck_tests::{Receiver, Reply};

use crate::hooks::loopback;

#[tokio::test]
async fn stopping_waits_for_what_is_being_sent_and_begins_nothing() {
    let receiver = Receiver::start([Reply::SlowBody]).await;
    let sender = HttpSender::new(loopback(), Arc::new(SystemResolver::new())).with_timeout(Duration::from_secs(1));
    let builder = Service::builder(MemoryStore::new(), ScriptedScanner::default()).with_sealing(Keyring::ephemeral());
    let service = builder.with_policy(loopback()).with_sender(sender).build().await.unwrap();
    let team = service.create_team(TeamInput::new("Blue Team", PlanCode::new("pro"))).await.unwrap().id;
    let (endpoint, _) = service.create_endpoint(team, EndpointInput::new(receiver.url("/"))).await.unwrap();
    // A poll that never comes: what is made in this process is seen at once.
    let config = EngineConfig { poll: Duration::from_secs(3_600), ..EngineConfig::default() };
    let engine = Engine::start(&service, config);
    service.ping_endpoint(team, endpoint.id).await.unwrap();
    receiver.wait_for(1).await;
    engine.stop().await;
    let delivered = service.deliveries(team, endpoint.id, &PageInput::default()).await.unwrap();
    assert_eq!(delivered.items[0].state.status(), DeliveryStatus::Delivered);
    service.ping_endpoint(team, endpoint.id).await.unwrap();
    assert_eq!(receiver.count(), 1);
}

/// An embedder's sender that never comes back.
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
    let builder = Service::builder(MemoryStore::new(), ScriptedScanner::default()).with_sealing(Keyring::ephemeral());
    let service = builder.with_policy(loopback()).with_sender(Lost).build().await.unwrap();
    let team = service.create_team(TeamInput::new("Blue Team", PlanCode::new("pro"))).await.unwrap().id;
    let input = EndpointInput::new("http://127.0.0.1:9000/");
    let (endpoint, _) = service.create_endpoint(team, input).await.unwrap();
    let delivery = service.ping_endpoint(team, endpoint.id).await.unwrap();
    Dispatcher::new(service.clone()).unwrap().step().await.unwrap();
    let attempts = service.delivery_attempts(team, delivery.id).await.unwrap();
    assert_eq!(attempts[0].report.result, AttemptResult::Failed(AttemptFailure::Timeout));
}
