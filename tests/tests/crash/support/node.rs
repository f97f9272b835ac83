//! A process that can be killed.

use std::{net::SocketAddr, process::Stdio};

use a11ycheck_tests::NodeSettings;
use rustix::process::{Pid, Signal, kill_process};
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
};

use super::{bounded, wait_for};

/// A running node. It is killed when this is dropped.
pub(crate) struct Node {
    process: Child,
    /// The address on which it listens.
    pub(crate) address: SocketAddr,
}

impl Node {
    /// Starts a node, and returns when it serves.
    pub(crate) async fn start(settings: &NodeSettings) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_a11ycheck-test-node"))
            .arg(serde_json::to_string(settings).unwrap())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut said = BufReader::new(process.stdout.take().unwrap()).lines();
        let line = bounded("a node to serve", said.next_line()).await.unwrap();
        let address = line.expect("a node ended before it served: its error stands above").parse().unwrap();
        Self { process, address }
    }

    /// Returns the base address of the API.
    pub(crate) fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Kills it at once, without a chance to do anything before. Returns when it has ended.
    pub(crate) async fn kill(mut self) {
        self.process.start_kill().unwrap();
        self.process.wait().await.unwrap();
    }

    /// Stops the process. Returns when none of its threads runs any longer.
    pub(crate) async fn pause(&self) {
        self.signal(Signal::STOP);
        let tasks = format!("/proc/{}/task", self.process.id().unwrap());
        wait_for("a node to stand still", async || {
            let states = std::fs::read_dir(&tasks).unwrap().flatten().map(|task| {
                let status = std::fs::read_to_string(task.path().join("stat")).unwrap_or_default();
                // The state follows the name, which is in parentheses and may contain anything.
                status.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next())
            });
            states.into_iter().all(|state| state == Some('T')).then_some(())
        })
        .await;
    }

    /// Lets it continue as if nothing had happened.
    pub(crate) fn resume(&self) {
        self.signal(Signal::CONT);
    }

    fn signal(&self, signal: Signal) {
        // The process has not been waited for, so the number is still its own.
        let id = i32::try_from(self.process.id().unwrap()).unwrap();
        kill_process(Pid::from_raw(id).unwrap(), signal).unwrap();
    }
}
