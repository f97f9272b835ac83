//! What must not be told.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex},
};

use a11ycheck_core::{
    Error, Service,
    engine::{Dispatcher, Sealing},
    scanner::ScriptedScanner,
};
use a11ycheck_storage_memory::MemoryStore;
use a11ycheck_tests::{Receiver, Reply, TestTeam};
use chrono::TimeDelta;
use tracing_subscriber::{filter::LevelFilter, util::SubscriberInitExt as _};

use crate::hooks::Hooks;

/// A log that is kept.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn no_secret_stands_in_the_log_however_much_it_tells_and_however_attempts_end() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_max_level(LevelFilter::TRACE).with_writer(move || writer.clone());
    let logging = subscriber.finish().set_default();
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
    let told = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(told.contains("An endpoint did not answer") && told.contains("TRACE"), "it tells much");
    // Many services know their callers by the path alone.
    for secret in [first.reveal(), second.reveal(), "whsec_", "open-sesame"] {
        assert_eq!(told.lines().find(|line| line.contains(secret)), None);
    }
}

#[tokio::test]
async fn without_a_sealing_key_an_endpoint_is_refused_rather_than_kept_in_the_clear() {
    let service = Service::builder(MemoryStore::new(), ScriptedScanner::default()).build().await.unwrap();
    let team = TestTeam::create(&service, "Blue Team", "agency").await;
    let refused = team.try_endpoint("https://93.184.215.14/hook").await;
    assert!(matches!(refused, Err(Error::NoSealingKey)), "{refused:?}");
    assert_eq!(team.endpoints().await, []);
    assert!(Dispatcher::new(service.clone()).is_none() && Sealing::new(service).is_none());
}
