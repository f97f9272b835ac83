//! Data that a later release has stored, while nodes of two releases run: kept as they are, and written back as they
//! were.

use std::collections::BTreeSet;

use a11ycheck_core::{
    domain::{
        Ability, EventKind, Failure, FailureCause, FailureCode, Logo, NewToken, Plan, RequestClass, ScanState,
        Subscription,
    },
    store::Store,
};
use serde_json::{Value, json};

use crate::{
    StoreFactory,
    suite::{
        fixtures,
        outbox::steps::{answered, details},
        world::World,
    },
};

/// Returns a plan with fields and a word that this release does not know.
fn later(plan: &Plan) -> Plan {
    let mut document = serde_json::to_value(plan).unwrap();
    document["badge"] = json!({"text": "New", "until": null});
    document["features"]["sso"] = json!(true);
    document["limits"]["new_limit"] = json!(7);
    document["limits"]["check_frequency"] = json!("hourly");
    serde_json::from_value(document).unwrap()
}

pub(crate) async fn what_a_later_release_stored_with_a_plan_comes_back_and_stays_when_the_plan_is_put_again<
    S: Store,
>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let stored = later(&fixtures::plan());
    world.store.put_plans(std::slice::from_ref(&stored)).await.unwrap();
    assert_eq!(world.store.plans().await.unwrap(), std::slice::from_ref(&stored));
    let team = world.team().await;
    assert_eq!(world.store.team(team).await.unwrap().unwrap().plan, stored);
    let (_, hash) = world.token(team).await;
    let admitted = world.store.admit_token(&hash, RequestClass::General).await.unwrap().unwrap();
    assert_eq!(admitted.team.plan, stored, "requests are admitted");
    world.site(team).await;
    assert!(world.store.change_plan(team, &stored.code, Subscription::ACTIVE).await.unwrap());

    let changed = fixtures::plan_with(|limits| limits.seats = 9);
    world.store.put_plans(std::slice::from_ref(&changed)).await.unwrap();
    let kept = world.store.plans().await.unwrap();
    assert_eq!(kept, [changed.in_place_of(&stored)]);
    let document = serde_json::to_value(&kept[0]).unwrap();
    let at = |path: &str| document.pointer(path).cloned().unwrap_or(Value::Null);
    assert_eq!((at("/limits/new_limit"), at("/limits/seats")), (json!(7), json!(9)));
    assert_eq!(at("/limits/check_frequency"), json!("weekly"), "what is known is replaced");
}

pub(crate) async fn an_ability_of_a_later_release_comes_back_with_its_token<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let abilities = BTreeSet::from([Ability::Read, Ability::from_stored("sites:admin").unwrap()]);
    let new = NewToken { abilities: abilities.clone(), ..fixtures::new_token(world.now()) };
    let hash = new.hash;
    let created = world.store.create_token(team, new).await.unwrap().unwrap();
    assert_eq!(created.abilities, abilities);
    assert_eq!(world.store.tokens(team).await.unwrap(), std::slice::from_ref(&created));
    let admitted = world.store.admit_token(&hash, RequestClass::General).await.unwrap().unwrap();
    assert_eq!(admitted.token, created);
}

pub(crate) async fn a_failure_code_of_a_later_release_comes_back_with_its_check<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let claim = world.running(team, site).await;
    let later = Failure::new(FailureCode::from_stored("quota_of_site").unwrap(), "The site asks for patience.")
        .because_of(FailureCause::from_stored("quota_of_day").unwrap());
    world.store.fail_scan(claim, later.clone()).await.unwrap();
    let state = world.scan(team, claim.scan).await.state;
    assert!(matches!(&state, ScanState::Failed { failure, .. } if *failure == later), "{state:?}");
}

pub(crate) async fn a_changed_endpoint_listens_to_the_kinds_of_a_later_release_as_before<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let later = EventKind::from_stored("scan.failed").unwrap();
    let id = world.endpoint(team, &[EventKind::ScanCompleted, later]).await;
    let new = details("https://new.example/", &[EventKind::IssuesNew]);
    let changed = world.store.change_endpoint(team, id, new.clone()).await.unwrap().unwrap();
    assert_eq!(changed.details, details("https://new.example/", &[EventKind::IssuesNew, later]));
    assert_eq!(world.endpoint_row(team, id).await, changed);
    world.store.enable_endpoint(team, id).await.unwrap().unwrap();
    assert_eq!(world.endpoint_row(team, id).await.details, changed.details);
    world
        .completed_with_events(team, site, &[world.event(EventKind::ScanCompleted), world.event(EventKind::IssuesNew)])
        .await;
    assert_eq!(world.claim_delivery().await.kind, EventKind::IssuesNew, "nothing of this release is of that kind");
}

pub(crate) async fn an_event_of_a_later_release_is_delivered_as_any_other<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let later = EventKind::from_stored("scan.failed").unwrap();
    let id = world.endpoint(team, &[later]).await;
    let event = world.event(later);
    world.completed_with_events(team, site, std::slice::from_ref(&event)).await;
    let claimed = world.claim_delivery().await;
    assert_eq!((claimed.kind, &claimed.body), (later, &event.body));
    let recorded = world.record(claimed.claim, answered(204)).await;
    assert_eq!(recorded.kind, later);
    let again = world.store.resend_delivery(team, recorded.id).await.unwrap();
    assert_eq!((again.event, again.kind), (event.id, later));
    assert_eq!(world.deliveries(team, id).await.len(), 2);
}

pub(crate) async fn a_logo_of_a_later_release_comes_back_whole<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let svg = b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec();
    let brand = fixtures::brand(0).with_logo(Logo::from_stored(svg));
    assert!(world.store.set_brand(team, brand.clone()).await.unwrap());
    let read = world.store.brand(team).await.unwrap();
    assert_eq!(read, brand);
    assert!(world.store.set_brand(team, read).await.unwrap());
    assert_eq!(world.store.brand(team).await.unwrap(), brand);
}
