//! An object store that speaks as much of S3 as the store needs, and fails when a test says so.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use http_body_util::{BodyExt as _, Full};
use hyper::{
    Method, Request, Response, StatusCode,
    body::{Bytes, Incoming},
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpListener, task::JoinHandle};

pub(crate) struct S3 {
    port: u16,
    bucket: Arc<Bucket>,
    serving: JoinHandle<()>,
}

#[derive(Default)]
struct Bucket {
    objects: Mutex<BTreeMap<String, Bytes>>,
    is_down: AtomicBool,
}

impl S3 {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let bucket = Arc::<Bucket>::default();
        let served = Arc::clone(&bucket);
        let serving = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let bucket = Arc::clone(&served);
                tokio::spawn(async move {
                    let answer = service_fn(|request| answer(&bucket, request));
                    // The client may close the connection at any time.
                    hyper::server::conn::http1::Builder::new()
                        .serve_connection(TokioIo::new(stream), answer)
                        .await
                        .ok();
                });
            }
        });
        Self { port, bucket, serving }
    }

    /// Returns the settings for a client, beside the address.
    pub(crate) fn settings(&self) -> Vec<(String, String)> {
        let settings = [
            ("AWS_ENDPOINT", format!("http://127.0.0.1:{}", self.port)),
            ("AWS_ALLOW_HTTP", "true".to_owned()),
            ("AWS_ACCESS_KEY_ID", "key".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "hidden".to_owned()),
        ];
        settings.map(|(name, value)| (name.to_owned(), value)).into()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.bucket.objects.lock().unwrap().keys().cloned().collect()
    }

    pub(crate) fn go_down(&self) {
        self.bucket.is_down.store(true, Ordering::SeqCst);
    }

    pub(crate) fn come_up(&self) {
        self.bucket.is_down.store(false, Ordering::SeqCst);
    }
}

impl Drop for S3 {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn answer(bucket: &Bucket, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let signature = request.headers().get("authorization").map(|value| value.to_str().unwrap().to_owned());
    let is_signed = signature.is_some_and(|signature| signature.starts_with("AWS4-HMAC-SHA256 Credential=key/"));
    let (method, name) = (request.method().clone(), request.uri().path().to_owned());
    let body = request.into_body().collect().await.unwrap().to_bytes();
    let reply = |status: StatusCode, body: Bytes| {
        let reply = Response::builder().status(status).header("ETag", "\"1\"");
        Ok(reply.header("Last-Modified", "Fri, 15 Jan 2027 09:30:00 GMT").body(Full::new(body)).unwrap())
    };
    if bucket.is_down.load(Ordering::SeqCst) {
        return reply(StatusCode::SERVICE_UNAVAILABLE, Bytes::new());
    }
    if !is_signed {
        return reply(StatusCode::FORBIDDEN, Bytes::new());
    }
    let mut objects = bucket.objects.lock().unwrap();
    match method {
        Method::PUT => {
            objects.insert(name, body);
            reply(StatusCode::OK, Bytes::new())
        }
        Method::GET => match objects.get(&name) {
            Some(bytes) => reply(StatusCode::OK, bytes.clone()),
            None => reply(StatusCode::NOT_FOUND, Bytes::new()),
        },
        // `DeleteObjects`: objects that do not exist count as deleted.
        Method::POST => {
            let text = String::from_utf8(body.to_vec()).unwrap();
            let mut deleted = String::new();
            for key in text.split("<Key>").skip(1).map(|rest| rest.split("</Key>").next().unwrap()) {
                objects.remove(&format!("{name}/{key}"));
                deleted.push_str(&format!("<Deleted><Key>{key}</Key></Deleted>"));
            }
            reply(StatusCode::OK, format!("<DeleteResult>{deleted}</DeleteResult>").into())
        }
        _ => reply(StatusCode::METHOD_NOT_ALLOWED, Bytes::new()),
    }
}
