//! Accepted elements in files: marked with what was decided, and in every number.

use a11ycheck_core::{
    catalog::{brief, fill, terms},
    domain::{
        AcceptReason, Acceptance, Acceptances, Depth, DiffSummary, Findings, Outcome, Scan, ScanKind, ScanState, Site,
        SiteDetails,
    },
    export::{
        Brand, ExportFormat,
        html::{Gallery, HtmlSource},
        write,
    },
    id::{ScanId, SiteId, TeamId},
    locale::Locale,
    report::{Report, Sources, brief::Brief},
};

use crate::fixture::{checked_at, exported, ordinary, site, source};

const NOTE: &str = "=the <b>partner's</b> logo, exempt";

/// The picture without a text, which is a place of its own, and one of two texts of the same colours.
pub(crate) fn accepted() -> Acceptances {
    let last = "2027-03-31".parse().ok();
    let planned = Acceptance { reason: Some(AcceptReason::Planned), note: NOTE.to_owned(), until: last };
    let later = Acceptance { reason: None, note: String::new(), until: None };
    [(3, planned), (1, later)].into_iter().collect()
}

fn report(details: &SiteDetails, findings: &Findings, accepted: Acceptances, locale: Locale) -> Report {
    let (id, team) = (ScanId::presented("scan_x"), TeamId::presented("team_x"));
    let (at, details) = (checked_at(), details.clone());
    let site = Site { id: SiteId::presented("site_x"), team, details, next_scan_at: at, created_at: at };
    let (kind, state) = (ScanKind::Manual, ScanState::Queued);
    let scan = Scan {
        id,
        team,
        site: site.id,
        kind,
        pages_requested: 3,
        queued_at: at,
        state,
        express: false,
        depth: Depth::Full,
    };
    let outcome = Outcome::new(3, findings.totals(), DiffSummary::first(), findings.engine.clone());
    let (scan, outcome, site) = (&scan, &outcome, &site);
    Report::with_accepted(Sources { scan, outcome, finished_at: at, site, findings, trend: &[] }, accepted, locale)
}

fn page(accepted: Acceptances, locale: Locale) -> String {
    page_of(&ordinary(), accepted, locale)
}

/// Returns the HTML report of these findings.
pub(crate) fn page_of(findings: &Findings, accepted: Acceptances, locale: Locale) -> String {
    let (details, brand, gallery) = (site("Our shop"), Brand::default(), Gallery::new());
    let report = report(&details, findings, accepted, locale);
    let mut bytes = Vec::new();
    let source = HtmlSource::new(&report, &details, findings, &brand, &gallery);
    a11ycheck_core::export::html::write(&source, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn table(accepted: &Acceptances) -> Vec<Vec<String>> {
    let (details, findings) = (site("Our shop"), ordinary());
    let mut bytes = Vec::new();
    write(ExportFormat::Csv, &source(&details, &findings, Locale::En).with_accepted(accepted), &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

#[test]
fn the_page_says_in_every_language_what_is_accepted_why_and_until_when() {
    for locale in Locale::ALL {
        let page = page(accepted(), locale);
        let (words, terms) = (&brief(locale).accepted, terms(locale));
        let html = |text: &str| text.replace('\'', "&#39;");
        let mark = format!("<span class=\"mark\">{}</span>", words.accepted);
        assert_eq!(page.matches(&mark).count(), 4, "{locale}: two elements, each by its rule and by its page");
        let until = fill(&words.until, &[("date", "2027-03-31")]);
        let note = "=the &lt;b&gt;partner&#39;s&lt;/b&gt; logo, exempt";
        let decided = format!("{mark} <bdi>{} · {} · {note}</bdi>", html(&words.planned), html(&until));
        assert_eq!(page.matches(&decided).count(), 2, "{locale}: {decided}");
        assert!(page.contains(&format!("{mark} <bdi></bdi>")), "{locale}: a reason of a later release is not guessed");
        assert!(page.contains(&format!("{}: 1", words.accepted)), "{locale}");
        let elements = terms.counted(&terms.count.element, 2);
        assert!(page.contains(&html(&fill(&words.note, &[("elements", &elements)]))), "{locale}");
    }
}

#[test]
fn what_is_accepted_as_a_whole_is_not_in_what_to_do_and_stays_in_every_number() {
    let (details, findings) = (site("Our shop"), ordinary());
    let with = |accepted| report(&details, &findings, accepted, Locale::En);
    let (all, some) = (with(Acceptances::default()), with(accepted()));
    assert_eq!((some.total, some.totals, some.places), (all.total, all.totals, all.places));
    let rules =
        |report: &Report| Brief::new(report).todo.lines.iter().map(|line| line.group.rule.to_string()).collect();
    let (before, after): (Vec<_>, Vec<_>) = (rules(&all), rules(&some));
    assert!(before.iter().any(|rule| rule == "image-alt") && after.iter().all(|rule| rule != "image-alt"), "{after:?}");
    assert!(after.iter().any(|rule| rule == "color-contrast"), "one of its elements is not accepted");
    let further = |report: &Report| Brief::new(report).todo.further;
    assert_eq!(further(&some), further(&all), "it is not named as missing either");
}

#[test]
fn without_anything_accepted_files_are_what_they_were() {
    let plain = exported(ExportFormat::Csv, &site("Our shop"), &ordinary(), Locale::En);
    let head = plain.lines().next().unwrap();
    assert!(
        head.ends_with("new_since_previous_check") && !page(Acceptances::default(), Locale::En).contains("Accepted")
    );
}

#[test]
fn the_table_has_what_was_decided_in_columns_that_no_note_can_leave() {
    let rows = table(&accepted());
    assert_eq!(rows[0][10..], ["accepted", "accepted_note", "accepted_until"]);
    let row = |selector: &str| rows.iter().find(|row| row[6] == selector).unwrap()[10..].to_vec();
    assert_eq!(row("#logo"), ["planned", &format!("'{NOTE}"), "2027-03-31"], "and is no formula");
    assert_eq!(row("main > p:nth-child(2)"), ["other", "", ""]);
    assert!(rows.iter().all(|row| row.len() == 13), "{rows:?}");
    assert_eq!(rows.iter().filter(|row| row[10].is_empty()).count(), 4);
}
