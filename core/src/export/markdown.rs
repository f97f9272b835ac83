//! Texts of unknown origin as GitHub Flavored Markdown. Everything but [`block`] is for use within a line.

use super::text::one_line;

/// Returns the text as it is: without markup, HTML, links, mentions, or references to issues.
pub fn text(raw: &str) -> String {
    let line = one_line(raw);
    let mut escaped = String::with_capacity(line.len() + 8);
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let next = characters.peek().copied().unwrap_or(' ');
        match character {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '&' | '~' | '|' | '$' | '!' => {
                escaped.extend(['\\', character])
            }
            // GitHub looks for mentions and references in the finished HTML, where the backslash is no longer there.
            '@' => escaped.extend(['\\', '@', ZERO_WIDTH_SPACE]),
            '#' => {
                escaped.push_str("\\#");
                if next.is_ascii_digit() {
                    escaped.push(ZERO_WIDTH_SPACE);
                }
            }
            '-' if next.is_ascii_digit() && ends_with_gh(&escaped) => escaped.extend(['-', ZERO_WIDTH_SPACE]),
            // These turn bare addresses into links.
            ':' if next == '/' => escaped.push_str("\\:"),
            '.' if escaped.to_ascii_lowercase().ends_with("www") => escaped.push_str("\\."),
            other => escaped.push(other),
        }
    }
    at_line_start(escaped)
}

/// Returns a text of the catalogue, with its `code` in backticks; a text with an unpaired backtick is treated like any other text.
pub fn prose(raw: &str) -> String {
    if raw.matches('`').count() % 2 == 1 {
        return text(raw);
    }
    let mut line = String::with_capacity(raw.len() + 8);
    for (number, part) in raw.split('`').enumerate() {
        if number % 2 == 1 {
            line.push_str(&code(part));
            continue;
        }
        let begins_with_blank = part.starts_with(char::is_whitespace) && number > 0;
        let ends_with_blank = part.ends_with(char::is_whitespace) && !part.trim().is_empty();
        if begins_with_blank {
            line.push(' ');
        }
        line.push_str(&text(part));
        if ends_with_blank {
            line.push(' ');
        }
    }
    line
}

/// Returns a code span. The fence is longer than any run of backticks within (`CommonMark` 0.31, section 6.1).
pub fn code(raw: &str) -> String {
    let line = one_line(raw);
    if line.is_empty() {
        // There is no empty code span; one with a blank is the nearest.
        return "` `".to_owned();
    }
    let fence = "`".repeat(longest_run(&line) + 1);
    // A backtick at an edge would lengthen the fence; readers strip one blank from both sides.
    let pad = if line.starts_with('`') || line.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{line}{pad}{fence}")
}

/// Returns an address as a link that shows it, or as code if it can't be a link.
pub fn link(url: &str) -> String {
    let is_web = url.starts_with("https://") || url.starts_with("http://");
    let is_plain = |character: char| !character.is_whitespace() && !matches!(character, '<' | '>' | '\\');
    if is_web && url.chars().all(is_plain) && one_line(url) == url { format!("<{url}>") } else { code(url) }
}

/// Returns a fenced block of code, with a line end at its end.
pub fn block(raw: &str, language: &str) -> String {
    let fence = "`".repeat(longest_run(raw).max(2) + 1);
    format!("{fence}{language}\n{raw}\n{fence}\n")
}

const ZERO_WIDTH_SPACE: char = '\u{200b}';

fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or(0)
}

/// Returns whether the text ends with `gh`: `GH-12` is a reference, too.
fn ends_with_gh(text: &str) -> bool {
    text.len() >= 2 && text.is_char_boundary(text.len() - 2) && text[text.len() - 2..].eq_ignore_ascii_case("gh")
}

/// Escapes what would begin a list, a heading or a rule at the start of a line; the other starters are escaped everywhere.
fn at_line_start(text: String) -> String {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    match text.as_bytes().get(digits) {
        Some(b'.' | b')') if digits > 0 => format!("{}\\{}", &text[..digits], &text[digits..]),
        Some(b'-' | b'+' | b'=') if digits == 0 => format!("\\{text}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag};

    use super::*;

    /// Returns the text that a reader of the Markdown sees, if it is one paragraph.
    fn seen(markdown: &str) -> Option<String> {
        let mut seen = String::new();
        // The extensions of GitHub beyond CommonMark.
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_FOOTNOTES
            | Options::ENABLE_GFM
            | Options::ENABLE_MATH;
        for event in Parser::new_ext(markdown, options) {
            match event {
                Event::Text(text) | Event::Code(text) => seen.push_str(&text),
                Event::Start(Tag::Paragraph) | Event::End(_) => {}
                other => return Some(format!("{other:?}")),
            }
        }
        Some(seen)
    }

    #[test]
    fn a_text_of_a_page_is_shown_and_does_nothing() {
        for hostile in [
            "**bold** _it_ ~~no~~ `code` [a](javascript:alert(1)) ![x](y)",
            "<script>alert(1)</script> &lt; &#64;",
            "# heading",
            "- item",
            "+ item",
            "1. item",
            "12) item",
            "> quote",
            "---",
            "===",
            "```",
            "| a | b |",
            "$x$",
            ":- a",
            "https://evil.example www.evil.example",
        ] {
            let shown = seen(&text(hostile)).unwrap().replace(ZERO_WIDTH_SPACE, "");
            assert_eq!(shown, hostile, "{}", text(hostile));
        }
    }

    #[test]
    fn nobody_is_mentioned_and_no_issue_is_referred_to() {
        assert_eq!(
            text("@octocat org/repo#12 GH-12 #x"),
            "\\@\u{200b}octocat org/repo\\#\u{200b}12 GH-\u{200b}12 \\#x"
        );
    }

    #[test]
    fn code_holds_any_number_of_backticks() {
        for (raw, markdown) in [
            ("a", "`a`"),
            ("a`b", "``a`b``"),
            ("`a", "`` `a ``"),
            ("a ``` b", "````a ``` b````"),
            ("", "` `"),
            ("a\n\n# b", "`a # b`"),
        ] {
            assert_eq!(code(raw), markdown);
        }
    }

    #[test]
    fn code_of_the_catalogue_stays_code_and_keeps_its_distance() {
        assert_eq!(prose("Add `alt=\"\"` to <img>, or `*`."), "Add `alt=\"\"` to \\<img\\>, or `*`.");
        assert_eq!(prose("`a` and `b`"), "`a` and `b`");
        assert_eq!(prose("a ` b"), "a \\` b");
    }

    #[test]
    fn only_an_address_of_the_web_is_a_link() {
        assert_eq!(link("https://a.example/?q=%60#x"), "<https://a.example/?q=%60#x>");
        assert_eq!(link("javascript:alert(1)"), "`javascript:alert(1)`");
        assert_eq!(link("https://a.example/><b>"), "`https://a.example/><b>`");
    }

    proptest! {
        #[test]
        fn whatever_a_page_says_is_read_back(raw in "[-+=#*_`~<>&\\[\\]()!|$\\\\:./@a1 \n\t\u{202e}]{0,24}") {
            let shown = one_line(&raw);
            let plain = |text: String| text.replace(ZERO_WIDTH_SPACE, "");
            prop_assert_eq!(seen(&text(&raw)).map(plain), Some(shown.clone()), "{}", text(&raw));
            let expected = if shown.is_empty() { " ".to_owned() } else { shown };
            prop_assert_eq!(seen(&code(&raw)), Some(expected), "{}", code(&raw));
        }
    }
}
