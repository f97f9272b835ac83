//! A scanner of your own that is no browser: a content management system that has the source of its pages, and looks
//! for one mistake.
//!
//! ```text
//! cargo run -p a11ycheck-examples --example own_scanner
//! cargo test -p a11ycheck-examples --example own_scanner
//! ```
//!
//! Prints the report of such a check: texts, ranks and differences come from core. A scanner that connects to sites
//! also judges every address with an `AddressPolicy`, and runs `scanner_suite!`, whose sites are on this machine.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;

use a11ycheck::{
    CancellationToken, Engine, Failure, MemoryStore, PlanCode, Report, Scanner, Service, SiteInput, TeamInput,
    domain::{FailureCode, Finding, Findings, Impact, PageCounts, PageOutcome, RuleFacts, RuleId, Tool},
    reexport::async_trait,
    scanner::{ProgressSink, ScanError, ScanOutput, ScanRequest},
};

/// The pages of the system by their addresses, the start page first.
#[derive(Debug)]
struct OwnPages(Vec<(&'static str, &'static str)>);

impl OwnPages {
    /// The name of the rule in axe-core: the catalogue has its texts in seven languages.
    const RULE: &str = "image-alt";

    /// Returns the pictures of a page that have no text alternative.
    fn mistakes(source: &str) -> impl Iterator<Item = &str> {
        let pictures = source.match_indices("<img").map(|(start, _)| &source[start..]);
        let tags = pictures.map(|rest| rest.split_inclusive('>').next().unwrap_or(rest));
        tags.filter(|tag| !tag.contains(" alt="))
    }

    /// Returns the facts about the rule: its tags say which success criterion of WCAG it belongs to, and at which
    /// level.
    fn rule() -> RuleFacts {
        RuleFacts::new(Impact::Critical, ["wcag2a", "wcag111"])
    }
}

#[async_trait]
impl Scanner for OwnPages {
    async fn scan(
        &self,
        request: ScanRequest,
        progress: &dyn ProgressSink,
        cancel: CancellationToken,
    ) -> Result<ScanOutput, ScanError> {
        let budget = usize::try_from(request.page_budget).unwrap_or(usize::MAX);
        let found = u32::try_from(self.0.len()).unwrap_or(u32::MAX).min(request.page_budget);
        let (mut pages, mut items) = (Vec::new(), Vec::new());
        for ((address, source), done) in self.0.iter().take(budget).zip(1..) {
            if cancel.is_cancelled() {
                return Err(ScanError::Cancelled);
            }
            let rule = RuleId::new(Self::RULE);
            let mistakes = Self::mistakes(source).enumerate();
            items.extend(mistakes.map(|(number, html)| {
                let selector = format!("img:nth-of-type({})", number + 1);
                Finding::new(rule.clone(), pages.len(), address, &selector, html, "Give the picture an alt attribute.")
            }));
            pages.push(PageOutcome::checked(*address, ""));
            progress.progress(PageCounts::new(done, found));
        }
        if pages.is_empty() {
            return Err(ScanError::Failed(Failure::new(FailureCode::HttpStatus, "The site has no pages.")));
        }
        let rule = RuleId::new(Self::RULE);
        let findings = Findings::new(Tool::new("own-pages", "1"))
            .with_pages(pages)
            .with_rules([(rule.clone(), Self::rule())])
            .with_items(items)
            // Nothing is claimed about rules that did not run, least of all in the draft of a conformance report.
            .with_ran([rule]);
        Ok(ScanOutput::new(findings))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let report = report(OwnPages(vec![
        ("https://93.184.215.14/", "<img src=logo.png alt=Shop><img src=sale.png><h1>Shop</h1>"),
        ("https://93.184.215.14/about", "<img src=team.png><p>About us</p>"),
    ]))
    .await?;
    println!("{}: {} problems on {} pages", report.engine.program(), report.total, report.pages.len());
    for group in report.groups {
        println!("{}. {}: {}\n   {}", group.rank, group.title, group.count, group.how_to_fix);
    }
    Ok(())
}

async fn report(scanner: OwnPages) -> Result<Report, Box<dyn Error>> {
    let service = Service::builder(MemoryStore::new()).build().await?;
    let engine = Engine::builder(&service).with_scanner(scanner).start();
    let input = TeamInput::new("Customer 4711", PlanCode::PRO);
    let team = service.operator().team_for("customer-4711".parse()?, input).await?;
    let added = team.add_site(SiteInput::parse("https://93.184.215.14")?).await?;
    let scan = team.wait(added.first_scan.ok_or("a check is queued with its site")?).await?.into_result()?;
    let report = team.report(scan.id, None).await?;
    engine.stop().await;
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: (&str, &str) =
        ("https://93.184.215.14/", "<img src=logo.png alt=Shop><img src=sale.png><img src=new.png>");
    const ABOUT: (&str, &str) = ("https://93.184.215.14/about", "<img alt='' src=line.png>");

    #[tokio::test]
    async fn what_it_finds_becomes_a_report_with_the_texts_of_the_catalogue() {
        let report = report(OwnPages(vec![HOME, ABOUT])).await.unwrap();
        assert_eq!(report.engine.program(), "own-pages 1");
        let [group] = report.groups.as_slice() else { panic!("{:?}", report.groups) };
        assert_eq!((group.title.as_str(), group.count), ("Images without a text alternative", 2));
        let issues: Vec<_> = report.pages.iter().map(|page| (page.url.as_str(), page.issues)).collect();
        assert_eq!(issues, [(HOME.0, 2), (ABOUT.0, 0)]);
    }

    #[tokio::test]
    async fn a_site_without_pages_is_a_failed_check_and_no_clean_report() {
        let error = report(OwnPages(vec![])).await.unwrap_err();
        assert_eq!(error.to_string(), "http_status: The site has no pages.");
    }
}
