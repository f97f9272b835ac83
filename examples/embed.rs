//! The whole service inside your own program: adds a site, lets a real browser check it, prints the problems and saves
//! the report.
//!
//! ```text
//! cargo xtask setup
//! cargo run -p a11ycheck-examples --example embed -- https://example.com
//! cargo test -p a11ycheck-examples --example embed
//! ```
//!
//! Prints how far the check has come, then a line per problem in German; the report is in `bericht.pdf`. Only public
//! addresses are visited: `intranet.rs` opens others.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use a11ycheck::{
    Artifact, ChromiumScanner, Engine, Locale, MemoryStore, PlanCode, Report, Scanner, Service, SiteInput, TeamInput,
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::args().nth(1).ok_or("usage: embed ADDRESS")?;
    let report = check(ChromiumScanner::find()?, &address, "bericht.pdf").await?;
    report.groups.iter().for_each(|group| println!("{}. {}: {}", group.rank, group.title, group.count));
    Ok(())
}

async fn check(scanner: impl Scanner, address: &str, pdf: &str) -> Result<Report, Box<dyn std::error::Error>> {
    let service = Service::builder(MemoryStore::new()).build().await?;
    let engine = Engine::builder(&service).with_scanner(scanner).start();
    let team = service.operator().team_for("customer-4711".parse()?, TeamInput::new("Shop", PlanCode::AGENCY)).await?;

    let added = team.add_site(SiteInput::parse(address)?.with_report_locale(Locale::De)).await?;
    let mut check = team.watch(added.first_scan.ok_or("a check is queued with its site")?);
    while let Some(progress) = check.next().await? {
        println!("{} of {} pages", progress.pages_done, progress.pages_found);
    }
    let scan = check.ended().await?.into_result()?;
    let report = team.report(scan.id, None).await?;
    team.file(scan.id, Artifact::ReportPdf, None).await?.save(pdf).await?;
    engine.stop().await;
    Ok(report)
}

#[cfg(test)]
mod tests {
    use a11ycheck::{
        domain::Impact,
        testing::{Script, ScriptedScanner},
    };

    use super::*;

    #[tokio::test]
    async fn the_report_is_in_german_and_is_saved() {
        // An address, so that no name is looked up; nothing connects to it.
        let page = Script::page("https://93.184.215.14/");
        let script = page.with_problem("image-alt", Impact::Critical, "#logo", "<img id=logo src=logo.png>");
        let folder = tempfile::tempdir().unwrap();
        let pdf = folder.path().join("bericht.pdf");
        let scanner = ScriptedScanner::new([script]);
        let report = check(scanner, "https://93.184.215.14", pdf.to_str().unwrap()).await.unwrap();
        assert_eq!((report.total, report.locale), (1, Locale::De));
        assert_eq!(report.groups[0].title, "Bilder ohne Textalternative");
        assert!(std::fs::read(pdf).unwrap().starts_with(b"%PDF-"));
    }

    #[tokio::test]
    async fn a_check_that_failed_is_an_error_with_its_reason() {
        use a11ycheck::{Failure, domain::FailureCode};

        let scanner = ScriptedScanner::new([Script::failing(Failure::new(FailureCode::NotHtml, "No page."))]);
        let error = check(scanner, "https://93.184.215.14", "never.pdf").await.unwrap_err();
        assert_eq!(error.to_string(), "not_html: No page.");
    }

    /// Counts the lines that an embedder has to write: the lint and the tests, which only this repository needs, are
    /// excluded.
    #[test]
    fn it_takes_no_more_than_25_lines() {
        let program = include_str!("embed.rs").split("#[cfg(test)]").next().unwrap();
        let is_program = |line: &&str| !line.is_empty() && !line.starts_with("//") && !line.starts_with("#![");
        let lines: Vec<&str> = program.lines().map(str::trim).filter(is_program).collect();
        assert!(lines.len() <= 25, "{} lines:\n{}", lines.len(), lines.join("\n"));
    }
}
