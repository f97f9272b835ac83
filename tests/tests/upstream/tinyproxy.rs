//! tinyproxy on loopback, with a login and a log.

use std::{path::PathBuf, process::Stdio};

use a11ycheck_core::net::UpstreamProxy;
use tokio::{
    net::{TcpListener, TcpStream},
    process::{Child, Command},
};

/// The credentials that it admits.
pub(crate) const CREDENTIALS: &str = "ann:secret";

/// The ports that it connects to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Ports {
    All,
    /// Only the port of HTTPS, as in many proxies.
    Secure,
}

/// A running tinyproxy, until it is dropped.
#[derive(Debug)]
pub(crate) struct Tinyproxy {
    address: String,
    log: PathBuf,
    _folder: tempfile::TempDir,
    _process: Child,
}

impl Tinyproxy {
    pub(crate) async fn start(ports: Ports) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        loop {
            // It can't be asked to choose a port. Another program may take this one meanwhile.
            let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
            let connect = if let Ports::Secure = ports { "ConnectPort 443\n" } else { "" };
            let settings = format!(
                "Port {}\nListen 127.0.0.1\nAllow 127.0.0.1\nTimeout 60\nMaxClients 100\nBasicAuth ann secret\n\
                 LogFile \"{}\"\nLogLevel Connect\n{connect}",
                free.port(),
                log.display(),
            );
            let file = folder.path().join("tinyproxy.conf");
            std::fs::write(&file, settings).unwrap();
            let mut process = Command::new("tinyproxy")
                .arg("-d")
                .arg("-c")
                .arg(&file)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .kill_on_drop(true)
                .spawn()
                .expect("tinyproxy, which `cargo xtask test` installs");
            while process.try_wait().unwrap().is_none() {
                if TcpStream::connect(free).await.is_ok() {
                    return Self { address: format!("http://{free}"), log, _folder: folder, _process: process };
                }
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
        }
    }

    /// Returns the upstream proxy with these credentials.
    pub(crate) fn with_credentials(&self, credentials: &str) -> UpstreamProxy {
        UpstreamProxy::new(&self.address).unwrap().with_credentials(credentials).unwrap()
    }

    /// Returns the targets that it was asked to connect to, in order.
    pub(crate) fn asked(&self) -> Vec<String> {
        let log = std::fs::read_to_string(&self.log).unwrap();
        let targets = log.lines().filter_map(|line| line.split_once(" CONNECT ")?.1.split(' ').next());
        targets.map(str::to_owned).collect()
    }
}
