//! `/app`: the account web interface, from warp's requests to its own and back.

use std::{convert::Infallible, io, net::IpAddr, time::Duration};

use a11ycheck_account_web::{AccountWeb, Body, Request, Response as Page};
use a11ycheck_core::service::{Progress, Watch};
use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt as _, stream};
use tokio_util::sync::CancellationToken;
use warp::{
    Filter,
    filters::BoxedFilter,
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    reply::{Reply as _, Response},
};

use crate::{
    RoutesConfig,
    request::{ClientAddress, body_bytes, proven, sender},
};

/// The time in which the form of a request must arrive.
const FORM_TIMEOUT: Duration = Duration::from_secs(10);
/// The time after which a check without news is mentioned to the browser, so that no proxy takes the connection for dead.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Returns the pages as a warp filter, below the [root](AccountWeb::root) of the interface; and at `/` a redirect to them. Once
/// `stopping` is cancelled, pages that watch a check are let go, and ask the next server: nothing would end their requests before the check.
pub fn account_pages(web: &AccountWeb, config: RoutesConfig, stopping: &CancellationToken) -> BoxedFilter<(Response,)> {
    let entrance = {
        let web = web.clone();
        warp::path::end().and(warp::get().or(warp::head()).unify()).map(move || {
            let mut response = StatusCode::SEE_OTHER.into_response();
            // The root is a path of letters and slashes.
            response.headers_mut().extend(HeaderValue::try_from(web.root()).ok().map(|root| (header::LOCATION, root)));
            response
        })
    };
    let root = web.root().trim_start_matches('/').to_owned();
    let (web, stopping) = (web.clone(), stopping.clone());
    let query = warp::query::raw().or_else(|_| async { Ok::<_, Infallible>((String::new(),)) });
    let pages = warp::path(root)
        .and(warp::method())
        .and(warp::path::full())
        .and(query)
        .and(warp::header::headers_cloned())
        .and(warp::ext::optional::<ClientAddress>())
        .and(warp::body::stream())
        .then(
            move |method: Method,
                  path: warp::path::FullPath,
                  query: String,
                  headers: HeaderMap,
                  address: Option<ClientAddress>,
                  body| {
                let (web, config, stopping) = (web.clone(), config.clone(), stopping.clone());
                async move {
                    let peer: Option<IpAddr> = address.map(|address| address.0.ip());
                    let address = peer.map(|peer| sender(peer, &headers, &config.trusted_proxies));
                    let email = peer.and_then(|peer| proven(peer, &headers, &config));
                    let kind = FormKind::of(&headers);
                    let form = if method == Method::POST && kind.is_some() {
                        let read = read(Box::pin(body_bytes(body)));
                        match tokio::time::timeout(FORM_TIMEOUT, read).await {
                            Ok(Ok(form)) => form,
                            Ok(Err(status)) => return status.into_response(),
                            Err(_) => return StatusCode::REQUEST_TIMEOUT.into_response(),
                        }
                    } else {
                        Bytes::new()
                    };
                    let request = Request::new(method, path.as_str(), headers).with_query(&query);
                    let request = match kind {
                        Some(FormKind::Multipart(content_type)) => request.with_multipart(&content_type, form).await,
                        Some(FormKind::UrlEncoded) | None => request.with_form(&form),
                    };
                    answer(web.answer(request.with_address(address).with_proven(email)).await, stopping)
                }
            },
        );
    entrance.or(pages).unify().boxed()
}

/// The encodings of forms that the pages use.
enum FormKind {
    UrlEncoded,
    /// A form with files, with the whole value of `Content-Type`.
    Multipart(String),
}

impl FormKind {
    /// Returns the encoding of a body; `None` if it is no form.
    fn of(headers: &HeaderMap) -> Option<Self> {
        let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok())?;
        let essence = value.split(';').next().unwrap_or_default().trim();
        if essence.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
            Some(Self::UrlEncoded)
        } else {
            essence.eq_ignore_ascii_case("multipart/form-data").then(|| Self::Multipart(value.to_owned()))
        }
    }
}

async fn read(mut body: impl Stream<Item = Result<Bytes, warp::Error>> + Unpin) -> Result<Bytes, StatusCode> {
    let mut form = BytesMut::new();
    while let Some(chunk) = body.next().await {
        let chunk = chunk.map_err(|_| StatusCode::BAD_REQUEST)?;
        if form.len() + chunk.len() > Request::MAX_BODY {
            return Err(StatusCode::PAYLOAD_TOO_LARGE);
        }
        form.extend_from_slice(&chunk);
    }
    Ok(form.freeze())
}

fn answer(page: Page, stopping: CancellationToken) -> Response {
    let Page { status, headers, body, .. } = page;
    let mut response = match body {
        Body::Bytes(bytes) => Response::new(bytes.into()),
        Body::File(file) => {
            let length = file.length();
            let mut response = warp::reply::stream(file.into_stream()).into_response();
            response.headers_mut().extend(length.map(|length| (header::CONTENT_LENGTH, HeaderValue::from(length))));
            response
        }
        Body::Progress(watch) => warp::reply::stream(events(*watch, stopping)).into_response(),
        // A body of a later version of the crate, which is built with this one.
        _ => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    };
    *response.status_mut() = status;
    for (name, value) in &headers {
        if name == header::SET_COOKIE {
            response.headers_mut().append(name, value.clone());
        } else {
            response.headers_mut().insert(name, value.clone());
        }
    }
    response
}

/// Returns the progress of a check as server-sent events (HTML, 9.2): `progress` with the numbers of pages, and `end`.
fn events(watch: Watch, stopping: CancellationToken) -> impl Stream<Item = io::Result<Bytes>> + Send + Sync {
    // The stream is polled from one task, but a body has to be shareable.
    let (events, received) = tokio::sync::mpsc::channel(4);
    tokio::spawn(async move {
        let mut watch = watch;
        loop {
            let next = tokio::select! {
                next = tokio::time::timeout(KEEP_ALIVE, watch.next()) => next,
                () = stopping.cancelled() => return,
            };
            let event = match next {
                Err(_) => Bytes::from_static(b": still there\n\n"),
                Ok(Ok(Some(progress))) => written(progress),
                // If the check can't be read any more, the page that is loaded then says why.
                Ok(Ok(None) | Err(_)) => {
                    events.send(Bytes::from_static(b"event: end\ndata: {}\n\n")).await.ok();
                    return;
                }
            };
            // The browser has gone.
            if events.send(event).await.is_err() {
                return;
            }
        }
    });
    stream::unfold(received, |mut received| async { received.recv().await.map(|event| (Ok(event), received)) })
}

fn written(progress: Progress) -> Bytes {
    let data =
        serde_json::json!({"done": progress.pages_done, "found": progress.pages_found, "attempt": progress.attempt});
    format!("event: progress\ndata: {data}\n\n").into()
}
