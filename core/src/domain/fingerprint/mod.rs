//! Fingerprints: how an element is recognised from one check to the next.
//!
//! One key is never enough: tools that use the selector alone report one fixed and one new issue whenever a class name
//! changes, and tools that use the HTML alone do so whenever a counter in it changes. So each finding has several keys,
//! which [`diff`](super::diff) compares one after the other.
//!
//! No key contains the site's own host: a check of `https://www.shop.example` and one of the same build on another host
//! result in the same keys.

mod markup;
mod random;
mod steady;

pub(crate) use self::markup::first_attributes;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use url::Url;

use super::{RuleId, page_key};

/// The first 64 bits of a SHA-256 in hexadecimal: short enough to store for each element, and a collision takes
/// billions of elements in one check.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(transparent)]
pub struct Key(String);

impl Key {
    /// Returns the key as a number; that of a stored key that is none of ours is that of its text.
    pub(crate) fn bits(&self) -> u64 {
        u64::from_str_radix(&self.0, 16).unwrap_or_else(|_| Self::of(&[&self.0]).bits())
    }

    /// Returns the key as text: 16 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the key of these parts; parts that are divided otherwise have another one.
    pub(crate) fn of(parts: &[&str]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            // The length keeps ("ab", "c") and ("a", "bc") apart.
            hash.update(part.len().to_le_bytes());
            hash.update(part.as_bytes());
        }
        Self(hash.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

/// The error for a text that is not a [`Key`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no key: it has 16 hexadecimal digits, as results show them")]
pub struct InvalidKey(String);

impl std::str::FromStr for Key {
    type Err = InvalidKey;

    fn from_str(text: &str) -> Result<Self, InvalidKey> {
        let is_key = text.len() == 16 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if is_key { Ok(Self(text.to_owned())) } else { Err(InvalidKey(text.to_owned())) }
    }
}

/// The keys of one element under one rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Fingerprint {
    /// The version of the normalisation with which the keys were made; 1 if none is stored. Keys of different versions
    /// are not compared: those of the previous check are made again from what is stored of its elements.
    #[serde(default = "first_version")]
    pub version: u16,
    /// Rule, page and selector.
    pub tight: Key,
    /// Rule, page and normalised HTML.
    pub loose: Key,
    /// Rule, page, the selector without classes, and the element's tag with its attributes but without classes and
    /// text: what stays the same when a deployment renames classes and changes words at once. `None` in version 1.
    #[serde(default)]
    pub outline: Option<Key>,
    /// Rule, page, and the HTML with only its text and those attributes that say what the element is or where it leads:
    /// what stays the same when a deployment adds an attribute that axe-core then uses in its selector. `None` before
    /// version 3.
    #[serde(default)]
    pub content: Option<Key>,
    /// Rule and normalised HTML, which are the same for an element that one template repeats on every page.
    pub template: Key,
}

const fn first_version() -> u16 {
    1
}

impl Fingerprint {
    /// The version of the keys that this release makes.
    pub const VERSION: u16 = 3;

    /// Returns the keys of an element; the same input gives the same keys in every release of the same
    /// [`VERSION`](Self::VERSION).
    pub fn of(rule: &RuleId, page_url: &str, selector: &str, html: &str) -> Self {
        let origin = Origin::of(page_url);
        let relative = |text| origin.as_ref().map_or(Cow::Borrowed(text), |origin| origin.taken_from(text));
        let (page, selector, html) = (&*page_key(page_url), relative(selector), relative(html));
        let normalised = markup::normalised(&html);
        let rule = rule.as_str();
        Self {
            version: Self::VERSION,
            tight: Key::of(&["tight", rule, page, &steady::selector(&selector)]),
            loose: Key::of(&["loose", rule, page, &normalised]),
            outline: Some(Key::of(&["outline", rule, page, &steady::shape(&selector), &markup::first_tag(&html)])),
            content: Some(Key::of(&["content", rule, page, &markup::content(&html)])),
            template: Key::of(&["template", rule, &normalised]),
        }
    }
}

/// A site's own host, in whatever form a page writes it.
struct Origin {
    /// The host with its port, without `www.`.
    host: String,
}

impl Origin {
    fn of(page_url: &str) -> Option<Self> {
        let url = Url::parse(page_url).ok()?;
        let host = url.host_str()?;
        let port = url.port().map_or_else(String::new, |port| format!(":{port}"));
        Some(Self { host: format!("{}{port}", host.strip_prefix("www.").unwrap_or(host)) })
    }

