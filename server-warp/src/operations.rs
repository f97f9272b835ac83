//! `/healthz`, `/readyz` and `/metrics`: for those who run the server, outside the API and without a token.

use std::time::Duration;

use a11ycheck_core::Service;
use metrics_exporter_prometheus::PrometheusHandle;
use serde_json::json;
use warp::{
    Filter,
    filters::BoxedFilter,
    http::{HeaderValue, StatusCode, header},
    reject::Rejection,
    reply::Response,
};

use crate::reply;

/// How long the store may take to show a sign of life.
const PATIENCE: Duration = Duration::from_secs(2);

/// `/healthz`: the process runs. `/readyz`: it can do its work, that is, the store answers.
pub fn health(service: &Service) -> BoxedFilter<(Response,)> {
    let alive = warp::path!("healthz").map(|| reply::json(StatusCode::OK, &json!({"status": "ok"})));
    let service = service.clone();
    let ready = warp::path!("readyz").then(move || {
        let service = service.clone();
        async move {
            match tokio::time::timeout(PATIENCE, service.ready()).await {
                Ok(Ok(())) => reply::json(StatusCode::OK, &json!({"status": "ready"})),
                _ => reply::json(StatusCode::SERVICE_UNAVAILABLE, &json!({"status": "the store does not answer"})),
            }
        }
    });
    only_get(alive.or(ready).unify().boxed())
}

/// `/metrics` in Prometheus' text format, with the queue as it is right now.
pub fn metrics(service: &Service, recorded: PrometheusHandle) -> BoxedFilter<(Response,)> {
    let service = service.clone();
    let page = warp::path!("metrics").then(move || {
        let (service, recorded) = (service.clone(), recorded.clone());
        async move {
            match tokio::time::timeout(PATIENCE, service.backlog()).await {
                Ok(Ok(backlog)) => {
                    // A gauge is a float: exact up to 2^53 checks.
                    #[expect(clippy::cast_precision_loss, reason = "see above")]
                    metrics::gauge!("a11ycheck_queue_waiting").set(backlog.waiting as f64);
                    metrics::gauge!("a11ycheck_queue_oldest_seconds").set(backlog.oldest.as_seconds_f64());
                }
                Ok(Err(error)) => tracing::warn!(error = &error as &dyn std::error::Error, "Could not read the queue"),
                Err(_) => tracing::warn!("The store did not tell the queue in time"),
            }
            recorded.run_upkeep();
            let mut response = Response::new(recorded.render().into());
            let text = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
            response.headers_mut().insert(header::CONTENT_TYPE, text);
            response
        }
    });
    only_get(page.boxed())
}

fn only_get(pages: BoxedFilter<(Response,)>) -> BoxedFilter<(Response,)> {
    let method = warp::get().or(warp::head()).unify();
    method.and(pages).map(|response: Response| response).boxed()
}

/// What is served where nothing but `pages` is.
pub fn or_not_found(pages: BoxedFilter<(Response,)>) -> BoxedFilter<(Response,)> {
    let not_found = |_: Rejection| async {
        let body = a11ycheck_core::message::ErrorBody::plain(a11ycheck_core::message::NOT_FOUND);
        Ok::<_, std::convert::Infallible>((reply::json(StatusCode::NOT_FOUND, &body),))
    };
    pages.or_else(not_found).boxed()
}
