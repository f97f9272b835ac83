//! Pages whose results were taken over from an earlier check: said in the page, and in no other file.

use a11ycheck_core::{
    catalog::{brief, fill},
    domain::{Acceptances, Findings},
    export::ExportFormat,
    locale::Locale,
};
use chrono::TimeDelta;

use crate::{
    accepted::page_of,
    fixture::{checked_at, exported, ordinary, site},
};

/// The ordinary findings, two of whose pages have not changed since earlier checks.
fn taken_over() -> Findings {
    let mut findings = ordinary();
    findings.pages[1].looked_at = Some(checked_at() - TimeDelta::days(1));
    findings.pages[2].looked_at = Some(checked_at() - TimeDelta::days(3));
    findings
}

#[test]
fn the_page_says_in_every_language_how_many_pages_have_not_changed_and_since_when() {
    for locale in Locale::ALL {
        let said = fill(&brief(locale).opening.taken_over, &[("n", "2"), ("date", "2027-05-29")]);
        assert!(said.contains('2') && said.contains("2027-05-29"), "{locale}: {said}");
        assert!(page_of(&taken_over(), Acceptances::default(), locale).contains(&said), "{locale}: {said}");
        assert!(!page_of(&ordinary(), Acceptances::default(), locale).contains("2027-05-29"), "{locale}");
    }
}

#[test]
fn issue_exports_are_those_of_a_full_check() {
    for format in ExportFormat::ALL {
        let of = |findings: &Findings| exported(format, &site("Our shop"), findings, Locale::En);
        assert_eq!(of(&taken_over()), of(&ordinary()), "{format}");
    }
}
