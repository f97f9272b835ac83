//! What operators monitor servers with: the alert rules and the dashboard in `packaging` name nothing that a server does not
//! show, and the rules fire when they should.

use std::{collections::BTreeSet, path::Path, process::Command};

use a11ycheck_tests::{Client, Page, Receiver, Reply, TestSite, wait_for};
use regex::Regex;
use serde_json::{Value, json};

use crate::support::{Database, Server, get, text};

const ALERTS: &str = include_str!("../../../packaging/prometheus/alerts.yml");
const DASHBOARD: &str = include_str!("../../../packaging/grafana/a11ycheck.json");

/// A metric that an expression names, with the labels that it asks for.
type Use = (String, BTreeSet<String>);

/// Returns every metric of ours, or of the process, that a text names.
fn uses(expressions: &str) -> BTreeSet<Use> {
    let metric = Regex::new(r"\b((?:a11ycheck|process)_[a-z_]+)(?:\{([^}]*)\})?").unwrap();
    let label = Regex::new(r#"([a-z_]+)\s*(?:=~|!~|!=|=)\s*""#).unwrap();
    metric
        .captures_iter(expressions)
        .map(|found| {
            let asked = found.get(2).map_or("", |labels| labels.as_str());
            let labels = label.captures_iter(asked).map(|label| label[1].to_owned());
            // Prometheus adds it, for each server that it asks.
            (found[1].to_owned(), labels.filter(|label| label != "instance").collect())
        })
        .collect()
}

/// Returns the expressions of all panels.
fn expressions(dashboard: &Value, into: &mut Vec<String>) {
    match dashboard {
        Value::Object(fields) => {
            into.extend(fields.get("expr").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|value| expressions(value, into));
        }
        Value::Array(values) => values.iter().for_each(|value| expressions(value, into)),
        _ => {}
    }
}

/// Returns what the page has no sample of.
fn missing<'a>(uses: &'a BTreeSet<Use>, page: &str) -> Vec<&'a Use> {
    let has = |(metric, labels): &Use| {
        page.lines().any(|line| {
            let Some(rest) = line.strip_prefix(metric.as_str()) else { return false };
            let is_it = rest.starts_with('{') || rest.starts_with(' ');
            is_it && labels.iter().all(|label| rest.contains(&format!("{label}=\"")))
        })
    };
    uses.iter().filter(|asked| !has(asked)).collect()
}

#[tokio::test]
async fn alerts_and_dashboard_name_no_metric_and_no_label_that_a_server_does_not_show() {
    let mut of_dashboard = Vec::new();
    expressions(&serde_json::from_str(DASHBOARD).unwrap(), &mut of_dashboard);
    let uses = uses(&format!("{ALERTS}\n{}", of_dashboard.join("\n")));
    assert!(uses.len() > 30, "{uses:?}");
    assert_eq!(missing(&uses, "").len(), uses.len(), "none is taken for another");

    // A server that has done one thing of each kind.
    let database = Database::create().await;
    let server = Server::start(&["--database-url", &database.url, "--demo", "--allow-network", "127.0.0.0/8"]).await;
    let receiver = Receiver::start([Reply::Status(204)]).await;
    let site =
        TestSite::start([("/", Page::html("<!doctype html><html lang=en><title>Home</title><h1>Home</h1>"))]).await;
    let team = server.ready["team_id"].as_str().unwrap();
    database.admin_json(&["endpoint", "create", team, "--url", &receiver.url("/")]).await;
    let client = Client::new(server.ready["base_url"].as_str().unwrap(), server.ready["token"].as_str());
    let added = client.post("/sites", json!({"url": site.url("/"), "report_locale": "en"})).await;
    receiver.wait_for(1).await;
    let scans = client.get(&format!("/sites/{}/scans", added.data(201)["id"].as_str().unwrap())).await;
    let scan = scans.body["data"][0]["id"].as_str().unwrap();
    assert_eq!(client.get(&format!("/scans/{scan}/export?format=pdf")).await.status, 200);

    // Gauges are read once in a few seconds, and the scheduler and the purge have a first run.
    let last = ["a11ycheck_purge_last_run_timestamp_seconds", "a11ycheck_webhook_attempts_total"];
    let page = wait_for("the last of the metrics", async || {
        let (_, _, page) = get(&server.url("/metrics"), None).await;
        last.iter().all(|metric| page.contains(metric)).then_some(page)
    })
    .await;
    let missing = missing(&uses, &page);
    assert!(missing.is_empty(), "not shown: {missing:?}\n{page}");
    server.stop().await;
    database.remove().await;
}

#[test]
fn every_alert_fires_when_it_should_and_ends_with_its_cause() {
    let program = std::env::var_os("A11YCHECK_PROMTOOL");
    let program = program.expect("run the tests with `cargo xtask test`, or prepare them with `eval \"$(sh xtask/tools/install.sh monitoring)\"`");
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging/prometheus");
    for arguments in [["check", "rules", "alerts.yml"], ["test", "rules", "alerts_test.yml"]] {
        let output = Command::new(&program).args(arguments).current_dir(&rules).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}{}", text(&output.stdout), text(&output.stderr));
    }
}

#[test]
fn there_are_ten_alerts_each_with_what_to_do_and_a_test() {
    let tests = include_str!("../../../packaging/prometheus/alerts_test.yml");
    let alerts: Vec<_> = ALERTS.lines().filter_map(|line| line.trim().strip_prefix("- alert: ")).collect();
    assert_eq!((alerts.len(), ALERTS.matches("          action: ").count()), (10, 10));
    for alert in alerts {
        assert!(tests.contains(alert), "{alert} is not tested");
    }
}
