//! Texts of unknown origin, made fit for a line.

use std::borrow::Cow;

/// One line without white space around it or two blanks in a row. What is invisible and changes how its surroundings are
/// read (control characters, and those that turn the direction of writing) becomes U+FFFD.
pub(super) fn one_line(text: &str) -> String {
    joined(text.split_whitespace(), text.len())
}

/// [`one_line`], with the no-break spaces of the text.
pub(super) fn one_line_with_no_breaks(text: &str) -> String {
    let may_break = |character: char| character.is_whitespace() && character != '\u{a0}';
    joined(text.split(may_break).filter(|word| !word.is_empty()), text.len())
}

fn joined<'a>(words: impl Iterator<Item = &'a str>, capacity: usize) -> String {
    let mut line = String::with_capacity(capacity);
    for word in words {
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(
            word.chars().map(|character| if is_harmful(character) { char::REPLACEMENT_CHARACTER } else { character }),
        );
    }
    line
}

/// The text with harmful characters replaced, but with its white space.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    if text.contains(is_hidden) { text.replace(is_hidden, "\u{fffd}").into() } else { text.into() }
}

/// What [`visible`] replaces.
pub(super) fn is_hidden(character: char) -> bool {
    is_harmful(character) && !character.is_whitespace()
}

/// The first `max` characters.
pub(super) fn clip(text: &str, max: usize) -> &str {
    text.char_indices().nth(max).map_or(text, |(end, _)| &text[..end])
}

/// How long trackers take a text to be: they count in UTF-16, or in characters, of which there are fewer.
pub(super) fn length(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// Control characters, and Unicode's explicit directional formatting (UAX #9, section 2).
fn is_harmful(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_can_neither_break_a_line_nor_turn_it_around() {
        assert_eq!(one_line(" a\r\n\tb \u{2028} c\u{85}d "), "a b c d");
        assert_eq!(one_line("exe.\u{202e}gpj\u{1b}[31m"), "exe.\u{fffd}gpj\u{fffd}[31m");
        assert_eq!(visible("a\n\tb\u{7}"), "a\n\tb\u{fffd}");
        assert_eq!(one_line_with_no_breaks(" 24\u{a0}px\r\n\tb \u{2028} c "), "24\u{a0}px b c");
        assert_eq!(one_line("24\u{a0}px"), "24 px");
        assert_eq!(one_line("שלום 👩‍🦽 Ціна ₴"), "שלום 👩‍🦽 Ціна ₴");
    }

    #[test]
    fn a_cut_falls_between_characters() {
        assert_eq!(clip("žluť", 2), "žl");
        assert_eq!(clip("žl", 2), "žl");
        assert_eq!(length("a👩"), 3);
    }
}
