//! The pages of the account interface with 1,000 sites and 500,000 findings in one team: `cargo xtask bench pages`.
//!
//! Every page that a `GET` of the interface's own table of routes leads to is asked for, one request after the other over one
//! connection, as a person does; the list of sites in several ways, and the report of a typical check as well as that of the
//! largest one. What is not measured is named in [`LEFT_OUT`], with the reason. The table has the median and the 95th percentile of
//! the times, and what a browser loads for the page without pictures. Times are a report and no verdict; the goals beneath the table
//! are those that the interface was built for.

use std::{
    collections::BTreeSet,
    net::SocketAddr,
    time::{Duration, Instant},
};

use a11ycheck_account_web::{AccountWeb, Request, Verb, hash, routes};
use a11ycheck_core::{
    Engine, Service,
    domain::{
        AssignmentInput, Batch, EndpointDetails, EventKind, Finding, Findings, Impact, JudgementInput, PageCounts,
        PageOutcome, PersonKind, PlanCode, Role, RuleFacts, RuleId, SiteFieldInput, SiteInput, SiteUrl, Tag, Tool,
    },
    engine::EngineConfig,
    id::ScanId,
    paging::PageRequest,
    scanner::{CancellationToken, ProgressSink, ScanError, ScanOutput, ScanRequest, Scanner},
    service::{Actor, Chosen, PersonInput, TeamHandle, TeamInput, TokenInput},
    store::AssignmentFilter,
};
use a11ycheck_server_warp::{RoutesConfig, ServeLimits, account_pages, serve as accept};
use async_trait::async_trait;
use warp::http::{HeaderMap, Method, header};

use crate::{
    load::{Load, fetch, offer, request_with},
    ours::{self, Ours},
    server::{Caller, Kind, Ready, Server, say},
};

/// The number of sites, each with one completed check.
const SITES: usize = 1_000;
/// The number of elements that fail in a check.
const TYPICAL: usize = 475;
/// The number of those of the first site, which has [`HISTORY`] checks.
const LARGEST: usize = 25_000;
const HISTORY: usize = 4;
/// The number of decisions about elements of the first site.
const DECISIONS: u64 = 200;
/// The number of assignments of the first site.
const WORK: u64 = 300;
const PASSWORD: &str = "correct horse battery";
/// The routes that are not measured.
const LEFT_OUT: [(&str, &str); 20] = [
    ("", "leads on to the page of the team"),
    ("/teams", "leads on to the team where there is one"),
    ("/teams/{team}", "leads on to the sites"),
    ("/assets/{name}", "counted with each page"),
    ("/sign-in", "leads on for who is signed in"),
    ("/first", "there are people"),
    ("/join", "takes the key of an invitation"),
    ("/sign-in/code", "leads on to the sign-in"),
    ("/sign-in/provider", "leads on to the provider"),
    ("/sign-in/provider/answer", "leads on"),
    ("/forgotten", "no mail is sent"),
    ("/new-password", "takes the key of a mail"),
    ("/no-notices", "takes the key of a mail"),
    ("/shared", "takes the key of a link"),
    ("/teams/{team}/checks/{check}/progress", "stays open as long as the check runs"),
    ("/teams/{team}/checks/{check}/pictures/{picture}", "a picture"),
    ("/teams/{team}/checks/{check}/files/{file}", "a file"),
    ("/teams/{team}/checks/{check}/bulk", "takes elements that were chosen"),
    ("/teams/{team}/export-sites", "a file"),
    ("/teams/{team}/brand/logo", "a picture"),
];

/// Measures the pages on one store, or on each, and prints the table.
pub(crate) fn run(rounds: usize, only: Option<Kind>) {
    println!(
        "\n{SITES} sites, {} findings in their latest checks, one connection, {rounds} requests a page.\n",
        total()
    );
    println!("| store | page | p50 ms | p95 ms | HTML kB | with style and script kB |");
    println!("|---|---|---:|---:|---:|---:|");
    let (mut slowest, mut heaviest) = (0.0_f64, 0.0_f64);
    for kind in Kind::STORES.into_iter().filter(|kind| only.is_none_or(|only| only == *kind)) {
        let server = Server::start_for_pages(kind);
        let [caller] = server.callers() else { panic!("one person is signed in") };
        for (name, path) in server.paths().iter().zip(&caller.paths) {
            let (late, size) = measure(server.address(), &caller.token, kind, name, path, rounds);
            (slowest, heaviest) = (slowest.max(late), heaviest.max(size));
        }
    }
    println!("\nAt most: {slowest:.0} ms at the 95th percentile (goal: 100), {heaviest:.0} kB (goal: 300).");
}

fn total() -> usize {
    LARGEST + (SITES - 1) * TYPICAL
}

