//! The interface behind the server: redirects, forms, files and the progress of a check.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use a11ycheck_core::{
    domain::{Role, SiteInput},
    scanner::{CancellationToken, Script},
};
use a11ycheck_server_warp::{RoutesConfig, ServeLimits, account_pages, or_not_found, serve};
use reqwest::{Client, RequestBuilder, StatusCode, redirect::Policy};
use tokio::{net::TcpListener, sync::Semaphore};

use crate::visitor::{Home, PASSWORD};

/// A server with the pages of a home.
struct Server {
    address: SocketAddr,
    client: Client,
    stopping: CancellationToken,
}

impl Server {
    async fn start(home: &Home) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stopping = CancellationToken::new();
        let pages = or_not_found(account_pages(&home.web, RoutesConfig::default(), &stopping));
        tokio::spawn(serve(listener, pages, ServeLimits::default(), std::future::pending()));
        let client = a11ycheck_tests::http().redirect(Policy::none()).no_proxy().build().unwrap();
        Self { address, client, stopping }
    }

    fn get(&self, path: &str) -> RequestBuilder {
        self.client.get(format!("http://{}{path}", self.address))
    }

    fn post(&self, path: &str, body: String) -> RequestBuilder {
        let request = self.client.post(format!("http://{}{path}", self.address)).body(body);
        request.header("sec-fetch-site", "same-origin").header("content-type", "application/x-www-form-urlencoded")
    }
}

#[tokio::test]
async fn a_browser_gets_pages_a_session_and_files() {
    let home = Home::new([Script::page("https://shop.example.com/")]).await;
    let site = home.app.team.add_site(SiteInput::parse("https://shop.example.com").unwrap()).await;
    home.app.run_checks().await;
    home.member("jo@example.org", Role::Viewer).await;
    let server = Server::start(&home).await;
    let entrance = server.get("/").send().await.unwrap();
    assert_eq!((entrance.status(), &entrance.headers()["location"]), (StatusCode::SEE_OTHER, &"/app".parse().unwrap()));
    assert_eq!(server.get("/other").send().await.unwrap().status(), StatusCode::NOT_FOUND);
    let page = server.get("/app/sign-in").header("accept-language", "de").send().await.unwrap();
    assert_eq!(page.headers()["content-type"], "text/html; charset=utf-8");
    assert!(page.text().await.unwrap().contains("<html lang=\"de\">"));

    let form = format!("email=jo%40example.org&password={}", PASSWORD.replace(' ', "+"));
    let signed_in = server.post("/app/sign-in", form).send().await.unwrap();
    let cookie = signed_in.headers()["set-cookie"].to_str().unwrap().to_owned();
    assert!(cookie.contains("; HttpOnly; SameSite=Lax"), "{cookie}");
    let session = cookie.split(';').next().unwrap();
    let team = home.app.service.team(home.app.team.id()).await.unwrap();
    let check = team.newest_scan(site.id).await.unwrap().unwrap().id;
    let file = home.page(&format!("/checks/{check}/files/issues.csv"));
    let file = server.get(&file).header("cookie", session).send().await.unwrap();
    assert_eq!(file.status(), StatusCode::OK);
    assert!(file.headers()["content-disposition"].to_str().unwrap().starts_with("attachment; filename*=UTF-8''"));
    assert_eq!(file.headers()["x-content-type-options"], "nosniff");
    let length: usize = file.headers()["content-length"].to_str().unwrap().parse().unwrap();
    assert_eq!(file.bytes().await.unwrap().len(), length);
    let head = server.client.head(format!("http://{}/app/sign-in", server.address)).send().await.unwrap();
    assert_eq!(head.status(), StatusCode::OK);

    let large = server.post("/app/sign-in", "x".repeat(1024 * 1024 + 1)).send().await.unwrap();
    assert_eq!(large.status(), StatusCode::PAYLOAD_TOO_LARGE);
    let json = server.post("/app/sign-in", "{}".to_owned()).header("content-type", "application/json");
    assert_eq!(json.send().await.unwrap().status(), StatusCode::UNPROCESSABLE_ENTITY, "it is no form, so it is empty");
}

#[tokio::test]
async fn the_progress_of_a_check_ends_with_the_check_and_with_the_server() {
    let gate = Arc::new(Semaphore::new(0));
    let home = Home::new([Script::page("https://shop.example.com/").held_by(&gate)]).await;
    let site = home.app.team.add_site(SiteInput::parse("https://shop.example.com").unwrap()).await;
    let team = home.app.service.team(home.app.team.id()).await.unwrap();
    let check = team.newest_scan(site.id).await.unwrap().unwrap().id;
    let visitor = home.member("jo@example.org", Role::Viewer).await;
    let cookies: Vec<_> = visitor.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let path = home.page(&format!("/checks/{check}/progress"));
    let first = Server::start(&home).await;
    let mut watched = first.get(&path).header("cookie", cookies.join("; ")).send().await.unwrap();
    assert_eq!(watched.headers()["content-type"], "text/event-stream");
    let event = watched.chunk().await.unwrap().unwrap();
    assert!(event.starts_with(b"event: progress\ndata: {"), "{event:?}");
    first.stopping.cancel();
    let rest = tokio::time::timeout(Duration::from_secs(60), watched.bytes()).await.expect("it lets go").unwrap();
    assert!(!String::from_utf8_lossy(&rest).contains("event: end"), "the check has not ended: the page asks again");

    let second = Server::start(&home).await;
    let watched = second.get(&path).header("cookie", cookies.join("; ")).send().await.unwrap();
    gate.add_permits(1);
    home.app.run_checks().await;
    let text = tokio::time::timeout(Duration::from_secs(60), watched.text()).await.expect("it ends").unwrap();
    assert!(text.ends_with("event: end\ndata: {}\n\n"), "{text}");
}
