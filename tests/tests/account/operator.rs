//! The operator's page: what runs, what is off, and with what.

use a11ycheck_account_web::Installation;
use a11ycheck_core::domain::{EndpointDetails, EventKind, Lease, SiteInput, SiteUrl};
use chrono::TimeDelta;

use crate::visitor::Home;

#[tokio::test]
async fn an_operator_sees_checks_that_may_be_stuck_endpoints_that_are_off_and_what_the_server_runs() {
    let home = Home::new([]).await;
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let installation = Installation::new([pair("axe-core", "4.11.0")], [pair("listen", "127.0.0.1:8080")]);
    let _ = home.web.clone().with_installation(installation);
    let mut operator = home.operator("op@example.org").await;
    let page = operator.get("/app/operator").await.text;
    for text in
        ["No check is running.", "<dt>axe-core</dt><dd>4.11.0</dd>", "<code>listen</code></dt><dd>127.0.0.1:8080"]
    {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert_eq!(page.matches("not by this server yet").count(), 2);

    let team = home.app.service.team(home.app.team.id()).await.unwrap();
    let url = SiteUrl::parse("https://hooks.example.com/off").unwrap();
    let (endpoint, _) = team.create_endpoint(EndpointDetails::new(url, [EventKind::ScanCompleted])).await.unwrap();
    team.disable_endpoint(endpoint.id).await.unwrap();
    home.app.team.add_site(SiteInput::parse("https://shop.example.com").unwrap()).await;
    let scan = home.claim_check().await.to_string();
    home.app.run_scheduler().await;
    home.app.engine.retention().step().await.unwrap();
    let page = operator.get("/app/operator").await.text;
    assert!(page.contains(&scan) && page.contains(">Running</span>") && !page.contains("May be stuck</span>"));
    assert!(page.contains("https://hooks.example.com/off") && !page.contains("not by this server yet"), "{page}");
    home.app.clock.advance(Lease::TERM + TimeDelta::seconds(1));
    let page = operator.get("/app/operator").await.text;
    assert!(page.contains(&scan) && page.contains("May be stuck</span>"), "its worker no longer answers");
}
