//! Accepted elements: marked with what was decided, in both forms of the file.

use a11ycheck_core::{
    catalog::{brief, fill, terms},
    domain::{AcceptReason, Acceptance, Acceptances, Depth, DiffSummary, Outcome, Scan, ScanKind, ScanState, Site},
    export::{
        Brand,
        pdf::{Detail, PdfSource, render},
    },
    id::{ScanId, SiteId, TeamId},
    locale::Locale,
    report::{Report, Sources},
};

use crate::{
    fixture::{ordinary, site},
    sample::at,
    tools::{Folder, structure},
};

#[test]
fn the_file_says_in_every_language_what_is_accepted_why_and_until_when() {
    let (findings, brand, folder) = (ordinary(), Brand::default(), Folder::new());
    let (id, team) = (ScanId::presented("scan_x"), TeamId::presented("team_x"));
    let site =
        Site { id: SiteId::presented("site_x"), team, details: site("Our shop"), next_scan_at: at(), created_at: at() };
    let (kind, state) = (ScanKind::Manual, ScanState::Queued);
    let scan = Scan {
        id,
        team,
        site: site.id,
        kind,
        pages_requested: 3,
        queued_at: at(),
        state,
        express: false,
        depth: Depth::Full,
    };
    let outcome = Outcome::new(3, findings.totals(), DiffSummary::first(), findings.engine.clone());
    let sources =
        Sources { scan: &scan, outcome: &outcome, finished_at: at(), site: &site, findings: &findings, trend: &[] };
    for locale in Locale::ALL {
        let decided = Acceptance {
            reason: Some(AcceptReason::NotOurs),
            note: "the partner’s (logo)".to_owned(),
            until: "2027-03-31".parse().ok(),
        };
        let accepted: Acceptances = [(3, decided)].into_iter().collect();
        let report = Report::with_accepted(sources, accepted, locale);
        let (words, terms) = (&brief(locale).accepted, terms(locale));
        let until = fill(&words.until, &[("date", "2027-03-31")]);
        let decided = format!("{} {} · {until} · the partner’s (logo)", words.accepted, words.not_ours);
        let note = fill(&words.note, &[("elements", &terms.counted(&terms.count.element, 1))]);
        for detail in [Detail::Brief, Detail::Full] {
            let source = PdfSource::new(&report, &brand).with_detail(detail);
            let tree = structure(&folder.add(&format!("{locale}-{detail:?}"), &render(&source).unwrap()));
            let flat = tree.replace('"', " ").split_whitespace().collect::<Vec<_>>().join(" ");
            for text in [&decided, &note, &format!("{}: 1", words.accepted)] {
                let text = text.replace('\u{A0}', " ");
                assert!(flat.contains(&text), "{locale} {detail:?}: {text} in {flat}");
            }
        }
    }
}
