//! Logs to standard error, and the names of the metrics.

use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use tracing_subscriber::{EnvFilter, filter::ParseError};

use crate::{
    log_lines::{JsonLines, JsonSpanFields},
    settings::{LogFormat, Settings},
};

/// The filter of the log can't be parsed.
#[derive(Debug, thiserror::Error)]
#[error(
    "--log {filter}: not a filter; write a level (error, warn, info, debug, trace), or directives such as \
     info,a11ycheck_core=debug"
)]
pub(crate) struct LogError {
    filter: String,
    source: ParseError,
}

/// Begins to log; `default` is the filter if the settings name none. It silences `rustls_platform_verifier`, which logs
/// each fault of a site's certificate as an error: it is none of ours, and the check or the delivery reports the fault.
pub(crate) fn log(settings: &Settings, default: &str) -> Result<(), LogError> {
    let filter = settings.log.as_deref().unwrap_or(default);
    let filter = EnvFilter::try_new(filter).map_err(|source| LogError { filter: filter.to_owned(), source })?;
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match format(settings) {
        LogFormat::Text => lines.with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr())).init(),
        LogFormat::Json => lines.with_ansi(false).fmt_fields(JsonSpanFields).event_format(JsonLines).init(),
    }
    Ok(())
}
/// Returns the format of the log.
pub(crate) fn format(settings: &Settings) -> LogFormat {
    settings.log_format.unwrap_or(LogFormat::Text)
}

/// Begins to count the metrics.
pub(crate) fn count() -> Result<PrometheusHandle, BuildError> {
    let requests = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0];
    let scans = [5.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1_800.0];
    let handle = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Prefix("a11ycheck_http_".to_owned()), &requests)?
        .set_buckets_for_metric(Matcher::Prefix("a11ycheck_scan_".to_owned()), &scans)?
        .install_recorder()?;
    describe();
    Ok(handle)
}

/// Describes each metric, and begins those of which alerts watch an increase; docs/operating.md says more, and which are the same on all nodes.
fn describe() {
    use metrics::{describe_counter, describe_gauge, describe_histogram};

    describe_counter!("a11ycheck_http_requests_total", "Requests by method, route and status.");
    describe_histogram!("a11ycheck_http_request_duration_seconds", "How long answers took, by method and route.");
    describe_counter!(
        "a11ycheck_scans_total",
        "Checks that ended in this process, by status and, where they failed, by failure code."
    );
    describe_histogram!(
        "a11ycheck_scan_duration_seconds",
        "From the first beginning of a check to its end, by status."
    );
    describe_counter!(
        "a11ycheck_pages_reused_total",
        "Pages of checks that ended in this process whose results were taken over, because they had not changed."
    );
    describe_counter!(
        "a11ycheck_scans_contradicted_total",
        "Checks in this process that found a page which seemed unchanged and was not, and so examined every page."
    );
    describe_gauge!("a11ycheck_scans_running", "Checks that this process works on.");
    describe_counter!(
        "a11ycheck_webhook_attempts_total",
        "Attempts of webhook deliveries, by what became of the delivery: pending means that it is tried again."
    );
    describe_counter!(
        "a11ycheck_mail_attempts_total",
        "Attempts to send mail to people, by what became of them: put_off means that the mail is tried again."
    );
    // It begins at 0, so that the first mail that is given up is an increase.
    metrics::counter!("a11ycheck_mail_attempts_total", "outcome" => "failed").increment(0);
    describe_gauge!("a11ycheck_queue_waiting", "Checks that no worker has, by kind; the same on all nodes.");
    describe_gauge!(
        "a11ycheck_queue_oldest_seconds",
        "How long the first of them has waited, by kind; the same on all nodes."
    );
    describe_gauge!("a11ycheck_webhook_queue_pending", "Deliveries that have not ended; the same on all nodes.");
    describe_gauge!("a11ycheck_webhook_queue_due", "Of these, those that are due; the same on all nodes.");
    describe_gauge!(
        "a11ycheck_webhook_queue_oldest_seconds",
        "How long ago the first of those that are due fell due; the same on all nodes."
    );
    describe_gauge!("a11ycheck_webhook_endpoints_off", "Endpoints that are switched off; the same on all nodes.");
    describe_gauge!("a11ycheck_store_up", "1 where the store answered when its queues were counted last, else 0.");
    describe_gauge!(
        "a11ycheck_scheduler_last_run_timestamp_seconds",
        "When the scheduler of this process last looked for checks that fall due, in seconds since 1970."
    );
    describe_gauge!(
        "a11ycheck_purge_last_run_timestamp_seconds",
        "When this process last purged what has left the history, in seconds since 1970."
    );
    describe_gauge!("a11ycheck_database_connections", "Open connections to the database, by state.");
    describe_gauge!("a11ycheck_database_connections_max", "Connections to the database that may be open.");
    describe_gauge!("a11ycheck_database_connections_waiting", "Steps that wait for a connection to the database.");
    describe_counter!("a11ycheck_browser_restarts_total", "Browsers that were replaced, by reason.");
    describe_counter!("a11ycheck_browser_start_failures_total", "Browsers that did not start.");
    describe_counter!("a11ycheck_browser_tabs_ended_total", "Pages that were ended over their memory, by reason.");
    describe_gauge!(
        "a11ycheck_scanner_ready",
        "1 where this process can check; 0 where its scanner can't work, and it begins no check until it can."
    );
    describe_gauge!("a11ycheck_browser_resident_memory_bytes", "Memory of the browser and its helpers.");
    describe_gauge!("a11ycheck_browser_sandboxed", "1 where the browser runs in its sandbox, else 0.");
    describe_gauge!("a11ycheck_build_info", "Always 1; the version stands in the label.");
    describe_gauge!("a11ycheck_engine_info", "Always 1; the programs that check stand in the labels.");
    describe_gauge!("a11ycheck_pdf_waiting", "PDFs that wait in this process to be rendered.");
    describe_counter!("a11ycheck_pdf_renderings_total", "PDFs that were rendered in this process, by outcome.");
}
