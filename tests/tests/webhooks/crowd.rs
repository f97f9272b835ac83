//! Many endpoints, some of which do not respond.

use std::{sync::Arc, time::Duration};

use a11ycheck_core::{
    domain::{DeliveryStatus, WebhookEndpoint},
    id::EndpointId,
    net::SystemResolver,
    webhook::HttpSender,
};
use a11ycheck_tests::{Receiver, Reply, TestTeam};

use crate::hooks::{loopback, sending_with};

const ENDPOINTS: usize = 100;
const HANGING: usize = 10;
const EACH: usize = 100;

/// Returns the number of deliveries to an endpoint with a status.
async fn count((team, endpoint): &(TestTeam, EndpointId), status: DeliveryStatus) -> usize {
    let deliveries = team.deliveries(*endpoint).await;
    assert_eq!(deliveries.len(), EACH);
    deliveries.iter().filter(|delivery| delivery.state.status() == status).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ninety_endpoints_get_theirs_while_ten_do_not_answer() {
    // Long enough that the ten could not work through their queues while the ninety are served: 100 deliveries, 4 at a
    // time.
    let timeout = Duration::from_secs(4);
    let sender = HttpSender::new(loopback(), Arc::new(SystemResolver::new())).with_timeout(timeout);
    let (service, engine) = sending_with(sender).await;
    let healthy = Receiver::start([Reply::Status(204)]).await;
    let hanging = Receiver::start([Reply::Hang]).await;
    let per_team = usize::try_from(WebhookEndpoint::MAX_PER_TEAM).unwrap();
    let mut endpoints = Vec::new();
    for first in (0..ENDPOINTS).step_by(per_team) {
        let team = TestTeam::create(&service, format!("Team {first}"), "pro").await;
        for number in first..first + per_team {
            let receiver = if number < HANGING { &hanging } else { &healthy };
            let (endpoint, _) = team.endpoint(receiver.url(&format!("/{number}"))).await;
            endpoints.push((team.clone(), endpoint));
        }
    }
    // The queues of those that hang are the oldest.
    for (team, endpoint) in &endpoints {
        for _ in 0..EACH {
            team.ping(*endpoint).await;
        }
    }

    let engine = engine.start();
    healthy.wait_for((ENDPOINTS - HANGING) * EACH).await;
    for endpoint in &endpoints[..HANGING] {
        assert_eq!(count(endpoint, DeliveryStatus::Pending).await, EACH, "nothing of the ten is lost");
    }
    engine.stop().await;
    assert_eq!(healthy.count(), (ENDPOINTS - HANGING) * EACH, "each delivery once");
    for endpoint in &endpoints[HANGING..] {
        assert_eq!(count(endpoint, DeliveryStatus::Delivered).await, EACH);
    }
    assert!(hanging.count() >= HANGING, "those that hang were tried as well");
}
