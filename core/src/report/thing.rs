//! What an element is, in words: for lists of places, and for the alternative texts of pictures.

use crate::{
    catalog::{ThingTerms, brief, fill},
    domain::first_attributes,
    locale::Locale,
};

/// What an element is, and the name that tells it from others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Thing {
    /// The kind of thing.
    pub kind: ThingKind,
    /// The element's own text, or what else tells it from others, such as the name of its file: at most
    /// [`Thing::MAX_NAME`] characters in one line. Hostile text.
    pub name: Option<String>,
}

/// A kind of thing on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[expect(missing_docs, reason = "named in brief/en.toml")]
#[non_exhaustive]
pub enum ThingKind {
    Link,
    Button,
    Image,
    Field,
    List,
    Heading,
    Frame,
    Table,
    Media,
    Page,
    /// Any other part of a page.
    #[default]
    Area,
}

impl Thing {
    /// The greatest number of characters of a name.
    pub const MAX_NAME: usize = 60;

    /// Returns what the element with this source is.
    pub fn of(html: &str) -> Self {
        let tag: String = html.trim_start().strip_prefix('<').unwrap_or_default().to_ascii_lowercase();
        let tag: String = tag.chars().take_while(|character| character.is_ascii_alphanumeric()).collect();
        let attribute = |wanted: &str| {
            let mut found = first_attributes(html).filter(|(name, _)| name.eq_ignore_ascii_case(wanted));
            found.next().map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
        };
        let kind = ThingKind::of(&tag, attribute("role"), attribute("type"));
        let described =
            || ["aria-label", "alt", "title", "placeholder"].into_iter().find_map(attribute).map(str::to_owned);
        let address = || {
            let sources = ["src", "data-src", "href", "data", "poster"];
            sources.into_iter().find_map(attribute).filter(|address| !address.starts_with("data:")).and_then(place_of)
        };
        let marked = || ["name", "id"].into_iter().find_map(attribute).map(str::to_owned);
        // The text of a whole page is not its name.
        let own = || if kind == ThingKind::Page { None } else { Some(text(html)).filter(|text| !text.is_empty()) };
        let inner = || inner_image(html).and_then(place_of);
        let name = own().or_else(described).or_else(inner).or_else(address).or_else(marked);
        Self { kind, name: name.map(|name| bounded(&name)).filter(|name| !name.is_empty()) }
    }

    /// Returns it in words: `Link “Colorlib”`.
    pub fn in_words(&self, locale: Locale) -> String {
        let terms = &brief(locale).thing;
        let kind = self.kind.name(terms);
        match &self.name {
            Some(name) => fill(&terms.named, &[("kind", kind), ("name", name)]),
            None => kind.to_owned(),
        }
    }
}

impl ThingKind {
    fn of(tag: &str, role: Option<&str>, kind: Option<&str>) -> Self {
        match (tag, role, kind) {
            (_, Some("button" | "tab" | "menuitem" | "switch"), _) | ("button" | "summary", ..) => Self::Button,
            ("input", _, Some("submit" | "button" | "reset")) => Self::Button,
            ("input", _, Some("image")) | ("img" | "svg" | "area" | "canvas" | "picture", ..) => Self::Image,
            (_, Some("img"), _) => Self::Image,
            ("a", ..) | (_, Some("link"), _) => Self::Link,
            ("input" | "select" | "textarea" | "label", ..) => Self::Field,
            (_, Some("textbox" | "combobox" | "checkbox" | "radio" | "slider" | "searchbox" | "listbox"), _) => {
                Self::Field
            }
            ("ul" | "ol" | "dl" | "li" | "dt" | "dd", ..) => Self::List,
            ("h1" | "h2" | "h3" | "h4" | "h5" | "h6", ..) | (_, Some("heading"), _) => Self::Heading,
            ("iframe" | "frame", ..) => Self::Frame,
            ("table" | "td" | "th" | "tr" | "caption", ..) => Self::Table,
            ("video" | "audio" | "object" | "embed", ..) => Self::Media,
            ("html" | "body" | "head" | "title" | "meta", ..) => Self::Page,
            _ => Self::Area,
        }
    }

