//! Tests of what is shown, and in which order.

use super::*;
use crate::{
    domain::{Failure, FailureCode, Impact, OpenedBy, RuleId, Tool, Totals},
    locale::Locale,
    report::{Example, Group, PageCount, PageView, PlaceToCheck, PlaceView, Reason, Report, ToCheck},
};

fn report(pages: u64) -> Report {
    let at = "2026-11-21T09:08:00Z".parse().unwrap();
    let scan = "scan_01KAJ2V9Y0000000000000000A".parse().unwrap();
    let mut report = Report::empty(scan, Locale::En, "https://a.example/", at, Tool::axe_core("", ""));
    report.pages = (0..pages).map(|page| PageView::checked(format!("https://a.example/{page}"), "")).collect();
    report
}

/// Returns a group with one place for each number of pages; each page has one element of it.
fn group(rank: u64, rule: &str, severity: Impact, reach: &[u64]) -> Group {
    let mut group = Group::empty(RuleId::new(rule), severity);
    group.rank = rank;
    group.title = format!("Title of {rule}");
    let entry = crate::catalog::rule(rule).unwrap();
    (group.fixer, group.effort) = (Some(entry.fixer), Some(entry.effort));
    for (number, pages) in (0..).zip(reach) {
        let id = rank * 1_000 + number;
        group.places.push(PlaceView::new(id, *pages, *pages));
        group.examples.push(Example::new(id, "https://a.example/0", "p", "<p>Text</p>"));
    }
    group.n = reach.len() as u64;
    group.count = reach.iter().sum();
    group.pages = (0..reach.iter().copied().max().unwrap_or(0))
        .map(|page| PageCount::new(format!("https://a.example/{page}"), 1))
        .collect();
    group
}

#[test]
fn what_weighs_most_is_done_first_and_no_rule_fills_the_list_alone() {
    let mut report = report(40);
    report.groups = vec![
        group(1, "color-contrast", Impact::Serious, &[35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24]),
        group(2, "image-alt", Impact::Critical, &[4, 3]),
        group(3, "html-has-lang", Impact::Serious, &[35]),
    ];
    let todo = Todo::new(&report);
    let lines: Vec<_> = todo.lines.iter().map(|line| (line.group.rank, line.place.pages)).collect();
    let expected = [(1, 35), (3, 35), (1, 34), (1, 33), (1, 32), (1, 31), (1, 30), (1, 29), (2, 4), (2, 3)];
    assert_eq!(lines, expected, "the places of the other rules are not pushed out");
    assert_eq!(todo.further, 5);
    assert_eq!(todo.lines[1].quick.as_deref(), Some("One place, 35 pages"));
    assert_eq!(todo.lines[0].quick, None, "a colour of a brand is not changed in passing");
}

#[test]
fn a_rule_that_goes_away_with_another_is_a_line_that_says_so_and_nothing_to_do() {
    let mut report = report(3);
    let mut away = group(2, "listitem", Impact::Serious, &[3]);
    away.goes_away_with = Some(1);
    report.groups = vec![group(1, "aria-required-parent", Impact::Critical, &[3]), away];
    let brief = Brief::new(&report);
    assert_eq!(brief.todo.lines.len(), 1);
    assert_eq!(brief.rules.len(), 1);
    assert_eq!(brief.rules[0].also.as_deref(), Some("The same fault is also reported as: Title of listitem"));
    let line = &brief.other_rules[0];
    assert_eq!(line.goes_away.as_deref(), Some("Goes away with no. 1: Title of aria-required-parent"));
}

#[test]
fn each_place_is_shown_once_and_at_most_three_of_a_rule() {
    let mut report = report(9);
    report.groups = vec![group(1, "image-alt", Impact::Critical, &[9, 8, 7, 6])];
    let brief = Brief::new(&report);
    let shown: Vec<u64> = brief.rules[0].places.iter().map(|shown| shown.place.id).collect();
    assert_eq!(shown, [1_000, 1_001, 1_002]);
    assert_eq!(brief.rules[0].further, 6);
}

#[test]
fn what_is_new_is_shown_however_many_rules_come_before_it() {
    let mut report = report(20);
    let ids = [
        "image-alt",
        "label",
        "button-name",
        "select-name",
        "area-alt",
        "aria-roles",
        "video-caption",
        "meta-refresh",
        "input-image-alt",
        "aria-valid-attr",
        "list",
    ];
    report.groups = (1..).zip(ids).map(|(rank, id)| group(rank, id, Impact::Critical, &[20])).collect();
    let fresh = report.groups.last_mut().unwrap();
    (fresh.new_count, fresh.places[0].new_count) = (1, 1);
    assert_eq!(Brief::new(&report).rules.len(), 10, "in a first check nothing is called new");
    report.diff.previous_id = Some("scan_01KAJ2V9Y0000000000000000B".parse().unwrap());
    let brief = Brief::new(&report);
    assert_eq!(brief.rules.last().map(|rule| rule.group.rule.as_str()), Some("list"));
    assert!(brief.other_rules.is_empty());
}

