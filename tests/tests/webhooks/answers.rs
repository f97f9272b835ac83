//! The meaning of each kind of response, and its entry in the log.

use std::time::Duration;

use a11ycheck_core::{
    domain::{AttemptFailure, AttemptResult, DeliveryStatus},
    webhook::HttpSender,
};
use a11ycheck_tests::{Receiver, Reply};

use crate::hooks::Hooks;

async fn result(reply: Reply) -> AttemptResult {
    let receiver = Receiver::start([reply]).await;
    let hooks = Hooks::new().await;
    let (endpoint, _) = hooks.endpoint(&receiver.url("/hook")).await;
    let attempt = hooks.attempt(endpoint).await;
    assert_eq!(receiver.count(), 1, "one attempt is one request");
    let is_delivered = hooks.deliveries(endpoint).await[0].state.status() == DeliveryStatus::Delivered;
    assert_eq!(is_delivered, attempt.report.is_success());
    attempt.report.result
}

async fn answered(reply: Reply) -> (u16, String) {
    match result(reply).await {
        AttemptResult::Answered { status, excerpt } => (status, excerpt.as_str().to_owned()),
        AttemptResult::Failed(failure) => panic!("{failure}"),
    }
}

async fn failed(reply: Reply) -> AttemptFailure {
    match result(reply).await {
        AttemptResult::Failed(failure) => failure,
        AttemptResult::Answered { status, .. } => panic!("{status}"),
    }
}

#[test]
fn a_receiver_has_the_contracts_ten_seconds() {
    assert_eq!(HttpSender::TIMEOUT, Duration::from_secs(10));
}

#[tokio::test]
async fn a_status_is_logged_with_the_beginning_of_its_text() {
    assert_eq!(answered(Reply::Status(200)).await, (200, "Answered with 200.".to_owned()));
    assert_eq!(answered(Reply::Status(204)).await, (204, String::new()));
    for status in [404, 410, 429, 500, 503] {
        assert_eq!(answered(Reply::Status(status)).await, (status, format!("Answered with {status}.")));
    }
    let (status, text) = answered(Reply::Body(vec![0xff; 100_000])).await;
    assert_eq!((status, text.len()), (200, 1023), "341 replacement characters of three bytes");
}

#[tokio::test]
async fn a_redirect_is_an_answer_and_its_target_is_not_visited() {
    let target = Receiver::start([Reply::Status(200)]).await;
    assert_eq!(answered(Reply::Redirect(target.url("/elsewhere"))).await, (301, String::new()));
    assert_eq!(target.count(), 0);
}

#[tokio::test]
async fn a_receiver_that_takes_too_long_is_not_waited_for() {
    assert_eq!(failed(Reply::Hang).await, AttemptFailure::Timeout);
    assert_eq!(failed(Reply::SlowHead).await, AttemptFailure::Timeout);
}

#[tokio::test]
async fn a_2xx_counts_however_long_its_body_goes_on() {
    let (status, text) = answered(Reply::SlowBody).await;
    assert!(status == 200 && text.chars().all(|c| c == 'x'), "{text}");
    let (status, text) = answered(Reply::Huge).await;
    assert_eq!((status, text.len()), (200, 1024));
}

#[tokio::test]
async fn a_connection_that_breaks_off_is_no_answer() {
    for reply in [Reply::Reset, Reply::Close, Reply::Garbage] {
        assert_eq!(failed(reply.clone()).await, AttemptFailure::BrokenOff, "{reply:?}");
    }
}

#[tokio::test]
async fn nobody_listening_is_distinguished_from_a_response() {
    let receiver = Receiver::start([]).await;
    let hooks = Hooks::new().await;
    let (endpoint, _) = hooks.endpoint(&receiver.url("/")).await;
    drop(receiver);
    // The listener is closed by its task, which ends when it is polled next.
    tokio::task::yield_now().await;
    let attempt = hooks.attempt(endpoint).await;
    assert_eq!(attempt.report.result, AttemptResult::Failed(AttemptFailure::Connect));
}
