//! Texts of unknown origin, made fit for a line.

use std::borrow::Cow;

/// Returns the text as one line, without white space around it or two blanks in a row. Invisible characters that change how
/// their surroundings are read (control characters, and those that turn the direction of writing) become U+FFFD.
pub fn one_line(text: &str) -> String {
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

/// Returns [`one_line_with_no_breaks`] of at most `max` characters, with an ellipsis if there are more.
pub(super) fn bounded_line(text: &str, max: usize) -> String {
    // White space in a row becomes one blank, so that more than `max` characters may fit; but not any number of them is read.
    ended(one_line_with_no_breaks(clip(text.trim_start(), 4 * max + 1)), max)
}

/// Returns the first `max` characters and `lines` lines of a text whose line breaks count, with an ellipsis if there are
/// more.
pub(super) fn bounded_block(text: &str, max: usize, lines: usize) -> String {
    let text = clip(text.trim_matches(['\r', '\n']).trim_end(), 2 * max + 1).replace("\r\n", "\n").replace('\r', "\n");
    let mut text = ended(text, max);
    if let Some((end, _)) = text.match_indices('\n').nth(lines.saturating_sub(1)) {
        text.truncate(end);
        text.push('…');
    }
    text
}

fn ended(mut text: String, max: usize) -> String {
    if let Some((end, _)) = text.char_indices().nth(max) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// Returns the text with harmful characters replaced, but with its white space.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.contains(is_hidden) { text.replace(is_hidden, "\u{fffd}").into() } else { text.into() }
}

/// Returns whether [`visible`] replaces the character.
pub(super) fn is_hidden(character: char) -> bool {
    is_harmful(character) && !character.is_whitespace()
}

/// Returns the first `max` characters.
pub fn clip(text: &str, max: usize) -> &str {
    text.char_indices().nth(max).map_or(text, |(end, _)| &text[..end])
}

/// Returns [`one_line`] with at most `max` characters, the last of which is an ellipsis if more would follow.
pub fn clipped_line(text: &str, max: usize) -> String {
    // Of a long text only the beginning is looked at; white space may make its line shorter than `max`, and no longer.
    let beginning = clip(text, 4 * max);
    let line = one_line(beginning);
    let head = clip(&line, max);
    let is_whole = head.len() == line.len() && beginning.len() == text.len();
    if is_whole { line } else { format!("{}…", clip(head, max - 1).trim_end()) }
}

/// Returns whether an address may become a link: a file must not run scripts or open programs.
pub(super) fn is_web_address(address: &str) -> bool {
    /// The most characters of an address that can be followed.
    const MAX_LINK: usize = 2_000;
    (address.starts_with("https://") || address.starts_with("http://"))
        && address.len() <= MAX_LINK
        && address.bytes().all(|byte| byte.is_ascii_graphic())
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
    fn a_long_text_ends_with_an_ellipsis_and_few_characters_do_not_fill_many_lines() {
        assert_eq!(bounded_line("  a \n b\u{202e}c", 5), "a b\u{fffd}c");
        assert_eq!(bounded_line("žluť kůň", 4), "žluť…");
        assert_eq!(bounded_line(&"x".repeat(1_000_000), 3), "xxx…");
        assert_eq!(bounded_block("\n<ul>\r\n  <li>\r</ul>\n\n", 100, 40), "<ul>\n  <li>\n</ul>");
        assert_eq!(bounded_block(&"a\n".repeat(300), 600, 40).lines().count(), 40);
        assert_eq!(bounded_block("žluť", 2, 40), "žl…");
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
