//! Files of checks: which team gets which, in which order requests are refused, and the content of the files.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

use a11ycheck_api_v1::ErrorBody;
use a11ycheck_core::{
    Engine, Error, Service,
    catalog::Review,
    clock::ManualClock,
    domain::{Ability, Impact, SiteInput, TeamBrand},
    engine::{Step, Worker},
    export::{Artifact, ExportFormat, acr::AcrFormat, pdf::decoded_logo},
    id::{ScanId, SiteId},
    locale::Locale,
    report::{PictureId, PictureRef},
    scanner::{CancellationToken, Script, ScriptedScanner},
    service::{MadeFile, ScanTarget},
    store::{Document, DocumentKey, FileStore as _, ScanStore as _, TeamStore as _},
};
use a11ycheck_storage_memory::MemoryStore;
use a11ycheck_tests::TestTeam;
use chrono::{DateTime, Utc};
use metrics_exporter_prometheus::PrometheusBuilder;
use serde_json::Value;

const JSON: Artifact = Artifact::Issues(ExportFormat::Json);
const CSV: Artifact = Artifact::Issues(ExportFormat::Csv);
const GITHUB: Artifact = Artifact::Issues(ExportFormat::Github);
const ACR: Artifact = Artifact::Acr(AcrFormat::Json);
const ACR_PAGE: Artifact = Artifact::Acr(AcrFormat::Html);

/// A service with a team on a plan.
struct World {
    service: Service,
    worker: Worker,
    store: MemoryStore,
    team: TestTeam,
}

impl World {
    async fn on_plan(plan: &str) -> Self {
        let script = Script::page("https://93.184.215.14/");
        Self::with(plan, script.with_problem("image-alt", Impact::Critical, "#logo", "<img>")).await
    }

    async fn with(plan: &str, script: Script) -> Self {
        let clock = ManualClock::at(DateTime::<Utc>::from_timestamp(1_811_851_200, 0).unwrap());
        let store = MemoryStore::with_clock(clock.clone());
        let service = Service::builder(store.clone()).with_clock(clock).build().await.unwrap();
        let scanner = ScriptedScanner::new([script]);
        let worker = Engine::builder(&service).with_scanner(scanner).build().worker().unwrap();
        let team = TestTeam::create(&service, "Blue Team", plan).await;
        Self { service, worker, store, team }
    }

    /// Adds a site whose reports are in Czech; its first check is queued.
    async fn add_site(&self) -> (SiteId, ScanId) {
        let input = SiteInput::parse("https://93.184.215.14").unwrap().with_report_locale(Locale::Cs);
        let site = self.team.add_site(input).await.id;
        (site, self.team.newest_scan(site).await.id)
    }

    async fn run_checks(&self) {
        while self.worker.step(&CancellationToken::new()).await.unwrap() == Step::Worked {}
    }

    async fn checked_site(&self) -> (SiteId, ScanId) {
        let ids = self.add_site().await;
        self.run_checks().await;
        ids
    }
}

fn message<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    ErrorBody::from(&result.unwrap_err()).message
}

async fn text(file: MadeFile) -> String {
    String::from_utf8(bytes(file).await).unwrap()
}

async fn bytes(file: MadeFile) -> Vec<u8> {
    file.into_chunks().collect().await.unwrap()
}

#[tokio::test]
async fn the_latest_check_is_exported_as_json_in_the_sites_language_unless_asked_otherwise() {
    let world = World::on_plan("pro").await;
    let (site, scan) = world.checked_site().await;
    let file = world.team.file(ScanTarget::LatestOf(site), JSON, None).await.unwrap();
    assert_eq!((file.scan(), file.media_type()), (scan, "application/json"));
    assert_eq!(file.file_name(), "93.184.215.14-2027-06-01-cs-accessibility-issues.json");
    let json: Value = serde_json::from_str(&text(file).await).unwrap();
    assert_eq!((&json["language"], &json["generated_by"]), (&"cs".into(), &"Blue Team".into()));
    assert_eq!(json["rules"][0]["issues"][0]["selector"], "#logo");

    let file = world.team.file(ScanTarget::Scan(scan), CSV, Locale::En).await.unwrap();
    assert_eq!(file.media_type(), "text/csv; charset=utf-8");
    assert!(text(file).await.contains("Images without a text alternative"));
}

