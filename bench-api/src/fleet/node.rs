//! A server of the fleet.

use std::{
    hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher},
    time::Duration,
};

use a11ycheck_api_v1::EventsV1;
use a11ycheck_core::{
    Engine, Service,
    domain::{Finding, Findings, Impact, PageCounts, PageOutcome, PlanCatalog, RuleFacts, RuleId, Tool},
    engine::EngineConfig,
    net::AddressPolicy,
    scanner::{CancellationToken, ProgressSink, ScanError, ScanOutput, ScanRequest, Scanner},
    sealing::Keyring,
};
use a11ycheck_storage_postgres::{PostgresConfig, PostgresStore};
use async_trait::async_trait;

use crate::{
    database_url,
    server::{Ready, say},
};

use super::database::SCHEMA;

pub(super) const PLAN: &str = "fleet";
const PLANS: &str = r#"
    [[plan]]
    code = "fleet"
    name = "Fleet"
    features = { api = true, exports = true, white_label = true, statement_drafts = true, acr_drafts = true }

    [plan.limits]
    sites = 50
    pages_per_check = 20
    check_frequency = "daily"
    history_months = 12
    seats = 1
    manual_check_interval = "PT1S"
    requests_per_minute = 1000
    files_per_minute = 1000
"#;
/// The pages of a check, and the elements that fail on them.
const PAGES: usize = 20;
const ELEMENTS: usize = 60;
/// The time that a check takes. A real one takes longer, and its lease is renewed four times a minute.
const TAKES: Duration = Duration::from_secs(1);

/// The service on the fleet's data.
pub(super) async fn service(key: &str) -> Service {
    let store = PostgresStore::connect(PostgresConfig::new(database_url()).with_schema(SCHEMA)).await.unwrap();
    Service::builder(store.clone())
        .with_people(store.clone())
        .with_judgements(store)
        .with_event_writer(EventsV1)
        .with_sealing(Keyring::from_text(key).unwrap())
        .with_plans(PlanCatalog::from_toml(PLANS).unwrap())
        // Of the receiver.
        .with_policy(AddressPolicy::builder().allow_network("127.0.0.0/8".parse().unwrap()).build())
        .build()
        .await
        .unwrap()
}

/// Is a server until `end`.
pub(crate) async fn serve(key: &str, workers: usize, end: impl Future<Output = ()>) {
    let service = service(key).await;
    let config = EngineConfig::default().with_workers(workers);
    let engine = Engine::builder(&service).with_scanner(Scripted).with_config(config).start();
    say(&Ready { address: ([127, 0, 0, 1], 0).into(), paths: vec![], callers: vec![] });
    end.await;
    engine.stop().await;
}

/// A scanner that finds about the same on a site in each check: one element in twenty is new, or gone.
#[derive(Debug)]
struct Scripted;

#[async_trait]
impl Scanner for Scripted {
    async fn scan(
        &self,
        request: ScanRequest,
        progress: &dyn ProgressSink,
        _cancel: CancellationToken,
    ) -> Result<ScanOutput, ScanError> {
        progress.progress(PageCounts::new(1, 20));
        tokio::time::sleep(TAKES).await;
        let start = request.start.to_string();
        let hash = |text: &str| BuildHasherDefault::<DefaultHasher>::default().hash_one(text);
        let pages: Vec<_> =
            (0..PAGES).map(|page| PageOutcome::checked(format!("{start}{page}"), &format!("Page {page}"))).collect();
        let rules = [
            ("image-alt", "wcag111"),
            ("label", "wcag412"),
            ("link-name", "wcag244"),
            ("button-name", "wcag412"),
            ("color-contrast", "wcag143"),
        ];
        let facts =
            rules.map(|(rule, criterion)| (RuleId::new(rule), RuleFacts::new(Impact::Serious, ["wcag2a", criterion])));
        let element = |number: usize| {
            // Sites differ from each other, and a document of one does not help to pack another's.
            let name = hash(&format!("{start} {number}"));
            let changed = hash(&format!("{start} {number} {}", request.scan)) % 20 == 0;
            let (rule, page) = (&facts[number % facts.len()].0, number % PAGES);
            let (selector, kind) = (format!("main > section > a#i{name:x}"), if changed { "new" } else { "card" });
            let html = format!("<a id=\"i{name:x}\" class=\"{kind}\" href=\"/{number}\"><img src=\"/{name}.png\"></a>");
            let selector = if changed { format!("{selector}.new") } else { selector };
            Finding::new(
                rule.clone(),
                page,
                &pages[page].url,
                &selector,
                &html,
                "Fix any of the following: it has no name.",
            )
        };
        let items: Vec<_> = (0..ELEMENTS).map(element).collect();
        progress.progress(PageCounts::new(20, 20));
        let ran: Vec<RuleId> = facts.iter().map(|(rule, _)| rule.clone()).collect();
        let findings = Findings::new(Tool::new("bench", "1"));
        Ok(ScanOutput::new(findings.with_pages(pages).with_rules(facts).with_items(items).with_ran(ran)))
    }
}
