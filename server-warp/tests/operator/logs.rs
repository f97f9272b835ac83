//! Logs that a program reads.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::{Database, Server, get};

/// The types of a field's values, over all lines.
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
