//! Several servers and commands on one database, each a process as an operator runs it: nobody changes by accident what
//! they share.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

use std::{
    path::PathBuf,
    process::{Output, Stdio},
    time::Duration,
};

use a11ycheck_core::{
    clock::{Clock as _, SystemClock},
    id::ScanId,
};
use a11ycheck_tests::{Client, Page, Receiver, Reply, SEALING_KEY, TestSite, database_url, ring, wait_for};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};
use tokio::process::{Child, Command};
use url::Url;

/// A database of its own on the server that `DATABASE_URL` names, where databases may be created.
struct Database {
    url: Url,
    name: String,
    folder: tempfile::TempDir,
}

impl Database {
    async fn create() -> Self {
        // In lower case, an id consists of letters, digits and underscores: nothing that needs quoting.
        let name = format!("a11ycheck_test_{}", ScanId::generate(SystemClock.now())).to_lowercase();
        server().await.execute(AssertSqlSafe(format!("CREATE DATABASE {name}"))).await.unwrap();
        let mut url = server_url();
        url.set_path(&name);
        Self { url, name, folder: tempfile::tempdir().unwrap() }
    }

    async fn drop(self) {
        server().await.execute(AssertSqlSafe(format!("DROP DATABASE {} WITH (FORCE)", self.name))).await.unwrap();
    }

    async fn execute(&self, statement: &str) {
        let mut db = PgConnection::connect(self.url.as_str()).await.unwrap();
        let statement = format!("SET search_path TO a11ycheck; {statement}");
        db.execute(AssertSqlSafe(statement)).await.unwrap();
    }

    /// Stores a failed check of 20 months ago.
    async fn old_check(&self, team: &str, site: &str) -> String {
        let id = ScanId::generate(SystemClock.now()).to_string();
        self.execute(&format!(
            "INSERT INTO scans (id, team_id, site_id, kind, pages_requested, queued_at, express, started_at, finished_at,
                 failure, pages_scanned)
             SELECT '{id}', '{team}', '{site}', 'manual', 25, at, false, at, at,
                 '{{\"code\": \"timeout\", \"message\": \"The page did not become ready in time.\"}}', 0
             FROM (SELECT now() - interval '20 months') AS long_ago (at);
             INSERT INTO retention (team_id, due_at) VALUES ('{team}', '-infinity')
             ON CONFLICT (team_id) DO UPDATE SET due_at = '-infinity'"
        ))
        .await;
        id
    }

    async fn wait_until_gone(&self, scan: &str) {
        let mut db = PgConnection::connect(self.url.as_str()).await.unwrap();
        wait_for("the purge", async || {
            let is_there = "SELECT EXISTS (SELECT FROM a11ycheck.scans WHERE id = $1)";
            let is_there: bool = sqlx::query_scalar(is_there).bind(scan).fetch_one(&mut db).await.unwrap();
            (!is_there).then_some(())
        })
        .await;
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_a11ycheck-server"));
        command
            .env("A11YCHECK_DATABASE_URL", self.url.as_str())
            .env("A11YCHECK_DATABASE_CONNECTIONS", "3")
            .env("A11YCHECK_SEALING_KEYS", SEALING_KEY)
            .env("TMPDIR", self.folder.path())
            .args(arguments)
            .stdin(Stdio::null())
            .kill_on_drop(true);
        command
    }

    /// Runs a command to its end.
    async fn output(&self, arguments: &[&str]) -> Output {
        let output = tokio::time::timeout(Duration::from_secs(120), self.command(arguments).output()).await;
        output.expect("it ends").unwrap()
    }

    /// Returns the output of an admin command as JSON, and its error output.
    async fn admin(&self, arguments: &[&str]) -> (Value, String) {
        let output = self.output(&[&["admin", "--json"], arguments].concat()).await;
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {message}");
        (serde_json::from_slice(&output.stdout).unwrap(), message)
    }

    /// Returns the error output of a command that must fail.
    async fn refusal(&self, arguments: &[&str]) -> String {
        let output = self.output(arguments).await;
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success(), "{arguments:?} was not refused: {message}");
        message
    }

    /// Creates a team on this plan, and a token for it.
    async fn team(&self, plan: &str) -> (String, String) {
        let (team, _) = self.admin(&["team", "create", "--name", "Blue Team", "--plan", plan]).await;
        let team = team["id"].as_str().unwrap().to_owned();
        let (token, _) = self.admin(&["token", "create", &team, "--name", "CI"]).await;
        (team, token["token"].as_str().unwrap().to_owned())
    }

    /// Writes a file with the shipped plans, of which `pro` has so many sites and months.
    fn plans(&self, sites: u32, months: u32) -> String {
        let shipped = include_str!("../../core/plans.toml");
        let at = shipped.find("code = \"pro\"").unwrap();
        let (before, pro) = shipped.split_at(at);
        let end = pro.find("[[plan]]").unwrap_or(pro.len());
        let (pro, after) = pro.split_at(end);
        let line = |line: &str| match line.split(" = ").next() {
            Some("sites") => format!("sites = {sites}"),
            Some("history_months") => format!("history_months = {months}"),
            _ => line.to_owned(),
        };
        let pro: Vec<String> = pro.lines().map(line).collect();
        let file = self.folder.path().join(format!("plans-{sites}-{months}.toml"));
        std::fs::write(&file, format!("{before}{}\n\n{after}", pro.join("\n"))).unwrap();
        file.to_str().unwrap().to_owned()
    }

    /// Starts a server, and waits until it is ready.
    async fn start(&self, arguments: &[&str]) -> Server {
        // An address of this machine's loopback that no other test has, so that the port is free.
        let host: [u8; 3] = rand::random();
        let address = format!("127.{}.{}.{}:8080", host[0], host[1], host[2].clamp(2, 250));
        let ready = self.folder.path().join(format!("ready-{address}.json"));
        let log = self.folder.path().join(format!("log-{address}"));
        let mut process = self
            .command(arguments)
            .args(["--listen", &address, "--ready-file"])
            .arg(&ready)
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(&log).unwrap())
            .spawn()
            .unwrap();
        let ready = wait_for("the ready file", async || {
            let ended = process.try_wait().unwrap();
            assert_eq!(ended, None, "{}", std::fs::read_to_string(&log).unwrap());
            std::fs::read(&ready).ok()
        });
        let ready: Value = serde_json::from_slice(&ready.await).unwrap();
        Server { process, ready, address, log }
    }
}

