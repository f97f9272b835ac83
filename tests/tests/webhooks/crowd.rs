//! Many endpoints, some of which do not answer.

use std::{sync::Arc, time::Duration};

use a11ycheck_core::{
    Engine, Service,
    domain::{DeliveryStatus, PlanCode, WebhookEndpoint},
    engine::EngineConfig,
    id::{EndpointId, TeamId},
    net::SystemResolver,
    page::PageInput,
    scanner::ScriptedScanner,
    sealing::Keyring,
    service::{EndpointInput, TeamInput},
    webhook::HttpSender,
};
use a11ycheck_storage_memory::MemoryStore;
use a11ycheck_tests::{Receiver, Reply};

use crate::hooks::loopback;

const ENDPOINTS: usize = 100;
const HANGING: usize = 10;
const EACH: usize = 100;

/// Deliveries to an endpoint, by status.
async fn count(service: &Service, (team, endpoint): (TeamId, EndpointId), status: DeliveryStatus) -> usize {
    let page = PageInput { page: None, per_page: Some("100".to_owned()) };
    let page = service.deliveries(team, endpoint, &page).await.unwrap();
    assert_eq!(page.total, EACH as u64);
    page.items.iter().filter(|delivery| delivery.state.status() == status).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ninety_endpoints_get_theirs_while_ten_do_not_answer() {
    // Long enough that the ten could not get through their queues while the ninety are served: 100 deliveries, 4 at a time.
    let timeout = Duration::from_secs(4);
    let sender = HttpSender::new(loopback(), Arc::new(SystemResolver::new())).with_timeout(timeout);
    let builder = Service::builder(MemoryStore::new(), ScriptedScanner::default()).with_sealing(Keyring::ephemeral());
    let service = builder.with_policy(loopback()).with_sender(sender).build().await.unwrap();
    let healthy = Receiver::start([Reply::Status(204)]).await;
    let hanging = Receiver::start([Reply::Hang]).await;
    let per_team = usize::try_from(WebhookEndpoint::MAX_PER_TEAM).unwrap();
    let mut endpoints = Vec::new();
    for first in (0..ENDPOINTS).step_by(per_team) {
        let team = TeamInput::new(format!("Team {first}"), PlanCode::new("pro"));
        let team = service.create_team(team).await.unwrap().id;
        for number in first..first + per_team {
            let receiver = if number < HANGING { &hanging } else { &healthy };
            let input = EndpointInput::new(receiver.url(&format!("/{number}")));
            endpoints.push((team, service.create_endpoint(team, input).await.unwrap().0.id));
        }
    }
    // The queues of those that hang are the oldest.
    for (team, endpoint) in &endpoints {
        for _ in 0..EACH {
            service.ping_endpoint(*team, *endpoint).await.unwrap();
        }
    }

    let engine = Engine::start(&service, EngineConfig { workers: 0, ..EngineConfig::default() });
    healthy.wait_for((ENDPOINTS - HANGING) * EACH).await;
    for endpoint in &endpoints[..HANGING] {
        assert_eq!(count(&service, *endpoint, DeliveryStatus::Pending).await, EACH, "nothing of the ten is lost");
    }
    engine.stop().await;
    assert_eq!(healthy.count(), (ENDPOINTS - HANGING) * EACH, "each delivery once");
    for endpoint in &endpoints[HANGING..] {
        assert_eq!(count(&service, *endpoint, DeliveryStatus::Delivered).await, EACH);
    }
    assert!(hanging.count() >= HANGING, "those that hang were tried as well");
}
