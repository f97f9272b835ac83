//! Markup without the values that people typed.

use std::borrow::Cow;

use super::{MASK, is_private, masked_text};

/// Returns the HTML of an element without values of fields, values of attributes whose names mark them as tokens, and
/// everything that [`masked_text`] masks. The rest of the markup, including the names and the order of attributes, is
/// unchanged. Masking is idempotent.
pub fn masked_html(html: &str) -> Cow<'_, str> {
    let mut out = String::new();
    // The length of the part of the HTML that is already in `out`.
    let mut done = 0;
    let mut at = 0;
    while let Some(open) = html[at..].find('<').map(|open| at + open) {
        let tag = Tag::at(html, open);
        for value in tag.private_values(html) {
            out.push_str(&html[done..value.start]);
            out.push_str(MASK);
            done = value.end;
        }
        at = tag.end;
        if tag.name.eq_ignore_ascii_case("textarea") {
            let text_end = html[at..].find("</").map_or(html.len(), |end| at + end);
            if !html[at..text_end].trim().is_empty() {
                out.push_str(&html[done..at]);
                out.push_str(MASK);
                done = text_end;
            }
            at = text_end;
        }
    }
    if done == 0 {
        return masked_text(html);
    }
    out.push_str(&html[done..]);
    Cow::Owned(masked_text(&out).into_owned())
}

/// An opening tag in a text that may break off anywhere.
struct Tag<'a> {
    name: &'a str,
    /// The names of the attributes, with the ranges of their values.
    attributes: Vec<(&'a str, std::ops::Range<usize>)>,
    /// The index after its `>`.
    end: usize,
}

impl<'a> Tag<'a> {
    fn at(html: &'a str, open: usize) -> Self {
        let bytes = html.as_bytes();
        let is_end = |at: usize| at >= bytes.len() || bytes[at] == b'>';
        let name_end = |from: usize, stops: &[u8]| {
            (from..bytes.len())
                .find(|at| bytes[*at].is_ascii_whitespace() || stops.contains(&bytes[*at]))
                .unwrap_or(bytes.len())
        };
        let mut at = name_end(open + 1, b">/");
        let mut tag = Self { name: &html[open + 1..at], attributes: Vec::new(), end: 0 };
        while !is_end(at) {
            if bytes[at].is_ascii_whitespace() || matches!(bytes[at], b'/' | b'=') {
                at += 1;
                continue;
            }
            let start = at;
            at = name_end(start, b"=>/");
            let name = &html[start..at];
            let equals = (at..bytes.len()).find(|at| !bytes[*at].is_ascii_whitespace()).filter(|at| bytes[*at] == b'=');
            let Some(equals) = equals else { continue };
            at = (equals + 1..bytes.len()).find(|at| !bytes[*at].is_ascii_whitespace()).unwrap_or(bytes.len());
            let value = match bytes.get(at) {
                Some(quote @ (b'"' | b'\'')) => {
                    let start = at + 1;
                    let end = (start..bytes.len()).find(|at| bytes[*at] == *quote).unwrap_or(bytes.len());
                    at = (end + 1).min(bytes.len());
                    start..end
                }
                _ => {
                    let start = at;
                    at = name_end(start, b">");
                    start..at
                }
            };
            tag.attributes.push((name, value));
        }
        tag.end = (at + 1).min(bytes.len());
        tag
    }

    /// Returns the ranges of the values that are masked entirely, in order.
    fn private_values(&self, html: &str) -> Vec<std::ops::Range<usize>> {
        let value_of = |wanted: &str| {
            let found = self.attributes.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
            found.map(|(_, value)| &html[value.clone()])
        };
        let is_field = self.name.eq_ignore_ascii_case("input");
        // The labels of buttons and the choices that a page offers belong to the page.
        const OFFERED: [&str; 6] = ["button", "checkbox", "image", "radio", "reset", "submit"];
        let is_offered =
            value_of("type").is_some_and(|kind| OFFERED.iter().any(|known| kind.eq_ignore_ascii_case(known)));
        // `<meta name="csrf-token" content="…">`.
        let is_token = ["name", "property", "id"].iter().filter_map(|name| value_of(name)).any(is_private);
        let is_private_value = |name: &str| match name.to_ascii_lowercase().as_str() {
            "value" => is_field && !is_offered,
            "data-value" => true,
            "content" => self.name.eq_ignore_ascii_case("meta") && is_token,
            name => name.starts_with("data-") && is_private(name),
        };
        let private = self.attributes.iter().filter(|(name, value)| !value.is_empty() && is_private_value(name));
        private.map(|(_, value)| value.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_was_typed_goes_and_the_field_stays() {
        for (html, masked) in [
            (r#"<input type="text" name="name" value="Jane Doe">"#, r#"<input type="text" name="name" value="***">"#),
            (r"<input value=Jane name=n>", r"<input value=*** name=n>"),
            (r#"<INPUT VALUE='1979-03-02'>"#, r#"<INPUT VALUE='***'>"#),
            (r#"<textarea rows="3">Dear all</textarea>"#, r#"<textarea rows="3">***</textarea>"#),
            (
                r#"<p><input type="hidden" name="csrf" value="x"></p>"#,
                r#"<p><input type="hidden" name="csrf" value="***"></p>"#,
            ),
            (r#"<li data-value="Jane" data-index="3">"#, r#"<li data-value="***" data-index="3">"#),
            (r#"<meta name="csrf-token" content="abc">"#, r#"<meta name="csrf-token" content="***">"#),
            (r#"<div data-session="abc" data-kind="list">"#, r#"<div data-session="***" data-kind="list">"#),
            (r#"<a href="mailto:jane@example.org">Jane</a>"#, r#"<a href="mailto:***">Jane</a>"#),
        ] {
            assert_eq!(masked_html(html), masked);
        }
    }

    #[test]
    fn what_the_page_offers_stays() {
        for html in [
            r#"<input type="submit" value="Send">"#,
            r#"<input type="radio" name="size" value="xl">"#,
            r#"<option value="de">German</option>"#,
            r#"<li value="3">Three</li>"#,
            r#"<meta name="viewport" content="width=device-width">"#,
            r#"<input value="" name="q">"#,
            r#"<img src="/logo@2x.png" alt="">"#,
        ] {
            assert_eq!(masked_html(html), html);
        }
    }

    proptest! {
        #[test]
        fn any_text_can_be_masked_and_twice_is_once(html in any::<String>(), tail in "[<>=\"' /a-zé0-9@.]{0,60}") {
            let html = html + "<input value=" + &tail;
            let once = masked_html(&html).into_owned();
            prop_assert_eq!(masked_html(&once).into_owned(), once);
        }
    }
}
