//! Calls that arrive together share statements, and each gets the answer that it would have got alone.

use std::sync::Arc;

use a11ycheck_core::{
    domain::{
        Ability, NewSite, NewTeam, NewToken, PlainToken, PlanCatalog, PlanCode, RequestClass, SiteDetails, SiteUrl,
        Subscription, TokenHash,
    },
    id::{SiteId, TeamId, TokenId},
    locale::Locale,
    paging::PageRequest,
    store::{RateLimitStore as _, SiteStore as _, TeamStore as _},
};
use a11ycheck_storage_postgres::PostgresStore;
use chrono::Utc;
use tokio::{sync::Barrier, task::JoinSet};

use crate::support;

/// Two nodes on one database.
async fn nodes() -> [PostgresStore; 2] {
    let (config, _) = support::config_at(&support::url()).await;
    let nodes = [PostgresStore::connect(config.clone()).await.unwrap(), PostgresStore::connect(config).await.unwrap()];
    nodes[0].put_plans(PlanCatalog::shipped().plans()).await.unwrap();
    nodes
}

async fn team(store: &PostgresStore, number: usize) -> TeamId {
    let team = NewTeam {
        id: TeamId::generate(Utc::now()),
        name: format!("Team {number}"),
        plan: PlanCode::new("pro"),
        subscription: Subscription::ACTIVE,
        seats_used: 1,
    };
    store.create_team(team).await.unwrap().id
}

async fn token(store: &PostgresStore, team: TeamId) -> TokenHash {
    let hash = PlainToken::generate().hash();
    let token = NewToken {
        id: TokenId::generate(Utc::now()),
        name: "CI".to_owned(),
        abilities: [Ability::Read].into(),
        hash,
        created_by: None,
    };
    store.create_token(team, token).await.unwrap().unwrap();
    hash
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_of_many_tokens_at_once_on_two_nodes_are_counted_exactly() {
    const TOKENS: usize = 8;
    const REQUESTS: usize = 30;
    let nodes = nodes().await;
    let mut hashes = Vec::new();
    for number in 0..TOKENS {
        let team = team(&nodes[0], number).await;
        hashes.push(token(&nodes[0], team).await);
    }
    // The first request of each token begins its window, so that the others can be counted together.
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
        assert_eq!(remaining, (0..limit - 1).collect::<Vec<_>>(), "token {token}: each gets another number");
        assert_eq!(refused.len(), REQUESTS - admitted.len(), "token {token}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_reads_at_once_each_gets_its_own() {
    const TEAMS: usize = 6;
    let [store, _] = nodes().await;
    let mut teams = Vec::new();
    for number in 0..TEAMS {
        let team = team(&store, number).await;
        for site in 0..number {
            let tag = if site % 2 == 0 { "even" } else { "odd" };
            let details = SiteDetails {
                url: SiteUrl::parse(&format!("https://s{site}.team{number}.example.com/")).unwrap(),
                name: None,
                report_locale: Locale::En,
                platform: None,
                stack: Vec::new(),
                tags: vec![tag.to_owned()],
                standard: None,
            };
            let new = NewSite { id: SiteId::generate(Utc::now()), details };
            store.add_site(team, new, None).await.unwrap();
        }
        teams.push(team);
    }
    // A team that does not exist.
    teams.push(TeamId::generate(Utc::now()));
    let tags = [None, Some("even"), Some("odd"), Some("none")];
    let pages = [PageRequest::new(1, 100), PageRequest::new(1, 2), PageRequest::new(2, 2), PageRequest::new(9, 2)];
    let mut expected = Vec::new();
    for team in &teams {
        for tag in tags {
            for page in pages {
                // Nothing else runs yet, so these reads share no statement.
                expected.push((*team, tag, page, store.sites(*team, tag, page).await.unwrap()));
            }
        }
    }
    // The number of sites of each team.
    let all: Vec<u64> = (0..TEAMS as u64).collect();
    for (team, number) in teams.iter().zip(&all) {
        let found =
            expected.iter().find(|(of, tag, page, _)| of == team && tag.is_none() && *page == pages[0]).unwrap();
        assert_eq!(found.3.total, *number);
    }
    let store = Arc::new(store);
    let start = Arc::new(Barrier::new(expected.len()));
    let mut reads = JoinSet::new();
    for (place, (team, tag, page, alone)) in expected.into_iter().enumerate() {
        let (store, start) = (Arc::clone(&store), Arc::clone(&start));
        let number = all.get(place / (tags.len() * pages.len())).copied().unwrap_or_default();
        reads.spawn(async move {
            start.wait().await;
            if place % 5 == 0 {
                // A caller that is cancelled must not cost others their answers.
                let read = tokio::time::timeout(std::time::Duration::ZERO, store.site_usage(team));
                drop(read.await);
            }
            let (sites, usage) = tokio::join!(store.sites(team, tag, page), store.site_usage(team));
            assert_eq!(sites.unwrap(), alone);
            assert_eq!(u64::from(usage.unwrap().sites), number);
        });
    }
    reads.join_all().await;
}
