//! Three nodes on one database, killed and paused at random while they check sites and deliver the results.

mod chaos;
mod demand;
mod verdict;

use std::{
    collections::{HashMap, HashSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::{Arc, Mutex},
    time::Duration,
};

use a11ycheck_core::{
    clock::Clock as _,
    domain::EventKind,
    id::{SiteId, TeamId},
};
use a11ycheck_signing as signing;
use a11ycheck_tests::{QuickClock, Received, Receiver, Reply};
use rand::{SeedableRng as _, rngs::StdRng};
use tokio::time::Instant;

use crate::support::{Cluster, audit, site, token, wait_for};

const TEAMS: usize = 5;
const SITES_PER_TEAM: usize = 12;
const CHECKS_PER_SITE: i64 = 5;
/// The factor of the clock: a minute of a lease is over in four seconds, which is long enough for a live node on a busy
/// machine, and short enough to wait for.
const FACTOR: i32 = 15;

/// An endpoint of the test.
struct Endpoint {
    team: TeamId,
    id: String,
    path: String,
    events: &'static [EventKind],
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn however_nodes_are_killed_each_check_ends_once_and_each_event_arrives() {
    let begun = Instant::now();
    let seed = std::env::var("A11YCHECK_CRASH_SEED").map_or_else(|_| rand::random(), |seed| seed.parse().unwrap());
    say(&format!("crash test: A11YCHECK_CRASH_SEED={seed}"));
    let clock = QuickClock::new(FACTOR);
    let mut cluster = Cluster::new(Some(clock)).await;
    cluster.settings.workers = 4;
    audit::install(&cluster.db).await;
    let secrets: Secrets = Arc::default();
    let (of_receiver, mut answers) = (Arc::clone(&secrets), Answers::default());
    let receiver = Receiver::by(move |request| {
        verify(request, &of_receiver, clock);
        answers.to(request)
    })
    .await;
    let (endpoints, sites) = create_teams(&cluster, &receiver, &secrets).await;

    let rng = StdRng::seed_from_u64(seed);
    let nodes = chaos::Nodes::start(&cluster.settings, 3).await;
    let demand = demand::Demand::new(&cluster.db, clock, &nodes);
    let faults = tokio::select! {
        () = demand.drive(sites) => nodes.restore().await,
        never = nodes.inject_faults(rng) => match never {},
    };
    // All checks have ended, and all nodes run: the remaining deliveries can be sent.
    wait_for("the last delivery to end", async || {
        let pending = "SELECT count(*) FROM deliveries WHERE state = 'pending'";
        let pending: i64 = sqlx::query_scalar(pending).fetch_one(&cluster.db).await.unwrap();
        (pending == 0).then_some(())
    })
    .await;
    let verdict = verdict::Verdict::reach(&cluster, &endpoints, &receiver.received()).await;
    say(&format!("crash test: {faults}; {demand}; {verdict}; took {:.1?}", begun.elapsed()));
    assert!(faults.kills > 0, "nothing was put to the test");
}

/// Secrets of endpoints by their path.
type Secrets = Arc<Mutex<HashMap<String, String>>>;

/// Creates teams with tokens, endpoints and sites. The first check of each site is queued.
async fn create_teams(
    cluster: &Cluster,
    receiver: &Receiver,
    secrets: &Secrets,
) -> (Vec<Endpoint>, Vec<(SiteId, String)>) {
    let (mut endpoints, mut sites) = (Vec::new(), Vec::new());
    for number in 0..TEAMS {
        let team = cluster.team(&format!("Team {number}")).await;
        let token = token(&team).await;
        let both: &[EventKind] = &EventKind::SELECTABLE;
        for (name, events) in [("all", both), ("new", &[EventKind::IssuesNew])] {
            let path = format!("/{number}/{name}");
            let (id, secret) = team.endpoint_for(receiver.url(&path), events).await;
            secrets.lock().unwrap().insert(path.clone(), secret.reveal().to_owned());
            endpoints.push(Endpoint { team: team.id(), id: id.to_string(), path, events });
        }
        for path in 0..SITES_PER_TEAM {
            sites.push((site(&team, &format!("{number}/{path}/")).await, token.clone()));
        }
    }
    (endpoints, sites)
}

/// Verifies a request as a receiver does, when it comes: the signature is valid and recent.
fn verify(request: &Received, secrets: &Secrets, clock: QuickClock) {
    let path = request.line.split(' ').nth(1).unwrap();
    let secret = secrets.lock().unwrap()[path].clone();
    let verified = signing::verify(&secret, request.header("Svc-Signature"), &request.body, clock.now().timestamp());
    assert_eq!(verified, Ok(()), "{request:?}");
}

/// The responses of the receiver: some deliveries are refused once, and those that are accepted take a moment.
#[derive(Default)]
struct Answers {
    seen: HashSet<String>,
}

impl Answers {
    fn to(&mut self, request: &Received) -> Reply {
        let id = request.header("Svc-Delivery");
        if self.seen.insert(id.to_owned()) && Self::refuses_at_first(id) {
            Reply::Status(503)
        } else {
            Reply::Late(Duration::from_millis(Self::drawn(id) % 200))
        }
    }

    fn refuses_at_first(delivery: &str) -> bool {
        Self::drawn(delivery).is_multiple_of(20)
    }

    fn drawn(delivery: &str) -> u64 {
        let mut hasher = DefaultHasher::new();
        delivery.hash(&mut hasher);
        hasher.finish()
    }
}

#[expect(clippy::print_stdout, reason = "the counts are what a reader of the test's output wants to know")]
fn say(line: &str) {
    println!("{line}");
}
