//! Files of checks: who gets which, in which order they are refused, and what is in them.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

use a11ycheck_core::{
    Error, Service,
    clock::ManualClock,
    domain::{Ability, Impact, SiteInput, TeamBrand},
    engine::{Step, Worker},
    export::pdf::decoded_logo,
    id::{ScanId, SiteId},
    locale::Locale,
    message::ErrorBody,
    scanner::{CancellationToken, Script, ScriptedScanner},
    service::{ExportTarget, ExportedFile},
    store::{Document, DocumentKey, FileStore as _, ScanStore as _, TeamStore as _},
};
use a11ycheck_storage_memory::MemoryStore;
use a11ycheck_tests::TestTeam;
use chrono::{DateTime, Utc};
use metrics_exporter_prometheus::PrometheusBuilder;
use serde_json::Value;

/// A service with a team on a plan.
struct World {
    service: Service,
    store: MemoryStore,
    team: TestTeam,
}

impl World {
    async fn on_plan(plan: &str) -> Self {
        let clock = ManualClock::at(DateTime::<Utc>::from_timestamp(1_811_851_200, 0).unwrap());
        let store = MemoryStore::with_clock(clock.clone());
        let script =
            Script::page("https://93.184.215.14/").with_problem("image-alt", Impact::Critical, "#logo", "<img>");
        let service = Service::builder(store.clone(), ScriptedScanner::new([script])).with_clock(clock).build();
        let service = service.await.unwrap();
        let team = TestTeam::create(&service, "Blue Team", plan).await;
        Self { service, store, team }
    }

    /// Adds a site whose reports are in Czech; its first check is queued.
    async fn add_site(&self) -> (SiteId, ScanId) {
        let input = SiteInput { report_locale: Locale::Cs, ..SiteInput::new("https://93.184.215.14") };
        let site = self.team.add_site(input).await.id;
        (site, self.team.newest_scan(site).await.id)
    }

    async fn run_checks(&self) {
        let worker = Worker::new(self.service.clone());
        while worker.step(&CancellationToken::new()).await.unwrap() == Step::Worked {}
    }

    async fn checked_site(&self) -> (SiteId, ScanId) {
        let ids = self.add_site().await;
        self.run_checks().await;
        ids
    }

    async fn export(&self, target: ExportTarget, format: &str, lang: &str) -> Result<ExportedFile, Error> {
        self.team.export(target, format, lang).await
    }

    async fn acr(&self, scan: ScanId, format: &str, lang: &str) -> Result<ExportedFile, Error> {
        self.team.acr(scan, format, lang).await
    }
}

fn message<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    ErrorBody::from(&result.unwrap_err()).message
}

async fn text(file: ExportedFile) -> String {
    String::from_utf8(bytes(file).await).unwrap()
}

async fn bytes(file: ExportedFile) -> Vec<u8> {
    file.into_chunks().collect().await.unwrap()
}

#[tokio::test]
async fn the_latest_check_is_exported_as_json_in_the_sites_language_unless_asked_otherwise() {
    let world = World::on_plan("pro").await;
    let (site, scan) = world.checked_site().await;
    let file = world.export(ExportTarget::LatestOf(site), "", " ").await.unwrap();
    assert_eq!((file.scan, file.media_type), (scan, "application/json"));
    assert_eq!(file.content_disposition(), "attachment; filename=\"93.184.215.14-2027-06-01-a11ycheck.json\"");
    let json: Value = serde_json::from_str(&text(file).await).unwrap();
    assert_eq!((&json["language"], &json["generated_by"]), (&"cs".into(), &"Blue Team".into()));
    assert_eq!(json["rules"][0]["issues"][0]["selector"], "#logo");

    let file = world.export(ExportTarget::Scan(scan), "csv", "en").await.unwrap();
    assert_eq!(file.media_type, "text/csv; charset=utf-8");
    assert!(text(file).await.contains("Images without a text alternative"));
}

#[tokio::test]
async fn refusals_come_in_the_contracts_order() {
    let world = World::on_plan("starter").await;
    let (site, scan) = world.add_site().await;
    let unknown = ExportTarget::Scan(ScanId::presented("scan_x"));
    let writer = world.team.with_token(&[Ability::Write]).await;
    assert_eq!(message(writer.export(unknown, "x", "").await), "Invalid ability provided.");
    assert_eq!(message(world.export(unknown, "x", "x").await), "Not found.");
    let no_site = ExportTarget::LatestOf(SiteId::presented("site_x"));
    assert_eq!(message(world.export(no_site, "x", "x").await), "Not found.");
    let latest = ExportTarget::LatestOf(site);
    assert_eq!(message(world.export(latest, "x", "x").await), "The site has no completed check yet.");
    let target = ExportTarget::Scan(scan);
    assert_eq!(message(world.export(target, "x", "x").await), "The selected format is invalid. (and 1 more error)");
    assert_eq!(message(world.export(target, "json", "fr").await), "The selected lang is invalid.");
    let not_included = "Issue exports are not included in the current plan of this team.";
    assert_eq!(message(world.export(target, "json", "").await), not_included);

    world.store.mark_express(world.team.id(), scan).await.unwrap();
    assert_eq!(message(world.export(target, "json", "").await), "The scan is not completed yet.");
}

