//! A process that is killed while it delivers: around the moment at which a receiver has responded, and again and
//! again.

use std::sync::Arc;

use a11ycheck_core::{
    domain::{AttemptReport, Delivery, DeliveryState, DeliveryStatus, EndpointSecret},
    id::EndpointId,
};
use a11ycheck_signing as signing;
use a11ycheck_tests::{QuickClock, Received, Receiver, Reply, TestTeam};
use tokio::sync::Semaphore;

use crate::support::{Cluster, Node, bounded, wait_for};

/// The factor of the clock: a minute of a lease is over in four seconds, which is long enough to catch a process that
/// is busy with an attempt.
const FACTOR: i32 = 15;

/// A cluster with one endpoint.
struct Drill {
    cluster: Cluster,
    receiver: Receiver,
    team: TestTeam,
    endpoint: EndpointId,
    secret: EndpointSecret,
}

impl Drill {
    async fn new(script: impl IntoIterator<Item = Reply>) -> Self {
        let (cluster, receiver) = (Cluster::new(Some(QuickClock::new(FACTOR))).await, Receiver::start(script).await);
        let team = cluster.team("Blue Team").await;
        let (endpoint, secret) = team.endpoint(receiver.url("/hook")).await;
        Self { cluster, receiver, team, endpoint, secret }
    }

    async fn node(&self) -> Node {
        Node::start(&self.cluster.settings).await
    }

    async fn ping(&self) -> Delivery {
        self.team.ping(self.endpoint).await
    }

    async fn delivery(&self, delivery: &Delivery) -> Delivery {
        let listed = self.team.deliveries(self.endpoint).await;
        listed.into_iter().find(|listed| listed.id == delivery.id).unwrap()
    }

    /// Waits until the delivery is recorded as received: after that no worker can claim it.
    async fn until_delivered(&self, delivery: &Delivery) -> Delivery {
        wait_for("the delivery to be recorded", async || {
            let now = self.delivery(delivery).await;
            (now.state.status() == DeliveryStatus::Delivered).then_some(now)
        })
        .await
    }

    /// Returns the requests that came in for the delivery, each verified.
    fn received(&self, delivery: &Delivery) -> Vec<Received> {
        let all = self.receiver.received();
        let of_delivery: Vec<_> =
            all.into_iter().filter(|request| request.header("Svc-Delivery") == delivery.id.to_string()).collect();
        for request in &of_delivery {
            let signature = request.header("Svc-Signature");
            let signed_at = signature.strip_prefix("t=").and_then(|rest| rest.split(',').next()).unwrap();
            let verified = signing::verify(self.secret.reveal(), signature, &request.body, signed_at.parse().unwrap());
            assert_eq!(verified, Ok(()));
        }
        of_delivery
    }

    /// Asserts that there is one repeat, the same as the first request except for the signature's time, and one attempt
    /// in the log.
    async fn assert_repeated_once(&self, delivery: &Delivery) {
        assert_eq!(self.until_delivered(delivery).await.state.attempts(), 1, "the repeat uses no attempt up");
        let received = self.received(delivery);
        let [first, repeat] = received.as_slice() else { panic!("one repeat, not {} requests", received.len()) };
        assert_eq!((&first.line, &first.body), (&repeat.line, &repeat.body), "byte for byte");
        assert_eq!(first.header("Svc-Event"), repeat.header("Svc-Event"));
        assert_ne!(first.header("Svc-Signature"), repeat.header("Svc-Signature"), "signed again");
        let log = self.team.attempts(delivery.id).await;
        assert_eq!(log.iter().map(|attempt| attempt.number).collect::<Vec<_>>(), [1]);
    }
}

#[tokio::test]
async fn an_answer_that_nobody_lived_to_read_leads_to_one_repeat_and_to_no_loss() {
    let gate = Arc::new(Semaphore::new(0));
    let drill = Drill::new([Reply::HeldBy(Arc::clone(&gate)), Reply::Status(204)]).await;
    let node = drill.node().await;
    let delivery = drill.ping().await;
    bounded("the first request", drill.receiver.wait_for(1)).await;
    // The response has arrived when the process stands still, which never gets to process it.
    node.pause().await;
    gate.add_permits(1);
    bounded("the answer to be sent", drill.receiver.wait_for_answers(1)).await;
    node.kill().await;
    assert_eq!(drill.delivery(&delivery).await.state.status(), DeliveryStatus::Pending, "it is not recorded");
    assert_eq!(drill.receiver.count(), 1);

    let _restarted = drill.node().await;
    drill.assert_repeated_once(&delivery).await;
}

#[tokio::test]
async fn an_answer_whose_recording_was_cut_off_leads_to_one_repeat_and_to_no_loss() {
    let gate = Arc::new(Semaphore::new(0));
    let drill = Drill::new([Reply::HeldBy(Arc::clone(&gate)), Reply::Status(204)]).await;
    let node = drill.node().await;
    let delivery = drill.ping().await;
    bounded("the first request", drill.receiver.wait_for(1)).await;
    // A node that records an attempt locks its endpoint first, and so waits for us.
    let mut lock = drill.cluster.db.begin().await.unwrap();
    sqlx::query("SELECT FROM endpoints FOR UPDATE").execute(&mut *lock).await.unwrap();
    let holder: i32 = sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(&mut *lock).await.unwrap();
    gate.add_permits(1);
    wait_for("the recording to begin", async || drill.cluster.is_waited_for(holder).await.then_some(())).await;
    node.kill().await;
    lock.rollback().await.unwrap();
    assert_eq!(drill.delivery(&delivery).await.state.status(), DeliveryStatus::Pending, "half a recording is none");

    let _restarted = drill.node().await;
    drill.assert_repeated_once(&delivery).await;
}

#[tokio::test]
async fn what_was_recorded_is_never_sent_again() {
    let drill = Drill::new([Reply::Status(204)]).await;
    let node = drill.node().await;
    let delivery = drill.ping().await;
    drill.until_delivered(&delivery).await;
    node.kill().await;

    let _restarted = drill.node().await;
    // Due deliveries are claimed in order, so every consequence of the first has come when the second is recorded.
    let second = drill.ping().await;
    drill.until_delivered(&second).await;
    assert_eq!((drill.received(&delivery).len(), drill.received(&second).len()), (1, 1));
    assert_eq!(drill.receiver.count(), 2);
}

#[tokio::test]
async fn a_delivery_that_takes_every_worker_down_goes_on_by_the_schedule_and_not_for_ever() {
    let gate = Arc::new(Semaphore::new(0));
    let held = Reply::HeldBy(Arc::clone(&gate));
    let drill = Drill::new([held.clone(), held.clone(), held, Reply::Status(204)]).await;
    let delivery = drill.ping().await;
    for tries in 1..=3 {
        let node = drill.node().await;
        bounded("the next try", drill.receiver.wait_for(tries)).await;
        node.kill().await;
        assert_eq!(drill.delivery(&delivery).await.state.attempts(), 0);
    }
    let _survivor = drill.node().await;
    assert_eq!(drill.until_delivered(&delivery).await.state.attempts(), 2);
    assert_eq!(drill.received(&delivery).len(), 4);
    let log = drill.team.attempts(delivery.id).await;
    assert_eq!(log[0].report, AttemptReport::WORKER_LOST);
    let wait = log[1].started_at - log[0].ended_at;
    assert!(wait >= DeliveryState::RETRY_SCHEDULE[0], "it waited for its turn: {wait}");
}
