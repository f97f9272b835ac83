//! Every GET of the API, before and after the move.

use a11ycheck_api_v1::{
    EventsV1,
    routes::{Method, ROUTES},
};
use a11ycheck_core::{
    Service, Store,
    clock::ManualClock,
    domain::{Ability, Failure, FailureCode, Impact},
    locale::Locale,
    net::StaticResolver,
    scanner::{CancellationToken, Script, ScriptedScanner},
    sealing::Keyring,
    store::transfer,
};
use a11ycheck_server_warp::{RoutesConfig, ServeLimits, routes, serve};
use a11ycheck_storage_memory::MemoryStore;
use a11ycheck_storage_testkit::StoreFactory as _;
use a11ycheck_tests::{Answer, Client, Memory, TestApp};
use chrono::{DateTime, TimeDelta};
use tokio::net::TcpListener;

use crate::stores::{Stores, exported};

fn scripts() -> [Script; 4] {
    let first = Script::page("https://example.com/")
        .with_problem("image-alt", Impact::Critical, "#logo", "<img id=\"logo\" src=\"/logo.png\">")
        .with_problem("color-contrast", Impact::Serious, ".price", "<b class=\"price\">10 €</b>")
        .with_recommendation("region", Impact::Moderate, "div", "<div>")
        .with_pictures()
        .and_page("https://example.com/shop")
        .with_problem("image-alt", Impact::Critical, "#logo", "<img id=\"logo\" src=\"/logo.png\">");
    let second = Script::page("https://example.com/")
        .with_problem("label", Impact::Critical, "#name", "<input id=\"name\">")
        .with_pictures();
    let failure = Failure::new(FailureCode::LoginRequired, "A login page stands in place of the site.");
    [first, second, Script::failing(failure), Script::page("https://example.org/")]
}

/// Serves a store that took the content, with links that name the former server.
async fn serve_moved(store: impl Store, ring: &Keyring, app: &TestApp<Memory>, stop: &CancellationToken) -> String {
    let service = Service::builder(store)
        .with_sealing(ring.clone())
        .with_event_writer(EventsV1)
        .with_clock(app.clock.clone())
        .with_resolver(StaticResolver::new())
        .with_base_url(app.service.base_url().as_str())
        .with_stored_plans()
        .build()
        .await
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    let stopped = stop.clone().cancelled_owned();
    tokio::spawn(serve(listener, routes(&service, RoutesConfig::default()), ServeLimits::default(), stopped));
    address
}

/// Returns the paths of all GET operations, with all parameters for which answers differ.
fn paths(sites: &[String], scans: &[String]) -> Vec<String> {
    let mut paths = Vec::new();
    for route in ROUTES.iter().filter(|route| route.method == Method::Get) {
        let of_sites: Vec<String> = match route.path.contains("{site}") {
            true => sites.iter().map(|site| route.path.replace("{site}", site)).collect(),
            false => vec![route.path.to_owned()],
        };
        let of_scans = of_sites.iter().flat_map(|path| match path.contains("{scan}") {
            true => scans.iter().map(|scan| path.replace("{scan}", scan)).collect(),
            false => vec![path.clone()],
        });
        for path in of_scans {
            let path = path.replace("{id}", "1").replace("{number}", "1");
            // Each PDF takes a while.
            let has_pdf = path.contains(&scans[2]) || path.contains(&sites[0]);
            let queries: Vec<String> = match path.rsplit('/').next().unwrap() {
                "report" => Locale::ALL.iter().map(|locale| format!("?lang={locale}")).collect(),
                "export" => ["json", "csv", "github", "jira", "html", "pdf"]
                    .map(|format| format!("?format={format}&lang=uk"))
                    .into(),
                "acr" => ["json", "html", "docx", "pdf"].map(|format| format!("?format={format}&lang=de")).into(),
                "pdf" => ["?lang=en", "?lang=en&detail=full"].map(str::to_owned).into(),
                "sites" | "scans" => ["", "?per_page=1", "?per_page=1&page=2", "?tag=a"].map(str::to_owned).into(),
                _ => vec![String::new()],
            };
            let paths_of_queries = queries.into_iter().map(|query| format!("{path}{query}"));
            paths.extend(paths_of_queries.filter(|path| has_pdf || !path.contains("pdf")));
        }
    }
    paths
}