/// A running server.
struct Server {
    process: Child,
    ready: Value,
    /// The host and the port on which it listens.
    address: String,
    log: PathBuf,
}

impl Server {
    fn client(&self, token: &str) -> Client {
        Client::new(&format!("http://{}/v1", self.address), Some(token))
    }

    async fn stop(mut self) {
        let pid = Pid::from_raw(i32::try_from(self.process.id().unwrap()).unwrap()).unwrap();
        kill_process(pid, Signal::TERM).unwrap();
        let ended = tokio::time::timeout(Duration::from_secs(90), self.process.wait()).await;
        assert!(ended.expect("the server stops in time").unwrap().success());
    }
}

fn server_url() -> Url {
    database_url().parse().unwrap()
}

async fn server() -> PgConnection {
    PgConnection::connect(server_url().as_str()).await.unwrap()
}

async fn add_site(client: &Client) -> String {
    let site = json!({"url": "https://example.com", "report_locale": "en", "scan": false});
    client.post("/sites", site).await.data(201)["id"].as_str().unwrap().to_owned()
}

/// Returns the number of sites and the months of history that the account shows.
async fn limits(client: &Client) -> (u64, u64) {
    let account = client.get("/account").await;
    let limits = &account.data(200)["limits"];
    (limits["sites"].as_u64().unwrap(), limits["history_months"].as_u64().unwrap())
}

