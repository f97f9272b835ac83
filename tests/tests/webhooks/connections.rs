//! Connections that are kept alive.

use a11ycheck_tests::{Receiver, Reply};

use crate::hooks::Hooks;

#[tokio::test]
async fn deliveries_in_a_row_go_over_one_connection() {
    let receiver = Receiver::start([Reply::Status(200)]).await;
    let hooks = Hooks::new().await;
    let (endpoint, _) = hooks.endpoint(&receiver.url("/")).await;
    for _ in 0..5 {
        hooks.attempt(endpoint).await;
    }
    let connections: Vec<usize> = receiver.received().iter().map(|request| request.connection).collect();
    assert_eq!(connections, [1; 5]);
}

#[tokio::test]
async fn a_long_answer_costs_its_connection_and_not_the_next_delivery() {
    let receiver = Receiver::start([Reply::Huge, Reply::Body(vec![b'x'; 3_000]), Reply::Status(200)]).await;
    let hooks = Hooks::new().await;
    let (endpoint, _) = hooks.endpoint(&receiver.url("/")).await;
    for _ in 0..3 {
        assert!(hooks.attempt(endpoint).await.report.is_success());
    }
    let connections: Vec<usize> = receiver.received().iter().map(|request| request.connection).collect();
    assert_eq!(connections, [1, 2, 2]);
}
