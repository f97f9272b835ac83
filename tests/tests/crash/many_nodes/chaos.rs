//! Nodes that are killed, started again, and paused for longer than their leases last.

use std::{convert::Infallible, fmt, net::SocketAddr, time::Duration};

use a11ycheck_tests::NodeSettings;
use rand::{RngExt as _, rngs::StdRng};
use tokio::{
    sync::{Mutex, watch},
    time::{Instant, sleep},
};

use crate::support::Node;

/// The nodes, with the addresses of those that run.
pub(super) struct Nodes {
    settings: NodeSettings,
    count: usize,
    state: Mutex<State>,
    addresses: watch::Sender<Vec<SocketAddr>>,
}

struct State {
    running: Vec<Node>,
    /// A node that stands still, and the instant until which it does.
    paused: Option<(Node, Instant)>,
    faults: Faults,
}

/// The numbers of what was done to nodes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Faults {
    pub(super) kills: usize,
    pub(super) pauses: usize,
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} kills and {} pauses of 3 nodes", self.kills, self.pauses)
    }
}

impl Nodes {
    pub(super) async fn start(settings: &NodeSettings, count: usize) -> Self {
        let mut running = Vec::new();
        for _ in 0..count {
            running.push(Node::start(settings).await);
        }
        let state = Mutex::new(State { running, paused: None, faults: Faults::default() });
        let nodes = Self { settings: settings.clone(), count, state, addresses: watch::Sender::default() };
        nodes.announce(&*nodes.state.lock().await);
        nodes
    }

    /// Returns the address of a node that listens, or did a moment ago.
    pub(super) fn address(&self, number: usize) -> SocketAddr {
        let addresses = self.addresses.borrow();
        addresses[number % addresses.len()]
    }

    /// Kills and pauses one node after the other, without end.
    pub(super) async fn inject_faults(&self, mut rng: StdRng) -> Infallible {
        loop {
            sleep(Duration::from_millis(rng.random_range(150..900))).await;
            let mut state = self.state.lock().await;
            if let Some((node, _)) = state.paused.take_if(|(_, until)| *until <= Instant::now()) {
                node.resume();
                state.running.push(node);
            }
            let victim = rng.random_range(0..state.running.len());
            let victim = state.running.swap_remove(victim);
            if state.paused.is_none() && rng.random_ratio(1, 8) {
                victim.pause().await;
                state.faults.pauses += 1;
                // A lease lasts four seconds; some pauses outlast it, and some don't.
                let until = Instant::now() + Duration::from_millis(rng.random_range(2_000..7_000));
                state.paused = Some((victim, until));
            } else {
                victim.kill().await;
                state.faults.kills += 1;
                sleep(Duration::from_millis(rng.random_range(0..400))).await;
                state.running.push(Node::start(&self.settings).await);
            }
            self.announce(&state);
        }
    }

    /// Lets a paused node continue, replaces the node that was killed last, and returns what was done.
    pub(super) async fn restore(&self) -> Faults {
        let mut state = self.state.lock().await;
        if let Some((node, _)) = state.paused.take() {
            node.resume();
            state.running.push(node);
        }
        while state.running.len() < self.count {
            state.running.push(Node::start(&self.settings).await);
        }
        state.faults
    }

    fn announce(&self, state: &State) {
        self.addresses.send_replace(state.running.iter().map(|node| node.address).collect());
    }
}
