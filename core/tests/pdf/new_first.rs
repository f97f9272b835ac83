//! What is new since the last check comes first, however much was there before.

use a11ycheck_core::{
    catalog::terms,
    domain::{
        Depth, DiffSummary, Finding, Findings, Impact, Outcome, PageOutcome, RuleFacts, RuleId, Scan, ScanKind,
        ScanState, ScreenshotId, ScreenshotRef, Site, Tool,
    },
    export::{
        Brand,
        html::{Gallery, HtmlSource, write},
        pdf::{PdfSource, render},
    },
    id::{ScanId, SiteId, TeamId},
    locale::Locale,
    report::{PictureId, Report, Sources},
};

use crate::{
    fixture::site,
    sample::{at, picture},
    tools::{Folder, structure},
};

/// Three hundred pictures that have no text since long, and a last one that is new.
fn findings() -> Findings {
    let rule = RuleId::new("image-alt");
    let pages = [PageOutcome::checked("https://shop.example/", "Shop")];
    let facts = RuleFacts::new(Impact::Critical, ["wcag2a", "wcag111"]);
    let mut findings =
        Findings::new(Tool::axe_core("4.14.1", "")).with_pages(pages).with_rules([(rule.clone(), facts)]);
    findings.items = (1_u32..=301)
        .map(|number| {
            let html = format!("<img id=\"photo-{number}\" src=\"/photos/{number}.jpg\">");
            let mut finding =
                Finding::new(rule.clone(), 0, "https://shop.example/", &format!("#photo-{number}"), &html, "Fix any");
            finding.is_new = number == 301;
            // The scanner has room for the first ones and for new ones.
            let is_pictured = number < 20 || finding.is_new;
            finding.screenshot = is_pictured.then(|| ScreenshotRef::new(ScreenshotId(number), 320, 160));
            finding
        })
        .collect();
    findings
}

/// A developer who opens the report on the day after a change must see what the change broke.
#[test]
fn a_new_problem_after_three_hundred_old_ones_is_shown_first_with_its_picture_in_every_form() {
    let (findings, details) = (findings(), site("Our shop"));
    let (scan, team, site) = (ScanId::generate(at()), TeamId::generate(at()), SiteId::generate(at()));
    let site = Site { id: site, team, details: details.clone(), next_scan_at: at(), created_at: at() };
    let scan = Scan {
        id: scan,
        team,
        site: site.id,
        kind: ScanKind::Scheduled,
        pages_requested: 1,
        queued_at: at(),
        state: ScanState::Queued,
        express: false,
        depth: Depth::Incremental,
    };
    let outcome = Outcome::new(1, findings.totals(), DiffSummary::first(), findings.engine.clone());
    let sources =
        Sources { scan: &scan, outcome: &outcome, finished_at: at(), site: &site, findings: &findings, trend: &[] };
    let report = Report::new(sources, Locale::En);

    let group = &report.groups[0];
    let first = &group.examples[0];
    assert_eq!((first.target.as_str(), first.is_new, first.picture.is_some()), ("#photo-301", true, true));
    assert_eq!((group.new_count, group.places[0].id), (1, first.id));

    let mut gallery = Gallery::new();
    let shot = picture(320, 160);
    assert!(gallery.add(PictureId::Example(first.id), shot.clone()));
    let brand = Brand::default();
    let mut page = Vec::new();
    write(&HtmlSource::new(&report, &details, &findings, &brand, &gallery), &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    let problems = page.split_once("<h2 id=\"problems\">").unwrap().1;
    let tile = problems.split("<li>").find(|tile| tile.contains("class=\"mark\"")).unwrap();
    assert!(tile.contains("#photo-301") && tile.contains("<img src=\"data:"), "{tile}");
    assert!(problems.find("#photo-301").unwrap() < problems.find("#photo-1<").unwrap());

    let pictures = |example| (example == first.id).then_some(&*shot);
    let file = render(&PdfSource::new(&report, &brand).with_pictures(&pictures)).unwrap();
    let tree = structure(&Folder::new().add("new", &file));
    let flat = tree.split_whitespace().collect::<Vec<_>>().join(" ");
    let new = &terms(Locale::En).label.new;
    let at = flat.find("photo-301").unwrap_or_else(|| panic!("it is named: {flat}"));
    assert!(!flat[..at].contains("photo-1.") && flat.contains(&format!("{new}: 1")), "{flat}");
    assert_eq!(tree.matches("Figure").count(), 1, "its picture is the only one that was given: {tree}");
}
