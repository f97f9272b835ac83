//! Webhooks delivered per second, compared with a bare loop of reqwest that sends the same requests to the same
//! receiver in the same process: the cost of the outbox, the judgement, the signature and the log.
//!
//! ```text
//! cargo bench -p a11ycheck-tests --bench deliveries
//! ```
//!
//! Prints both rates and their ratio, and the median of the ratios (goal: at least a half). Loopback and one machine:
//! the receiver works on the same processors.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark stops at what it did not expect, and prints")]

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use a11ycheck_api_v1::EventsV1;
use a11ycheck_core::{
    Engine, Service,
    engine::{Dispatcher, EngineConfig},
    net::{AddressPolicy, SystemResolver},
    sealing::Keyring,
    webhook::HttpSender,
};
use a11ycheck_storage_memory::MemoryStore;
use a11ycheck_tests::{Received, Receiver, Reply, TestTeam, http};
use tokio::{sync::Semaphore, task::JoinSet};

const ENDPOINTS: usize = 50;
const EACH: usize = 400;
const ROUNDS: usize = 7;

#[tokio::main]
async fn main() {
    println!("{} deliveries to {ENDPOINTS} endpoints, {ROUNDS} rounds", ENDPOINTS * EACH);
    let mut ratios = Vec::new();
    for _ in 0..ROUNDS {
        let (delivered, sample) = deliver().await;
        let bare = send_bare(&sample).await;
        println!("delivered {delivered:>7.0}/s   bare reqwest {bare:>7.0}/s   ratio {:.2}", delivered / bare);
        ratios.push(delivered / bare);
    }
    ratios.sort_by(f64::total_cmp);
    println!("median ratio {:.2}", ratios[ROUNDS / 2]);
}

fn rate(begun: Instant) -> f64 {
    f64::from(u32::try_from(ENDPOINTS * EACH).unwrap()) / begun.elapsed().as_secs_f64()
}

/// Returns the deliveries per second from the outbox to their record, and one of the requests.
async fn deliver() -> (f64, Received) {
    let receiver = Receiver::start([Reply::Status(204)]).await;
    let policy = AddressPolicy::builder().allow_network("127.0.0.0/8".parse().unwrap()).build();
    let sender = HttpSender::new(policy.clone(), Arc::new(SystemResolver::new()));
    let builder = Service::builder(MemoryStore::new()).with_event_writer(EventsV1).with_sealing(Keyring::ephemeral());
    let service = builder.with_policy(policy).build().await.unwrap();
    let mut team = None;
    for number in 0..ENDPOINTS {
        if number % 5 == 0 {
            team = Some(TestTeam::create(&service, format!("Team {number}"), "pro").await);
        }
        let team = team.as_ref().unwrap();
        let (endpoint, _) = team.endpoint(receiver.url(&format!("/{number}"))).await;
        for _ in 0..EACH {
            team.ping(endpoint).await;
        }
    }
    let begun = Instant::now();
    let config = EngineConfig::default().with_workers(0).without_scheduler().without_retention();
    let engine = Engine::builder(&service).with_sender(sender).with_config(config).start();
    receiver.wait_for(ENDPOINTS * EACH).await;
    // Waits for the records of the last ones, too.
    engine.stop().await;
    (rate(begun), receiver.received().swap_remove(0))
}

/// Returns the requests per second of a loop that does nothing else, with as many at once as the dispatcher has.
async fn send_bare(sample: &Received) -> f64 {
    let receiver = Receiver::start([Reply::Status(204)]).await;
    let client = http().no_proxy().timeout(Duration::from_secs(10)).build().unwrap();
    let at_once = Dispatcher::AT_ONCE.min(Dispatcher::PER_ENDPOINT * u32::try_from(ENDPOINTS).unwrap());
    let places = Arc::new(Semaphore::new(usize::try_from(at_once).unwrap()));
    let mut sending = JoinSet::new();
    let begun = Instant::now();
    for number in 0..ENDPOINTS * EACH {
        let place = Arc::clone(&places).acquire_owned().await.unwrap();
        let mut request = client.post(receiver.url(&format!("/{}", number % ENDPOINTS))).body(sample.body.clone());
        for (name, value) in &sample.headers {
            if !name.eq_ignore_ascii_case("host") && !name.eq_ignore_ascii_case("content-length") {
                request = request.header(name, value);
            }
        }
        sending.spawn(async move {
            let answer = request.send().await.unwrap();
            assert_eq!(answer.status(), 204);
            answer.bytes().await.unwrap();
            drop(place);
        });
    }
    sending.join_all().await;
    rate(begun)
}
