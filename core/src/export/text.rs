//! Texts of unknown origin, made fit for a line.

use std::borrow::Cow;

/// Returns the text as one line, without white space around it or two blanks in a row. Invisible characters that change how
/// their surroundings are read (control characters, and those that turn the direction of writing) become U+FFFD.
pub(super) fn one_line(text: &str) -> String {
    joined(text.split_whitespace(), text.len())
}

/// Returns [`one_line`] with the no-break spaces of the text.
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

/// Returns the text with harmful characters replaced, but with its white space.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    if text.contains(is_hidden) { text.replace(is_hidden, "\u{fffd}").into() } else { text.into() }
}

/// Returns whether [`visible`] replaces the character.
pub(super) fn is_hidden(character: char) -> bool {
    is_harmful(character) && !character.is_whitespace()
}

/// Returns the first `max` characters.
pub(super) fn clip(text: &str, max: usize) -> &str {
    text.char_indices().nth(max).map_or(text, |(end, _)| &text[..end])
}

/// Returns [`one_line`] with at most `max` characters, the last of which is an ellipsis if more would follow.
pub(super) fn clipped_line(text: &str, max: usize) -> String {
    // Of a long text only the beginning is looked at; white space may make its line shorter than `max`, and no longer.
    let beginning = clip(text, 4 * max);
    let line = one_line(beginning);
    let head = clip(&line, max);
    let is_whole = head.len() == line.len() && beginning.len() == text.len();
    if is_whole { line } else { format!("{}…", clip(head, max - 1).trim_end()) }
}

/// Returns the length of a text for trackers: they count in UTF-16, or in characters, of which there are never more.
pub(super) fn length(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// Returns whether a character is a control character, or one of Unicode's explicit directional formatting (UAX #9, section 2).
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
        assert_eq!(clipped_line("žluť \n kůň", 8), "žluť kůň");
        assert_eq!(clipped_line("žluť kůň", 6), "žluť…");
        assert_eq!(clipped_line(&format!("a{}b", " ".repeat(100)), 6), "a…");
    }
}
