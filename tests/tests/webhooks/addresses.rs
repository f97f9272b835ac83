//! The addresses to which webhooks must not go.

use std::net::IpAddr;

use a11ycheck_api_v1::ErrorBody;
use a11ycheck_core::{
    Error,
    domain::{AttemptFailure, AttemptResult},
    net::{AddressPolicy, StaticResolver},
};
use a11ycheck_tests::{Receiver, Reply};
use tokio::net::TcpListener;

use crate::hooks::{Hooks, loopback};

async fn refusal(hooks: &Hooks, url: &str) -> serde_json::Value {
    let refused = hooks.team.try_endpoint(url).await;
    let Err(error @ Error::Invalid(_)) = refused else { panic!("{url}: {refused:?}") };
    serde_json::to_value(ErrorBody::from(&error)).unwrap()["errors"].take()
}

#[tokio::test]
async fn an_endpoint_that_is_not_public_or_not_https_is_refused_and_the_field_named() {
    let resolver = StaticResolver::new()
        .with("inside.example.com", ["10.0.0.7".parse().unwrap()])
        .with("both.example.com", ["93.184.215.14".parse().unwrap(), "192.168.1.1".parse().unwrap()])
        .with("public.example.com", ["93.184.215.14".parse().unwrap()]);
    let hooks = Hooks::with(AddressPolicy::default(), resolver, |sender| sender).await;
    for url in [
        "https://127.0.0.1",
        "https://[::ffff:10.0.0.1]",
        "https://2130706433",
        "https://0x7f.1",
        "https://localhost.",
        "https://localhost",
        "https://[::1]/",
        "https://169.254.169.254/latest/meta-data",
        "https://inside.example.com",
        "https://both.example.com",
        "https://public.example.com:22",
        "https://１２７.0.0.1",
        "https://[64:ff9b::10.0.0.1]",
        "https://metadata.google.internal",
    ] {
        let errors = refusal(&hooks, url).await;
        let [problem] = errors["url"].as_array().unwrap().as_slice() else { panic!("{url}: {errors}") };
        assert!(problem.as_str().unwrap().starts_with("The url field must be a public address."), "{url}: {problem}");
    }
    for url in ["http://public.example.com", "http://93.184.215.14", "http://127.0.0.1", "http://nowhere.example.com"] {
        assert_eq!(refusal(&hooks, url).await["url"][0], "The url field must begin with https://.", "{url}");
    }
    for url in ["ftp://public.example.com", "https://user@public.example.com", "https://"] {
        assert_eq!(refusal(&hooks, url).await["url"][0], "The url field must be a valid URL.", "{url}");
    }
    assert_eq!(hooks.team.endpoints().await, []);
    for url in ["https://public.example.com/hook", "https://not-yet.example.com", "93.184.215.14"] {
        hooks.endpoint(url).await;
    }
}

#[tokio::test]
async fn a_sixth_endpoint_is_refused() {
    let hooks = Hooks::new().await;
    for _ in 0..5 {
        hooks.endpoint("https://93.184.215.14/").await;
    }
    let errors = refusal(&hooks, "https://93.184.215.14/").await;
    assert_eq!(errors["url"][0], "A team can have 5 webhook endpoints.");
}

/// Starts a receiver on another loopback address, which represents a machine inside, at the port of one outside.
async fn inside(port: u16) -> Receiver {
    Receiver::on(TcpListener::bind(("127.0.0.2", port)).await.unwrap(), [Reply::Status(200)])
}

#[tokio::test]
async fn a_name_that_turns_to_an_inner_address_reaches_nothing_there() {
    let outside = Receiver::start([Reply::Status(204)]).await;
    let inside = inside(outside.port()).await;
    let [public, private]: [IpAddr; 2] = ["127.0.0.1".parse().unwrap(), "127.0.0.2".parse().unwrap()];
    // Public when the endpoint is created and at the first attempt, then private, then both, then public again.
    let answers = [vec![public], vec![public], vec![private], vec![public, private], vec![public]];
    let resolver = StaticResolver::new().with_sequence("rebind.example.com", answers);
    let policy = AddressPolicy::builder().allow_network("127.0.0.1/32".parse().unwrap()).build();
    let hooks = Hooks::with(policy, resolver, |sender| sender).await;
    let (endpoint, _) = hooks.endpoint(&format!("http://rebind.example.com:{}/", outside.port())).await;
    assert!(hooks.attempt(endpoint).await.report.is_success());
    for _ in 0..2 {
        let turned = hooks.attempt(endpoint).await;
        assert_eq!(turned.report.result, AttemptResult::Failed(AttemptFailure::RefusedAddress));
    }
    assert!(hooks.attempt(endpoint).await.report.is_success());
    assert_eq!((outside.count(), inside.count()), (2, 0));
    assert_eq!(hooks.resolver.asked().len(), 5, "one look-up for each judgement, and none to connect");
}

#[tokio::test]
async fn a_kept_connection_is_not_used_for_addresses_that_were_judged_anew() {
    let [one, other] = [Receiver::start([Reply::Status(200)]).await, Receiver::start([Reply::Status(200)]).await];
    let moved = inside(one.port()).await;
    let [first, second]: [IpAddr; 2] = ["127.0.0.1".parse().unwrap(), "127.0.0.2".parse().unwrap()];
    let answers = [vec![first], vec![first], vec![second], vec![first]];
    let resolver = StaticResolver::new().with_sequence("moves.example.com", answers);
    let hooks = Hooks::with(loopback(), resolver, |sender| sender).await;
    let (endpoint, _) = hooks.endpoint(&format!("http://moves.example.com:{}/", one.port())).await;
    for _ in 0..3 {
        assert!(hooks.attempt(endpoint).await.report.is_success());
    }
    assert_eq!((one.count(), moved.count(), other.count()), (2, 1, 0), "each attempt went where its look-up led");
}

#[tokio::test]
async fn a_name_without_an_address_is_distinguished_from_a_refused_one() {
    let resolver = StaticResolver::new();
    let hooks = Hooks::with(loopback(), resolver, |sender| sender).await;
    let (endpoint, _) = hooks.endpoint("https://nowhere.example.com/").await;
    let attempt = hooks.attempt(endpoint).await;
    assert_eq!(attempt.report.result, AttemptResult::Failed(AttemptFailure::Dns));
}

#[tokio::test]
async fn the_proxy_of_the_environment_is_not_asked() {
    // A child process, since the environment is that of the whole process.
    if std::env::var_os("A11YCHECK_TEST_PROXIED").is_some() {
        let receiver = Receiver::start([Reply::Status(204)]).await;
        let hooks = Hooks::new().await;
        let (endpoint, _) = hooks.endpoint(&receiver.url("/")).await;
        assert!(hooks.attempt(endpoint).await.report.is_success());
        return;
    }
    let name = "addresses::the_proxy_of_the_environment_is_not_asked";
    let child = tokio::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name])
        .env("A11YCHECK_TEST_PROXIED", "1")
        .envs(["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"].map(|name| (name, "http://127.0.0.1:9")))
        .output()
        .await
        .unwrap();
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
}
