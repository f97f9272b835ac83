//! Tests over every file of every language: nothing is missing, nothing is left in English, and nothing that a program
//! reads has been translated.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};

use super::{
    Plural,
    language::{Files, Language, files},
    probes, rules,
};
use crate::locale::Locale;

/// The key of the list of terms that are rightly the same as in English.
const SAME_AS_ENGLISH: &str = "same_as_english";

/// Returns every text of a language by `file: path`, for example `cards: image-alt.title`, without the plural forms.
fn texts(files: Files) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    for (name, mut table) in tables(files) {
        table.remove(SAME_AS_ENGLISH);
        table.remove("count");
        flatten(&format!("{name}: "), &table, &mut texts);
    }
    texts
}

fn tables(files: Files) -> [(&'static str, Table); 7] {
    let Files { cards, tips, terms, wcag, brief, checks, hand } = files;
    [
        ("cards", cards),
        ("tips", tips),
        ("terms", terms),
        ("wcag", wcag),
        ("brief", brief),
        ("checks", checks),
        ("hand", hand),
    ]
    .map(|(name, text)| (name, text.parse().unwrap_or_else(|error| panic!("{name}: {error}"))))
}

fn flatten(prefix: &str, table: &Table, texts: &mut BTreeMap<String, String>) {
    for (key, value) in table {
        match value {
            Value::Table(inner) => flatten(&format!("{prefix}{key}."), inner, texts),
            Value::String(text) => {
                texts.insert(format!("{prefix}{key}"), text.clone());
            }
            Value::Boolean(_) => {}
            other => panic!("{prefix}{key}: {other} is neither a text nor a table"),
        }
    }
}

fn terms_table(files: Files) -> Table {
    files.terms.parse().unwrap()
}

/// Returns the nouns with their forms by category.
fn counts(files: Files) -> BTreeMap<String, BTreeMap<String, String>> {
    terms_table(files).remove("count").unwrap().try_into().unwrap()
}

fn english() -> Files {
    files(Locale::En)
}

fn translations() -> impl Iterator<Item = (Locale, Files)> {
    Locale::ALL.into_iter().filter(|locale| *locale != Locale::En).map(|locale| (locale, files(locale)))
}

/// Returns the texts between each `open` and the next `close`.
fn enclosed(text: &str, open: char, close: char) -> BTreeSet<&str> {
    text.split(open).skip(1).filter_map(|rest| rest.split_once(close)).map(|(inside, _)| inside).collect()
}

/// Returns the pieces of `code` in a text.
fn code(text: &str) -> BTreeSet<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// Returns the `{placeholders}` of a text, outside code.
fn placeholders(text: &str) -> BTreeSet<String> {
    let prose: String = text.split('`').step_by(2).collect();
    enclosed(&prose, '{', '}').into_iter().map(str::to_owned).collect()
}

#[test]
fn every_language_can_be_read() {
    for locale in Locale::ALL {
        assert_eq!(Language::of(locale).locale, locale);
        assert_eq!(Language::of(locale).terms.locale, locale);
    }
}

#[test]
fn texts_have_no_break_spaces_where_a_line_must_not_break() {
    let card = |rule, locale| super::card(rule, locale).unwrap();
    assert!(card("meta-viewport", Locale::De).how_to_fix.contains("200\u{A0}%"));
    assert!(card("button-name", Locale::Pl).how_to_fix.contains(" w\u{A0}przycisku "));
    assert!(super::tip("bypass", "vue", Locale::Cs).unwrap().contains(" v\u{A0}`App.vue`"));
    assert!(super::criterion("2.4.4").unwrap().name(Locale::Ru).contains("(в\u{A0}контексте)"));
    assert!(super::terms(Locale::Uk).disclaimer.contains(" а\u{A0}не "));
}

#[test]
fn every_rule_has_a_card_and_every_card_a_rule() {
    let ids: BTreeSet<&str> = rules().chain(probes()).map(|(id, _)| id).collect();
    for locale in Locale::ALL {
        let [(_, mut cards), ..] = tables(files(locale));
        assert!(cards.remove("reviewed").is_some_and(|value| value.is_bool()), "{locale}: no `reviewed`");
        let keys: BTreeSet<&str> = cards.keys().map(String::as_str).collect();
        assert_eq!(keys, ids, "{locale}");
    }
}

#[test]
fn every_criterion_has_a_name_in_every_language() {
    let numbers: BTreeSet<&str> = super::criteria().iter().map(|criterion| criterion.number.as_str()).collect();
    for locale in Locale::ALL {
        let names: BTreeSet<&str> = Language::of(locale).wcag.keys().map(String::as_str).collect();
        assert_eq!(names, numbers, "{locale}");
    }
}

#[test]
fn every_language_has_the_same_texts() {
    let wanted: BTreeSet<String> = texts(english()).into_keys().collect();
    for (locale, files) in translations() {
        let found: BTreeSet<String> = texts(files).into_keys().collect();
        assert_eq!(wanted.difference(&found).collect::<Vec<_>>(), Vec::<&String>::new(), "{locale}: missing");
        assert_eq!(found.difference(&wanted).collect::<Vec<_>>(), Vec::<&String>::new(), "{locale}: not in English");
    }
}

#[test]
fn no_text_is_empty_untidy_or_unfinished() {
    for locale in Locale::ALL {
        let files = files(locale);
        let forms = counts(files).into_values().flat_map(BTreeMap::into_values).map(|text| ("count".to_owned(), text));
        for (key, text) in texts(files).into_iter().chain(forms) {
            let at = format!("{locale} {key}: {text}");
            assert!(!text.is_empty(), "{at}: empty");
            assert!(text.trim() == text && !text.contains("  ") && !text.contains('\n'), "{at}: stray white space");
            assert!(!text.chars().any(char::is_control), "{at}: control character");
            assert!(
                !text.contains('\u{A0}'),
                "{at}: a no-break space, which nobody sees in the file: spacing.rs puts them in"
            );
            assert_eq!(text.matches('`').count() % 2, 0, "{at}: a backtick without its partner");
            for word in ["TODO", "FIXME", "XXX", "TBD", "???"] {
                assert!(!text.contains(word), "{at}: unfinished");
            }
        }
    }
}

#[test]
fn titles_are_short_and_free_of_code() {
    for locale in Locale::ALL {
        for (key, text) in texts(files(locale)) {
            if key.starts_with("cards: ") && key.ends_with(".title") {
                assert!(text.chars().count() <= 110, "{locale} {key}: {text}");
                assert!(!text.contains(['`', '<']) && !text.ends_with('.'), "{locale} {key}: {text}");
            }
        }
    }
}

#[test]
fn code_and_placeholders_survive_translation() {
    let english = texts(english());
    for (locale, files) in translations() {
        for (key, text) in texts(files) {
            let Some(source) = english.get(&key) else { continue };
            assert_eq!(code(&text), code(source), "{locale} {key}: code");
            assert_eq!(placeholders(&text), placeholders(source), "{locale} {key}: placeholders");
        }
    }
}

#[test]
fn no_text_but_a_template_of_the_terms_the_brief_and_the_checks_has_a_placeholder() {
    for (key, text) in texts(english()) {
        let is_template = ["terms: ", "brief: ", "checks: "].iter().any(|file| key.starts_with(file));
        assert!(is_template || placeholders(&text).is_empty(), "{key}: {text}");
    }
}

#[test]
fn a_number_has_every_form_of_its_language_and_no_other() {
    let nouns: BTreeSet<String> = counts(english()).into_keys().collect();
    for locale in Locale::ALL {
        let counts = counts(files(locale));
        assert_eq!(counts.keys().cloned().collect::<BTreeSet<_>>(), nouns, "{locale}");
        let wanted: BTreeSet<String> =
            Plural::categories(locale).iter().map(|plural| format!("{plural:?}").to_lowercase()).collect();
        for (noun, forms) in counts {
            assert_eq!(forms.keys().cloned().collect::<BTreeSet<_>>(), wanted, "{locale} {noun}");
            for form in forms.values() {
                assert_eq!(enclosed(form, '{', '}'), BTreeSet::from(["n"]), "{locale} {noun}: {form}");
            }
        }
    }
}

#[test]
fn nothing_is_left_in_english() {
    let english = texts(english());
    for (locale, files) in translations() {
        let same_of = |file: &str, mut table: Table| {
            let list = table.remove(SAME_AS_ENGLISH).map(|list| list.try_into::<Vec<String>>().unwrap());
            list.unwrap_or_default().into_iter().map(|key| format!("{file}: {key}")).collect::<Vec<_>>()
        };
        let same: BTreeSet<String> = tables(files).into_iter().flat_map(|(file, table)| same_of(file, table)).collect();
        for (key, text) in texts(files) {
            let is_same = english.get(&key) == Some(&text);
            assert!(!is_same || same.contains(&key), "{locale} {key}: left in English: {text}");
        }
    }
}

#[test]
fn ukrainian_and_russian_texts_are_in_their_own_letters() {
    for (locale, files) in translations() {
        let foreign: &[char] = match locale {
            Locale::Uk => &['ы', 'э', 'ъ', 'ё', 'Ы', 'Э', 'Ъ', 'Ё'],
            Locale::Ru => &['і', 'ї', 'є', 'ґ', 'І', 'Ї', 'Є', 'Ґ'],
            _ => continue,
        };
        for (key, text) in texts(files) {
            let is_cyrillic = text.chars().any(|character| ('\u{0400}'..='\u{04ff}').contains(&character));
            // A template may hold nothing but placeholders and punctuation.
            let has_words = text.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest));
            let has_words = has_words.flat_map(str::chars).any(char::is_alphabetic);
            assert!(is_cyrillic || !has_words, "{locale} {key}: no Cyrillic letter: {text}");
            assert!(!text.contains(foreign), "{locale} {key}: a letter of another language: {text}");
        }
    }
}
