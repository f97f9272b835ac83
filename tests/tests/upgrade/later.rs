//! A server of this release beside nodes of a later one.

use a11ycheck_core::{
    domain::{Plan, PlanCatalog, PlanCode, Standing, TeamBrand},
    scanner::Script,
    store::{ScanStore as _, WebhookStore as _},
};
use a11ycheck_tests::{TestTeam, release};
use serde_json::{Value, json};

use crate::{LAST, Upgraded, next_window};

#[tokio::test]
async fn nothing_that_a_later_release_stored_is_refused_or_lost() {
    let mut upgraded = Upgraded::start(LAST, [Script::page("https://running.example.com/")]).await;
    release::run(&mut upgraded.db, include_str!("later.sql").to_owned()).await;
    add_to_findings(&mut upgraded).await;
    let before = upgraded.later().await;
    let rows: usize = upgraded.tables().await.iter().map(|table| table.rows.len()).sum();
    assert_eq!(before.values().filter(|later| !later.is_empty()).count(), rows, "there is something in every row");

    let read = upgraded.read_everything().await;
    assert_eq!(read.checks_by_status, [("completed", 2), ("failed", 1), ("queued", 1), ("running", 1)].into());
    assert_eq!(read.pictures, [404], "a picture that this release can't show is as good as none");
    let words = |account: &Value| (account["plan"]["status"].clone(), account["limits"]["check_frequency"].clone());
    assert_eq!(words(&read.accounts[1]), (json!("active"), json!("daily")), "what this release makes of them");
    let failed = read.checks.iter().find(|check| check["status"] == "failed").unwrap();
    assert_eq!((&failed["error"]["code"], &failed["kind"]), (&json!("later_code"), &json!("scheduled")));
    assert!(read.sites.iter().any(|site| site["name"] == "A picture" && site["report_locale"] == "en"));

    change_everything(&upgraded).await;
    upgraded.read_everything().await;
    let after = upgraded.later().await;
    for (row, later) in before {
        let kept = after.get(&row).unwrap_or_else(|| panic!("{row} is gone"));
        let lost: Vec<_> = later.difference(kept).collect();
        assert!(lost.is_empty(), "{row} has lost {lost:#?}");
    }
}

/// Adds fields and words of a later release to the findings, which are compressed: in every object of the document.
async fn add_to_findings(upgraded: &mut Upgraded) {
    fn add(value: &mut Value, is_by_rule: bool) {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields.iter_mut() {
                    add(value, matches!(name.as_str(), "rules" | "needs_review" | "undecided_reasons" | "values"));
                }
                if !is_by_rule {
                    fields.insert("later_field".to_owned(), json!({"deep": "later"}));
                }
                for (name, word) in [("impact", "later_severity"), ("code", "later_code")] {
                    if let Some(known) = fields.get_mut(name) {
                        *known = json!(word);
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| add(item, false)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    let tables = upgraded.tables().await;
    for row in &tables.iter().find(|table| table.name == "findings").unwrap().rows {
        let mut document = row["document"].as_object().unwrap().values().next().unwrap().clone();
        add(&mut document, false);
        sqlx::query("UPDATE findings SET document = $2 WHERE scan_id = $1")
            .bind(row["scan_id"].as_str().unwrap())
            .bind(release::compressed(&document))
            .execute(&mut upgraded.db)
            .await
            .unwrap();
    }
}

/// Changes everything that operators, clients and the loops change.
async fn change_everything(upgraded: &Upgraded) {
    let (app, service) = (&upgraded.app, &upgraded.app.service);
    let shipped = PlanCatalog::shipped();
    let mut agency: Plan = shipped.plan(&PlanCode::new("agency")).unwrap().clone();
    agency.limits.sites += 1;
    service.operator().put_plans(&PlanCatalog::new(vec![agency]).unwrap()).await.unwrap();

    for team in TestTeam::all(service).await {
        let before = team.created();
        team.change_plan(before.plan.code.as_str(), before.subscription).await;
        let brand = team.brand().await;
        if brand != TeamBrand::default() {
            team.set_brand(brand.with_name("Atelier Süd".parse().ok())).await;
        }
        if before.standing == Standing::Active {
            team.block().await;
            team.unblock().await;
        }
        for endpoint in team.endpoints().await {
            team.move_endpoint(&endpoint, "https://moved.example.com/hooks").await;
            team.enable_endpoint(endpoint.id).await;
        }
    }

    let client = app.client_with(Some(release::TOKEN));
    next_window(&app.clock);
    client
        .post("/sites", json!({"url": "https://added.example.com", "report_locale": "en", "scan": false}))
        .await
        .data(201);
    let sites = client.get("/sites").await;
    for site in sites.data(200).as_array().unwrap() {
        client.post_empty(&format!("/sites/{}/scans", site["id"].as_str().unwrap())).await;
    }
    app.run_scheduler().await;
    app.run_checks().await;
    let kinds = upgraded.deliver().await;
    assert!(kinds.contains(&"later.kind".to_owned()), "an event of a later release is delivered: {kinds:?}");
    upgraded.store.purge_scans(100).await.unwrap();
    upgraded.store.purge_deliveries(100).await.unwrap();
}
