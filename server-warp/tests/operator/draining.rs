//! A server that is asked to stop while requests come in: through a proxy made by others, none is lost.

use std::{
    net::Ipv4Addr,
    path::PathBuf,
    process::Stdio,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use a11ycheck_tests::wait_for;
use serde_json::Value;
use tokio::process::{Child, Command};

use crate::support::{Database, Server, get, text};

/// A plan without limits that a test could reach.
const PLANS: &str = r#"
    [[plan]]
    code = "busy"
    name = "Busy"
    features = { api = true, exports = true, white_label = true, statement_drafts = true, acr_drafts = true }

    [plan.limits]
    sites = 100
    pages_per_check = 10
    check_frequency = "monthly"
    history_months = 12
    seats = 1
    manual_check_interval = "PT1H"
    requests_per_minute = 1000000
    files_per_minute = 1000000
"#;

/// nginx in front of servers, as Debian has it: it keeps its connections to them, and takes the next server if one
/// can't be reached or breaks off.
struct Nginx {
    process: Child,
    url: String,
    folder: tempfile::TempDir,
}

impl Nginx {
    async fn in_front_of(servers: &[&Server]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // An address of this test's own, on which no other program takes the port.
        let [a, b, c, _] = rand::random::<u32>().to_be_bytes();
        let address = format!("{}:8098", Ipv4Addr::new(127, a.max(1), b, c.clamp(1, 254)));
        let servers: String = servers
            .iter()
            .map(|server| {
                format!("server {} max_fails=1 fail_timeout=10s;\n", server.ready["listen"].as_str().unwrap())
            })
            .collect();
        let at = folder.path().display();
        let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .iter()
            .map(|kind| format!("{kind}_temp_path {at}/{kind};\n"))
            .collect();
        let config = format!(
            "daemon off;
             master_process off;
             pid {at}/pid;
             error_log {at}/error.log info;
             events {{ worker_connections 512; }}
             http {{
                 access_log off;
                 {temporary}
                 upstream servers {{
                     {servers}
                     keepalive 16;
                 }}
                 server {{
                     listen {address};
                     location / {{
                         proxy_pass http://servers;
                         proxy_http_version 1.1;
                         proxy_set_header Connection \"\";
                         proxy_set_header X-Forwarded-For $remote_addr;
                         proxy_next_upstream error timeout;
                     }}
                 }}
             }}"
        );
        let path = folder.path().join("nginx.conf");
        std::fs::write(&path, config).unwrap();
        let program = if std::path::Path::new("/usr/sbin/nginx").exists() { "/usr/sbin/nginx" } else { "nginx" };
        let mut process = Command::new(program)
            .arg("-e")
            .arg(folder.path().join("error.log"))
            .arg("-c")
            .arg(&path)
            .arg("-p")
            .arg(folder.path())
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("nginx is not installed: run the tests with `cargo xtask test`, which installs it, or `apt-get install nginx`");
        let url = format!("http://{address}");
        wait_for("nginx", async || {
            assert_eq!(process.try_wait().unwrap(), None, "nginx ended");
            tokio::net::TcpStream::connect(&address).await.ok()
        })
        .await;
        Self { process, url, folder }
    }

    /// Returns the path of its log, which names requests that it could not pass on.
    fn log(&self) -> PathBuf {
        self.folder.path().join("error.log")
    }

    async fn end(mut self) {
        self.process.kill().await.unwrap();
    }
}

/// The results of a load of requests through the proxy.
#[derive(Default)]
struct Load {
    answered: AtomicUsize,
    is_over: AtomicBool,
}

impl Load {
    /// Sends requests until it is over; every one must get a response from a server.
    async fn run(self: Arc<Self>, url: String, log: PathBuf, token: String, number: usize) {
        let client = reqwest::Client::new();
        while !self.is_over.load(Ordering::Relaxed) {
            // A proxy sends a request that changes nothing to another server again, and never a POST that it has sent.
            let (request, expected) = if number.is_multiple_of(2) {
                (client.get(format!("{url}/v1/account")), 200)
            } else {
                (client.post(format!("{url}/v1/sites")).body("{\"url\": \"no address\"}"), 422)
            };
            let answer = request.bearer_auth(&token).header("Content-Type", "application/json").send().await;
            let answer = answer.unwrap_or_else(|error| panic!("a request was lost: {error:?}"));
            let status = answer.status().as_u16();
            assert_eq!(status, expected, "{}", std::fs::read_to_string(&log).unwrap_or_default());
            self.answered.fetch_add(1, Ordering::Relaxed);
        }
    }

    async fn wait_for_more(&self, count: usize) {
        let until = self.answered.load(Ordering::Relaxed) + count;
        wait_for("requests to be answered", async || (self.answered.load(Ordering::Relaxed) >= until).then_some(()))
            .await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_behind_nginx_loses_no_request() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let database = Database::create().await;
    let plans = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(plans.path(), PLANS).unwrap();
    database.admin_json(&["plan", "put", plans.path().to_str().unwrap()]).await;
    let team = database.admin_json(&["team", "create", "--name", "Blue", "--plan", "busy"]).await;
    let token = database.admin_json(&["token", "create", team["id"].as_str().unwrap(), "--name", "CI"]).await;
    let token = token["token"].as_str().unwrap();
    let server = async || {
        let arguments = ["--database-url", &database.url, "--roles", "api", "--trust-proxy", "127.0.0.0/8"];
        // Ended by a second signal, when the test has seen what it needs.
        Server::start(&[&arguments[..], &["--drain-delay", "3600"]].concat()).await
    };
    let (first, second) = (server().await, server().await);
    let nginx = Nginx::in_front_of(&[&first, &second]).await;
    let load = Arc::new(Load::default());
    let running: Vec<_> = (0..8)
        .map(|number| tokio::spawn(Arc::clone(&load).run(nginx.url.clone(), nginx.log(), token.to_owned(), number)))
        .collect();
    load.wait_for_more(200).await;

    let (ready, account) = (first.url("/readyz"), first.url("/v1/account"));
    first.ask_to_stop();
    let (status, body) = wait_for("the server not to be ready", async || {
        let (status, _, body) = get(&ready, None).await;
        (status != 200).then_some((status, body))
    })
    .await;
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, body["status"].as_str()), (503, Some("the server is stopping")));
    assert_eq!(get(&account, Some(token)).await.0, 200, "it still serves who has not heard of it");
    load.wait_for_more(200).await;
    first.ask_to_stop();
    let (_, log) = first.stopped().await;
    assert!(log.contains("Not ready any more") && !log.contains("Cut off requests"), "{log}");
    load.wait_for_more(200).await;
    load.is_over.store(true, Ordering::Relaxed);
    for client in running {
        tokio::time::timeout(Duration::from_secs(60), client).await.expect("it ends").unwrap();
    }
    nginx.end().await;
    second.ask_to_stop();
    let ready = second.url("/readyz");
    wait_for("the other server to hear of it", async || (get(&ready, None).await.0 == 503).then_some(())).await;
    second.stop().await;
    database.remove().await;
}

#[tokio::test]
async fn who_asks_twice_for_a_stop_does_not_wait_for_the_delay() {
    let server = Server::start(&["--memory", "--workers", "0", "--roles", "api,worker", "--drain-delay", "3600"]).await;
    server.ask_to_stop();
    let ready = server.url("/readyz");
    wait_for("the server not to be ready", async || (get(&ready, None).await.0 == 503).then_some(())).await;
    server.stop().await;
}

#[tokio::test]
async fn a_drain_delay_that_is_no_number_is_refused() {
    let mut server = Command::new(env!("CARGO_BIN_EXE_a11ycheck-server"));
    let output = server.args(["--drain-delay", "soon"]).output().await.unwrap();
    assert!(!output.status.success() && text(&output.stderr).contains("--drain-delay"));
}
