//! What is accepted is marked in the files that people read, and is no secret in any of them.

use a11ycheck_cli::output::Format;
use a11ycheck_core::{catalog::brief, locale::Locale};

use crate::fixture::{ordinary_in, written};

#[test]
fn csv_and_html_have_the_reason_the_note_and_the_last_day_in_every_language() {
    for locale in Locale::ALL {
        let mut run = ordinary_in(locale);
        run.accepts[0].until = "2027-03-31".parse().ok();
        let text = |format| String::from_utf8(written(format, &run)).unwrap();
        let table = text(Format::Csv);
        assert!(table.lines().next().unwrap().ends_with(",accepted,accepted_note,accepted_until"), "{table}");
        let marked = ",wont-fix,\"exempt, as the lawyer says\",2027-03-31";
        assert_eq!(table.matches(marked).count(), 1, "{locale}: {table}");
        let (page, words) = (text(Format::Html), &brief(locale).accepted);
        assert!(page.contains(&format!("<span class=\"mark\">{}</span>", words.accepted)), "{locale}");
        let decided = format!("{} · {} · exempt, as the lawyer says", words.wont_fix, words.until);
        assert!(page.contains(&decided.replace("{date}", "2027-03-31").replace('\'', "&#39;")), "{locale}: {decided}");
    }
}

#[test]
fn a_reason_of_a_later_release_is_still_a_mark() {
    let mut run = ordinary_in(Locale::En);
    let accepted = run.findings[2].accepted.as_mut().unwrap();
    accepted.reason = "of-tomorrow".to_owned();
    let table = String::from_utf8(written(Format::Csv, &run)).unwrap();
    assert!(table.contains(",other,\"exempt, as the lawyer says\","), "{table}");
}
