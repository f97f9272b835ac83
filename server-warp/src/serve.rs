//! The accept loop.
//!
//! Our own and not warp's, because warp sets no deadline for a request's head, no limit to connections, and waits for ever
//! at the end: a few hundred clients that send a byte a second would hold it all.

use std::{convert::Infallible, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::FutureExt as _;
use hyper::{Request, body::Incoming, service::Service as _};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};
use tracing::Instrument as _;
use warp::{filters::BoxedFilter, http::StatusCode, reply::Response};

use a11ycheck_core::message::ErrorBody;

use crate::{observe::Observed, reply, visit::ClientAddress};

/// What the accept loop bounds.
#[derive(Debug, Clone, Copy)]
pub struct ServeLimits {
    /// Connections at a time; further ones wait to be accepted.
    pub connections: usize,
    /// How long the head of a request may take to arrive, and a connection may idle.
    pub head: Duration,
    /// How long requests under way have when the server stops.
    pub drain: Duration,
}

impl Default for ServeLimits {
    fn default() -> Self {
        Self { connections: 4_096, head: Duration::from_secs(15), drain: Duration::from_secs(10) }
    }
}

/// Serves `routes` on `listener` until `stop` ends; then takes no more connections, and gives requests under way their time.
pub async fn serve(
    listener: TcpListener,
    routes: BoxedFilter<(Response,)>,
    limits: ServeLimits,
    stop: impl Future<Output = ()>,
) {
    let places = Arc::new(Semaphore::new(limits.connections));
    let open = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let place = tokio::select! {
            place = Arc::clone(&places).acquire_owned() => place,
            () = &mut stop => break,
        };
        // The semaphore is never closed, so a place is always given in the end.
        let Ok(place) = place else { break };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        match accepted {
            Ok((stream, address)) => {
                let connection = connection(stream, ClientAddress(address), routes.clone(), limits, &open);
                tokio::spawn(async move {
                    connection.await;
                    drop(place);
                });
            }
            Err(error) => {
                // Out of descriptors, or a client that was gone at once: neither ends the server.
                tracing::warn!(error = &error as &dyn std::error::Error, "Could not accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    drop(listener);
    if tokio::time::timeout(limits.drain, open.shutdown()).await.is_err() {
        tracing::warn!("Cut off requests that did not end in time");
    }
}

fn connection(
    stream: TcpStream,
    address: ClientAddress,
    routes: BoxedFilter<(Response,)>,
    limits: ServeLimits,
    open: &GracefulShutdown,
) -> impl Future<Output = ()> + use<> {
    let service = TowerToHyperService::new(warp::service(routes));
    let answer = hyper::service::service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(address);
        let observed = Observed::begin(&request);
        let (service, span) = (service.clone(), observed.span());
        async move {
            let answered = AssertUnwindSafe(async move { service.call(request).await })
                .catch_unwind()
                .instrument(span.clone())
                .await;
            let response = match answered {
                Ok(Ok(response)) => response,
                Ok(Err(never)) => match never {},
                Err(_) => {
                    tracing::error!(parent: &span, "A request made the server panic");
                    let body = ErrorBody::plain("Server Error");
                    reply::json(StatusCode::INTERNAL_SERVER_ERROR, &body)
                }
            };
            Ok::<_, Infallible>(observed.end(response))
        }
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .serve_connection(TokioIo::new(stream), answer);
    let watched = open.watch(connection);
    async move {
        if let Err(error) = watched.await {
            // A client that goes away or is too slow: its own affair.
            tracing::debug!(error = &error as &dyn std::error::Error, "A connection ended early");
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use warp::{Filter as _, Reply as _};

    use super::*;

    #[tokio::test]
    async fn a_request_that_makes_the_server_panic_is_answered_500_and_costs_nobody_else() {
        let panics = warp::path("panic").map(|| -> Response { panic!("a fault of ours") });
        let answers = warp::path("well").map(|| "well".into_response());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let routes = panics.or(answers).unify().boxed();
        tokio::spawn(serve(listener, routes, ServeLimits::default(), std::future::pending()));

        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(b"GET /panic HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
        stream.write_all(b"GET /well HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 500 ") && answer.contains(r#"{"message":"Server Error"}"#), "{answer}");
        assert!(answer.ends_with("well") && !answer.contains("a fault of ours"), "{answer}");
    }
}
