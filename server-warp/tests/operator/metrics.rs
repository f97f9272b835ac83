//! The metrics that a server reports to those who monitor it.

use a11ycheck_tests::wait_for;

use crate::support::{Database, Server, get};

/// Returns the value of a sample by the beginning of its line.
fn value(page: &str, sample: &str) -> Option<f64> {
    let line = page.lines().find(|line| line.strip_prefix(sample).is_some_and(|rest| rest.starts_with(' ')))?;
    line.rsplit(' ').next()?.parse().ok()
}

#[tokio::test]
async fn metrics_on_an_address_of_their_own_show_queues_connections_browser_and_process() {
    let database = Database::create().await;
    let server = Server::start(&[
        "--database-url",
        &database.url,
        "--database-connections",
        "5",
        "--demo",
        "--metrics-listen",
        "127.0.0.1:0",
    ])
    .await;
    let own = format!("http://{}", server.ready["metrics_listen"].as_str().unwrap());
    assert_eq!(get(&server.url("/metrics"), None).await.0, 404, "not beside the API any more");
    assert_eq!(get(&server.url("/healthz"), None).await.0, 200);
    assert_eq!(get(&format!("{own}/healthz"), None).await.0, 200);
    assert_eq!(get(&format!("{own}/v1/account"), None).await.0, 404, "nor the API beside the metrics");

    let page = wait_for("the first run of the scheduler and the purge", async || {
        let (status, _, page) = get(&format!("{own}/metrics"), None).await;
        assert_eq!(status, 200);
        let last_runs =
            ["a11ycheck_scheduler_last_run_timestamp_seconds", "a11ycheck_purge_last_run_timestamp_seconds"];
        last_runs.iter().all(|run| value(&page, run).is_some()).then_some(page)
    })
    .await;
    let expect = |sample: &str, is_fit: &dyn Fn(f64) -> bool| {
        let found = value(&page, sample);
        assert!(found.is_some_and(is_fit), "{sample}: {found:?}\n{page}");
    };
    let zero = |value: f64| value.abs() < f64::EPSILON;
    let one = |value: f64| zero(value - 1.0);
    let now = chrono::Utc::now().timestamp() as f64;
    for queue in [
        "a11ycheck_queue_waiting{kind=\"requested\"}",
        "a11ycheck_queue_waiting{kind=\"scheduled\"}",
        "a11ycheck_queue_oldest_seconds{kind=\"requested\"}",
        "a11ycheck_queue_oldest_seconds{kind=\"scheduled\"}",
        "a11ycheck_browser_start_failures_total",
        "a11ycheck_webhook_queue_pending",
        "a11ycheck_webhook_queue_due",
        "a11ycheck_webhook_queue_oldest_seconds",
        "a11ycheck_webhook_endpoints_off",
        "a11ycheck_database_connections_waiting",
        "a11ycheck_browser_restarts_total{reason=\"died\"}",
        "a11ycheck_browser_tabs_ended_total{reason=\"browser\"}",
        "a11ycheck_browser_tabs_ended_total{reason=\"made_room\"}",
        "a11ycheck_browser_tabs_ended_total{reason=\"own\"}",
        "a11ycheck_browser_restarts_total{reason=\"served_its_time\"}",
    ] {
        expect(queue, &zero);
    }
    expect("a11ycheck_store_up", &one);
    expect("a11ycheck_scanner_ready", &one);
    expect(&format!("a11ycheck_build_info{{version=\"{}\"}}", env!("CARGO_PKG_VERSION")), &one);
    expect("a11ycheck_database_connections_max", &|max| zero(max - 5.0));
    expect("a11ycheck_database_connections{state=\"idle\"}", &|idle| (0.0..=5.0).contains(&idle));
    expect("a11ycheck_database_connections{state=\"used\"}", &|used| (0.0..=5.0).contains(&used));
    let is_without = std::env::var_os("A11YCHECK_NO_SANDBOX").is_some_and(|value| value == "true");
    expect("a11ycheck_browser_sandboxed", &|on| if is_without { zero(on) } else { one(on) });
    expect("a11ycheck_browser_resident_memory_bytes", &|bytes| bytes > 1e7);
    expect("a11ycheck_scheduler_last_run_timestamp_seconds", &|at| (now - at).abs() < 600.0);
    expect("process_open_fds", &|files| files > 3.0);
    expect("process_resident_memory_bytes", &|bytes| bytes > 1e6);
    expect("process_start_time_seconds", &|at| (now - at).abs() < 3_600.0);
    expect("process_cpu_seconds_total", &|seconds| seconds >= 0.0);
    assert!(page.contains("a11ycheck_engine_info{axe="), "{page}");
    server.stop().await;
    database.remove().await;
}