    fn name(self, terms: &ThingTerms) -> &str {
        match self {
            Self::Link => &terms.link,
            Self::Button => &terms.button,
            Self::Image => &terms.image,
            Self::Field => &terms.field,
            Self::List => &terms.list,
            Self::Heading => &terms.heading,
            Self::Frame => &terms.frame,
            Self::Table => &terms.table,
            Self::Media => &terms.media,
            Self::Page => &terms.page,
            Self::Area => &terms.area,
        }
    }
}

/// Returns the text of the source without its tags, in one line.
fn text(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some((before, after)) = rest.split_once('<') {
        text.push_str(before);
        text.push(' ');
        // A tag that was cut off ends the source.
        rest = after.split_once('>').map_or("", |(_, rest)| rest);
    }
    text.push_str(rest);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let entities = [("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    let text = entities.iter().fold(text, |text, (entity, sign)| text.replace(entity, sign)).trim().to_owned();
    // Signs of an icon font and ellipses tell nobody anything.
    if text.chars().any(char::is_alphanumeric) { text } else { String::new() }
}

/// Returns the address of the first picture within the element.
fn inner_image(html: &str) -> Option<&str> {
    let (_, image) = html.split_once("<img")?;
    let (_, source) = image.split_once('>').map_or(image, |(tag, _)| tag).split_once("src=\"")?;
    source.split_once('"').map(|(address, _)| address).filter(|address| !address.starts_with("data:"))
}

/// Returns what tells an address from others: its last part, and the host of another site before it. `None` if nothing in it
/// has a letter or a digit, as `#` and `/`.
fn place_of(address: &str) -> Option<String> {
    let (host, path) = match address.split_once("//") {
        Some((_, rest)) => rest.split_once('/').unwrap_or((rest, "")),
        None => ("", address),
    };
    let path = path.split('?').next().unwrap_or_default().trim_end_matches('/');
    let last = path.rsplit('/').next().unwrap_or_default();
    let is_file = last.contains('.') && !last.contains('#');
    let named = match (host, last) {
        ("", last) => last.to_owned(),
        (host, "") => host.to_owned(),
        (_, last) if is_file => last.to_owned(),
        (host, last) => format!("{host}/{last}"),
    };
    Some(named).filter(|named| named.chars().any(char::is_alphanumeric))
}

fn bounded(name: &str) -> String {
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.chars().count() <= Thing::MAX_NAME {
        return name;
    }
    let cut: String = name.chars().take(Thing::MAX_NAME - 1).collect();
    format!("{}…", cut.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_is_told_by_its_own_text_or_else_by_what_it_holds() {
        let words = |html| Thing::of(html).in_words(Locale::En);
        assert_eq!(words("<a href=\"https://colorlib.com\"> Color<b>lib</b> </a>"), "Link “Color lib”");
        assert_eq!(words("<img class=card src='/assets/studio-1.jpg?v=3'>"), "Image “studio-1.jpg”");
        assert_eq!(words("<a href=\"/cart\"><i class=icon>\u{E8CC}</i></a>"), "Link “cart”");
        assert_eq!(words("<a href=\"/x\"><img src=\"/logo.svg\"></a>"), "Link “logo.svg”");
        assert_eq!(words("<a href=\"https://twitter.com/Shop/\"></a>"), "Link “twitter.com/Shop”");
        assert_eq!(words("<a href=\"https://twitter.com\"></a>"), "Link “twitter.com”");
        assert_eq!(words("<a href=\"#!\"></a>"), "Link");
        assert_eq!(words("<input type=text id=email>"), "Form field “email”");
        assert_eq!(words("<ul class=\"nav\" role=\"tablist\">"), "List");
        assert_eq!(words("<html lang=en><head><title>Shop</title>"), "Page");
        assert_eq!(words("<p>One &amp; two</p>"), "Part of the page “One & two”");
    }

    #[test]
    fn hostile_and_cut_sources_give_a_bounded_name_in_one_line() {
        for html in ["", "<", "<a", "<a href=", "<p>\n\n", "text only", "<img src=\"data:image/png;base64,AAAA\">"] {
            let thing = Thing::of(html);
            assert!(thing.name.as_deref().is_none_or(|name| !name.contains('\n')), "{html}: {thing:?}");
        }
        let long = Thing::of(&format!("<p>{}</p>", "ж".repeat(10_000))).name.unwrap();
        assert_eq!(long.chars().count(), Thing::MAX_NAME);
    }
}
