//! What `admin doctor` says of the data and of what is around them.

use serde_json::Value;

use crate::support::{Folder, text};

async fn thing(folder: &Folder, arguments: &[&str], name: &str) -> (bool, String, String) {
    let output = folder.output(&[arguments, &["admin", "--json", "doctor"]].concat()).await;
    let things: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
    let thing = things.as_array().unwrap().iter().find(|thing| thing["name"] == name).expect(name);
    let text = |field: &str| thing[field].as_str().unwrap().to_owned();
    (output.status.success(), text("state"), text("details"))
}

#[tokio::test]
async fn data_are_looked_at_before_the_first_start_while_they_are_served_and_when_they_are_damaged() {
    let folder = Folder::new();
    let (_, state, details) = thing(&folder, &[], "store").await;
    assert!(state == "ok" && details.contains("the first start makes it"), "{details}");
    assert!(!folder.path().exists());

    let server = folder.start(&["--workers", "0"]).await;
    let (_, state, details) = thing(&folder, &[], "store").await;
    let served = format!("served by the process {}", server.pid().as_raw_nonzero());
    assert!(state == "ok" && details.contains("sound") && details.contains(&served), "{details}");
    server.stop().await;

    let file = folder.path().join("a11ycheck.db");
    let mut bytes = std::fs::read(&file).unwrap();
    let length = bytes.len();
    bytes[8_192..length - 4_096].fill(0x5a);
    std::fs::write(&file, bytes).unwrap();
    let (is_fit, state, details) = thing(&folder, &[], "store").await;
    assert!(!is_fit && state == "failed" && details.contains("admin restore FILE"), "{details}");
}

#[tokio::test]
async fn disks_clock_proxy_and_addresses_are_looked_at_with_what_to_do() {
    let folder = Folder::new();
    let (_, state, details) = thing(&folder, &[], "disk").await;
    assert!(
        ["ok", "warning"].contains(&state.as_str()) && details.contains(folder.path().to_str().unwrap()),
        "{details}"
    );
    assert_eq!(thing(&folder, &[], "clock").await.1, "ok");
    let nobody = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}", listener.local_addr().unwrap())
    };
    let (is_fit, state, details) = thing(&folder, &["--proxy", &nobody], "proxy").await;
    assert!(!is_fit && state == "failed" && details.contains("--proxy"), "{details}");
    let (_, state, details) = thing(&folder, &["--base-url", "https://a11y.example.com/v1"], "addresses").await;
    assert!(state == "warning" && details.contains("--trust-proxy"), "{details}");
}

#[tokio::test]
async fn a_database_that_does_not_answer_is_a_finding_and_one_that_does_shows_its_version_and_clock() {
    let output = |url: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_a11ycheck-server"));
        let output = command.args(["--database-url", url, "admin", "--json", "doctor"]).output().unwrap();
        let things: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
        let of = |name: &str| things.as_array().unwrap().iter().find(|thing| thing["name"] == name).unwrap().clone();
        (of("store"), of("clock"))
    };
    let (store, clock) = output("postgres://a11y:open-sesame@127.0.0.1:9/a11y");
    assert_eq!((&store["state"], &clock["state"]), (&"failed".into(), &"unknown".into()), "{store}");
    assert!(!store["details"].as_str().unwrap().contains("open-sesame"), "{store}");
    let (store, clock) = output(&a11ycheck_tests::database_url());
    assert!(store["state"] == "ok" && store["details"].as_str().unwrap().starts_with("PostgreSQL"), "{store}");
    assert_eq!(clock["state"], "ok", "{clock}");
}
