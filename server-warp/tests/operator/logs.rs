//! Logs that a program reads.

use std::{collections::BTreeMap, sync::Arc};

use a11ycheck_tests::{Client, wait_for};
use serde_json::{Value, json};

use crate::support::{Database, Server, get};

/// Returns the types of each field's values, over all lines.
fn types(lines: &[Value]) -> BTreeMap<&str, Vec<&'static str>> {
    let mut types: BTreeMap<&str, Vec<&'static str>> = BTreeMap::new();
    for (name, value) in lines.iter().flat_map(|line| line.as_object().unwrap()) {
        let kind = match value {
            Value::Null => "null",
            Value::Bool(_) => "bool",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        let seen = types.entry(name).or_default();
        if !seen.contains(&kind) {
            seen.push(kind);
        }
    }
    types
}

#[tokio::test]
async fn a_json_log_says_why_a_request_failed_on_lines_that_a_program_can_read() {
    let database = Database::create().await;
    let arguments = [
        &["--database-url", &database.url, "--roles", "api", "--demo", "--base-url", "https://a11y.example.com/v1"][..],
        &["--log-format", "json", "--log", "info,a11ycheck_server_warp=debug"],
    ];
    let server = Server::start(&arguments.concat()).await;
    let token = server.ready["token"].as_str().unwrap().to_owned();
    for path in ["/healthz", "/readyz", "/metrics", "/v1/nowhere"] {
        get(&server.url(path), None).await;
    }
    assert_eq!(get(&server.url("/v1/account"), Some(&token)).await.0, 200);
    database.remove().await;
    let (status, failed, _) = get(&server.url("/v1/account"), Some(&token)).await;
    assert_eq!(status, 503);
    let listen = server.ready["listen"].clone();
    let (stdout, stderr) = server.stop().await;

    assert_eq!(stdout, "", "nothing stands between the lines");
    assert!(!stderr.contains(token.strip_prefix("a11y_").unwrap()), "the token is in the ready file only");
    let lines: Vec<Value> = stderr.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    for (name, types) in types(&lines) {
        assert_eq!(types.len(), 1, "`{name}` has several types: {types:?}");
    }
    let with = |message: &str| lines.iter().filter(|line| line["message"] == message).collect::<Vec<_>>();
    assert_eq!(with("Listening")[0]["listen"], listen, "whatever the base address is");

    let of_request: Vec<&Value> = lines.iter().filter(|line| line["request"] == failed.as_str()).collect();
    let failure = of_request.iter().find(|line| line["message"] == "Could not answer a request").unwrap();
    assert_eq!((&failure["status"], &failure["error"]), (&503.into(), &"the store is not available".into()));
    let causes = failure["error_causes"].as_array().unwrap();
    assert!(causes.iter().any(|cause| cause.as_str().unwrap().contains(" ")), "{causes:?}");
    let answered = of_request.iter().find(|line| line["message"] == "Answered a request").unwrap();
    assert!(answered["status"] == 503 && answered["milliseconds"].is_u64(), "{answered}");

    for line in with("Answered a request") {
        let is_probe = ["/healthz", "/readyz", "/metrics"].contains(&line["path"].as_str().unwrap());
        assert_eq!(line["level"], if is_probe { "DEBUG" } else { "INFO" }, "{line}");
    }
}

#[tokio::test]
async fn a_text_log_says_where_the_server_listens_and_has_the_id_on_each_line_of_a_request() {
    let database = Database::create().await;
    let url = database.url.clone();
    let server =
        Server::start(&["--database-url", &url, "--roles", "api", "--demo", "--base-url", "https://a.example/v1"])
            .await;
    let listen = server.ready["listen"].as_str().unwrap().to_owned();
    get(&server.url("/healthz"), None).await;
    let token = server.ready["token"].as_str().unwrap().to_owned();
    database.remove().await;
    let (_, id, _) = get(&server.url("/v1/account"), Some(&token)).await;
    let (stdout, stderr) = server.stop().await;
    assert!(stdout.contains("https://a.example/v1") && stdout.contains(&listen), "{stdout}");
    assert!(stderr.contains(&format!("listen={listen}")), "{stderr}");
    let of_request: Vec<&str> = stderr.lines().filter(|line| line.contains(&id)).collect();
    assert!(of_request.len() >= 2, "{stderr}");
    let failure = of_request.iter().find(|line| line.contains("Could not answer a request")).unwrap();
    assert!(failure.contains("the store is not available") && failure.contains("error.sources="), "{failure}");
    assert!(!stderr.contains("/healthz"), "probes are no news: {stderr}");
}

#[tokio::test]
async fn a_header_that_nobody_trusts_is_logged_once_with_what_to_set() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let server = Server::start(&["--memory", "--workers", "0"]).await;
    let client = reqwest::Client::new();
    for _ in 0..3 {
        let request = client.get(server.url("/v1/account")).header("X-Forwarded-For", "198.51.100.1");
        assert_eq!(request.send().await.unwrap().status(), 401);
    }
    let (_, log) = server.stop().await;
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("X-Forwarded-For is ignored")).collect();
    let [line] = lines[..] else { panic!("once: {log}") };
    assert!(line.contains(" WARN ") && line.contains("--trust-proxy") && line.contains("peer=127.0.0.1"), "{line}");

    let server = Server::start(&["--memory", "--workers", "0", "--trust-proxy", "127.0.0.0/8"]).await;
    let request = client.get(server.url("/v1/account")).header("X-Forwarded-For", "198.51.100.1");
    assert_eq!(request.send().await.unwrap().status(), 401);
    let (_, log) = server.stop().await;
    assert!(!log.contains("X-Forwarded-For"), "{log}");
}

/// Starts a web site with a certificate that is not trusted.
async fn untrusted_site() -> String {
    let signed = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let key = rustls::pki_types::PrivateKeyDer::try_from(signed.signing_key.serialize_der()).unwrap();
    let config = rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![signed.cert.der().clone()], key)
        .unwrap();
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let accepting = acceptor.accept(stream);
            // A client that does not trust it closes the connection.
            tokio::spawn(async move { drop(accepting.await) });
        }
    });
    url
}

#[tokio::test]
async fn the_certificates_of_others_are_no_errors_of_ours() {
    let server = Server::start(&["--memory", "--allow-network", "127.0.0.0/8"]).await;
    let client = Client::new(&server.url("/v1"), server.ready["token"].as_str());
    let site = json!({"url": untrusted_site().await, "report_locale": "en"});
    let site = client.post("/sites", site).await.data(201)["id"].as_str().unwrap().to_owned();
    wait_for("the check to fail", async || {
        let checks = client.get(&format!("/sites/{site}/scans")).await;
        let check = checks.body["data"][0].clone();
        (check["status"] == "failed").then(|| assert_eq!(check["error"]["code"], "tls", "{check}"))
    })
    .await;
    let (_, log) = server.stop().await;
    let errors: Vec<&str> = log.lines().filter(|line| line.contains(" ERROR ")).collect();
    assert_eq!(errors, [""; 0]);
    let began: Vec<&str> = log.lines().filter(|line| line.contains("Began a check")).collect();
    assert!(began.len() == 1 && began[0].contains("kind=scheduled attempt=1 waited_seconds="), "{began:?}");
}
