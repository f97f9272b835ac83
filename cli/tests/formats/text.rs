//! The text, as people see it in a terminal.

use a11ycheck_cli::output::{Format, Show, TextOptions, WriteOptions};
use a11ycheck_core::locale::Locale;
use unicode_width::UnicodeWidthStr as _;

use crate::{
    fixture::{HOSTILE, clean, many, ordinary, ordinary_in, saying, text_of, written_with},
    golden::assert_same,
};

const ALL: Show = Show { accepted: true, review: true };

#[test]
fn the_text_is_as_it_was_reviewed() {
    assert_same("ordinary.txt", &text_of(&ordinary(), TextOptions::default()));
    assert_same("all.txt", &text_of(&ordinary(), TextOptions { show: ALL, ..TextOptions::default() }));
    assert_same("colours.txt", &text_of(&ordinary(), TextOptions { colours: true, ..TextOptions::default() }));
    assert_same("german.txt", &text_of(&ordinary_in(Locale::De), TextOptions::default()));
    assert_same("quiet.txt", &text_of(&ordinary(), TextOptions { quiet: true, ..TextOptions::default() }));
    assert_same("clean.txt", &text_of(&clean(), TextOptions::default()));
}

#[test]
fn no_line_is_wider_than_80_columns_but_one_with_an_address() {
    for locale in Locale::ALL {
        let text = text_of(&ordinary_in(locale), TextOptions { show: ALL, ..TextOptions::default() });
        for line in text.lines().filter(|line| !line.trim_start().starts_with("https://")) {
            assert!(line.width() <= 80, "{locale}: {line}");
        }
    }
}

#[test]
fn a_page_sends_no_control_character_to_a_terminal() {
    for text in HOSTILE {
        let shown = text_of(&saying(text), TextOptions { show: ALL, ..TextOptions::default() });
        let steers = |character: char| {
            (character.is_control() && character != '\n') || ('\u{202a}'..='\u{202e}').contains(&character)
        };
        assert!(!shown.contains(steers), "{text:?}: {shown:?}");
    }
}

#[test]
fn a_long_text_beside_another_leaves_both_readable() {
    let text = text_of(&saying(&"::error".repeat(40)), TextOptions { show: ALL, ..TextOptions::default() });
    let line = text.lines().find(|line| line.contains("accepted: ")).unwrap();
    assert!(line.trim_start().starts_with("::error") && line.width() <= 80, "{line}");
}

#[test]
fn what_is_within_the_threshold_is_still_shown() {
    let mut run = ordinary();
    run.gate.lines[0].max = 5;
    run.exit = a11ycheck_cli::run::Exit::default();
    let text = text_of(&run, TextOptions::default());
    assert!(text.contains("#logo") && text.ends_with("passed: 1 finding, within the gate\n"), "{text}");
}

#[test]
fn the_summary_of_a_run_with_thousands_of_elements_fits_one_screen() {
    let mut run = many(1_000);
    run.notices = vec![ordinary().notices[0].clone(); 9];
    let options = WriteOptions {
        files: (0..9).map(|number| (Format::Json, format!("reports/{number}.json").into())).collect(),
        ..WriteOptions::default()
    };
    let text = String::from_utf8(written_with(Format::Text, &run, &options)).unwrap();
    let summary = text.split_once("Fix first").unwrap().1;
    assert!(summary.lines().count() <= 24, "{summary}");
    assert!(text.lines().count() < 150, "elements are bounded by rule: {}", text.lines().count());
}
