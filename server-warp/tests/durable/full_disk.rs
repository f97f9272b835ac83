//! A full disk: requests that would write are refused, those that read are not, and service goes on when there is room.

use a11ycheck_tests::Answer;
use serde_json::json;

use crate::support::Folder;

#[tokio::test]
async fn a_full_disk_answers_503_leaves_nothing_half_written_and_is_forgotten_when_there_is_room() {
    let folder = Folder::new();
    let server = folder.start(&["--workers", "0"]).await;
    let client = server.client(&server.token());
    let add = async || -> Answer {
        let site = json!({"url": "https://93.184.215.14/", "name": "n".repeat(100), "report_locale": "en"});
        client.post("/sites", site).await
    };
    assert_eq!(add().await.status, 201);
    let log = folder.path().join("a11ycheck.db-wal");
    server.limit_files(Some(std::fs::metadata(log).unwrap().len() + 20_000));
    let mut added = 1;
    // A plan has 25 sites at least, and a site takes more than a thousandth of this room.
    let refused = loop {
        let answer = add().await;
        match answer.status {
            201 => added += 1,
            _ => break answer,
        }
    };
    assert_eq!(refused.status, 503, "{}", refused.body);
    assert_eq!(refused.header("retry-after").parse::<u32>().is_ok(), !refused.header("retry-after").is_empty());
    for _ in 0..2 {
        assert_eq!(add().await.status, 503);
    }
    let sites = client.get("/sites").await;
    assert_eq!(sites.data(200).as_array().unwrap().len(), added, "none of those that were refused");
    assert!(
        server.log().contains("the disk is full") || server.log().contains("the disk is in trouble"),
        "{}",
        server.log()
    );

    server.limit_files(None);
    assert_eq!(add().await.status, 201);
    assert_eq!(client.get("/sites").await.data(200).as_array().unwrap().len(), added + 1);
    let found = folder.admin(&["doctor"]).await;
    let store = found.as_array().unwrap().iter().find(|thing| thing["name"] == "store").unwrap();
    assert_eq!(store["state"], "ok", "{store}");
    server.stop().await;
}