#[tokio::test]
async fn refusals_come_in_the_contracts_order() {
    let world = World::on_plan("starter").await;
    let (site, scan) = world.add_site().await;
    let unknown = ScanTarget::Scan(ScanId::presented("scan_x"));
    let writer = world.team.with_token(&[Ability::Write]).await;
    assert_eq!(message(writer.file(unknown, JSON, None).await), "Invalid ability provided.");
    assert_eq!(message(world.team.file(unknown, JSON, None).await), "Not found.");
    let no_site = ScanTarget::LatestOf(SiteId::presented("site_x"));
    assert_eq!(message(world.team.file(no_site, JSON, None).await), "Not found.");
    let latest = ScanTarget::LatestOf(site);
    assert_eq!(message(world.team.file(latest, JSON, None).await), "The site has no completed check yet.");
    let target = ScanTarget::Scan(scan);
    let not_included = "Issue exports are not included in the current plan of this team.";
    assert_eq!(message(world.team.file(target, JSON, None).await), not_included);

    world.store.mark_express(world.team.id(), scan).await.unwrap();
    assert_eq!(message(world.team.file(target, JSON, None).await), "The scan is not completed yet.");
}

#[tokio::test]
async fn an_express_report_opens_the_exports_of_its_check_alone() {
    let world = World::on_plan("starter").await;
    let (site, scan) = world.checked_site().await;
    world.store.mark_express(world.team.id(), scan).await.unwrap();
    assert!(world.team.file(ScanTarget::Scan(scan), GITHUB, None).await.is_ok());
    assert!(matches!(world.team.file(ScanTarget::LatestOf(site), GITHUB, None).await, Err(Error::ExportsNotIncluded)));
    let (_, other) = world.checked_site().await;
    assert!(matches!(world.team.file(ScanTarget::Scan(other), GITHUB, None).await, Err(Error::ExportsNotIncluded)));
}

/// Of 36 pictures, each of 400,000 bytes, 18 fit.
#[tokio::test]
async fn the_html_report_has_the_first_pictures_by_order_of_fixing_and_says_how_many_are_missing() {
    const FIT: usize = 18;
    let mut script = Script::page("https://93.184.215.14/");
    for rule in ["region", "image-alt", "label", "button-name"] {
        for number in 0..9 {
            let (selector, html) = (format!("#{rule}-{number}"), format!("<img src=\"/{number}.png\">"));
            script = match rule {
                "region" => script.with_recommendation(rule, Impact::Critical, &selector, &html),
                _ => script.with_problem(rule, Impact::Critical, &selector, &html),
            };
        }
    }
    let world = World::with("agency", script.with_pictures_of_all(400_000)).await;
    let (_, scan) = world.checked_site().await;
    let file = world.team.file(scan, Artifact::ReportHtml, Locale::En).await.unwrap();
    assert_eq!((file.media_type(), file.length()), ("text/html; charset=utf-8", None));
    let page = text(file.clone()).await;
    assert_eq!(page.matches("<img src=\"data:image/png;base64,").count(), FIT);
    assert!(page.contains(&format!("to keep this file small: {}", 36 - FIT)));
    let (problems, recommendations) = page.split_once("<h2 id=\"recommendations\">").unwrap();
    assert!(problems.contains("<img ") && !recommendations.contains("<img "), "what is to be fixed first is shown");
    let measured = file.measured().await.unwrap();
    assert_eq!(measured.length(), Some(page.len() as u64));
    assert!(page.len() < 12_000_000, "{}", page.len());
    assert!(!page.to_lowercase().contains("a11ycheck"), "under white label, our name is nowhere");
}

#[tokio::test]
async fn the_html_report_is_in_every_plan_and_waits_for_the_check() {
    let world = World::on_plan("starter").await;
    let (_, scan) = world.add_site().await;
    let report = || world.team.file(scan, Artifact::ReportHtml, None);
    assert_eq!(message(report().await), "The scan is not completed yet.");
    world.run_checks().await;
    let page = text(report().await.unwrap()).await;
    assert!(page.contains("<html lang=\"cs\">") && page.contains("a11ycheck "), "in the site's language");
    let stranger = TestTeam::create(&world.service, "Red Team", "agency").await;
    assert!(matches!(stranger.file(scan, Artifact::ReportHtml, None).await, Err(Error::NotFound)));
}

#[tokio::test]
async fn a_check_of_another_team_is_exported_to_nobody() {
    let world = World::on_plan("agency").await;
    let (site, scan) = world.checked_site().await;
    let stranger = TestTeam::create(&world.service, "Red Team", "agency").await;
    for target in [ScanTarget::Scan(scan), ScanTarget::LatestOf(site)] {
        assert!(matches!(stranger.file(target, JSON, None).await, Err(Error::NotFound)));
    }
    assert!(matches!(stranger.file(scan, ACR, None).await, Err(Error::NotFound)));
}