#[tokio::test]
async fn no_command_and_no_server_puts_other_plans_in_the_place_of_the_operators() {
    let database = Database::create().await;
    let plans = database.plans(77, 36);
    let api = database.start(&["--roles", "api", "--plans", &plans]).await;
    let (team, token) = database.team("pro").await;
    let client = api.client(&token);
    assert_eq!(limits(&client).await, (77, 36));
    let site = add_site(&client).await;
    // Another team, whose check shows that the purge has run.
    let (short_team, short_token) = database.team("starter").await;
    let short_site = add_site(&api.client(&short_token)).await;
    let purged = database.old_check(&short_team, &short_site).await;
    let old = database.old_check(&team, &site).await;
    let scan = format!("/scans/{old}");
    assert_eq!(client.get(&scan).await.status, 200);

    for command in [&["team", "list"][..], &["token", "list", &team], &["plan", "list"], &["setting", "list"]] {
        database.admin(command).await;
        assert_eq!(limits(&client).await, (77, 36), "after {command:?}");
    }
    // It purges when it starts.
    let other = database.start(&["--roles", "scheduler", "--base-url", "https://a11y.example.com/v1"]).await;
    database.wait_until_gone(&purged).await;
    assert_eq!(limits(&client).await, (77, 36), "after a server that was given no plans");
    assert_eq!(client.get(&scan).await.status, 200);

    let shorter = database.plans(50, 12);
    let (put, message) = database.admin(&["plan", "put", &shorter]).await;
    let pro = put.as_array().unwrap().iter().find(|plan| plan["code"] == "pro").unwrap();
    assert_eq!(pro["history_months_before"], 36, "{put}");
    assert!(pro["purges_nothing_before"].is_string(), "{put}");
    assert!(message.contains("became shorter"), "{message}");
    database.admin(&["plan", "list"]).await;
    assert_eq!(limits(&client).await, (50, 12), "what was put stays");
    assert_eq!(client.get(&scan).await.status, 404, "it is hidden");
    other.stop().await;
    let purged = database.old_check(&short_team, &short_site).await;
    let other = database.start(&["--roles", "scheduler"]).await;
    database.wait_until_gone(&purged).await;
    database.admin(&["plan", "put", &plans]).await;
    assert_eq!(client.get(&scan).await.status, 200, "put back, it has lost nothing");

    let message = database.refusal(&["admin", "plan", "delete", "pro"]).await;
    assert!(message.contains("1 team is on this plan"), "{message}");
    database.admin(&["plan", "delete", "free"]).await;
    for server in [other, api] {
        server.stop().await;
    }
    database.drop().await;
}

