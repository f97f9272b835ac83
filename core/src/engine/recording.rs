//! Records the end of an attempt, also when the store is in trouble.

use std::{error::Error as StdError, time::Duration};

use super::pace::RetryBudget;
use crate::{
    domain::{AttemptReport, AttemptResult, DeliveryState},
    store::{ClaimedDelivery, RecordError, StoreError, WebhookStore},
};

/// The time for which recording the end of an attempt is tried: as long as no other worker can have claimed the delivery.
const LIMIT: Duration = Duration::from_secs(40);

/// Records the end of an attempt. If the store refuses it, nothing is left to do: another worker has the delivery, or it
/// was deleted.
///
/// # Errors
/// Those of the store, if they last. The attempt is then made again when its lease ends.
pub(super) async fn record(
    store: &(impl WebhookStore + Sync + ?Sized),
    delivery: &ClaimedDelivery,
    report: AttemptReport,
) -> Result<(), StoreError> {
    let (id, mut budget) = (delivery.claim.delivery, RetryBudget::of(LIMIT));
    loop {
        match store.record_attempt(delivery.claim, report.clone()).await {
            Ok(recorded) => {
                metrics::counter!("a11ycheck_webhook_attempts_total", "outcome" => recorded.state.status().as_str())
                    .increment(1);
                if let DeliveryState::Failed { .. } = recorded.state {
                    let (status, failure) = match &report.result {
                        AttemptResult::Answered { status, .. } => (Some(*status), None),
                        AttemptResult::Failed(failure) => (None, Some(failure.as_str())),
                    };
                    tracing::info!(delivery = %id, endpoint = %delivery.endpoint, status, failure, "A delivery failed every attempt");
                }
                return Ok(());
            }
            Err(RecordError::Gone) => {
                tracing::debug!(delivery = %id, "An endpoint was deleted while it was delivered to");
                return Ok(());
            }
            Err(RecordError::Refused(error)) => {
                tracing::warn!(delivery = %id, error = &error as &dyn StdError, "An attempt was not recorded: another worker has the delivery");
                return Ok(());
            }
            Err(RecordError::Store(StoreError::Unavailable(error))) => {
                tracing::warn!(delivery = %id, error = &*error as &dyn StdError, "The end of an attempt could not be recorded yet");
                if !budget.wait().await {
                    return Err(StoreError::Unavailable(error));
                }
            }
            Err(RecordError::Store(error)) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use chrono::{TimeDelta, Utc};
    use mockall::Sequence;
    use tokio::time::Instant;

    use super::*;
    use crate::{
        domain::{Delivery, DeliveryRefusal, EventKind, Excerpt, FencingToken, SiteUrl},
        engine::Dispatcher,
        id::{DeliveryId, EndpointId, EventId, TeamId},
        store::{DeliveryClaim, MockWebhookStore},
    };

    fn claimed() -> ClaimedDelivery {
        let now = Utc::now();
        ClaimedDelivery {
            claim: DeliveryClaim { delivery: DeliveryId::generate(now), token: FencingToken::FIRST },
            attempt: 1,
            started_at: now,
            endpoint: EndpointId::generate(now),
            url: SiteUrl::parse("https://hooks.example/a11y").unwrap(),
            secrets: vec![],
            event: EventId::generate(now),
            kind: EventKind::Ping,
            body: Bytes::new(),
        }
    }

    fn received() -> AttemptReport {
        let result = AttemptResult::Answered { status: 204, excerpt: Excerpt::default() };
        AttemptReport { duration: TimeDelta::milliseconds(5), result }
    }

    fn delivered(delivery: &ClaimedDelivery) -> Delivery {
        Delivery {
            id: delivery.claim.delivery,
            team: TeamId::generate(delivery.started_at),
            endpoint: delivery.endpoint,
            event: delivery.event,
            kind: delivery.kind,
            created_at: delivery.started_at,
            state: DeliveryState::Delivered { attempts: 1, finished_at: delivery.started_at },
        }
    }

    fn unavailable() -> RecordError {
        StoreError::Unavailable("the database restarts".into()).into()
    }

    #[tokio::test(start_paused = true)]
    async fn what_a_receiver_took_in_is_recorded_when_the_store_is_back_and_not_sent_again() {
        let (delivery, mut store, mut order) = (claimed(), MockWebhookStore::new(), Sequence::new());
        let expected = delivery.claim;
        store
            .expect_record_attempt()
            .withf(move |claim, report| (*claim, report) == (expected, &received()))
            .times(5)
            .in_sequence(&mut order)
            .returning(|_, _| Err(unavailable()));
        let recorded = delivered(&delivery);
        store
            .expect_record_attempt()
            .withf(move |claim, report| (*claim, report) == (expected, &received()))
            .once()
            .in_sequence(&mut order)
            .return_once(|_, _| Ok(recorded));
        let begun = Instant::now();
        record(&store, &delivery, received()).await.unwrap();
        let pauses = RetryBudget::FIRST_PAUSE * (1 + 2 + 4 + 8 + 16);
        assert!(begun.elapsed() >= pauses, "a store in trouble is not asked over and over: {:?}", begun.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn a_store_that_stays_away_is_asked_seldom_and_no_longer_than_the_attempt_is_ours() {
        let (delivery, mut store) = (claimed(), MockWebhookStore::new());
        store.expect_record_attempt().times(5..20).returning(|_, _| Err(unavailable()));
        let begun = Instant::now();
        let error = record(&store, &delivery, received()).await.unwrap_err();
        assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
        let all = Dispatcher::SENDER_LIMIT + begun.elapsed();
        assert!(
            all < Dispatcher::LEASE.to_std().unwrap(),
            "who takes the delivery next makes the attempt again: {all:?}"
        );
    }

    #[tokio::test]
    async fn what_another_worker_has_or_what_is_gone_is_let_go_of() {
        for error in [RecordError::Refused(DeliveryRefusal::LeaseLost), RecordError::Gone] {
            let mut store = MockWebhookStore::new();
            store.expect_record_attempt().once().return_once(|_, _| Err(error));
            record(&store, &claimed(), received()).await.unwrap();
        }
    }

    #[tokio::test]
    async fn what_can_not_be_read_is_told_and_not_tried_again() {
        let mut store = MockWebhookStore::new();
        let corrupt = StoreError::Corrupt { what: "deliveries 1".to_owned(), source: "odd".into() };
        store.expect_record_attempt().once().return_once(|_, _| Err(corrupt.into()));
        let error = record(&store, &claimed(), received()).await.unwrap_err();
        assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
    }
}
