//! The escaper of the templates of HTML files. `askama.toml` makes it the escaper of every value in them.

use std::fmt;

use askama::filters::Escaper;

use super::text::is_hidden;

/// Writes texts as HTML, for an element or a quoted attribute. Hidden characters that change how their surroundings are
/// read become U+FFFD.
///
/// askama's own escaper writes `&` as `&#38;` and leaves hidden characters as they are.
#[derive(Clone, Copy)]
pub(super) struct Escaped;

impl Escaper for Escaped {
    fn write_escaped_str<W: fmt::Write>(&self, mut html: W, text: &str) -> fmt::Result {
        let mut written = 0;
        for (start, character) in text.char_indices() {
            let replacement = match character {
                '&' => "&amp;",
                '<' => "&lt;",
                '>' => "&gt;",
                '"' => "&quot;",
                '\'' => "&#39;",
                hidden if is_hidden(hidden) => "\u{fffd}",
                _ => continue,
            };
            html.write_str(&text[written..start])?;
            html.write_str(replacement)?;
            written = start + character.len_utf8();
        }
        html.write_str(&text[written..])
    }
}