#[test]
fn the_numbers_of_both_checks_add_up() {
    let mut report = report(2);
    report.total = 74;
    report.diff.previous_id = Some("scan_01KAJ2V9Y0000000000000000B".parse().unwrap());
    report.diff.previous_date = Some(report.checked_at);
    report.diff.previous_total = Some(81);
    (report.diff.fixed, report.diff.remaining, report.diff.new) = (8, 72, 2);
    report.diff.not_comparable_before = 1;
    let changes = Changes::new(&report).unwrap();
    for balance in [changes.before, changes.now] {
        assert_eq!(balance.alone + balance.remaining + balance.not_comparable, balance.total, "{balance:?}");
    }
    assert_eq!(changes.notes.len(), 1, "what cannot be compared is explained");
    let change = Opening::new(&report).change;
    assert_eq!(change.as_deref(), Some("New: 2 · Fixed: 8 · Remaining: 72 · Not comparable: 1"));
    // One on a page that the previous check did not have.
    (report.diff.remaining, report.diff.carried, report.total) = (73, 1, 75);
    let changes = Changes::new(&report).unwrap();
    for balance in [changes.before, changes.now] {
        assert_eq!(balance.alone + balance.remaining + balance.not_comparable, balance.total, "{balance:?}");
    }
}

#[test]
fn the_first_page_has_three_numbers_and_a_verdict_of_two_sentences() {
    let mut report = report(14);
    for page in report.pages.iter_mut().take(9) {
        page.issues = 9;
    }
    report.pages[13].error = Some(Failure::new(FailureCode::Timeout, ""));
    (report.total, report.places, report.places_for_most) = (81, 25, 12);
    report.totals = Totals::default();
    report.totals.critical = 4;
    report.totals.serious = 77;
    let opening = Opening::new(&report);
    let numbers: Vec<&str> = opening.numbers.iter().map(|(_, number)| number.as_str()).collect();
    assert_eq!(numbers, ["25", "81", "4 of 13"], "a page that was not checked is not called clear");
    assert_eq!(
        opening.verdict,
        ["Some visitors cannot use parts of the site at all.", "To clear 80% of the problems: 12 places to fix."]
    );
    report.total = 0;
    report.totals = Totals::default();
    report.places = 0;
    assert_eq!(Opening::new(&report).verdict, [crate::catalog::terms(Locale::En).label.no_problems.clone()]);
}

#[test]
fn the_worst_pages_come_first_and_the_others_are_counted() {
    let mut report = report(30);
    for (number, page) in report.pages.iter_mut().enumerate().take(25) {
        page.issues = number as u64;
    }
    report.pages[29].error =
        Some(Failure::new(FailureCode::HttpStatus, "The web server answered with error status 404."));
    let lists = PageLists::new(&report);
    assert_eq!(lists.worst.len(), PageLists::MAX_WORST);
    assert_eq!(lists.worst[0].issues, 24);
    assert_eq!(lists.rest, (9, 10), "five pages without problems, and four with 1, 2, 3 and 4");
    assert_eq!(lists.not_checked.listed.len(), 1);
}

#[test]
fn what_waits_for_a_person_has_few_reasons_and_places_and_counts_the_other_reasons() {
    let mut report = report(1);
    let reason = |count| Reason { text: format!("Reason {count}"), how_to_tell: String::new(), count };
    let place = |id| PlaceToCheck {
        id,
        page: "https://a.example/0".to_owned(),
        target: "p".to_owned(),
        html: String::new(),
        details: None,
        picture: None,
        opened_by: None,
    };
    report.to_check = vec![ToCheck {
        rule: RuleId::new("color-contrast"),
        title: "Contrast".to_owned(),
        has_card: true,
        wcag: Vec::new(),
        count: 50,
        how_to_tell: "Look.".to_owned(),
        reasons: (3..10).rev().map(reason).collect(),
        other_reasons: 8,
        places: (1..10).map(place).collect(),
        further_places: 0,
    }];
    let waiting = Brief::new(&report).waiting.remove(0);
    let counts: Vec<u64> = waiting.reasons.iter().map(|reason| reason.count).collect();
    assert_eq!(counts, [9, 8, 7, 6, 5, 4 + 3 + 8]);
    assert_eq!(waiting.reasons[5].text, crate::catalog::terms(Locale::En).label.other_reasons);
    assert_eq!(waiting.places.len(), Waiting::MAX_PLACES);
}

#[test]
fn a_place_says_what_was_found_in_one_sentence_once() {
    let mut report = report(3);
    let mut group = group(1, "region", Impact::Moderate, &[3, 2, 1]);
    let details = ["Outside of every landmark.", "Outside of every landmark.", "One of:\n- this\n- that"];
    for (example, details) in group.examples.iter_mut().zip(details) {
        example.details = Some(details.to_owned());
    }
    report.groups = vec![group];
    let found: Vec<_> = Brief::new(&report).rules[0].places.iter().map(|place| place.found).collect();
    assert_eq!(found, [Some("Outside of every landmark."), None, None]);
}

#[test]
fn a_place_that_appears_says_what_was_pressed_beside_what_was_found() {
    let mut report = report(3);
    let mut group = group(1, "region", Impact::Moderate, &[2, 1]);
    let opened = "The element appears once `Menu` has been pressed.";
    let appears = &mut group.examples[0];
    appears.opened_by = Some(OpenedBy::new("Menu", "#menu"));
    appears.details = Some(format!("{opened}\nOutside of every landmark."));
    report.groups = vec![group];
    let brief = Brief::new(&report);
    let said: Vec<_> = brief.rules[0].places.iter().map(|place| (place.opened.as_deref(), place.found)).collect();
    assert_eq!(said, [(Some(opened), Some("Outside of every landmark.")), (None, None)]);
}
