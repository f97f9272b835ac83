//! The schedule of attempts, and the switching off of endpoints.

use a11ycheck_core::{
    clock::Clock as _,
    domain::{DeliveryState, DeliveryStatus, EndpointStatus},
    engine::Step,
};
use a11ycheck_signing as signing;
use a11ycheck_tests::{Receiver, Reply};
use chrono::TimeDelta;

use crate::hooks::Hooks;

#[tokio::test]
async fn a_failing_delivery_is_sent_six_times_with_one_id_the_same_bytes_and_a_fresh_signature() {
    let receiver = Receiver::start([Reply::Status(500)]).await;
    let hooks = Hooks::new().await;
    let (endpoint, secret) = hooks.endpoint(&receiver.url("/hook?team=blue")).await;
    let delivery = hooks.ping(endpoint).await;
    let start = hooks.clock.now();
    let mut due = start;
    for (number, step) in [1, 5, 30, 120, 360, 100_000].into_iter().enumerate() {
        hooks.clock.set(due - TimeDelta::microseconds(1));
        hooks.dispatch().await;
        assert_eq!(receiver.count(), number, "not a microsecond early");
        hooks.clock.set(due);
        hooks.dispatch().await;
        assert_eq!(receiver.count(), number + 1);
        due += TimeDelta::minutes(step);
    }
    hooks.clock.set(due);
    hooks.dispatch().await;

    let received = receiver.received();
    assert_eq!(received.len(), 6, "six attempts in total");
    let body = &received[0].body;
    let steps = [0, 60, 360, 2_160, 9_360, 30_960];
    for (request, seconds) in received.iter().zip(steps) {
        assert_eq!(request.line, "POST /hook?team=blue HTTP/1.1");
        assert_eq!(request.header("Svc-Event"), "ping");
        assert_eq!(request.header("Svc-Delivery"), delivery.id.to_string());
        assert_eq!(request.header("Content-Type"), "application/json");
        let agent = format!("a11ycheck/{} (+https://a11y.example.com/v1)", env!("CARGO_PKG_VERSION"));
        assert_eq!(request.header("User-Agent"), agent);
        assert_eq!(&request.body, body, "byte for byte");
        let sent_at = start.timestamp() + seconds;
        let signature = request.header("Svc-Signature");
        assert_eq!(signature, signing::sign(secret.reveal(), sent_at, body), "signed again for each attempt");
        assert_eq!(signing::verify(secret.reveal(), signature, &request.body, sent_at), Ok(()));
    }
    assert_eq!(hooks.deliveries(endpoint).await[0].state.status(), DeliveryStatus::Failed);
    let numbers: Vec<u32> = hooks.log(&delivery).await.iter().map(|attempt| attempt.number).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6]);
}

#[tokio::test]
async fn a_receiver_that_recovers_gets_what_it_missed_and_nothing_twice() {
    let receiver = Receiver::start([Reply::Reset, Reply::Status(503), Reply::Status(204)]).await;
    let hooks = Hooks::new().await;
    let (endpoint, _) = hooks.endpoint(&receiver.url("/")).await;
    hooks.ping(endpoint).await;
    for minutes in [1, 5, 30, 120] {
        hooks.dispatch().await;
        hooks.clock.advance(TimeDelta::minutes(minutes));
    }
    assert_eq!(receiver.count(), 3);
    let delivered = &hooks.deliveries(endpoint).await[0];
    assert_eq!((delivered.state.status(), delivered.state.attempts()), (DeliveryStatus::Delivered, 3));
}