#[tokio::test]
async fn an_express_report_opens_the_exports_of_its_check_alone() {
    let world = World::on_plan("starter").await;
    let (site, scan) = world.checked_site().await;
    world.store.mark_express(world.team.id(), scan).await.unwrap();
    assert!(world.export(ExportTarget::Scan(scan), "github", "").await.is_ok());
    assert!(matches!(world.export(ExportTarget::LatestOf(site), "github", "").await, Err(Error::ExportsNotIncluded)));
    let (_, other) = world.checked_site().await;
    assert!(matches!(world.export(ExportTarget::Scan(other), "github", "").await, Err(Error::ExportsNotIncluded)));
}

#[tokio::test]
async fn a_check_of_another_team_is_exported_to_nobody() {
    let world = World::on_plan("agency").await;
    let (site, scan) = world.checked_site().await;
    let stranger = TestTeam::create(&world.service, "Red Team", "agency").await;
    for target in [ExportTarget::Scan(scan), ExportTarget::LatestOf(site)] {
        assert!(matches!(stranger.export(target, "", "").await, Err(Error::NotFound)));
    }
    assert!(matches!(stranger.acr(scan, "", "").await, Err(Error::NotFound)));
}

#[tokio::test]
async fn a_draft_of_a_conformance_report_is_for_plans_that_include_it() {
    let world = World::on_plan("pro").await;
    let (_, scan) = world.checked_site().await;
    assert_eq!(message(world.acr(ScanId::presented("x"), "x", "x").await), "Not found.");
    assert_eq!(message(world.acr(scan, "x", "x").await), "The selected format is invalid. (and 1 more error)");
    let not_included = "ACR drafts are not included in the current plan of this team.";
    assert_eq!(message(world.acr(scan, "json", "").await), not_included);

    let world = World::on_plan("agency").await;
    let (_, queued) = world.add_site().await;
    assert_eq!(message(world.acr(queued, "", "").await), "The scan is not completed yet.");
    world.run_checks().await;
    let file = world.acr(queued, "", "en").await.unwrap();
    assert_eq!(
        (file.media_type, &*file.file_name),
        ("application/json", "93.184.215.14-2027-06-01-accessibility-acr.json")
    );
    let json: Value = serde_json::from_str(&text(file).await).unwrap();
    assert_eq!(json["chapters"]["success_criteria_level_a"]["criteria"].as_array().unwrap().len(), 32);
    let file = world.acr(queued, "html", "").await.unwrap();
    assert_eq!(file.media_type, "text/html; charset=utf-8");
    assert!(text(file).await.contains("<html lang=\"cs\">"));
}

#[tokio::test]
async fn a_draft_as_pdf_is_rendered_once_per_language_and_is_not_the_report() {
    let world = World::on_plan("agency").await;
    let (_, scan) = world.add_site().await;
    assert_eq!(message(world.acr(scan, "pdf", "").await), "The scan is not completed yet.");
    world.run_checks().await;
    let file = world.acr(scan, "pdf", "").await.unwrap();
    assert_eq!(
        (file.media_type, &*file.file_name),
        ("application/pdf", "93.184.215.14-2027-06-01-accessibility-acr.pdf")
    );
    let czech = bytes(file).await;
    assert!(czech.starts_with(b"%PDF-"));
    for (kept, key) in [
        (Some(czech.clone()), DocumentKey::ConformanceReport(Locale::Cs)),
        (None, DocumentKey::ConformanceReport(Locale::Uk)),
        (None, DocumentKey::Report(Locale::Cs)),
    ] {
        let document = world.store.document(world.team.id(), scan, key).await.unwrap();
        assert!(document.map(|document| document.bytes) == kept, "{key:?}");
    }
    let kept = b"as it was kept".to_vec();
    let key = DocumentKey::ConformanceReport(Locale::Cs);
    let document = world.store.document(world.team.id(), scan, key).await.unwrap().unwrap();
    let document = Document { bytes: kept.clone(), ..document };
    assert!(world.store.put_document(world.team.id(), scan, key, document).await.unwrap());
    assert!(bytes(world.acr(scan, "pdf", "cs").await.unwrap()).await == kept, "it is not rendered again");
    assert!(bytes(world.acr(scan, "pdf", "uk").await.unwrap()).await != czech);
    assert!(bytes(world.export(ExportTarget::Scan(scan), "pdf", "cs").await.unwrap()).await != kept);

    let world = World::on_plan("pro").await;
    let (_, scan) = world.checked_site().await;
    assert!(matches!(world.acr(scan, "pdf", "").await, Err(Error::AcrNotIncluded)));
    assert!(world.export(ExportTarget::Scan(scan), "pdf", "").await.is_ok());
}