/// Measures a page, and prints its line. Returns the 95th percentile in milliseconds, and the size in kB.
fn measure(address: SocketAddr, session: &str, kind: Kind, name: &str, path: &str, rounds: usize) -> (f64, f64) {
    let request = |path: &str| request_with(path, &format!("Cookie: {session}"));
    // The first one fills caches, and is not counted.
    let page = fetch(address, &request(path));
    let html = String::from_utf8(page).unwrap();
    let assets: BTreeSet<&str> = html.split('"').filter(|text| text.contains("/assets/")).collect();
    let rest: usize = assets.iter().map(|asset| fetch(address, &request(asset)).len()).sum();
    let load = Load { connections: 1, most: rounds, longest: Duration::from_secs(60) };
    let times = offer(address, &[request(path)], load).times;
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)].as_secs_f64() * 1_000.0;
    let kilobytes = |bytes: usize| bytes as f64 / 1_000.0;
    let (late, size) = (at(95), kilobytes(html.len() + rest));
    println!("| {kind} | {name} | {:.1} | {late:.1} | {:.0} | {size:.0} |", at(50), kilobytes(html.len()));
    (late, size)
}

/// Fills the store, and serves the interface until `end`.
pub(crate) async fn serve(kind: Kind, end: impl Future<Output = ()> + Send + 'static) {
    let Ours { listener, service, folder } = Ours::open(kind).await;
    let address = listener.local_addr().unwrap();
    let web = AccountWeb::new(&service).unwrap();
    let (paths, session) = fill(&service, &web, kind).await;
    let (names, paths) = paths.into_iter().unzip();
    say(&Ready { address, paths: names, callers: vec![Caller { token: session, paths }] });
    let pages = account_pages(&web, RoutesConfig::default(), &CancellationToken::new());
    accept(listener, pages, ServeLimits::default(), end).await;
    ours::close(kind, folder).await;
}

/// Makes the team, and returns the pages that it has, each with a name, and the session of its owner.
async fn fill(service: &Service, web: &AccountWeb, kind: Kind) -> (Vec<(String, String)>, String) {
    let input = TeamInput::new("Agency".to_owned(), PlanCode::new("bench"));
    let team = service.operator().create_team(input).await.unwrap().id;
    let team = service.team(team).await.unwrap();
    let session = sign_in(service, web, &team).await;
    team.create_token(TokenInput::new("Bench", [])).await.unwrap();
    let details = EndpointDetails::new(SiteUrl::parse("https://93.184.215.14/").unwrap(), EventKind::SELECTABLE);
    let (endpoint, _) = team.create_endpoint(details).await.unwrap();

    let config = EngineConfig::default().with_workers(4).without_scheduler().without_retention();
    let engine = Engine::builder(service).with_scanner(ManyProblems).with_config(config).start();
    let mut added = Vec::new();
    for number in 0..SITES {
        let url = format!("https://93.184.215.14/{number}/");
        let tags = [Tag::new(&format!("customer-{}", number % 20)).unwrap()];
        added.push(team.add_site(SiteInput::parse(&url).unwrap().with_tags(tags)).await.unwrap());
    }
    for added in &added {
        team.wait(added.first_scan.unwrap()).await.unwrap().into_result().unwrap();
    }
    let (site, mut largest) = (added[0].site.id, added[0].first_scan.unwrap());
    for _ in 1..HISTORY {
        // The plan's interval between checks that somebody starts.
        tokio::time::sleep(Duration::from_millis(1_100)).await;
        largest = team.start_scan(site).await.unwrap().id;
        team.wait(largest).await.unwrap().into_result().unwrap();
    }
    engine.stop().await;

    let root = format!("{}/teams/{}", web.root(), team.id());
    for element in 1..=DECISIONS {
        let path = format!("{root}/checks/{largest}/elements/{}/decide", element * 7);
        post(web, &path, "verdict=false-positive&note=It+is+named+by+a+script.", &session).await;
    }
    let assignment = at_once(service, &team, largest, kind).await;
    let people = service.people().unwrap().of_team(&team, Actor::program("bench"));
    let field = people.add_site_field(SiteFieldInput::choice("Sector", ["Health", "Trade"])).await.unwrap().id;
    let delivery = team.ping_endpoint(endpoint.id).await.unwrap().id;
    let typical = added[1].first_scan.unwrap();

    let mut pages = Vec::new();
    for route in routes().iter().filter(|route| route.verb == Verb::Get) {
        if LEFT_OUT.iter().any(|(path, _)| *path == route.path) {
            continue;
        }
        let path = route.path.replace("{team}", &team.id().to_string()).replace("{site}", &site.to_string());
        let path = path.replace("{endpoint}", &endpoint.id.to_string()).replace("{delivery}", &delivery.to_string());
        let path = path.replace("{element}", "5").replace("{assignment}", &assignment);
        let path = path.replace("{field}", &field.to_string()).replace("{step}", "forms");
        assert!(!path.replace("{check}", "").contains('{'), "{path}: say here what stands for it");
        let path = format!("{}{path}", web.root());
        pages.push((route.path.to_owned(), path.replace("{check}", &largest.to_string())));
        if route.path.contains("{check}") {
            pages.push((format!("{} (typical)", route.path), path.replace("{check}", &typical.to_string())));
        }
    }
    for query in ["page=20", "q=/77", "status=failing", "tag=customer-7"] {
        pages.push((format!("/teams/{{team}}/sites?{query}"), format!("{root}/sites?{query}")));
    }
    (pages, session)
}

