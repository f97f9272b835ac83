//! One connection: its requests and their responses.

use std::{
    convert::Infallible, future::poll_fn, panic::AssertUnwindSafe, pin::Pin, sync::Arc, task::Poll, time::Duration,
};

use futures_util::FutureExt as _;
use hyper::{Request, body::Incoming, service::Service as _};
use hyper_util::{rt::TokioIo, server::graceful::GracefulShutdown, service::TowerToHyperService};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;
use warp::{
    filters::BoxedFilter,
    http::{HeaderValue, StatusCode, header},
    reply::Response,
};

use a11ycheck_api_v1::ErrorBody;

use super::{
    ServeLimits,
    deadlines::HeadTimer,
    head::flaw,
    peers::is_trusted,
    wire::{Tracked, Wire},
};
use crate::{
    observe::Observed,
    reply,
    request::{ClientAddress, RefusedUnknown},
};

/// The time after a stop in which a connection without a request may still send one. The system may have accepted the
/// connection just before, or a proxy that keeps it may be writing to it already.
const GRACE: Duration = Duration::from_millis(500);

/// Serves `routes` on `stream` until one of the two sides, or a limit, ends the connection; once `stop` is cancelled,
/// until the response to the request in progress is sent.
pub(super) fn connection<S>(
    stream: S,
    address: ClientAddress,
    routes: BoxedFilter<(Response,)>,
    limits: &ServeLimits,
    open: &GracefulShutdown,
    stop: &CancellationToken,
) -> impl Future<Output = ()> + use<S>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let wire = Wire::new(stream, limits.write);
    let progress = Arc::clone(wire.progress());
    let timer = HeadTimer::new(Arc::clone(&progress), limits.head, limits.idle);
    // A proxy's connection carries requests of others, too.
    let is_proxy = is_trusted(&limits.trusted_proxies, address.0.ip());
    let service = TowerToHyperService::new(warp::service(routes));
    let stopped = stop.clone();
    let answer = hyper::service::service_fn(move |mut request: Request<Incoming>| {
        progress.begin_answer();
        request.extensions_mut().insert(address);
        let observed = Observed::begin(&request);
        let (service, span, progress, stopped) =
            (service.clone(), observed.span(), Arc::clone(&progress), stopped.clone());
        async move {
            let response = match flaw(&request) {
                Some(flaw) => flaw.into_response(),
                None => {
                    let answered = AssertUnwindSafe(async move { service.call(request).await })
                        .catch_unwind()
                        .instrument(span.clone())
                        .await;
                    match answered {
                        Ok(Ok(response)) => response,
                        Ok(Err(never)) => match never {},
                        Err(_) => {
                            tracing::error!(parent: &span, "A request made the server panic");
                            let body = ErrorBody::plain(ErrorBody::SERVER_ERROR);
                            reply::json(StatusCode::INTERNAL_SERVER_ERROR, &body)
                        }
                    }
                }
            };
            let mut response = observed.end(response);
            // A client that guesses tokens, or has none, pays for a new connection with each attempt.
            let is_guess = !is_proxy && response.extensions().get::<RefusedUnknown>().is_some();
            if is_guess || stopped.is_cancelled() {
                response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            Ok::<_, Infallible>(response.map(|body| Tracked::new(body, progress)))
        }
    });
    let seen = Arc::clone(wire.progress());
    let mut connection = hyper::server::conn::http1::Builder::new()
        .timer(timer)
        .header_read_timeout(limits.head)
        .serve_connection(TokioIo::new(wire), answer);
    let (watcher, stop) = (open.watcher(), stop.clone());
    async move {
        let grace = async || {
            stop.cancelled().await;
            tokio::time::sleep(GRACE).await;
        };
        // When it is asked to shut down, hyper ends a connection without a request at once, although one may be on its
        // way.
        let first_bytes = poll_fn(|context| match Pin::new(&mut connection).poll(context) {
            Poll::Ready(ended) => Poll::Ready(Some(ended)),
            Poll::Pending if seen.read() > 0 => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        });
        let ended = tokio::select! {
            biased;
            ended = first_bytes => ended,
            () = grace() => return,
        };
        let ended = match ended {
            Some(ended) => ended,
            None => {
                let ended = tokio::select! {
                    biased;
                    ended = &mut connection => Some(ended),
                    () = grace() => None,
                };
                match ended {
                    Some(ended) => ended,
                    None => watcher.watch(connection).await,
                }
            }
        };
        if let Err(error) = ended {
            // A client that disconnects or is too slow: no fault of the server.
            tracing::debug!(error = &error as &dyn std::error::Error, "A connection ended early");
        }
    }
}
