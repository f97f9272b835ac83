//! Logs to standard error, metrics to whoever asks.

use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use tracing_subscriber::{EnvFilter, filter::ParseError};

use crate::settings::{LogFormat, Settings};

/// Begins to log; `default` is the filter where the settings name none.
pub(crate) fn log(settings: &Settings, default: &str) -> Result<(), ParseError> {
    let filter = EnvFilter::try_new(settings.log.as_deref().unwrap_or(default))?;
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match settings.log_format.unwrap_or(LogFormat::Text) {
        LogFormat::Text => lines.with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr())).init(),
        LogFormat::Json => lines.json().flatten_event(true).init(),
    }
    Ok(())
}

/// Begins to count.
pub(crate) fn count() -> Result<PrometheusHandle, BuildError> {
    let requests = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0];
    let scans = [5.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1_800.0];
    let handle = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Prefix("a11ycheck_http_".to_owned()), &requests)?
        .set_buckets_for_metric(Matcher::Prefix("a11ycheck_scan_".to_owned()), &scans)?
        .install_recorder()?;
    metrics::describe_counter!("a11ycheck_http_requests_total", "Requests by method, route and status.");
    metrics::describe_histogram!(
        "a11ycheck_http_request_duration_seconds",
        "How long answers took, by method and route."
    );
    metrics::describe_counter!("a11ycheck_scans_total", "Checks that ended in this process, by status.");
    metrics::describe_histogram!(
        "a11ycheck_scan_duration_seconds",
        "From the first beginning of a check to its end, by status."
    );
    metrics::describe_counter!(
        "a11ycheck_webhook_attempts_total",
        "Attempts of webhook deliveries, by what became of the delivery: pending means that it is tried again."
    );
    metrics::describe_gauge!("a11ycheck_queue_waiting", "Checks that no worker has.");
    metrics::describe_gauge!("a11ycheck_queue_oldest_seconds", "How long the first of them has waited.");
    metrics::describe_gauge!("a11ycheck_pdf_waiting", "PDFs that wait in this process to be rendered.");
    metrics::describe_counter!(
        "a11ycheck_pdf_renderings_total",
        "PDFs that were rendered in this process, by outcome."
    );
    Ok(handle)
}