/// Returns an answer without what differs from one request to the next.
fn shown(answer: &Answer) -> (u16, Vec<(String, String)>, &[u8]) {
    let headers = answer.headers.iter().filter(|(name, _)| !matches!(name.as_str(), "date" | "x-request-id"));
    let mut headers: Vec<(String, String)> =
        headers.map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned())).collect();
    headers.sort_unstable();
    (answer.status, headers, &answer.bytes)
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_of_the_api_is_the_same_after_the_move() {
    let stores = Stores::new();
    let clock = ManualClock::at(DateTime::from_timestamp(TestApp::<Memory>::START, 0).unwrap());
    let store = MemoryStore::with_clock(clock.clone());
    let ring = Keyring::ephemeral();
    let service = Service::builder(store.clone()).with_sealing(ring.clone()).with_event_writer(EventsV1);
    let app = TestApp::<Memory>::over(service, clock, ScriptedScanner::new(scripts()), "agency").await;
    let (_, secret) = app.team.token(&[Ability::Read, Ability::Write]).await;
    let stranger = app.team("Red Team", "agency").await;
    let (_, other) = stranger.token(&[Ability::Read]).await;
    let owner = app.client_with(Some(secret.reveal()));
    app.team.endpoint("https://hooks.example.net/a11y").await;

    // Checks that completed, failed and wait.
    let mut sites = Vec::new();
    for (url, tags) in [("example.com", r#"["a","b"]"#), ("example.org", "[]")] {
        let body = format!(r#"{{"url":"{url}","report_locale":"de","tags":{tags},"platform":"shopify","scan":true}}"#);
        let added = owner.send(reqwest::Method::POST, "/sites", Some(body)).await;
        sites.push(added.data(201)["id"].as_str().unwrap().to_owned());
        app.run_checks().await;
    }
    app.clock.advance(TimeDelta::days(2));
    for site in &sites {
        owner.post_empty(&format!("/sites/{site}/scans")).await.data(202);
        app.run_checks().await;
    }
    app.clock.advance(TimeDelta::days(2));
    owner.post_empty(&format!("/sites/{}/scans", sites[1])).await.data(202);
    let mut scans = vec!["scan_00000000000000000000000000".to_owned()];
    for site in &sites {
        let listed = owner.get(&format!("/sites/{site}/scans")).await;
        let ids = listed.body["data"].as_array().unwrap().iter().map(|scan| scan["id"].as_str().unwrap().to_owned());
        scans.extend(ids);
    }
    assert_eq!(scans.len(), 6);
    // Two PDFs are kept; the others are made on either side.
    for path in [format!("/scans/{}/pdf?lang=en", scans[2]), format!("/sites/{}/export?format=pdf&lang=uk", sites[0])] {
        assert_eq!(owner.get(&path).await.status, 200, "{path}");
    }

    let file = exported(&store).await;
    let (sqlite, postgres) = (stores.sqlite(&app.clock).await, stores.postgres(&app.clock).await);
    let memory = stores.empty(app.clock.clone()).await;
    transfer::import(&sqlite, file.as_slice()).await.unwrap();
    transfer::import(&postgres, file.as_slice()).await.unwrap();
    transfer::import(&memory, exported(&postgres).await.as_slice()).await.unwrap();
    let stop = CancellationToken::new();
    let moved = [
        ("SQLite", serve_moved(sqlite, &ring, &app, &stop).await),
        ("PostgreSQL", serve_moved(postgres, &ring, &app, &stop).await),
        ("memory", serve_moved(memory, &ring, &app, &stop).await),
    ];

    let mut compared = 0;
    for token in [Some(secret.reveal()), Some(other.reveal()), None] {
        let before = app.client_with(token);
        for path in paths(&sites, &scans) {
            // Each request is the first of its minute, so that no limit decides.
            app.clock.advance(TimeDelta::seconds(61));
            let expected = before.get(&path).await;
            for (store, address) in &moved {
                let answer = Client::new(address, token).get(&path).await;
                assert_eq!(shown(&answer), shown(&expected), "{path} of {store}");
            }
            compared += 1;
        }
    }
    assert!(compared > 300, "{compared} requests");
    stop.cancel();
}
