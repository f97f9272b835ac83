//! A page for people: one file without scripts or external resources. Its only picture, the logo of the brand, is embedded.
//!
//! The page is the template `templates/acr.html`.

use std::io;

use askama::Template;
use base64::{Engine as _, engine::general_purpose::STANDARD as STANDARD_BASE64};

use super::{
    content::{Content, HeadValue, pieces},
    verdict::Verdict,
};
use crate::{
    domain::Logo,
    export::{
        Brand, ExportSource,
        text::{one_line, one_line_with_no_breaks},
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
