//! Waits for events: what happens to the checks of all teams, on all nodes that share a store, without polling.
//!
//! ```text
//! cargo run -p a11ycheck-examples --example events
//! cargo test -p a11ycheck-examples --example events
//! ```
//!
//! Prints the notices for the owners of two sites whose checks have ended. The results of the checks are scripted here,
//! so that this runs without a browser; a program with a real one would use `notices` unchanged.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;

use a11ycheck::{
    Ended, EventsFrom, Failure, PlanCode, ScanEvent, Service, SiteInput, TeamInput,
    domain::{FailureCode, Impact},
    error::ErrorKind,
    testing::{Script, TestWorld},
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let world = checked().await?;
    let (notices, position) = notices(world.service(), EventsFrom::After(0), 2).await?;
    println!("{}\nA program that starts again goes on after position {position}.", notices.join("\n"));
    Ok(())
}

/// Waits until `wanted` checks have ended, and returns a line about each, with the position of the last event that was
/// handled. A program that keeps the position, and continues after it, misses nothing and reports nothing twice.
async fn notices(service: &Service, from: EventsFrom, wanted: usize) -> Result<(Vec<String>, u64), a11ycheck::Error> {
    let (mut notices, mut position) = (Vec::new(), 0);
    let mut events = service.events(from).await?;
    while notices.len() < wanted
        && let Some(event) = events.next().await
    {
        match event {
            ScanEvent::Completed(check) | ScanEvent::Failed(check) | ScanEvent::GivenUp(check) => {
                let team = service.team(check.team).await?;
                match team.wait(check.scan).await {
                    Ok(Ended::Completed(scan)) => {
                        let report = team.report(scan.id, None).await?;
                        notices.push(format!("{}: {} problems, {} new", report.url, report.total, report.diff.new));
                    }
                    Ok(Ended::Failed(scan, failure)) => {
                        let site = team.site(scan.site).await?.details;
                        notices.push(format!("{}: {}", site.url, failure.text(site.report_locale)));
                    }
                    Ok(_) => {}
                    // The site was deleted meanwhile, and nobody needs the notice.
                    Err(error) if error.kind() == ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                }
                position = check.position;
            }
            ScanEvent::Started(check) => position = check.position,
            // The program was away for more than a day: a real one would now list the checks of its sites.
            ScanEvent::Lagged(missed) => notices.push(format!("{missed} events were missed")),
            _ => {}
        }
    }
    Ok((notices, position))
}

/// Makes a service that has checked two sites, one of which has no page to check.
async fn checked() -> Result<TestWorld, Box<dyn Error>> {
    let shop = Script::page("https://shop.example.com/").with_problem("label", Impact::Critical, "#q", "<input id=q>");
    let world = TestWorld::new([shop, Script::failing(Failure::new(FailureCode::NotHtml, ""))]).await;
    let input = TeamInput::new("Customer 4711", PlanCode::PRO);
    let team = world.service().operator().team_for("customer-4711".parse()?, input).await?;
    for name in ["shop.example.com", "files.example.com"] {
        world.publish(name);
        team.add_site(SiteInput::parse(name)?).await?;
        world.run_until_idle().await;
    }
    Ok(world)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn every_end_of_a_check_is_told_once() {
        let world = checked().await.unwrap();
        let (notices, last) = notices(world.service(), EventsFrom::After(0), 2).await.unwrap();
        assert_eq!(
            notices,
            [
                "https://shop.example.com/: 1 problems, 0 new",
                "https://files.example.com/: The address leads to something other than a web page.",
            ]
        );
        assert_eq!(last, 4, "two starts and two ends");
    }

    #[tokio::test]
    async fn who_goes_on_after_a_position_gets_what_came_later() {
        let world = checked().await.unwrap();
        let (notices, last) = notices(world.service(), EventsFrom::After(2), 1).await.unwrap();
        assert!(notices[0].starts_with("https://files.example.com/"), "{notices:?}");
        let more = super::notices(world.service(), EventsFrom::After(last), 1);
        let more = tokio::time::timeout(Duration::from_millis(300), more).await;
        assert!(more.is_err(), "nothing comes twice: {more:?}");
    }
}
