//! Selectors without personal data.

use std::borrow::Cow;

use super::{MASK, is_private, looks_like_token, masked_text};

/// Returns a selector without what [`masked_text`] masks, however it is escaped, and without values of fields and of
/// attributes whose names mark them as tokens: `[value="…"]`, `[data-session="…"]`. A selector that was changed no
/// longer finds its element. Masking is idempotent.
pub fn masked_selector(selector: &str) -> Cow<'_, str> {
    let mut out = String::new();
    // The length of the part of the selector that is already in `out`.
    let mut done = 0;
    let mut attribute = String::new();
    for Token { kind, range } in Tokens::of(selector) {
        let text = unescaped(&selector[range.clone()]);
        let masked = match kind {
            Kind::Attribute => {
                attribute = text.to_ascii_lowercase();
                continue;
            }
            Kind::Value if is_private_value(&attribute, &text) => MASK.to_owned(),
            Kind::Value | Kind::Name => masked_text(&text).into_owned(),
        };
        if masked != text {
            out.push_str(&selector[done..range.start]);
            out.push_str(&masked.replace(['"', '\\'], "*"));
            done = range.end;
        }
    }
    if done == 0 {
        return masked_text(selector);
    }
    out.push_str(&selector[done..]);
    Cow::Owned(masked_text(&out).into_owned())
}

/// Returns whether a selector contains personal data, that is, whether [`masked_selector`] changes it.
pub fn reveals_people(selector: &str) -> bool {
    masked_selector(selector) != selector
}

fn is_private_value(attribute: &str, value: &str) -> bool {
    !value.is_empty()
        && match attribute {
            "value" | "data-value" => true,
            // The attribute of `<meta name="csrf-token">`, but also of descriptions.
            "content" => looks_like_token(value),
            name => name.starts_with("data-") && is_private(name),
        }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A tag, a class, an id or part of a pseudo-class.
    Name,
    /// The name of an attribute.
    Attribute,
    /// A quoted value.
    Value,
}

#[derive(Debug)]
struct Token {
    kind: Kind,
    range: std::ops::Range<usize>,
}

/// An iterator over the names and quoted values of a selector, which may break off anywhere.
struct Tokens<'a> {
    selector: &'a str,
    at: usize,
    /// True if the next name is that of an attribute.
    opens_attribute: bool,
}

impl<'a> Tokens<'a> {
    const fn of(selector: &'a str) -> Self {
        Self { selector, at: 0, opens_attribute: false }
    }

    /// Returns the end of the run of characters from `start` that `belongs` accepts. Escaped characters always belong
    /// to it.
    fn end(&self, start: usize, belongs: impl Fn(char) -> bool) -> usize {
        let mut at = start;
        while let Some(character) = self.selector[at..].chars().next() {
            if character == '\\' {
                at += escape(&self.selector[at..]).1;
            } else if belongs(character) {
                at += character.len_utf8();
            } else {
                break;
            }
        }
        at
    }
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        loop {
            let start = self.at;
            let character = self.selector[start..].chars().next()?;
            let after = start + character.len_utf8();
            match character {
                '"' => {
                    let end = self.end(after, |character| character != '"');
                    self.at = (end + 1).min(self.selector.len());
                    return Some(Token { kind: Kind::Value, range: after..end });
                }
                character if is_of_name(character) || character == '\\' => {
                    self.at = self.end(start, is_of_name);
                    let kind = if std::mem::take(&mut self.opens_attribute) { Kind::Attribute } else { Kind::Name };
                    return Some(Token { kind, range: start..self.at });
                }
                _ => {
                    self.opens_attribute = character == '[';
                    self.at = after;
                }
            }
        }
    }
}

fn is_of_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '-' | '_') || !character.is_ascii()
}

/// Returns the text that a name or a quoted value stands for.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let (meant, length) = if character == '\\' { escape(rest) } else { (Some(character), character.len_utf8()) };
        out.extend(meant);
        rest = &rest[length..];
    }
    out
}

/// Returns the character that the escape at the start of `text` stands for, and the length of the escape in bytes: CSS
/// Syntax 3, 4.3.7.
fn escape(text: &str) -> (Option<char>, usize) {
    let after = &text[1..];
    let digits = after.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
    let Ok(code) = u32::from_str_radix(&after[..digits], 16) else {
        let meant = after.chars().next();
        return (meant, 1 + meant.map_or(0, char::len_utf8));
    };
    // White space after the digits only ends the escape.
    let space = usize::from(after[digits..].starts_with(|next: char| next.is_ascii_whitespace()));
    (Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)), 1 + digits + space)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_selector_loses_what_it_tells_of_people() {
        for (selector, masked) in [
            (r#"input[value="Jane Doe"]"#, r#"input[value="***"]"#),
            (r#"a[href$="jane@example.org"] > b"#, r#"a[href$="***"] > b"#),
            (r#"a[href="/reset?token=abc"]"#, r#"a[href="/reset?token=***"]"#),
            (r#"div[data-session="abc"][data-kind="list"]"#, r#"div[data-session="***"][data-kind="list"]"#),
            (r#"meta[content="9f86d081884c7d659a2feaa0c55ad015"]"#, r#"meta[content="***"]"#),
        ] {
            assert_eq!(masked_selector(selector), masked);
            assert!(reveals_people(selector), "{selector}");
        }
    }

    #[test]
    fn what_is_escaped_is_masked_as_well() {
        for (selector, masked) in [
            (r"#jane\@example\.org > b", "#*** > b"),
            (r#"a[href$="jane\@example\.org"]"#, r#"a[href$="***"]"#),
            (r"#\34 111-1111-1111-1111", "#***"),
            (r"li.u-GB82WEST12345698765432", "li.u-***"),
            (r#"input[value="say \"Jane\""] + p"#, r#"input[value="***"] + p"#),
        ] {
            assert_eq!(masked_selector(selector), masked);
        }
    }

    #[test]
    fn what_belongs_to_the_page_stays() {
        for selector in [
            "#main > li:nth-child(2)",
            r#"img[src$="logo@2x.png"]"#,
            r".md\:flex.w-1\/2 > p",
            r#"meta[content="width=device-width"]"#,
            r#"input[value=""]"#,
            r#"[data-testid="user-menu"]"#,
            r#"a[title="say \"yes\""]"#,
        ] {
            assert_eq!(masked_selector(selector), selector);
            assert!(!reveals_people(selector), "{selector}");
        }
    }

    proptest! {
        #[test]
        fn any_text_can_be_masked_and_twice_is_once(text in r#"[a-z@.\\%&?#=/ 0-9"\[\]é*-]{0,60}"#) {
            let once = masked_selector(&text).into_owned();
            prop_assert_eq!(masked_selector(&once).into_owned(), once);
        }
    }
}
