//! Secrets that must not be logged.

use a11ycheck_core::{Engine, Error, Service};
use a11ycheck_storage_memory::MemoryStore;
use a11ycheck_tests::{Log, Receiver, Reply, TestTeam};
use chrono::TimeDelta;
use tracing_subscriber::filter::LevelFilter;

use crate::hooks::Hooks;

#[tokio::test]
async fn no_secret_is_in_the_log_however_detailed_it_is_and_however_attempts_end() {
    let (log, logging) = Log::of_this_thread(LevelFilter::TRACE);
    let replies = [Reply::Status(204), Reply::Status(500), Reply::Reset, Reply::Hang, Reply::Garbage];
    let receiver = Receiver::start(replies).await;
    let hooks = Hooks::new().await;
    let (endpoint, first) = hooks.endpoint(&receiver.url("/services/T0/open-sesame")).await;
    for _ in 0..3 {
        hooks.attempt(endpoint).await;
    }
    let second = hooks.team.rotate_secret(endpoint, TimeDelta::hours(1)).await;
    for _ in 0..2 {
        hooks.attempt(endpoint).await;
    }
    drop(logging);
    let logged = log.text();
    assert!(logged.contains("An endpoint did not answer") && logged.contains("TRACE"), "it is detailed");
    // Many services know their callers by the path alone.
    for secret in [first.reveal(), second.reveal(), "whsec_", "open-sesame"] {
        assert_eq!(logged.lines().find(|line| line.contains(secret)), None);
    }
}

#[tokio::test]
async fn without_a_sealing_key_an_endpoint_is_refused_rather_than_kept_in_the_clear() {
    let service = Service::builder(MemoryStore::new()).build().await.unwrap();
    let team = TestTeam::create(&service, "Blue Team", "agency").await;
    let refused = team.try_endpoint("https://93.184.215.14/hook").await;
    assert!(matches!(refused, Err(Error::NoSealingKey)), "{refused:?}");
    assert_eq!(team.endpoints().await, []);
    let engine = Engine::builder(&service).build();
    assert!(engine.dispatcher().is_none() && engine.sealing().is_none());
}
