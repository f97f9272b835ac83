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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_of_many_tokens_at_once_on_two_nodes_are_counted_exactly() {
    const TOKENS: usize = 8;
    const REQUESTS: usize = 30;
    let (config, _) = support::config_at(&support::url()).await;
    let nodes = [PostgresStore::connect(config.clone()).await.unwrap(), PostgresStore::connect(config).await.unwrap()];
    nodes[0].put_plans(PlanCatalog::shipped().plans()).await.unwrap();
    let mut hashes = Vec::new();
    for number in 0..TOKENS {
        let team = NewTeam {
            id: TeamId::generate(Utc::now()),
            name: format!("Team {number}"),
            plan: PlanCode::new("pro"),
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
        nodes[0].create_token(team, token).await.unwrap().unwrap();
        hashes.push(hash);
    }
    // They begin the windows of their tokens, so that the others are counted together.
    let mut begun = Vec::new();
    for hash in &hashes {
        begun.push(nodes[0].admit_token(hash, RequestClass::File).await.unwrap().unwrap());
    }
    let limit = begun[0].rate.limit;

    // Each node has the tokens in another order.
    let nodes = nodes.map(Arc::new);
    let start = Arc::new(Barrier::new(TOKENS * REQUESTS));
    let mut requests = JoinSet::new();
    for number in 0..TOKENS * REQUESTS {
        let (node, start) = (Arc::clone(&nodes[number % 2]), Arc::clone(&start));
        let token = if number % 2 == 0 { number / 2 % TOKENS } else { TOKENS - 1 - number / 2 % TOKENS };
        let hash = hashes[token];
        requests.spawn(async move {
            start.wait().await;
            (token, node.admit_token(&hash, RequestClass::File).await.unwrap().unwrap())
        });
    }
    let answers = requests.join_all().await;
    for (token, first) in begun.iter().enumerate() {
        let of_token = answers.iter().filter(|(of, _)| *of == token).map(|(_, answer)| answer);
        let (admitted, refused): (Vec<_>, Vec<_>) = of_token.partition(|answer| answer.rate.is_admitted());
        let last = admitted.iter().chain(&refused).map(|answer| answer.at).max().unwrap();
        assert!(
            last - first.at < a11ycheck_core::domain::RateWindow::LENGTH,
            "this machine took a minute for {} requests",
            answers.len()
        );
        let mut remaining: Vec<_> = admitted.iter().map(|answer| answer.rate.remaining).collect();
        remaining.sort_unstable();
        assert_eq!(remaining, (0..limit - 1).collect::<Vec<_>>(), "token {token}: each is told another number");
        assert_eq!(refused.len(), REQUESTS - admitted.len(), "token {token}");
    }
}
