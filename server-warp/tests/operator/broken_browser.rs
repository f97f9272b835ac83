//! A browser that no longer starts: no check is lost because of it, and the operator learns of it.

use std::{os::unix::fs::PermissionsExt as _, path::PathBuf, time::Duration};

use a11ycheck_tests::{Client, Page, TestSite, wait_for};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use sqlx::{Connection as _, PgConnection};

use crate::support::{Database, Server, get, text};

/// A browser that can be broken and repaired: a script that starts the real one.
struct Browser {
    folder: tempfile::TempDir,
}

impl Browser {
    fn new() -> Self {
        let browser = Self { folder: tempfile::tempdir().unwrap() };
        let real = std::env::var("A11YCHECK_CHROMIUM").expect("A11YCHECK_CHROMIUM names the browser of the tests");
        let script = format!(
            "#!/bin/sh\n\
             if [ -e {broken} ]; then\n\
             echo 'chromium: error while loading shared libraries: libfoo.so.1: cannot open shared object file' >&2\n\
             exit 127\n\
             fi\n\
             echo $$ >{pid}\n\
             exec {real} \"$@\"\n",
            broken = browser.file("broken").display(),
            pid = browser.file("pid").display(),
        );
        let program = browser.program();
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        browser
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn program(&self) -> PathBuf {
        self.file("chromium")
    }

    /// Kills the browser that runs, and lets no more of them start.
    fn break_down(&self) {
        std::fs::write(self.file("broken"), "").unwrap();
        let pid: i32 = std::fs::read_to_string(self.file("pid")).unwrap().trim().parse().unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    }

    fn repair(&self) {
        std::fs::remove_file(self.file("broken")).unwrap();
    }
}

/// Servers of one database, and a site that is checked again and again.
struct World {
    database: Database,
    site: TestSite,
    token: String,
}

impl World {
    async fn new() -> Self {
        let database = Database::create().await;
        let team = database.admin_json(&["team", "create", "--name", "Blue", "--plan", "agency"]).await;
        let team = team["id"].as_str().unwrap();
        let token = database.admin_json(&["token", "create", team, "--name", "CI"]).await;
        let html = "<!doctype html><html lang=en><title>Home</title><main><h1>Home</h1></main></html>";
        let site = TestSite::start([("/", Page::html(html))]).await;
        Self { database, site, token: token["token"].as_str().unwrap().to_owned() }
    }

    /// Starts a server that does everything, with this browser or with that of the machine.
    async fn server(&self, browser: Option<&Browser>) -> Server {
        let mut arguments = vec!["--database-url", &self.database.url, "--allow-network", "127.0.0.0/8"];
        let program = browser.map(Browser::program);
        if let Some(program) = &program {
            arguments.extend(["--chromium", program.to_str().unwrap()]);
        }
        Server::start(&arguments).await
    }

    /// Adds sites, whose first checks are queued.
    async fn add_sites(&self, server: &Server, count: usize) {
        let client = Client::new(&server.url("/v1"), Some(&self.token));
        for _ in 0..count {
            client.post("/sites", json!({"url": self.site.url("/"), "report_locale": "en"})).await.data(201);
        }
    }

    /// Returns the number of checks that have completed, and of those that have failed.
    async fn ended(&self) -> (i64, i64) {
        let mut db = PgConnection::connect(&self.database.url).await.unwrap();
        let ended = "SELECT count(outcome), count(failure) FROM a11ycheck.scans";
        sqlx::query_as(ended).fetch_one(&mut db).await.unwrap()
    }

