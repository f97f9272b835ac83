//! The figures about this process that are read when the metrics are requested.

use a11ycheck_storage_postgres::PoolUsage;

use crate::parts::Parts;

/// Sets the gauges that stay as they are for as long as the process runs.
pub(crate) fn set_constants(parts: &Parts) {
    metrics::gauge!("a11ycheck_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    if let (Some(scanner), Some(versions)) = (&parts.scanner, &parts.versions) {
        let (axe, browser) = (versions.version.clone(), versions.browser.clone().unwrap_or_default());
        metrics::gauge!("a11ycheck_engine_info", "axe" => axe, "browser" => browser).set(1.0);
        metrics::gauge!("a11ycheck_browser_sandboxed").set(if scanner.is_sandboxed() { 1.0 } else { 0.0 });
        // They exist before the first of them happens, so that an increase is seen.
        metrics::counter!("a11ycheck_browser_start_failures_total").absolute(0);
        for name in [
            "a11ycheck_scans_without_pictures_total",
            "a11ycheck_pages_reused_total",
            "a11ycheck_scans_contradicted_total",
        ] {
            metrics::counter!(name).absolute(0);
        }
        for reason in ["died", "served_its_time"] {
            metrics::counter!("a11ycheck_browser_restarts_total", "reason" => reason).absolute(0);
        }
        for reason in ["browser", "made_room", "own"] {
            metrics::counter!("a11ycheck_browser_tabs_ended_total", "reason" => reason).absolute(0);
        }
    }
}

/// Returns the function that sets the gauges of this process: its own memory and files, its connections, its browser.
pub(crate) fn refresher(parts: &Parts) -> impl Fn() + Send + Sync + 'static {
    let (store, scanner) = (parts.store.clone(), parts.scanner.clone());
    let process = metrics_process::Collector::default();
    process.describe();
    move || {
        process.collect();
        if let Some(PoolUsage { max, open, idle, waiting }) = store.pool_usage() {
            metrics::gauge!("a11ycheck_database_connections_max").set(max);
            metrics::gauge!("a11ycheck_database_connections", "state" => "idle").set(idle);
            metrics::gauge!("a11ycheck_database_connections", "state" => "used").set(open.saturating_sub(idle));
            metrics::gauge!("a11ycheck_database_connections_waiting").set(waiting);
        }
        if let Some(scanner) = &scanner {
            // Exact up to 8 PiB.
            #[expect(clippy::cast_precision_loss, reason = "see above")]
            let bytes = scanner.browser_memory().unwrap_or_default() as f64;
            metrics::gauge!("a11ycheck_browser_resident_memory_bytes").set(bytes);
        }
    }
}
