//! A page for people: one file without scripts or external resources. Its only picture, the logo of the brand, is embedded.
//!
//! The page is the template `templates/acr.html`. `askama.toml` makes [`Escaped`] the escaper of every value in it.

use std::{fmt, io};

use askama::{Template, filters::Escaper};
use base64::{Engine as _, engine::general_purpose::STANDARD as STANDARD_BASE64};

use super::{
    content::{Content, HeadValue},
    verdict::Verdict,
};
use crate::{
    domain::Logo,
    export::{
        Brand, ExportSource,
        text::{is_hidden, one_line, one_line_with_no_breaks},
    },
};

pub(super) fn write(
    source: &ExportSource<'_>,
    brand: &Brand,
    verdicts: &[Verdict<'_>],
    out: &mut impl io::Write,
) -> io::Result<()> {
    let brand_name = shown_name(brand);
    Page { content: &Content::new(source, verdicts), brand, brand_name }.write_into(out)
}

/// Returns the name of a brand as one line, as much of it as is shown.
pub(super) fn shown_name(brand: &Brand) -> String {
    let name: String = one_line(&brand.name).chars().take(Brand::MAX_NAME).collect();
    one_line_with_no_breaks(&name)
}

/// The values of the template.
#[derive(Template)]
#[template(path = "acr.html")]
struct Page<'a> {
    content: &'a Content,
    brand: &'a Brand,
    brand_name: String,
}

fn base64(logo: &Logo) -> String {
    STANDARD_BASE64.encode(logo.bytes())
}

/// Writes texts as HTML or XML, for an element or a quoted attribute. Hidden characters that change how their surroundings are
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