#[tokio::test]
async fn a_draft_of_a_conformance_report_is_for_plans_that_include_it() {
    let world = World::on_plan("pro").await;
    let (_, scan) = world.checked_site().await;
    assert_eq!(message(world.team.file(ScanId::presented("x"), ACR, None).await), "Not found.");
    let not_included = "ACR drafts are not included in the current plan of this team.";
    assert_eq!(message(world.team.file(scan, ACR, None).await), not_included);

    let world = World::on_plan("agency").await;
    let (_, queued) = world.add_site().await;
    assert_eq!(message(world.team.file(queued, ACR, None).await), "The scan is not completed yet.");
    world.run_checks().await;
    let file = world.team.file(queued, ACR, Locale::En).await.unwrap();
    assert_eq!(
        (file.media_type(), file.file_name()),
        ("application/json", "93.184.215.14-2027-06-01-en-accessibility-acr.json")
    );
    let json: Value = serde_json::from_str(&text(file).await).unwrap();
    assert_eq!(json["chapters"]["success_criteria_level_a"]["criteria"].as_array().unwrap().len(), 32);
    let file = world.team.file(queued, ACR_PAGE, None).await.unwrap();
    assert_eq!(file.media_type(), "text/html; charset=utf-8");
    assert!(text(file).await.contains("<html lang=\"cs\">"));
}

