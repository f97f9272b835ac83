//! An S3 server made by others: moto.

use std::{env, net::SocketAddr, path::PathBuf, process::Stdio};

use reqwest::StatusCode;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
};

use crate::http;

/// moto on loopback, with a bucket `bucket`, until this is dropped.
#[derive(Debug)]
pub struct S3 {
    http: reqwest::Client,
    address: SocketAddr,
    /// Kept, so that it is killed on drop.
    _process: Child,
}

impl S3 {
    /// Starts a new server.
    ///
    /// # Panics
    /// If there is none on this machine: a test that needs it is never skipped.
    pub async fn start() -> Self {
        let mut process = Command::new(program())
            .args(["-H", "127.0.0.1", "-p", "0"])
            .env("PYTHONUNBUFFERED", "1")
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut log = BufReader::new(process.stderr.take().unwrap()).lines();
        let mut seen = Vec::new();
        let address = loop {
            let line = log.next_line().await.unwrap().unwrap_or_else(|| panic!("moto ended: {seen:?}"));
            if let Some((_, address)) = line.split_once("Running on http://") {
                break address.trim().parse().unwrap();
            }
            seen.push(line);
        };
        // The process must not block because nobody reads its log.
        tokio::spawn(async move { while let Ok(Some(_)) = log.next_line().await {} });
        let s3 = Self { http: http().build().unwrap(), address, _process: process };
        s3.ask(reqwest::Method::PUT, "bucket").await;
        s3
    }

    /// Returns the address on which it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the settings of a client that reaches the server at this address.
    pub fn settings(way: SocketAddr) -> Vec<(String, String)> {
        let settings = [
            ("AWS_ENDPOINT", format!("http://{way}")),
            ("AWS_ALLOW_HTTP", "true".to_owned()),
            ("AWS_ACCESS_KEY_ID", "key".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "hidden".to_owned()),
        ];
        settings.map(|(name, value)| (name.to_owned(), value)).into()
    }

    /// Returns the names of the objects in the bucket, in order.
    pub async fn names(&self) -> Vec<String> {
        let listed = self.ask(reqwest::Method::GET, "bucket?list-type=2").await;
        let keys = listed.split("<Key>").skip(1).filter_map(|rest| rest.split_once("</Key>"));
        keys.map(|(key, _)| key.to_owned()).collect()
    }

    /// Returns an object's content.
    pub async fn read(&self, name: &str) -> Vec<u8> {
        let url = format!("http://{}/bucket/{name}", self.address);
        let answer = self.http.get(url).header("authorization", AUTHORIZATION).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK, "{name}");
        answer.bytes().await.unwrap().into()
    }

    /// Writes an object behind the server's back.
    pub async fn write(&self, name: &str, bytes: Vec<u8>) {
        let url = format!("http://{}/bucket/{name}", self.address);
        let put = self.http.put(url).header("authorization", AUTHORIZATION);
        let answer = put.header("content-type", "application/octet-stream").body(bytes).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK, "{name}");
    }

    /// Deletes an object behind the server's back.
    pub async fn delete(&self, name: &str) {
        self.ask(reqwest::Method::DELETE, &format!("bucket/{name}")).await;
    }

    /// Makes the server refuse all credentials: it wants ones that it knows, of which there are none.
    pub async fn refuse_credentials(&self) {
        let url = format!("http://{}/moto-api/reset-auth", self.address);
        let reset = self.http.post(url).header("content-type", "text/plain").body("0");
        assert_eq!(reset.send().await.unwrap().status(), StatusCode::OK);
    }

    async fn ask(&self, method: reqwest::Method, path: &str) -> String {
        let url = format!("http://{}/{path}", self.address);
        let answer = self.http.request(method, url).header("authorization", AUTHORIZATION).send().await.unwrap();
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        answer.text().await.unwrap()
    }
}

/// The header from which moto learns which service is meant; it is not verified unless a test demands that.
const AUTHORIZATION: &str =
    "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=none";

fn program() -> PathBuf {
    if let Some(program) = env::var_os("A11YCHECK_S3_SERVER") {
        return program.into();
    }
    let installed = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/s3-server/venv/bin/moto_server");
    assert!(
        installed.is_file(),
        "moto_server was not found: run the tests with `cargo xtask test`, which installs it, or set A11YCHECK_S3_SERVER to \
         its path"
    );
    installed
}
