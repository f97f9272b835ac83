//! Markup in a form that stays the same from one build of a site to the next.

use super::steady;

/// Returns the HTML without what changes from build to build or from visit to visit: the attributes `class`, `style`,
/// `nonce`, `integrity` and `data-v-…`, digits anywhere, query strings, hashes in names of files, random ids, and
/// differences of white space and letter case in markup.
pub(super) fn normalised(html: &str) -> String {
    with_attributes(html, is_steady)
}

/// Returns the HTML in the same form with only those attributes that say what an element is or where it leads: an
/// attribute that a deployment adds for measurements, scripts or styles does not matter here.
pub(super) fn content(html: &str) -> String {
    with_attributes(html, |key| CONTENT.contains(&key))
}

/// The attributes that say what an element is or where it leads.
const CONTENT: [&str; 17] = [
    "action",
    "alt",
    "aria-label",
    "content",
    "for",
    "href",
    "id",
    "lang",
    "name",
    "placeholder",
    "role",
    "src",
    "srcset",
    "title",
    "type",
    "value",
    "xlink:href",
];

fn with_attributes(html: &str, keeps: impl Fn(&str) -> bool) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(open) = rest.find('<') {
        push_text(&mut out, &rest[..open]);
        let tag_end = tag_end(&rest[open..]);
        push_tag(&mut out, &rest[open..open + tag_end], &keeps);
        rest = &rest[open + tag_end..];
    }
    push_text(&mut out, rest);
    out
}

/// Returns the first tag of the HTML in the form of [`normalised`], without any text.
pub(super) fn first_tag(html: &str) -> String {
    let mut out = String::new();
    if let Some(open) = html.find('<') {
        let end = tag_end(&html[open..]);
        push_tag(&mut out, &html[open..open + end], is_steady);
    }
    out
}

/// Returns the attributes of the first tag of the HTML, as they are written.
pub(crate) fn first_attributes(html: &str) -> impl Iterator<Item = (&str, &str)> {
    let tag = html.find('<').map_or("", |open| &html[open..open + tag_end(&html[open..])]);
    let mut attributes = Attributes(tag.trim_start_matches('<').trim_end_matches('>').trim_end_matches('/'));
    attributes.name();
    attributes
}

/// Returns the length in bytes of the tag at the start of `text`, including its `>` unless the text breaks off before
/// it. A `>` inside quotes does not end a tag.
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

/// Returns whether an attribute stays the same from build to build.
fn is_steady(key: &str) -> bool {
    !matches!(key, "class" | "style" | "nonce" | "integrity") && !key.starts_with("data-v-")
}

fn push_tag(out: &mut String, tag: &str, keeps: impl Fn(&str) -> bool) {
    let inner = tag.trim_start_matches('<').trim_end_matches('>').trim_end_matches('/');
    let mut attributes: Vec<String> = Vec::new();
    let mut parts = Attributes(inner);
    let name = parts.name().to_lowercase();
    for (key, value) in parts {
        let key = key.to_lowercase();
        if keeps(&key) {
            attributes.push(format!("{key}={}", steady_value(&key, value)));
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

fn steady_value(key: &str, value: &str) -> String {
    match key {
        "src" | "srcset" | "poster" | "data" | "action" | "data-src" | "data-srcset" => steady::addresses(value),
        "href" | "xlink:href" if value.starts_with('#') => steady::ids(value),
        "href" | "xlink:href" => steady::addresses(value),
        "id" | "for" | "name" | "headers" | "list" | "form" => steady::ids(value),
        // Attributes that name other elements; those that hold words, above all `aria-label`, are text.
        "aria-activedescendant"
        | "aria-controls"
        | "aria-describedby"
        | "aria-details"
        | "aria-errormessage"
        | "aria-flowto"
        | "aria-labelledby"
        | "aria-owns" => steady::ids(value),
        _ => steady::text(value),
    }
}

fn push_text(out: &mut String, text: &str) {
    for word in text.split_whitespace() {
        out.push_str(&steady::text(word));
        out.push(' ');
    }
}

/// An iterator over attributes as browsers write them: `name key="value" key=value key`.
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
