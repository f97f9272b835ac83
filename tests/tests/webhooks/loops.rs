//! The dispatcher as it runs beside a server.

use std::{sync::Arc, time::Duration};

use a11ycheck_core::{
    Engine, Service,
    domain::{DeliveryStatus, PlanCode},
    engine::EngineConfig,
    net::SystemResolver,
    page::PageInput,
    scanner::ScriptedScanner,
    service::{EndpointInput, TeamInput},
    webhook::HttpSender,
};
use a11ycheck_storage_memory::MemoryStore;
use a11ycheck_tests::{Receiver, Reply};

use crate::hooks::loopback;

#[tokio::test]
async fn stopping_waits_for_what_is_being_sent_and_begins_nothing() {
    let receiver = Receiver::start([Reply::SlowBody]).await;
    let sender = HttpSender::new(loopback(), Arc::new(SystemResolver::new())).with_timeout(Duration::from_secs(1));
    let builder = Service::builder(MemoryStore::new(), ScriptedScanner::default());
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
