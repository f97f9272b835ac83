//! Teams by the host's own keys.

use a11ycheck_core::{
    Error,
    domain::{ExternalKey, PlanCode},
    paging::PageRequest,
    service::{SitesQuery, TeamInput},
};
use tokio::task::JoinSet;

use crate::Host;

#[tokio::test]
async fn the_team_of_a_key_is_made_once_however_often_it_is_asked_for() {
    let host = Host::new([]).await;
    let operator = host.world.service().operator();
    let before = operator.teams(PageRequest::new(1, 9)).await.unwrap().total;
    let key: ExternalKey = "customer-4711".parse().unwrap();
    let mut asking = JoinSet::new();
    for number in 0..8 {
        let (operator, key) = (operator.clone(), key.clone());
        let input = TeamInput::new(format!("  Customer {number} "), PlanCode::PRO);
        asking.spawn(async move { operator.team_for(key, input).await.unwrap().team().await.unwrap() });
    }
    let found = asking.join_all().await;
    assert!(found.iter().all(|team| *team == found[0]), "{found:?}");
    assert!(found[0].name.starts_with("Customer"), "{:?}", found[0].name);
    assert_eq!(operator.teams(PageRequest::new(1, 9)).await.unwrap().total, before + 1);

    let blank = operator.team_for(key.clone(), TeamInput::new(" ", PlanCode::PRO)).await;
    assert!(matches!(blank, Err(Error::BlankName)), "{blank:?}");
    let other_plan = operator.team_for(key, TeamInput::new("Other", PlanCode::new("no such plan"))).await.unwrap();
    assert_eq!(other_plan.team().await.unwrap(), found[0], "what is there stays as it is");
    let unknown = operator.team_for("new".parse().unwrap(), TeamInput::new("New", PlanCode::new("no such plan"))).await;
    assert!(matches!(unknown, Err(Error::NoPlan(_))), "{unknown:?}");
}

#[tokio::test]
async fn a_blocked_team_is_found_by_its_key_and_may_do_nothing() {
    let host = Host::new([]).await;
    let operator = host.world.service().operator();
    let key: ExternalKey = "customer-4711".parse().unwrap();
    let ask = async || operator.team_for(key.clone(), TeamInput::new("Customer", PlanCode::PRO)).await.unwrap();
    let team = ask().await;
    operator.team(team.id()).await.unwrap().block().await.unwrap();
    assert_eq!(ask().await.id(), team.id());
    let sites = ask().await.sites(&SitesQuery::default()).await;
    assert!(matches!(sites, Err(Error::TeamBlocked)), "{sites:?}");
}
