//! Cells of CSV files that no spreadsheet takes for a formula.

use std::borrow::Cow;

use super::text::visible;

/// The text as a cell. An apostrophe goes before what a spreadsheet would calculate: OWASP, "CSV Injection".
///
/// Quotes protect what stands inside a cell only from readers that split at commas. A spreadsheet set to another separator,
/// as most of Europe's are, splits at semicolons, tabs and line ends within our cells; so what follows one of them is
/// treated as the beginning of a cell.
pub(super) fn cell(text: &str) -> Cow<'_, str> {
    let text = visible(text);
    let starts = |rest: &str| rest.starts_with(is_trigger);
    // Some spreadsheets drop blanks before they look.
    let is_led_by_trigger = text.starts_with(is_break) || starts(text.trim_start_matches(is_blank));
    let has_trigger_within = text.char_indices().any(|(at, character)| splits(character) && starts(&text[at + 1..]));
    if !is_led_by_trigger && !has_trigger_within {
        return text;
    }
    let mut safe = String::with_capacity(text.len() + 8);
    if is_led_by_trigger {
        safe.push('\'');
    }
    let mut rest = &*text;
    while let Some(at) = rest.find(splits) {
        // All that splits is ASCII: one byte long.
        let (before, after) = rest.split_at(at + 1);
        safe.push_str(before);
        if starts(after) {
            safe.push('\'');
        }
        rest = after;
    }
    safe.push_str(rest);
    safe.into()
}

/// What a formula begins with, full-width forms included.
fn is_trigger(character: char) -> bool {
    matches!(character, '=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠')
}

fn is_blank(character: char) -> bool {
    character.is_whitespace() || matches!(character, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
}

fn is_break(character: char) -> bool {
    matches!(character, '\t' | '\r' | '\n')
}

fn splits(character: char) -> bool {
    is_break(character) || character == ';'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_formula_becomes_text() {
        for text in ["=HYPERLINK(\"https://evil.example\")", "+1", "-1", "@SUM(A1)", "＝1", "＋1", "－1", "＠A"] {
            assert_eq!(cell(text), format!("'{text}"));
        }
        assert_eq!(cell("\t=1"), "'\t'=1");
        assert_eq!(cell("\nx"), "'\nx");
        assert_eq!(cell(" \u{a0}\u{feff}=1"), "' \u{a0}\u{feff}=1");
    }

    #[test]
    fn a_formula_hidden_behind_another_separator_becomes_text() {
        assert_eq!(cell("a;=cmd|'/C calc'!A0;b"), "a;'=cmd|'/C calc'!A0;b");
        assert_eq!(cell("<p>\n=1\r\n@x"), "<p>\n'=1\r\n'@x");
    }

    #[test]
    fn ordinary_texts_stay_as_they_are() {
        for text in ["main > p:nth-child(2)", "<a href=\"?a=1&b=-2\">", "Ціна; 5 ₴", "", "a, b", "color: red; -x: 1"]
        {
            assert!(matches!(cell(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_part_of_a_cell_is_led_by_a_trigger(text in "[a;=+@\t\r\n '＝-]{0,12}") {
            let safe = cell(&text);
            prop_assert!(!safe.split(splits).any(|part| part.starts_with(is_trigger)), "{safe:?}");
            prop_assert_eq!(cell(&safe), &*safe);
            prop_assert_eq!(safe.replace('\'', ""), text.replace('\'', ""));
        }
    }
}