    /// Returns the greatest number of attempts that an active check has begun.
    async fn attempts(&self) -> i64 {
        let mut db = PgConnection::connect(&self.database.url).await.unwrap();
        let attempts = "SELECT coalesce(max(attempt), 0) FROM a11ycheck.active_scans";
        sqlx::query_scalar(attempts).fetch_one(&mut db).await.unwrap()
    }
}

/// Returns the reason that a server gives for not being ready; `None` if it is.
async fn unready(server: &Server) -> Option<String> {
    let (status, _, body) = get(&server.url("/readyz"), None).await;
    let body: Value = serde_json::from_str(&body).unwrap();
    (status == 503).then(|| body["status"].as_str().unwrap().to_owned())
}

async fn metric(server: &Server, name: &str) -> f64 {
    let (_, _, page) = get(&server.url("/metrics"), None).await;
    let line = page.lines().find(|line| line.split(' ').next() == Some(name));
    line.unwrap_or_else(|| panic!("{name} is missing: {page}")).rsplit(' ').next().unwrap().parse().unwrap()
}

fn assert_names_the_cause(reason: &str) {
    assert_eq!(
        reason,
        "no check can be begun here: no browser could be started: a library that it needs is missing; install it, or \
         Chromium from the system's own packages"
    );
}

#[tokio::test]
async fn a_node_whose_browser_broke_costs_no_check_of_the_others() {
    let (world, browser) = (World::new().await, Browser::new());
    let (healthy, broken) = (world.server(None).await, world.server(Some(&browser)).await);
    assert_eq!((unready(&healthy).await, unready(&broken).await), (None, None));
    browser.break_down();
    world.add_sites(&healthy, 30).await;
    let reason = wait_for("the broken node to find out", async || unready(&broken).await).await;
    assert_names_the_cause(&reason);
    assert!(metric(&broken, "a11ycheck_scanner_ready").await.abs() < f64::EPSILON);
    wait_for("all checks to end", async || {
        let (completed, failed) = world.ended().await;
        assert_eq!(failed, 0, "after {completed} completed ones");
        (completed == 30).then_some(())
    })
    .await;
    assert_eq!(unready(&healthy).await, None);
    assert!((metric(&healthy, "a11ycheck_scanner_ready").await - 1.0).abs() < f64::EPSILON);

    let (_, log) = broken.stop().await;
    let errors: Vec<&str> = log.lines().filter(|line| line.contains(" ERROR ")).collect();
    let [line] = errors[..] else { panic!("one line, once: {errors:?}") };
    assert!(line.contains("libfoo.so.1"), "the browser's own words: {line}");
    // Its two workers may have found out at the same moment.
    let begun = log.matches("Began a check").count();
    assert!((1..=2).contains(&begun), "{begun} checks begun: {log}");
    healthy.stop().await;
    world.database.remove().await;
}

#[tokio::test]
async fn on_a_node_alone_checks_wait_for_its_browser_and_none_fails() {
    let (world, browser) = (World::new().await, Browser::new());
    let server = world.server(Some(&browser)).await;
    browser.break_down();
    world.add_sites(&server, 5).await;
    let reason = wait_for("the node to find out", async || unready(&server).await).await;
    assert_names_the_cause(&reason);
    // The start that found out, and at least three trials since: a check that was going to fail would have failed by
    // now.
    wait_for("some trials", async || {
        (metric(&server, "a11ycheck_browser_start_failures_total").await >= 4.0).then_some(())
    })
    .await;
    assert_eq!((world.ended().await, world.attempts().await), ((0, 0), 0), "all wait, and no attempt was counted");
    assert!(unready(&server).await.is_some());
    browser.repair();
    wait_for("all checks to end", async || (world.ended().await == (5, 0)).then_some(())).await;
    assert_eq!(unready(&server).await, None);
    let (_, log) = server.stop().await;
    assert!(log.contains("The scanner works again"), "{log}");
    world.database.remove().await;
}

#[tokio::test]
async fn a_server_that_can_not_start_its_browser_says_why_not() {
    let browser = Browser::new();
    std::fs::write(browser.file("broken"), "").unwrap();
    let run = async |chromium: PathBuf, folder: &str| {
        let mut server = tokio::process::Command::new(env!("CARGO_BIN_EXE_a11ycheck-server"));
        server.args(["--listen", "127.0.0.1:0", "--chromium"]).arg(chromium).env("TMPDIR", folder).kill_on_drop(true);
        let ended = tokio::time::timeout(Duration::from_secs(120), server.output()).await.expect("it ends").unwrap();
        assert!(!ended.status.success());
        text(&ended.stderr)
    };
    let said = run(browser.program(), "/tmp").await;
    assert!(said.contains("a library that it needs is missing") && said.contains("libfoo.so.1"), "{said}");
    browser.repair();
    let said = run(browser.program(), "/nowhere").await;
    assert!(said.contains("set TMPDIR to a folder that is there") && said.contains("/nowhere"), "{said}");
}
