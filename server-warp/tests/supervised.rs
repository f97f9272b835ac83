//! The server under a supervisor: systemd, which it notifies of its state, and a container's health check, which asks
//! it.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

use std::{os::unix::net::UnixDatagram, process::Stdio, time::Duration};

use a11ycheck_tests::wait_for;
use rustix::process::{Pid, Signal, kill_process};
use tokio::process::{Child, Command};

/// A server without workers, and the socket on which it reports its state.
struct Supervised {
    process: Child,
    notifications: UnixDatagram,
    folder: tempfile::TempDir,
}

impl Supervised {
    fn start(listen: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("notify");
        let notifications = UnixDatagram::bind(&socket).unwrap();
        notifications.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let process = Command::new(env!("CARGO_BIN_EXE_a11ycheck-server"))
            .args(["--memory", "--workers", "0", "--listen", listen, "--ready-file"])
            .arg(folder.path().join("ready.json"))
            .env("NOTIFY_SOCKET", socket)
            .env("WATCHDOG_USEC", "200000")
            .env_remove("WATCHDOG_PID")
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        Self { process, notifications, folder }
    }

    /// Returns the next notification, without line breaks at its ends.
    fn next(&self) -> String {
        let mut buffer = [0; 256];
        let length = self.notifications.recv(&mut buffer).expect("the server sends a notification");
        String::from_utf8_lossy(&buffer[..length]).trim().to_owned()
    }

    fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.process.id().unwrap()).unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
    }

    async fn address(&self) -> String {
        let file = self.folder.path().join("ready.json");
        let ready = wait_for("the ready file", async || std::fs::read(&file).ok()).await;
        let ready: serde_json::Value = serde_json::from_slice(&ready).unwrap();
        ready["listen"].as_str().unwrap().to_owned()
    }
}

#[tokio::test]
async fn systemd_is_notified_when_the_server_answers_that_it_gets_its_turns_and_that_it_stops() {
    let mut server = Supervised::start("127.0.0.1:0");
    assert_eq!(server.next(), "READY=1");
    assert!(
        server.folder.path().join("ready.json").exists(),
        "it was notified when requests were answered, not before"
    );
    assert_eq!(server.next(), "WATCHDOG=1");
    assert_eq!(server.next(), "WATCHDOG=1", "again and again");

    server.signal(Signal::TERM);
    while server.next() != "STOPPING=1" {}
    assert!(server.process.wait().await.unwrap().success());
}

#[tokio::test]
async fn a_health_check_without_curl_tells_a_server_that_works_from_one_that_does_not() {
    let server = Supervised::start("127.0.0.1:0");
    assert_eq!(server.next(), "READY=1");
    let address = server.address().await;
    let probe = async |question: &[&str]| {
        let mut probe = Command::new(env!("CARGO_BIN_EXE_a11ycheck-server"));
        let output = probe.args(["--listen", &address, "probe"]).args(question).output().await.unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert!(probe(&["alive"]).await.0);
    let (is_ready, said) = probe(&[]).await;
    assert!(is_ready, "{said}");

    drop(server);
    let (is_alive, said) = wait_for("the end of the server", async || {
        let answer = probe(&["alive"]).await;
        (!answer.0).then_some(answer)
    })
    .await;
    assert!(!is_alive && said.contains(&address) && said.contains("--listen"), "{said}");
}
