//! The whole service inside your own program: adds a site, lets a real browser check it, prints what was found.
//!
//! ```text
//! cargo xtask setup
//! cargo run -p a11ycheck-examples --example embed -- https://example.com
//! cargo run -p a11ycheck-examples --example embed -- http://127.0.0.1:3000 127.0.0.0/8
//! ```
//!
//! The second argument opens a private network: without it only public addresses are visited.
//! Prints a line per rule with its severity, count and title, then the elements.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::{error::Error, time::Duration};

use a11ycheck_core::{
    Engine, Service,
    domain::{PlanCode, ScanState, SiteInput},
    engine::EngineConfig,
    net::AddressPolicy,
    paging::PageInput,
    service::{ReportRequest, TeamInput},
};
use a11ycheck_scanner_chromium::{ChromiumConfig, ChromiumScanner};
use a11ycheck_storage_memory::MemoryStore;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().ok_or("usage: embed ADDRESS [NETWORK]")?;
    let policy = match arguments.next() {
        Some(network) => AddressPolicy::builder().allow_network(network.parse()?).build(),
        None => AddressPolicy::default(),
    };

    let scanner = ChromiumScanner::new(ChromiumConfig::new(policy.clone()))?;
    let service = Service::builder(MemoryStore::new(), scanner).with_policy(policy).build().await?;
    let engine = Engine::start(&service, EngineConfig::default());
    let team = service.create_team(TeamInput::new("My team", PlanCode::new("agency"))).await?;
    let actor = service.act_for(team.id).await?;

    let site = service.add_site(&actor, SiteInput::new(address)).await?;
    let scan = loop {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let checks = service.scans(&actor, site.id, &PageInput::default()).await?;
        match checks.items.into_iter().next() {
            Some(scan) if !scan.state.is_active() => break scan,
            _ => {}
        }
    };
    if let ScanState::Failed { failure, .. } = &scan.state {
        println!("The check failed: {}", failure.message);
    } else {
        let report = service.report(&actor, &ReportRequest { scan: scan.id, lang: None }).await?;
        println!("{}: {} problems on {} pages", report.url, report.total, report.pages.len());
        for group in report.groups.iter().chain(&report.advisory) {
            println!("\n{}. [{}] {} ({}): {}", group.rank, group.severity, group.title, group.rule, group.count);
            for example in &group.examples {
                println!("   {}  {}", example.page, example.target);
            }
        }
    }
    engine.stop().await;
    Ok(())
}