    /// Returns the text with absolute addresses of the site made relative.
    fn taken_from<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut out = Cow::Borrowed(text);
        for start in ["https://www.", "http://www.", "https://", "http://"] {
            let address = format!("{start}{}", self.host);
            if !out.contains(&address) {
                continue;
            }
            let mut left = String::with_capacity(out.len());
            let mut rest = &*out;
            while let Some(at) = rest.find(&address) {
                let after = &rest[at + address.len()..];
                // `https://shop.example.net` and `https://shop.example:8080` are other hosts.
                let is_own = !after.starts_with(|next: char| next.is_alphanumeric() || matches!(next, '.' | '-' | ':'));
                left.push_str(&rest[..at]);
                if !is_own {
                    left.push_str(&address);
                }
                rest = after;
            }
            left.push_str(rest);
            out = Cow::Owned(left);
        }
        out
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

    #[test]
    fn the_same_build_on_another_host_has_the_same_keys() {
        let html = |host: &str| format!(r#"<a href="{host}/shop"><img src="{host}/logo.png"></a>"#);
        let selector = |host: &str| format!(r#"a[href$="{host}/shop"] > img"#);
        let of = |host: &str| of(&format!("{host}/about"), &selector(host), &html(host));
        let here = of("https://www.shop.example");
        assert_eq!(here, of("http://127.0.0.1:4173"));
        assert_eq!(here, of("https://shop.example"));
    }

    #[test]
    fn the_spelling_of_a_pages_address_does_not_matter() {
        let of = |page: &str| of(page, "#logo", "<img src=/logo.png>");
        let folded = of("https://a.example/caf%C3%A9");
        assert_eq!(of("https://a.example/caf%c3%a9/?utm_source=mail#top"), folded);
        assert_ne!(of("https://a.example/caf%C3%A9#/menu").loose, folded.loose);
    }

    #[test]
    fn addresses_of_other_hosts_stay() {
        let other = |host: &str| of("https://shop.example/", "a", &format!(r#"<a href="{host}/x">x</a>"#));
        assert_ne!(other("https://shop.example").loose, other("https://shop.example.net").loose);
        assert_ne!(other("https://shop.example").loose, other("https://pay.example").loose);
    }

    #[test]
    fn a_renamed_class_and_a_changed_text_leave_the_outline() {
        let before = of("p", ".css-a > .price", r#"<b class="price" data-kind="sum">old words</b>"#);
        let after = of("p", ".css-b > .cost", r#"<b class="cost" data-kind="sum">new words</b>"#);
        assert_ne!((&before.tight, &before.loose), (&after.tight, &after.loose));
        assert_eq!(before.outline, after.outline);
        let other = of("p", ".css-b > .cost", r#"<b class="cost" data-kind="tax">new words</b>"#);
        assert_ne!(before.outline, other.outline);
    }

    #[test]
    fn an_added_attribute_leaves_the_content() {
        let before = of("p", "li:nth-child(1) > .price", r#"<p class="price">10 EUR</p>"#);
        let after =
            of("p", r#"li:nth-child(1) > p[data-track="price"]"#, r#"<p class="price" data-track="price">10 EUR</p>"#);
        assert_ne!((&before.tight, &before.loose, &before.outline), (&after.tight, &after.loose, &after.outline));
        assert_eq!(before.content, after.content);
        let other = of("p", "li:nth-child(1) > .price", r#"<p class="price">Sold out</p>"#);
        assert_ne!(before.content, other.content);
    }

    #[test]
    fn keys_of_an_earlier_release_are_read_as_of_the_first_version() {
        let stored = r#"{"tight":"0011223344556677","loose":"8899aabbccddeeff","template":"0123456789abcdef"}"#;
        let read: Fingerprint = serde_json::from_str(stored).unwrap();
        assert_eq!((read.version, read.outline, read.content), (1, None, None));
    }

    proptest! {
        #[test]
        fn any_text_has_a_fingerprint(html in any::<String>(), tail in "[<>=\"' /a-zé0-9]{0,60}") {
            let html = html + &tail;
            prop_assert_eq!(of("p", "s", &html), of("p", "s", &html));
        }
    }
}
