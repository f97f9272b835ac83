//! A whole check in a unit test: `TestWorld` has a service, a scripted scanner and a clock that you move. No browser, no
//! waiting.
//!
//! ```text
//! cargo run -p a11ycheck-examples --example scripted
//! cargo test -p a11ycheck-examples --example scripted
//! ```
//!
//! Prints what changed between two checks of a site.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;

use a11ycheck_core::{
    domain::{Impact, PlanCode, SiteInput},
    paging::PageInput,
    report::Diff,
    scanner::Script,
    service::{ReportRequest, TeamInput},
};
use a11ycheck_storage_memory::MemoryStore;
use a11ycheck_storage_testkit::TestWorld;
use chrono::TimeDelta;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let diff = what_changed().await?;
    println!("{} new, {} fixed, {} remaining", diff.new, diff.fixed, diff.remaining);
    Ok(())
}

async fn what_changed() -> Result<Diff, Box<dyn Error>> {
    let home = Script::page("https://93.184.215.14/").with_problem(
        "image-alt",
        Impact::Critical,
        "#logo",
        "<img src=logo.png>",
    );
    let before = home.clone().with_problem("label", Impact::Critical, "#name", "<input name=name>");
    let after = home.with_problem("link-name", Impact::Serious, "#more", "<a href=/more></a>");

    let world = TestWorld::new(async |clock| MemoryStore::with_clock(clock), [before, after]).await;
    let service = world.service();
    let team = service.create_team(TeamInput::new("My team", PlanCode::new("pro"))).await?;
    let actor = service.act_for(team.id).await?;

    let site = service.add_site(&actor, SiteInput::new("https://93.184.215.14")).await?;
    world.run_until_idle().await;
    world.advance(TimeDelta::days(1));
    service.start_scan(&actor, site.id).await?;
    world.run_until_idle().await;

    let checks = service.scans(&actor, site.id, &PageInput::default()).await?;
    let newest = checks.items.first().ok_or("both checks are listed")?;
    Ok(service.report(&actor, &ReportRequest { scan: newest.id, lang: None }).await?.diff)
}

#[tokio::test]
async fn one_problem_is_new_one_fixed_and_one_remains() {
    let diff = what_changed().await.unwrap();
    assert_eq!((diff.new, diff.fixed, diff.remaining), (1, 1, 1));
}