/// A logo that can be decoded: one pixel.
const LOGO: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0:~\x9bU\0\0\0\nIDATx\x9cc\xf8\x0f\0\x01\x01\x01\0\xb18\xf6\x14\0\0\0\0IEND\xaeB`\x82";

#[tokio::test]
async fn every_file_with_a_look_shows_the_brand_of_now_and_the_products_own_without_white_label() {
    let world = World::on_plan("agency").await;
    let (_, scan) = world.checked_site().await;
    let target = ExportTarget::Scan(scan);
    let files = async || {
        let report = bytes(world.export(target, "pdf", "en").await.unwrap()).await;
        let draft = bytes(world.acr(scan, "pdf", "en").await.unwrap()).await;
        [report, draft]
    };
    let page = async || text(world.acr(scan, "html", "en").await.unwrap()).await;
    let unset = files().await;
    for file in &unset {
        assert!(contains(file, "<rdf:li>Blue Team</rdf:li>"), "the team's name stands where no other is set");
    }
    assert!(page().await.contains("<header>Blue Team</header>"));

    let colour = "#aa0055".parse().ok();
    let brand = TeamBrand { name: "Grün & Co".parse().ok(), colour, logo: decoded_logo(LOGO.to_vec()).ok() };
    assert!(brand.logo.is_some());
    world.team.set_brand(brand.clone()).await;
    let set = files().await;
    for (file, before) in set.iter().zip(&unset) {
        assert!(contains(file, "<rdf:li>Grün &amp; Co</rdf:li>") && file != before, "rendered anew");
        assert!(!contains(file, "a11ycheck"), "our name is left out");
    }
    assert!(files().await == set, "and kept");
    let shown = page().await;
    assert!(
        shown.contains("alt=\"Grün &amp; Co\"") && shown.contains("--brand: #aa0055") && !shown.contains("Blue Team")
    );
    let json: Value = serde_json::from_str(&text(world.acr(scan, "json", "en").await.unwrap()).await).unwrap();
    assert_eq!(json["author"]["company_name"], "Grün & Co");

    // Another colour alone makes another file, and so does the brand before.
    world.team.set_brand(TeamBrand { colour: "#aa0056".parse().ok(), ..brand.clone() }).await;
    assert!(files().await != set);
    world.team.set_brand(brand.clone()).await;
    assert!(files().await == set);

    let mut plan = world.team.created().plan.clone();
    plan.features.white_label = false;
    world.store.put_plans(&[plan]).await.unwrap();
    let own = bytes(world.export(target, "pdf", "en").await.unwrap()).await;
    assert!(contains(&own, "<pdf:Producer>a11ycheck ") && !contains(&own, "Grün"));
    assert!(text(world.acr(scan, "html", "").await.unwrap()).await.contains("<header>a11ycheck</header>"));
    assert_eq!(world.team.brand().await, brand, "it is kept for a plan that shows it");
}

fn contains(file: &[u8], text: &str) -> bool {
    file.windows(text.len()).any(|bytes| bytes == text.as_bytes())
}

#[tokio::test]
async fn who_asks_for_a_file_while_it_is_being_rendered_gets_it_and_it_is_rendered_once() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let (counted, _guard) = (recorder.handle(), metrics::set_default_local_recorder(&recorder));
    let world = World::on_plan("agency").await;
    let (site, scan) = world.checked_site().await;
    let draft = async || bytes(world.acr(scan, "pdf", "de").await.unwrap()).await;
    let report = async |target| bytes(world.export(target, "pdf", "de").await.unwrap()).await;
    let (of_scan, of_site) = (ExportTarget::Scan(scan), ExportTarget::LatestOf(site));
    let (first, second, third, fourth) = tokio::join!(draft(), report(of_scan), draft(), report(of_site));
    assert!(first == third && second == fourth && first != second);
    let renderings = counted.render();
    let line = "a11ycheck_pdf_renderings_total{outcome=\"rendered\"} 2";
    assert!(renderings.lines().any(|other| other == line), "{renderings}");
    assert_eq!((draft().await, report(of_site).await), (first, second), "they are kept");
    assert!(counted.render().lines().any(|other| other == line));
}