#[tokio::test]
async fn a_draft_as_pdf_is_rendered_once_per_language_and_is_not_the_report() {
    let world = World::on_plan("agency").await;
    let (_, scan) = world.add_site().await;
    assert_eq!(message(world.team.file(scan, Artifact::AcrPdf, None).await), "The scan is not completed yet.");
    world.run_checks().await;
    let file = world.team.file(scan, Artifact::AcrPdf, None).await.unwrap();
    assert_eq!(
        (file.media_type(), file.file_name()),
        ("application/pdf", "93.184.215.14-2027-06-01-cs-accessibility-acr.pdf")
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
    assert!(
        bytes(world.team.file(scan, Artifact::AcrPdf, Locale::Cs).await.unwrap()).await == kept,
        "it is not rendered again"
    );
    assert!(bytes(world.team.file(scan, Artifact::AcrPdf, Locale::Uk).await.unwrap()).await != czech);
    assert!(
        bytes(world.team.file(ScanTarget::Scan(scan), Artifact::ReportPdf, Locale::Cs).await.unwrap()).await != kept
    );

    let world = World::on_plan("pro").await;
    let (_, scan) = world.checked_site().await;
    assert!(matches!(world.team.file(scan, Artifact::AcrPdf, None).await, Err(Error::AcrNotIncluded)));
    assert!(world.team.file(ScanTarget::Scan(scan), Artifact::ReportPdf, None).await.is_ok());
}

#[tokio::test]
async fn the_pictures_of_a_report_are_got_by_their_ids_and_no_other() {
    let script = Script::page("https://93.184.215.14/").with_problem("image-alt", Impact::Critical, "#logo", "<img>");
    let world = World::with("pro", script.with_pictures()).await;
    let (_, scan) = world.checked_site().await;
    let report = world.team.report(scan).await.unwrap();
    let example = &report.groups[0].examples[0];
    let pictures = [report.screen.unwrap(), example.picture.unwrap()];
    assert_eq!(pictures.map(|picture| picture.id), [PictureId::Screen, PictureId::Example(example.id)]);
    for picture in pictures {
        assert!(!world.team.picture(scan, picture.id).await.unwrap().bytes.is_empty(), "{picture:?}");
    }
    let stranger = TestTeam::create(&world.service, "Red Team", "pro").await;
    let writer = world.team.with_token(&[Ability::Write]).await;
    for PictureRef { id, .. } in pictures {
        assert!(matches!(stranger.picture(scan, id).await, Err(Error::NotFound)));
        assert!(matches!(writer.picture(scan, id).await, Err(Error::MissingAbility(Ability::Read))));
    }
    for number in [0, example.id + 1, u64::MAX] {
        assert!(matches!(world.team.picture(scan, PictureId::Example(number)).await, Err(Error::NotFound)), "{number}");
    }
}

#[tokio::test]
async fn a_language_that_was_reviewed_is_no_machine_draft_in_reports_of_any_brand_and_kept_files_are_made_again() {
    let world = World::on_plan("agency").await;
    let (_, scan) = world.checked_site().await;
    world.team.set_brand(TeamBrand::default().with_name("Grün & Co".parse().ok())).await;
    let review = || Review::new("Jana Nováková", "2027-05-20".parse().unwrap()).unwrap();
    let service = Service::builder(world.store.clone()).with_reviewed_language(Locale::Cs, review());
    let service = service.build().await.unwrap();
    let reviewed = TestTeam::all(&service).await.remove(0);

    let (before, after) = (world.team.report(scan).await.unwrap(), reviewed.report(scan).await.unwrap());
    assert_eq!((before.locale, before.groups[0].machine, before.review), (Locale::Cs, true, None));
    assert_eq!((after.groups[0].machine, after.review), (false, Some(review())));
    let ukrainian = service.team(world.team.id()).await.unwrap().report(scan, Locale::Uk).await.unwrap();
    assert!(ukrainian.groups[0].machine && ukrainian.review.is_none(), "nobody has read the Ukrainian texts");

    let pdf = async |team: &TestTeam, locale: Locale| {
        bytes(team.file(scan, Artifact::ReportPdf, locale).await.unwrap()).await
    };
    let drafts = [pdf(&world.team, Locale::Cs).await, pdf(&world.team, Locale::Uk).await];
    let read = pdf(&reviewed, Locale::Cs).await;
    assert!(read != drafts[0], "the file that was kept says that nobody has read it");
    assert!(pdf(&reviewed, Locale::Cs).await == read, "it is kept");
    assert!(pdf(&reviewed, Locale::Uk).await == drafts[1], "the other languages are as they were");
}

/// A logo that can be decoded: one pixel.
const LOGO: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0:~\x9bU\0\0\0\nIDATx\x9cc\xf8\x0f\0\x01\x01\x01\0\xb18\xf6\x14\0\0\0\0IEND\xaeB`\x82";

#[tokio::test]
async fn every_file_with_a_look_shows_the_brand_of_now_and_the_products_own_without_white_label() {
    let world = World::on_plan("agency").await;
    let (_, scan) = world.checked_site().await;
    let target = ScanTarget::Scan(scan);
    let files = async || {
        let report = bytes(world.team.file(target, Artifact::ReportPdf, Locale::En).await.unwrap()).await;
        let draft = bytes(world.team.file(scan, Artifact::AcrPdf, Locale::En).await.unwrap()).await;
        [report, draft]
    };
    let page = async || text(world.team.file(scan, ACR_PAGE, Locale::En).await.unwrap()).await;
    let unset = files().await;
    for file in &unset {
        assert!(contains(file, "<rdf:li>Blue Team</rdf:li>"), "the team's name stands where no other is set");
    }
    assert!(page().await.contains("<header>Blue Team</header>"));

    let brand = TeamBrand::default()
        .with_name("Grün & Co".parse().ok())
        .with_colour("#aa0055".parse().ok())
        .with_logo(decoded_logo(LOGO.to_vec()).ok());
    assert!(brand.logo.is_some());
    world.team.set_brand(brand.clone()).await;
    let set = files().await;
    for (file, before) in set.iter().zip(&unset) {
        assert!(contains(file, "<rdf:li>Grün &amp; Co</rdf:li>") && file != before, "rendered again");
        assert!(!contains(file, "a11ycheck"), "our name is left out");
    }
    assert!(files().await == set, "and kept");
    let shown = page().await;
    assert!(
        shown.contains("alt=\"Grün &amp; Co\"") && shown.contains("--brand: #aa0055") && !shown.contains("Blue Team")
    );
    let json: Value = serde_json::from_str(&text(world.team.file(scan, ACR, Locale::En).await.unwrap()).await).unwrap();
    assert_eq!(json["author"]["company_name"], "Grün & Co");

    // A different colour alone makes a different file, and so does the brand before.
    world.team.set_brand(brand.clone().with_colour("#aa0056".parse().ok())).await;
    assert!(files().await != set);
    world.team.set_brand(brand.clone()).await;
    assert!(files().await == set);

    let mut plan = world.team.created().plan.clone();
    plan.features.white_label = false;
    world.store.put_plans(&[plan]).await.unwrap();
    let own = bytes(world.team.file(target, Artifact::ReportPdf, Locale::En).await.unwrap()).await;
    assert!(contains(&own, "<pdf:Producer>a11ycheck ") && !contains(&own, "Grün"));
    assert!(text(world.team.file(scan, ACR_PAGE, None).await.unwrap()).await.contains("<header>a11ycheck</header>"));
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
    let draft = async || bytes(world.team.file(scan, Artifact::AcrPdf, Locale::De).await.unwrap()).await;
    let report =
        async |target: ScanTarget| bytes(world.team.file(target, Artifact::ReportPdf, Locale::De).await.unwrap()).await;
    let (of_scan, of_site) = (ScanTarget::Scan(scan), ScanTarget::LatestOf(site));
    let (first, second, third, fourth) = tokio::join!(draft(), report(of_scan), draft(), report(of_site));
    assert!(first == third && second == fourth && first != second);
    let renderings = counted.render();
    let line = "a11ycheck_pdf_renderings_total{outcome=\"rendered\"} 2";
    assert!(renderings.lines().any(|other| other == line), "{renderings}");
    assert_eq!((draft().await, report(of_site).await), (first, second), "they are kept");
    assert!(counted.render().lines().any(|other| other == line));
}
