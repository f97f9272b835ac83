//! Texts before they are set: hostile ones are made harmless, and markup is taken apart.

use super::font::Face;
use crate::{catalog::Level, domain::Colour, export::text::is_web_address};

/// A piece of text in one font; a text is a row of these.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) text: String,
    pub(super) face: Face,
    /// The target of a click.
    pub(super) link: Option<Link>,
    /// The colour of the background, on which the text is set in white.
    pub(super) badge: Option<Colour>,
}

/// The target of a click.
#[derive(Debug, Clone)]
pub(super) enum Link {
    /// An address outside the file.
    Web(String),
    /// A place within the file.
    Place(Place),
}

/// A place in the file that links can lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Place {
    Overview,
    Todo,
    Contents,
    Changes,
    Problems,
    OtherRules,
    Recommendations,
    Pages,
    ByHand,
    Waiting,
    Law,
    Glossary,
    Method,
    /// The rule with this rank.
    Rule(u64),
    /// The meanings of the levels of conformance.
    Meanings,
    /// The success criteria of this level.
    Criteria(Level),
    /// The elements that a person works through.
    ToWorkThrough,
    /// The requirements beyond success criteria.
    Clauses,
}

impl Run {
    pub(super) fn new(face: Face, text: impl Into<String>) -> Self {
        Self { text: text.into(), face, link: None, badge: None }
    }

    pub(super) fn regular(text: impl Into<String>) -> Self {
        Self::new(Face::Regular, text)
    }

    pub(super) fn bold(text: impl Into<String>) -> Self {
        Self::new(Face::Bold, text)
    }

    pub(super) fn mono(text: impl Into<String>) -> Self {
        Self::new(Face::Mono, text)
    }

    pub(super) fn badge(text: impl Into<String>, colour: Colour) -> Self {
        Self { badge: Some(colour), ..Self::bold(text) }
    }

    pub(super) fn to(self, place: Place) -> Self {
        Self { link: Some(Link::Place(place)), ..self }
    }

    /// Returns the address of a page, shown as it is. It is a link if it is a web address.
    pub(super) fn address(address: &str) -> Self {
        let shown = line(address, MAX_ADDRESS);
        let link = is_web_address(address).then(|| Link::Web(address.to_owned()));
        Self { link, ..Self::regular(shown) }
    }

    /// Returns a text that is a link if `address` is a web address.
    pub(super) fn web(text: impl Into<String>, address: &str) -> Self {
        let link = is_web_address(address).then(|| Link::Web(address.to_owned()));
        Self { link, ..Self::regular(text) }
    }
}

/// The most characters of an address that are shown.
const MAX_ADDRESS: usize = 300;

/// The most characters of a text of the catalogue, or of the engine's text for a rule that the catalogue does not have.
const MAX_MARKED: usize = 4_000;

/// Returns a text of the catalogue, with its `code` in backticks set as code.
pub(super) fn marked(text: &str) -> Vec<Run> {
    let text = block(text, MAX_MARKED);
    let parts = text.split('`').enumerate().filter(|(_, part)| !part.is_empty());
    parts.map(|(number, part)| if number % 2 == 1 { Run::mono(part) } else { Run::regular(part) }).collect()
}

/// Makes hostile text fit for one line: the first `max` characters, with an ellipsis if there are more. Spaces in a row
/// become one; a no-break space stays one.
pub(super) fn line(text: &str, max: usize) -> String {
    let words = visible(text).map(|character| match character {
        '\u{A0}' => character,
        _ if character.is_whitespace() => ' ',
        _ => character,
    });
    let mut before = ' ';
    let single = words.filter(|character| {
        let before = std::mem::replace(&mut before, *character);
        !(character.is_whitespace() && before.is_whitespace())
    });
    let mut shown = bounded(single, max);
    shown.truncate(shown.trim_end().len());
    shown
}

/// Makes hostile text harmless whose line breaks count: the first `max` characters and [`MAX_LINES`] lines, with an
/// ellipsis if there are more. At most one line in a row is empty.
pub(super) fn block(text: &str, max: usize) -> String {
    let text = text.trim_matches(['\r', '\n']).trim_end();
    let text = text.replace("\r\n", "\n").replace(['\r', '\u{0B}', '\u{0C}', '\u{85}', '\u{2028}', '\u{2029}'], "\n");
    let mut breaks = 0;
    let lines = visible(&text).filter(|character| {
        breaks = if *character == '\n' { breaks + 1 } else { 0 };
        breaks <= 2
    });
    let mut text = bounded(lines.map(|character| if character == '\t' { ' ' } else { character }), max);
    if let Some((end, _)) = text.match_indices('\n').nth(MAX_LINES - 1) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// The most lines of a text: few characters must not fill page after page.
const MAX_LINES: usize = 40;

fn visible(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|character| character.is_whitespace() || !is_invisible(*character))
}

fn bounded(mut characters: impl Iterator<Item = char>, max: usize) -> String {
    let mut text: String = characters.by_ref().take(max).collect();
    if characters.next().is_some() {
        text.push('…');
    }
    text
}

/// Returns whether a character is a control character, or only steers layout: direction, joining or variation. Such
/// characters would turn the text of other lines round, or end up as a box.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
            | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}'
            | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_in_backticks_is_set_apart_without_them() {
        let runs = marked("Add an `alt` to `<img>`.");
        let parts: Vec<_> = runs.iter().map(|run| (run.face, run.text.as_str())).collect();
        let (text, code) = (Face::Regular, Face::Mono);
        assert_eq!(parts, [(text, "Add an "), (code, "alt"), (text, " to "), (code, "<img>"), (text, ".")]);
    }

    #[test]
    fn a_hostile_text_can_neither_break_its_line_nor_turn_it_round() {
        assert_eq!(line(" a\u{202E}b\u{0}\r\n\tc\u{1F}d \u{FEFF} ", 100), "ab cd");
        assert_eq!(line(&"x".repeat(1_000_000), 5), "xxxxx…");
        assert_eq!(line("\u{200F}\u{200F}", 5), "");
        assert_eq!(line("12345", 5), "12345");
        assert_eq!(line(&" ".repeat(100), 5), "");
        assert_eq!(line("24\u{A0}\u{A0} \u{A0}px\u{A0}", 50), "24\u{A0}px");
    }

    #[test]
    fn a_block_keeps_its_lines_and_indents() {
        assert_eq!(block("\n<ul>\r\n\t<li>\u{2028}  x\n\n", 100), "<ul>\n <li>\n  x");
        assert_eq!(block("<a>\n<b>", 4), "<a>\n…");
        assert_eq!(block("a\r\r\n\n\n\nb", 100), "a\n\nb");
        assert_eq!(block(&"a\n".repeat(300), 600).lines().count(), MAX_LINES);
    }

    #[test]
    fn only_web_addresses_are_links() {
        assert!(Run::address("https://example.com/a?b=c").link.is_some());
        for address in ["javascript:alert(1)", "file:///etc/passwd", "https://a.example/ x", "", "https://пример.укр/"]
        {
            assert!(Run::address(address).link.is_none(), "{address}");
        }
    }
}
