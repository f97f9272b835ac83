//! The log of deliveries, sending again, and the secrets of endpoints.

use a11ycheck_core::{
    domain::{DeliveryState, EndpointDetails, EventKind, Role, SiteUrl},
    id::EndpointId,
    service::TeamHandle,
};
use chrono::TimeDelta;
use reqwest::StatusCode;

use crate::visitor::{Home, Visitor};

async fn endpoint(team: &TeamHandle, url: &str) -> EndpointId {
    let details = EndpointDetails::new(SiteUrl::parse(url).unwrap(), [EventKind::ScanCompleted]);
    team.create_endpoint(details).await.unwrap().0.id
}

async fn home() -> (Home, TeamHandle, Visitor) {
    let home = Home::new([]).await;
    let owner = home.member("owner@example.org", Role::Owner).await;
    let team = home.app.service.team(home.app.team.id()).await.unwrap();
    (home, team, owner)
}

#[tokio::test]
async fn deliveries_of_all_endpoints_are_found_by_endpoint_event_state_and_day() {
    let (home, team, mut owner) = home().await;
    let first = endpoint(&team, "https://one.example.com/").await;
    let second = endpoint(&team, "https://two.example.com/").await;
    let old = team.ping_endpoint(first).await.unwrap().id.to_string();
    assert_eq!(home.attempt_deliveries(204).await, 1);
    home.app.clock.advance(TimeDelta::days(2));
    let new = team.ping_endpoint(second).await.unwrap().id.to_string();
    let today = home.app.service.now().format("%Y-%m-%d").to_string();
    for (query, has_old, has_new) in [
        (String::new(), true, true),
        (format!("?endpoint={first}"), true, false),
        ("?state=pending".to_owned(), false, true),
        ("?state=delivered&event=ping".to_owned(), true, false),
        ("?event=scan.completed".to_owned(), false, false),
        (format!("?since={today}"), false, true),
        (format!("?since={today}&endpoint={first}"), false, false),
        ("?state=nonsense".to_owned(), true, true),
    ] {
        let page = owner.get(&home.page(&format!("/deliveries{query}"))).await;
        assert_eq!(page.status, StatusCode::OK, "{query}");
        assert_eq!((page.text.contains(&old), page.text.contains(&new)), (has_old, has_new), "{query}");
    }
    let wrong = owner.get(&home.page("/deliveries?since=2027-13-41")).await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(wrong.text.contains("Enter a day") && wrong.text.contains("href=\"#since\""));
    let foreign = home.page("/deliveries?endpoint=whe_00000000000000000000000000");
    assert_eq!(owner.get(&foreign).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn what_failed_is_delivered_again_once_though_the_button_is_pressed_twice() {
    let (home, team, mut owner) = home().await;
    let id = endpoint(&team, "https://one.example.com/").await;
    for _ in 0..3 {
        team.ping_endpoint(id).await.unwrap();
    }
    for _ in 0..DeliveryState::MAX_ATTEMPTS {
        assert_eq!(home.attempt_deliveries(500).await, 3);
        home.app.clock.advance(TimeDelta::hours(7));
    }
    let path = home.page(&format!("/endpoints/{id}/resend-failed"));
    let early = (home.app.service.now() + TimeDelta::days(1)).format("%Y-%m-%d").to_string();
    let none = owner.post(&path, &[("since", early.as_str())]).await;
    assert!(none.text.contains("Events that are being delivered again: 0"), "they are older");
    let since = (home.app.service.now() - TimeDelta::days(7)).format("%Y-%m-%d").to_string();
    let pressed = owner.post(&path, &[("since", since.as_str())]).await;
    assert!(pressed.text.contains("Events that are being delivered again: 3"), "{}", pressed.text);
    let again = owner.post(&path, &[("since", since.as_str())]).await;
    assert!(again.text.contains("Events that are being delivered again: 0"));
    assert_eq!(home.attempt_deliveries(204).await, 3);
    let log = owner.get(&home.page("/audit")).await.text;
    assert_eq!(log.matches(&format!("{id} (3)")).count(), 1, "it is noted once, with their number");

    for (since, message) in [("", "Enter a day"), ("tomorrow", "Enter a day")] {
        let refused = owner.post(&path, &[("since", since)]).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{since}");
        assert!(refused.text.contains(message) && refused.text.contains("href=\"#since\""), "{since}");
    }
    team.disable_endpoint(id).await.unwrap();
    let refused = owner.post(&path, &[("since", since.as_str())]).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(refused.text.contains("The endpoint is switched off."));
}

#[tokio::test]
async fn a_former_secret_also_signs_for_as_long_as_was_chosen() {
    let (home, team, mut owner) = home().await;
    let id = endpoint(&team, "https://one.example.com/").await;
    let path = home.page(&format!("/endpoints/{id}/rotate"));
    for overlap in ["", "2", "31", "-1", "x"] {
        let refused = owner.post(&path, &[("overlap", overlap)]).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{overlap}");
        assert!(!refused.text.contains("whsec_") && refused.text.contains("href=\"#overlap\""), "{overlap}");
    }
    for (overlap, days) in [("0", None), ("1", Some(1)), ("7", Some(7)), ("30", Some(30))] {
        let shown = owner.post(&path, &[("overlap", overlap)]).await;
        assert_eq!(shown.status, StatusCode::OK, "{overlap}");
        assert!(shown.text.contains("<code>whsec_"), "{overlap}: the new secret is shown");
        let signing = async || {
            team.ping_endpoint(id).await.unwrap();
            let secrets = home.signing_secrets().await;
            assert_eq!(secrets.len(), 1, "one delivery");
            secrets[0]
        };
        assert_eq!(signing().await, if days.is_some() { 2 } else { 1 }, "{overlap}");
        if let Some(days) = days {
            home.app.clock.advance(TimeDelta::days(days) - TimeDelta::minutes(1));
            assert_eq!(signing().await, 2, "{overlap}");
            home.app.clock.advance(TimeDelta::minutes(1));
            assert_eq!(signing().await, 1, "{overlap}");
        }
    }
}
