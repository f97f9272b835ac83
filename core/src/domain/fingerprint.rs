//! Who an element is from one check to the next.
//!
//! One key is never enough: peers that use the selector alone report one fixed and one new issue whenever a class name
//! changes, peers that use the HTML alone do so whenever a counter in it moves. So each finding has a tight key and a
//! loose one, compared in that order by [`diff`](super::diff), and a third that ignores the page.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::RuleId;

/// The first 64 bits of a SHA-256, in hexadecimal: short enough to store per element, and a clash needs
/// billions of elements in one check.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Key(String);

impl Key {
    fn of(parts: &[&str]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            // The length keeps ("ab", "c") and ("a", "bc") apart.
            hash.update(part.len().to_le_bytes());
            hash.update(part.as_bytes());
        }
        Self(hash.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

/// The keys of one element under one rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Rule, page and selector.
    pub tight: Key,
    /// Rule, page and normalised HTML.
    pub loose: Key,
    /// Rule and normalised HTML: what one template repeats on every page has this in common.
    pub template: Key,
}

impl Fingerprint {
    /// The keys of an element; the same input gives the same keys in every version of this crate that shares the
    /// normalisation of this module.
    pub fn of(rule: &RuleId, page_url: &str, selector: &str, html: &str) -> Self {
        let html = normalised(html);
        let rule = rule.as_str();
        Self {
            tight: Key::of(&["tight", rule, page_url, selector]),
            loose: Key::of(&["loose", rule, page_url, &html]),
            template: Key::of(&["template", rule, &html]),
        }
    }
}

/// The HTML without what changes from build to build or visit to visit: `class`, `style` and `nonce` attributes, digits
/// anywhere, query strings, long hexadecimal runs, and differences of white space and letter case in markup.
fn normalised(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(open) = rest.find('<') {
        push_text(&mut out, &rest[..open]);
        let tag_end = tag_end(&rest[open..]);
        push_tag(&mut out, &rest[open..open + tag_end]);
        rest = &rest[open + tag_end..];
    }
    push_text(&mut out, rest);
    out
}

/// The length of the tag at the start of `text`, its `>` included unless the text breaks off before it.
/// A `>` inside quotes does not end a tag.
fn tag_end(text: &str) -> usize {
    let mut quote = None;
    for (index, character) in text.char_indices() {
        match (quote, character) {
            (None, '>') => return index + 1,
            (None, '"' | '\'') => quote = Some(character),
            (Some(open), _) if open == character => quote = None,
            _ => {}
        }
    }
    text.len()
}

fn push_tag(out: &mut String, tag: &str) {
    let inner = tag.trim_start_matches('<').trim_end_matches('>').trim_end_matches('/');
    let mut attributes: Vec<String> = Vec::new();
    let mut parts = Attributes(inner);
    let name = parts.name().to_lowercase();
    for (key, value) in parts {
        let key = key.to_lowercase();
        if !matches!(key.as_str(), "class" | "style" | "nonce" | "integrity") && !key.starts_with("data-v-") {
            attributes.push(format!("{key}={}", steady(value)));
        }
    }
    // Frameworks do not keep the order of attributes from build to build.
    attributes.sort_unstable();
    out.push('<');
    out.push_str(&name);
    for attribute in attributes {
        out.push(' ');
        out.push_str(&attribute);
    }
    out.push('>');
}

fn push_text(out: &mut String, text: &str) {
    for word in text.split_whitespace() {
        out.push_str(&steady(word));
        out.push(' ');
    }
}

/// The text without its digits, its long hexadecimal runs and, in an address, its query.
fn steady(text: &str) -> String {
    let text = text.split_once('?').map_or(text, |(before, _)| before);
    let mut out = String::with_capacity(text.len());
    let mut run = String::new();
    for character in text.chars().chain(std::iter::once(' ')) {
        if character.is_ascii_hexdigit() {
            run.push(character);
            continue;
        }
        // A run of eight or more that has a digit is a hash ("3f2a9c1e"); without digits it is a word ("facade").
        if !(run.len() >= 8 && run.bytes().any(|byte| byte.is_ascii_digit())) {
            out.extend(run.chars().filter(|character| !character.is_ascii_digit()));
        }
        run.clear();
        out.push(character);
    }
    out.pop();
    out
}

/// Walks over `name key="value" key=value key` as browsers write it.
struct Attributes<'a>(&'a str);

impl<'a> Attributes<'a> {
    fn name(&mut self) -> &'a str {
        let end = self.0.find(char::is_whitespace).unwrap_or(self.0.len());
        let (name, rest) = self.0.split_at(end);
        self.0 = rest;
        name
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let text = self.0.trim_start();
        if text.is_empty() {
            return None;
        }
        let end = text.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(text.len()).max(1);
        let end = (end..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        let (key, rest) = text.split_at(end);
        let Some(value) = rest.trim_start().strip_prefix('=') else {
            self.0 = rest;
            return Some((key, ""));
        };
        let value = value.trim_start();
        let (value, rest) = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
            _ => value.split_at(value.find(char::is_whitespace).unwrap_or(value.len())),
        };
        self.0 = rest;
        Some((key, value))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(page: &str, selector: &str, html: &str) -> Fingerprint {
        Fingerprint::of(&RuleId::new("image-alt"), page, selector, html)
    }

    #[test]
    fn a_renamed_class_changes_the_tight_key_only() {
        let before = of("https://a.example/", ".css-1x2y > img", r#"<img class="css-1x2y" src="/logo.png">"#);
        let after = of("https://a.example/", ".css-9z8w > img", r#"<img src="/logo.png" class="css-9z8w">"#);
        assert_ne!(before.tight, after.tight);
        assert_eq!(before.loose, after.loose);
    }

    #[test]
    fn counters_hashes_queries_and_white_space_do_not_matter() {
        let before = of("p", "s", "<a href=\"/app.3f2a9c1e.js?v=7\" id=\"item-12\">\n 12 items</a>");
        let after = of("p", "s", "<a id='item-340' href='/app.77b1c9d2.js?v=8'>340  items</a>");
        assert_eq!(before.loose, after.loose);
    }

    #[test]
    fn different_words_and_attributes_do_matter() {
        assert_ne!(of("p", "s", "<a href=/x>Buy</a>").loose, of("p", "s", "<a href=/x>Sell</a>").loose);
        assert_ne!(of("p", "s", "<a href=/x>Buy</a>").loose, of("p", "s", "<a href=/y>Buy</a>").loose);
    }

    #[test]
    fn the_template_key_is_the_same_on_every_page() {
        let home = of("https://a.example/", "#logo", "<img src=/logo.png>");
        let about = of("https://a.example/about", "#logo", "<img src=/logo.png>");
        assert_eq!(home.template, about.template);
        assert_ne!(home.loose, about.loose);
    }

    proptest! {
        #[test]
        fn any_text_has_a_fingerprint(html in any::<String>(), tail in "[<>=\"' /a-zé0-9]{0,60}") {
            let html = html + &tail;
            prop_assert_eq!(of("p", "s", &html), of("p", "s", &html));
        }
    }
}
