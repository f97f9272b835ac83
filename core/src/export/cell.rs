//! Cells of CSV files that no spreadsheet takes for a formula.

use std::borrow::Cow;

use super::text::{is_hidden, visible};

/// Returns the text as a cell, with an apostrophe before what a spreadsheet would calculate: OWASP, "CSV Injection".
///
/// Quotes protect the inside of a cell only from readers that split at commas. A spreadsheet set to another separator, as
/// most of Europe's are, splits at semicolons, tabs and line ends within our cells. So the text after one of these is
/// treated as the beginning of a cell, too.
pub(super) fn cell(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return text.into();
    }
    let text = visible(text);
    let starts = |rest: &str| rest.starts_with(is_trigger);
    // Some spreadsheets drop leading blanks before they look for a formula.
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
        // All separators are ASCII: one byte long.
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

/// Returns whether the text is a cell as it is, as far as a single pass over its bytes can tell. Files of hundreds of
/// thousands of elements consist of such texts.
fn is_plain(text: &str) -> bool {
    /// The number of bytes that a processor compares at once.
    const CHUNK: usize = 16;
    let is_led_plainly = |first: char| !is_trigger(first) && !is_blank(first) && !is_break(first);
    let (chunks, rest) = text.as_bytes().as_chunks::<CHUNK>();
    let mut last = [b' '; CHUNK];
    last[..rest.len()].copy_from_slice(rest);
    text.chars().next().is_none_or(is_led_plainly)
        && chunks.iter().chain([&last]).zip((0..).step_by(CHUNK)).all(|(chunk, from)| {
            // A mark for each suspicious byte, without a branch for each byte.
            let mut marks = u128::from_le_bytes(chunk.map(|byte| u8::from(is_suspicious(byte))));
            while marks != 0 {
                if !is_harmless_at(text, from + marks.trailing_zeros() as usize / 8) {
                    return false;
                }
                marks &= marks - 1;
            }
            true
        })
}

/// Returns whether a byte splits, is a control character, or is the first of characters of which some are hidden: U+0080 to
/// U+00BF (0xC2), U+0600 to U+063F (0xD8), U+2000 to U+2FFF (0xE2). Without branches.
const fn is_suspicious(byte: u8) -> bool {
    (byte < 0x20) | (byte == b';') | (byte == 0x7F) | (byte == 0xC2) | (byte == 0xD8) | (byte == 0xE2)
}

/// Returns whether the character that begins with a suspicious byte may stand in a cell.
fn is_harmless_at(text: &str, at: usize) -> bool {
    // A suspicious byte is always the first of a character.
    let Some(mut rest) = text.get(at..).map(str::chars) else { return false };
    match rest.next() {
        Some(character) if splits(character) => !rest.next().is_some_and(is_trigger),
        first => !first.is_some_and(is_hidden),
    }
}

/// Returns whether a character begins a formula, full-width forms included.
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

    #[test]
    fn every_hidden_character_and_every_trigger_is_looked_at_closely() {
        for character in (0..=0x10_FFFF).filter_map(char::from_u32) {
            if is_hidden(character) {
                assert!(!is_plain(&format!("a{character}")), "{character:?}");
            }
            if is_trigger(character) {
                assert!(!is_plain(&character.to_string()), "{character:?}");
                assert!(
                    [';', '\t', '\r', '\n'].iter().all(|split| !is_plain(&format!("a{split}{character}"))),
                    "{character:?}"
                );
            }
        }
        assert!(is_plain("Ціна — «5 ₴»;\n  <a href=\"?a=-1\">") && is_plain(""));
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
