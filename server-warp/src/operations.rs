//! `/healthz`, `/readyz` and `/metrics`: for operators of the server, outside the API and without a token.

use std::{error::Error as StdError, sync::Arc, time::Duration};

use a11ycheck_api_v1::ErrorBody;
use a11ycheck_core::{
    Service,
    domain::Urgency,
    engine::EngineStatus,
    service::{Backlog, DeliveryBacklog, Queue},
};
use metrics_exporter_prometheus::PrometheusHandle;
use serde_json::json;
use tokio::{sync::Mutex, time::Instant};
use tokio_util::sync::CancellationToken;
use warp::{
    Filter,
    filters::BoxedFilter,
    http::{HeaderValue, StatusCode, header},
    reject::Rejection,
    reply::Response,
};

use crate::reply;

/// The longest time that the store may take to respond.
const PATIENCE: Duration = Duration::from_secs(2);

/// Serves `/healthz`: the process runs; and `/readyz`: it can do its work, that is, the store responds, files can be
/// kept, and the engine is ready; otherwise the response says why not. Once `stopping` is cancelled it is not ready,
/// whatever works, so that proxies send no more requests. A process without an engine passes the default status.
pub fn health(service: &Service, engine: &EngineStatus, stopping: &CancellationToken) -> BoxedFilter<(Response,)> {
    let alive = warp::path!("healthz").map(|| reply::json(StatusCode::OK, &json!({"status": "ok"})));
    let (service, engine, stopping) = (service.clone(), engine.clone(), stopping.clone());
    let ready = warp::path!("readyz").then(move || {
        let (service, engine, is_stopping) = (service.clone(), engine.clone(), stopping.is_cancelled());
        async move {
            let not_ready = |status: &str| reply::json(StatusCode::SERVICE_UNAVAILABLE, &json!({ "status": status }));
            if is_stopping {
                return not_ready("the server is stopping");
            }
            match tokio::time::timeout(PATIENCE, service.ready()).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    tracing::warn!(error = &error as &dyn StdError, "Not ready");
                    return not_ready(&error.to_string());
                }
                Err(_) => {
                    tracing::warn!("Not ready: the store did not answer within {PATIENCE:?}");
                    return not_ready("the store does not answer");
                }
            }
            if let Err(fault) = engine.ready() {
                tracing::warn!(error = &fault as &dyn StdError, "Not ready");
                return not_ready(&fault.to_string());
            }
            match service.files_ready().await {
                Ok(()) => reply::json(StatusCode::OK, &json!({"status": "ready"})),
                Err(error) => {
                    tracing::warn!(error = &error as &dyn StdError, "Not ready: files can't be kept");
                    not_ready("files can't be kept")
                }
            }
        }
    });
    only_get(alive.or(ready).unify().boxed())
}

/// Serves `/metrics` in Prometheus' text format. `refresh` sets the gauges that nothing else keeps up to date; it is
/// called before they are shown, once every few seconds at most, however often they are requested. The same goes for
/// the store, which is asked for the work that waits in it.
pub fn metrics(
    service: &Service,
    recorded: PrometheusHandle,
    refresh: impl Fn() + Send + Sync + 'static,
) -> BoxedFilter<(Response,)> {
    let gauges = Arc::new(Gauges { service: service.clone(), refresh: Arc::new(refresh), refreshed: Mutex::new(None) });
    let page = warp::path!("metrics").then(move || {
        let (gauges, recorded) = (Arc::clone(&gauges), recorded.clone());
        async move {
            gauges.refresh().await;
            recorded.run_upkeep();
            let mut response = Response::new(recorded.render().into());
            let text = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
            response.headers_mut().insert(header::CONTENT_TYPE, text);
            response
        }
    });
    only_get(page.boxed())
}

/// The gauges that are read on request.
struct Gauges {
    service: Service,
    refresh: Arc<dyn Fn() + Send + Sync>,
    /// The instant at which the gauges were read last.
    refreshed: Mutex<Option<Instant>>,
}

