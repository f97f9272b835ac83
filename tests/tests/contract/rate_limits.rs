//! Contract §14: request rate.

use crate::TestApp;
use chrono::TimeDelta;

#[tokio::test]
async fn the_61st_request_within_a_minute_is_refused_and_the_window_reopens() {
    let app = TestApp::start([]).await;
    let client = app.client().await;
    for left in (0..60).rev() {
        let answer = client.get("/account").await;
        assert_eq!(
            (answer.header("x-ratelimit-limit"), answer.header("x-ratelimit-remaining")),
            ("60", &*left.to_string())
        );
        assert_eq!((answer.header("retry-after"), answer.header("x-ratelimit-reset")), ("", ""));
    }
    app.clock.advance(TimeDelta::seconds(18));
    let refused = client.get("/account").await;
    assert_eq!(refused.refusal(), (429, "Too Many Attempts."));
    assert_eq!((refused.header("x-ratelimit-remaining"), refused.header("retry-after")), ("0", "42"));
    assert_eq!(refused.header("x-ratelimit-reset"), (1_811_851_200 + 60).to_string());
    assert_eq!(app.client().await.get("/account").await.status, 200, "another token has its own counter");

    app.clock.advance(TimeDelta::seconds(42));
    assert_eq!(client.get("/account").await.header("x-ratelimit-remaining"), "59");
}

#[tokio::test]
async fn every_answer_shows_the_counter() {
    let app = TestApp::start([]).await;
    let client = app.client().await;
    for (left, path) in ["/scans/x", "/nothing", "/sites?page=x"].into_iter().enumerate() {
        assert_eq!(client.get(path).await.header("x-ratelimit-remaining"), (59 - left).to_string(), "{path}");
    }
    assert_eq!(client.send(reqwest::Method::PUT, "/sites", None).await.header("x-ratelimit-remaining"), "56");
}

#[tokio::test]
async fn requests_without_a_token_are_counted_by_address() {
    let app = TestApp::start([]).await;
    let guess = |number: usize| app.client_with(Some(&format!("a11y_guess{number}")));
    for number in 0..60 {
        assert_eq!(guess(number).get("/account").await.status, 401);
    }
    assert_eq!(guess(60).get("/account").await.status, 429);
    assert_eq!(app.anonymous().get("/nothing").await.status, 429);
    assert_eq!(app.client().await.get("/account").await.status, 200, "a valid token is not held up by its neighbours");
}