#[tokio::test]
async fn an_endpoint_is_switched_off_by_the_twentieth_delivery_that_fails_and_on_by_hand() {
    let receiver = Receiver::start([Reply::Status(500)]).await;
    let hooks = Hooks::new().await;
    let (endpoint, _) = hooks.endpoint(&receiver.url("/")).await;
    for number in 1..=20 {
        hooks.ping(endpoint).await;
        for _ in 0..6 {
            assert!(hooks.endpoint_row(endpoint).await.status.is_on(), "delivery {number}");
            hooks.dispatch().await;
            hooks.clock.advance(TimeDelta::hours(6));
        }
    }
    assert!(!hooks.endpoint_row(endpoint).await.status.is_on());
    assert_eq!(receiver.count(), 120);
    assert!(hooks.team.try_ping(endpoint).await.is_err());
    hooks.checked_site().await;
    hooks.dispatch().await;
    assert_eq!(receiver.count(), 120, "nothing is sent to it");

    assert_eq!(hooks.team.enable_endpoint(endpoint).await.status, EndpointStatus::ON);
    receiver.answers([Reply::Status(200)]);
    let last = hooks.deliveries(endpoint).await.swap_remove(0);
    assert_eq!(last.state.status(), DeliveryStatus::Failed);
    let again = hooks.team.resend(last.id).await;
    hooks.dispatch().await;
    let received = receiver.received();
    assert_eq!(received[120].body, received[119].body, "the same event");
    assert_eq!(received[120].header("Svc-Delivery"), again.id.to_string());
    assert_ne!(again.id, last.id);
}

#[tokio::test]
async fn a_restart_repeats_nothing_that_was_recorded_and_forgets_nothing() {
    let receiver = Receiver::start([Reply::Status(204), Reply::Status(500), Reply::Status(204)]).await;
    let hooks = Hooks::new().await;
    let (endpoint, _) = hooks.endpoint(&receiver.url("/")).await;
    hooks.ping(endpoint).await;
    hooks.dispatch().await;
    hooks.ping(endpoint).await;
    hooks.dispatch().await;
    // Another dispatcher, as after a restart: it knows only what the store keeps.
    let restarted = hooks.engine.dispatcher().unwrap();
    hooks.clock.advance(DeliveryState::RETRY_SCHEDULE[0]);
    while restarted.step().await.unwrap() == Step::Worked {}
    let ids: Vec<String> =
        receiver.received().iter().map(|request| request.header("Svc-Delivery").to_owned()).collect();
    assert_eq!(ids.len(), 3);
    assert!(ids[0] != ids[1] && ids[1] == ids[2], "{ids:?}");
}

#[tokio::test]
async fn a_crash_after_the_answer_repeats_the_attempt_and_costs_none() {
    let receiver = Receiver::start([Reply::SlowBody, Reply::Status(500), Reply::Status(204)]).await;
    let hooks = Hooks::new().await;
    let (endpoint, _) = hooks.endpoint(&receiver.url("/")).await;
    let delivery = hooks.ping(endpoint).await;
    let dispatcher = hooks.dispatcher.clone();
    let dying = tokio::spawn(async move { dispatcher.step().await });
    // The receiver has responded with 200; its body continues, so the end of the attempt is not recorded yet.
    receiver.wait_for(1).await;
    dying.abort();
    assert!(dying.await.unwrap_err().is_cancelled());
    hooks.clock.advance(TimeDelta::seconds(59));
    hooks.dispatch().await;
    assert_eq!(receiver.count(), 1, "it is the dead worker's for a minute");
    hooks.clock.advance(TimeDelta::seconds(1));
    hooks.dispatch().await;
    hooks.clock.advance(DeliveryState::RETRY_SCHEDULE[0]);
    hooks.dispatch().await;
    let received = receiver.received();
    assert_eq!(received.len(), 3);
    assert!(received.iter().all(|request| request.header("Svc-Delivery") == delivery.id.to_string()));
    let numbers: Vec<u32> = hooks.log(&delivery).await.iter().map(|attempt| attempt.number).collect();
    assert_eq!(numbers, [1, 2], "the one that was lost was the first");
}

#[tokio::test]
async fn the_log_reaches_back_thirty_days() {
    let receiver = Receiver::start([Reply::Status(204)]).await;
    let hooks = Hooks::new().await;
    let (endpoint, _) = hooks.endpoint(&receiver.url("/")).await;
    hooks.attempt(endpoint).await;
    let retention = hooks.engine.retention();
    for (days, kept) in [(30, 1), (1, 0)] {
        hooks.clock.advance(TimeDelta::days(days));
        retention.step().await.unwrap();
        assert_eq!(hooks.deliveries(endpoint).await.len(), kept);
    }
}