#[tokio::test]
async fn a_server_with_other_plans_does_not_start_and_one_without_takes_those_that_are_stored() {
    let database = Database::create().await;
    let message = database.refusal(&["admin", "team", "create", "--name", "Early", "--plan", "pro"]).await;
    assert!(message.contains("there is no plan `pro`"), "{message}");
    let (plans, _) = database.admin(&["plan", "list"]).await;
    assert_eq!(plans, json!([]), "commands store none");
    let first = database.start(&["--roles", "api", "--plans", &database.plans(77, 36)]).await;
    let other = database.plans(78, 36);
    let message = database.refusal(&["--roles", "api", "--listen", "127.0.0.1:0", "--plans", &other]).await;
    for part in ["`pro`", "limits.sites", "77", "78", "admin plan put"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    let (_, token) = database.team("pro").await;
    let second = database.start(&["--roles", "api"]).await;
    assert_eq!(limits(&second.client(&token)).await, (77, 36));
    for server in [first, second] {
        server.stop().await;
    }
    database.drop().await;
}

#[tokio::test]
async fn a_server_with_other_settings_does_not_start_and_one_without_takes_those_that_are_stored() {
    let database = Database::create().await;
    let derived = database.start(&["--roles", "api"]).await;
    let (settings, _) = database.admin(&["setting", "list"]).await;
    let names: Vec<&Value> = settings.as_array().unwrap().iter().map(|setting| &setting["setting"]).collect();
    assert_eq!(names, ["sealing-key"], "the address that a server listens on is no setting");
    derived.stop().await;

    let given = [
        "--roles",
        "api",
        "--base-url",
        "https://a.example/v1/",
        "--allow-network",
        "10.0.0.0/8,192.168.0.0/16:80+443",
    ];
    let first = database.start(&given).await;
    let same =
        ["--roles", "api", "--base-url", "https://A.example/v1", "--allow-network", "192.168.0.0/16:443+80,10.9.0.0/8"];
    let same = database.start(&same).await;
    let second = database.start(&["--roles", "api", "--header-prefix", "Acme-"]).await;
    assert_eq!(second.ready["base_url"], "https://a.example/v1");
    let log = std::fs::read_to_string(&second.log).unwrap();
    assert!(log.contains("allow-network=10.0.0.0/8,192.168.0.0/16:80+443"), "what was taken is logged: {log}");

    let start = ["--roles", "api", "--listen", "127.0.0.1:0"];
    for (arguments, parts) in [
        (&["--base-url", "https://b.example/v1"][..], &["https://a.example/v1", "https://b.example/v1"][..]),
        (&["--header-prefix", "Blue-"], &["header-prefix", "Acme-", "Blue-"]),
        (&["--block-domain", "ads.example.com"], &["address-policy", "10.0.0.0/8", "ads.example.com"]),
        (&["--allow-network", "10.0.0.0/8,192.168.0.0/16:80"], &["192.168.0.0/16:80+443", "192.168.0.0/16:80`"]),
    ] {
        let message = database.refusal(&[&start[..], arguments].concat()).await;
        assert!(parts.iter().all(|part| message.contains(part)) && message.contains("admin setting set"), "{message}");
    }

    let message = database.refusal(&["admin", "setting", "set", "base-url", "https://b.example"]).await;
    assert!(message.contains("ends with /v1"), "{message}");
    // With the same settings as the server that is refused.
    let changed = ["--base-url", "https://b.example/v1", "admin", "setting", "set", "base-url", "https://b.example/v1"];
    assert!(database.output(&changed).await.status.success());
    let message = database.refusal(&[&start[..], &["--base-url", "https://a.example/v1"]].concat()).await;
    assert!(message.contains("https://b.example/v1"), "{message}");
    let (unset, _) = database.admin(&["setting", "unset", "address-policy"]).await;
    assert_eq!(unset["before"], "allow-network=10.0.0.0/8,192.168.0.0/16:80+443");
    let third = database.start(&["--roles", "api", "--block-domain", "ads.example.com"]).await;
    assert_eq!(third.ready["base_url"], "https://b.example/v1");
    let (settings, _) = database.admin(&["setting", "list"]).await;
    let expected = json!([
        {"setting": "base-url", "value": "https://b.example/v1"},
        {"setting": "header-prefix", "value": "Acme-"},
        {"setting": "address-policy", "value": "block-domain=ads.example.com"},
        {"setting": "sealing-key", "value": ring().current().to_string()},
    ]);
    assert_eq!(settings, expected);
    for server in [first, same, second, third] {
        server.stop().await;
    }
    database.drop().await;
}

#[tokio::test]
async fn links_of_events_lead_to_the_api_whichever_server_made_them() {
    let database = Database::create().await;
    let roles = ["--roles", "worker,webhooks"];
    let message = database.refusal(&[&roles[..], &["--listen", "127.0.0.1:0"]].concat()).await;
    assert!(message.contains("--base-url") && message.contains("admin setting set base-url"), "{message}");

    let base_url = "https://a11y.example.com/v1";
    let network = ["--allow-network", "127.0.0.0/8"];
    let api = database
        .start(&[&["--roles", "api", "--base-url", base_url, "--header-prefix", "Acme-"][..], &network].concat())
        .await;
    let worker = database.start(&roles).await;
    let (team, token) = database.team("agency").await;
    let receiver = Receiver::start([Reply::Status(204)]).await;
    database.admin(&["endpoint", "create", &team, "--url", &receiver.url("/")]).await;
    let site =
        TestSite::start([("/", Page::html("<!doctype html><html lang=en><title>Home</title><img src=x.png>"))]).await;
    let added = api.client(&token).post("/sites", json!({"url": site.url("/"), "report_locale": "en"})).await;
    assert_eq!(added.status, 201, "{}", added.body);
    let event = wait_for("the event", async || receiver.received().first().cloned()).await;

    assert_eq!(event.header("Acme-Event"), "scan.completed", "{:?}", event.headers);
    let agent = event.header("User-Agent");
    assert!(agent.contains("+https://a11y.example.com/v1"), "{agent}");
    let body = String::from_utf8(event.body).unwrap();
    assert!(!body.contains(&worker.address) && !body.contains(&api.address), "{body}");
    let event: Value = serde_json::from_str(&body).unwrap();
    let links = event["data"]["scan"]["links"].as_object().unwrap().values();
    let links: Vec<&str> = links.filter_map(Value::as_str).collect();
    assert!(!links.is_empty() && links.iter().all(|link| link.starts_with(base_url)), "{body}");
    for server in [worker, api] {
        server.stop().await;
    }
    database.drop().await;
}
