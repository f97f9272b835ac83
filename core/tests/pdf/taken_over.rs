//! Pages whose results were taken over from an earlier check.

use a11ycheck_core::{
    catalog::{brief, fill},
    domain::{Depth, DiffSummary, Outcome, Scan, ScanKind, ScanState, Site},
    export::{
        Brand,
        pdf::{Detail, PdfSource, render},
    },
    id::{ScanId, SiteId, TeamId},
    locale::Locale,
    report::{Report, Sources},
};
use chrono::TimeDelta;

use crate::{
    fixture::{ordinary, site},
    sample::at,
    tools::{Folder, structure},
};

#[test]
fn the_file_says_in_every_language_how_many_pages_have_not_changed_and_since_when() {
    let (mut findings, brand, folder) = (ordinary(), Brand::default(), Folder::new());
    let oldest = at() - TimeDelta::days(3);
    findings.pages[1].looked_at = Some(oldest);
    findings.pages[2].looked_at = Some(at() - TimeDelta::days(1));
    let (id, team) = (ScanId::presented("scan_x"), TeamId::presented("team_x"));
    let site =
        Site { id: SiteId::presented("site_x"), team, details: site("Our shop"), next_scan_at: at(), created_at: at() };
    let (kind, state) = (ScanKind::Scheduled, ScanState::Queued);
    let scan = Scan {
        id,
        team,
        site: site.id,
        kind,
        pages_requested: 3,
        queued_at: at(),
        state,
        express: false,
        depth: Depth::Incremental,
    };
    let outcome = Outcome::new(3, findings.totals(), DiffSummary::first(), findings.engine.clone());
    let sources =
        Sources { scan: &scan, outcome: &outcome, finished_at: at(), site: &site, findings: &findings, trend: &[] };
    for locale in Locale::ALL {
        let report = Report::new(sources, locale);
        let date = oldest.date_naive().to_string();
        let said = fill(&brief(locale).opening.taken_over, &[("n", "2"), ("date", &date)]).replace('\u{A0}', " ");
        for detail in [Detail::Brief, Detail::Full] {
            let source = PdfSource::new(&report, &brand).with_detail(detail);
            let tree = structure(&folder.add(&format!("{locale}-{detail:?}"), &render(&source).unwrap()));
            let flat = tree.replace('"', " ").split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(flat.contains(&said), "{locale} {detail:?}: {said} in {flat}");
        }
    }
}