impl Gauges {
    /// The time for which the figures are shown. The path is open to everybody if it is served beside the API: nobody
    /// can make the store count more often than that.
    const FRESH: Duration = Duration::from_secs(5);

    async fn refresh(&self) {
        // Held while the store counts: requests that come meanwhile are shown the same figures.
        let mut refreshed = self.refreshed.lock().await;
        if refreshed.is_some_and(|at| at.elapsed() < Self::FRESH) {
            return;
        }
        // It may read files.
        let refresh = Arc::clone(&self.refresh);
        if let Err(panic) = tokio::task::spawn_blocking(move || refresh()).await {
            tracing::error!(error = &panic as &dyn StdError, "Reading the figures of this process panicked");
        }
        let is_up = match tokio::time::timeout(PATIENCE, self.read_store()).await {
            Ok(Ok(())) => true,
            Ok(Err(error)) => {
                tracing::warn!(error = &error as &dyn StdError, "Could not read the queues for the metrics");
                false
            }
            Err(_) => {
                tracing::warn!("The store did not count the queues for the metrics within {PATIENCE:?}");
                false
            }
        };
        metrics::gauge!("a11ycheck_store_up").set(if is_up { 1.0 } else { 0.0 });
        // The reason why not is logged by `/readyz`, and by the step whose file could not be kept.
        metrics::gauge!("a11ycheck_files_up").set(if self.service.files_ready().await.is_ok() { 1.0 } else { 0.0 });
        // Counted from the end, also for an attempt that failed: a store that fails is not asked more often than one
        // that is well.
        *refreshed = Some(Instant::now());
    }

    // A gauge is a float: exact up to 2^53.
    #[expect(clippy::cast_precision_loss, reason = "see above")]
    async fn read_store(&self) -> Result<(), a11ycheck_core::Error> {
        let Backlog { requested, scheduled, .. } = self.service.operator().backlog().await?;
        for (urgency, Queue { waiting, oldest, .. }) in
            [(Urgency::Requested, requested), (Urgency::Scheduled, scheduled)]
        {
            metrics::gauge!("a11ycheck_queue_waiting", "kind" => urgency.as_str()).set(waiting as f64);
            metrics::gauge!("a11ycheck_queue_oldest_seconds", "kind" => urgency.as_str()).set(oldest.as_seconds_f64());
        }
        let DeliveryBacklog { pending, due, oldest, endpoints_off, .. } =
            self.service.operator().delivery_backlog().await?;
        metrics::gauge!("a11ycheck_webhook_queue_pending").set(pending as f64);
        metrics::gauge!("a11ycheck_webhook_queue_due").set(due as f64);
        metrics::gauge!("a11ycheck_webhook_queue_oldest_seconds").set(oldest.as_seconds_f64());
        metrics::gauge!("a11ycheck_webhook_endpoints_off").set(endpoints_off as f64);
        Ok(())
    }
}

/// Returns `pages`, whose responses end their connections once `stopping` is cancelled. A proxy then opens new ones, to
/// servers that do not stop, and sends no request into a connection that is about to be closed: it could not know
/// whether the request was carried out.
pub fn ending_connections(pages: BoxedFilter<(Response,)>, stopping: &CancellationToken) -> BoxedFilter<(Response,)> {
    let stopping = stopping.clone();
    let answer = move |mut response: Response| {
        if stopping.is_cancelled() {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
    };
    pages.map(answer).boxed()
}

fn only_get(pages: BoxedFilter<(Response,)>) -> BoxedFilter<(Response,)> {
    let method = warp::get().or(warp::head()).unify();
    method.and(pages).map(|response: Response| response).boxed()
}

/// Returns `pages`, with 404 for all other paths.
pub fn or_not_found(pages: BoxedFilter<(Response,)>) -> BoxedFilter<(Response,)> {
    let not_found = |_: Rejection| async {
        let body = ErrorBody::plain(ErrorBody::NOT_FOUND);
        Ok::<_, std::convert::Infallible>((reply::json(StatusCode::NOT_FOUND, &body),))
    };
    pages.or_else(not_found).boxed()
}