/// Decides about as many elements of a check as may be at once, undoes that, and says how long both took; then assigns some. Returns one
/// of the assignments.
async fn at_once(service: &Service, team: &TeamHandle, check: ScanId, kind: Kind) -> String {
    let people = service.people().unwrap().of_team(team, Actor::program("bench"));
    let elements = |count: u64| Chosen::Elements((10_001..).take(usize::try_from(count).unwrap()).collect());
    let (verdict, note) = ("false-positive".to_owned(), "It is named by a script.".to_owned());
    let input = JudgementInput { verdict, note, ..JudgementInput::default() };
    let begun = Instant::now();
    let batch = people.judge_many(check, &elements(Batch::MOST as u64), &input).await.unwrap();
    let made = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    people.undo_batch(batch.id).await.unwrap();
    let undone = begun.elapsed().as_secs_f64();
    println!("{kind}: {} decisions at once: {made:.2} s (goal: 2); undone: {undone:.2} s", batch.count);
    people.assign_many(check, &elements(WORK), &AssignmentInput::default()).await.unwrap();
    let listed = team.assignments(AssignmentFilter::default(), PageRequest::new(1, 1)).await.unwrap();
    listed.items[0].id.to_string()
}

/// Makes an owner who operates the installation, and returns the cookies of the session.
async fn sign_in(service: &Service, web: &AccountWeb, team: &TeamHandle) -> String {
    let people = service.people().unwrap();
    let email = "owner@example.org";
    let input = PersonInput::new(email.parse().unwrap()).with_name("Owner").with_password(hash(PASSWORD).unwrap());
    let person = people.create_person(&Actor::program("bench"), input, PersonKind::Operator).await.unwrap();
    people.of_team(team, Actor::program("bench")).add_member(&person, Role::Owner).await.unwrap();
    let form = format!("email={email}&password={}", PASSWORD.replace(' ', "+"));
    let answer = post(web, &format!("{}/sign-in", web.root()), &form, "").await;
    let cookies = answer.get_all(header::SET_COOKIE).iter();
    let pairs: Vec<&str> = cookies.filter_map(|line| line.to_str().unwrap().split(';').next()).collect();
    pairs.join("; ")
}

/// Sends a form as a page does, and returns the headers of the answer, which leads on.
async fn post(web: &AccountWeb, path: &str, form: &str, session: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert("sec-fetch-site", "same-origin".parse().unwrap());
    headers.insert(header::COOKIE, session.parse().unwrap());
    let request = Request::new(Method::POST, path, headers).with_form(form.as_bytes());
    let answer = web.answer(request).await;
    assert!(answer.status.is_redirection(), "{path}: {}", answer.status);
    answer.headers
}

/// A scanner that finds as much on each site as the bench says, on ten rules and forty pages.
#[derive(Debug)]
struct ManyProblems;

#[async_trait]
impl Scanner for ManyProblems {
    async fn scan(
        &self,
        request: ScanRequest,
        progress: &dyn ProgressSink,
        _cancel: CancellationToken,
    ) -> Result<ScanOutput, ScanError> {
        let start = request.start.to_string();
        let is_largest = start.ends_with(".14/0/");
        let count = if is_largest { LARGEST } else { TYPICAL };
        let pages: Vec<_> =
            (0..40).map(|page| PageOutcome::checked(format!("{start}{page}"), &format!("Page {page}"))).collect();
        let rules = [
            ("image-alt", "wcag111"),
            ("label", "wcag412"),
            ("link-name", "wcag244"),
            ("button-name", "wcag412"),
            ("color-contrast", "wcag143"),
            ("html-has-lang", "wcag311"),
            ("list", "wcag131"),
            ("frame-title", "wcag412"),
            ("duplicate-id-aria", "wcag412"),
            ("aria-required-attr", "wcag412"),
        ];
        let facts =
            rules.map(|(rule, criterion)| (RuleId::new(rule), RuleFacts::new(Impact::Serious, ["wcag2a", criterion])));
        let element = |number: usize| {
            let (rule, page) = (&facts[number % facts.len()].0, number * pages.len() / count);
            let selector = format!("main > section:nth-child({}) > div.card > a#item-{number}", number % 12);
            let html = format!(
                "<a id=\"item-{number}\" class=\"card__link pale\" href=\"/products/{number}\"><img src=\"/{number}.png\"></a>"
            );
            Finding::new(
                rule.clone(),
                page,
                &pages[page].url,
                &selector,
                &html,
                "Fix any of the following: it has no name.",
            )
        };
        let items: Vec<_> = (0..count).map(element).collect();
        progress.progress(PageCounts::new(40, 40));
        let ran: Vec<RuleId> = facts.iter().map(|(rule, _)| rule.clone()).collect();
        let findings = Findings::new(Tool::new("bench", "1"));
        Ok(ScanOutput::new(findings.with_pages(pages).with_rules(facts).with_items(items).with_ran(ran)))
    }
}
