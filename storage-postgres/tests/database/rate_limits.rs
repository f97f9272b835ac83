//! Several nodes share one count of requests.

use std::sync::Arc;

use a11ycheck_core::{
    domain::{Ability, NewTeam, NewToken, PlainToken, PlanCatalog, PlanCode, RequestClass, Subscription},
    id::{TeamId, TokenId},
    store::{RateLimitStore as _, TeamStore as _},
};
use a11ycheck_storage_postgres::PostgresStore;
use chrono::Utc;
use tokio::{sync::Barrier, task::JoinSet};

use crate::support;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_given_back_on_two_nodes_at_once_are_given_back_exactly() {
    let (config, _) = support::config_at(&support::url()).await;
    let nodes = [PostgresStore::connect(config.clone()).await.unwrap(), PostgresStore::connect(config).await.unwrap()];
    nodes[0].put_plans(PlanCatalog::shipped().plans()).await.unwrap();
    let team = NewTeam {
        id: TeamId::generate(Utc::now()),
        name: "Team".to_owned(),
        plan: PlanCode::new("agency"),
        subscription: Subscription::ACTIVE,
        seats_used: 1,
    };
    let team = nodes[0].create_team(team).await.unwrap().id;
    let hash = PlainToken::generate().hash();
    let token = NewToken {
        id: TokenId::generate(Utc::now()),
        name: "CI".to_owned(),
        abilities: [Ability::Read].into(),
        hash,
        created_by: None,
    };
    let token = nodes[0].create_token(team, token).await.unwrap().unwrap().id;

    // All within one window, in case the minute ends in the middle: of 15 on each node, 10 are given back.
    let nodes = nodes.map(Arc::new);
    let start = Arc::new(Barrier::new(30));
    let mut requests = JoinSet::new();
    for number in 0..30 {
        let (node, start) = (Arc::clone(&nodes[number % 2]), Arc::clone(&start));
        requests.spawn(async move {
            start.wait().await;
            let admitted = node.admit_token(&hash, RequestClass::General).await.unwrap().unwrap();
            if number % 3 > 0 {
                node.give_back_token(token, RequestClass::General, admitted.at).await.unwrap().unwrap();
            }
            admitted.at
        });
    }
    let admitted = requests.join_all().await;
    let left = nodes[1].admit_token(&hash, RequestClass::General).await.unwrap().unwrap();
    let limit = left.rate.limit;
    let window = admitted.iter().min().unwrap();
    assert!(
        left.at - *window < a11ycheck_core::domain::RateWindow::LENGTH,
        "this machine took a minute for 31 requests"
    );
    assert_eq!(left.rate.remaining, limit - 10 - 1);
}
