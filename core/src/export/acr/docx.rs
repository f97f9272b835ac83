//! A text document (Office Open XML, ISO/IEC 29500) for the person who completes the draft: what is open are fields to fill in, and the
//! conformance terms are lists to choose from.
//!
//! Its parts are templates in `templates/docx/`, with the content of the other formats for people. White label gives it the name and the
//! colour of the brand; a logo has no place in it.

use std::io::{self, Cursor, Write as _};

use askama::Template;
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use super::{
    content::{Content, HeadValue, pieces},
    html::shown_name,
    verdict::Verdict,
};
use crate::{
    catalog::{AcrTerms, fill},
    domain::Colour,
    export::{Brand, ExportSource},
    locale::Locale,
};

/// The parts that are the same in every document.
const FIXED: [(&str, &str); 5] = [
    ("[Content_Types].xml", include_str!("../../../templates/docx/content_types.xml")),
    ("_rels/.rels", include_str!("../../../templates/docx/package_rels.xml")),
    ("docProps/app.xml", include_str!("../../../templates/docx/app.xml")),
    ("word/numbering.xml", include_str!("../../../templates/docx/numbering.xml")),
    ("word/settings.xml", include_str!("../../../templates/docx/settings.xml")),
];

pub(super) fn write(
    source: &ExportSource<'_>,
    brand: &Brand,
    verdicts: &[Verdict<'_>],
    out: &mut impl io::Write,
) -> io::Result<()> {
    let content = &Content::new(source, verdicts);
    let title = format!("{}: {}", content.site, content.acr.title);
    let brand_name = shown_name(brand);
    let colour = hex(brand.colour.readable_on_white());
    let language = language(source.locale);
    let made = [
        ("docProps/core.xml", rendered(&Core { title: &title, author: &brand_name, language, date: &content.date })?),
        ("word/styles.xml", rendered(&Styles { language, colour: &colour })?),
        ("word/footer1.xml", rendered(&Footer { content })?),
        ("word/_rels/document.xml.rels", rendered(&Links { url: &content.url })?),
        ("word/document.xml", rendered(&Document { content, title: &title, brand_name: &brand_name })?),
    ];
    // In memory, because an archive refers back to the beginnings of its parts. A draft has some hundred kilobytes.
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    // The same instant in every archive, so that a check always gives the same bytes.
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(zip::DateTime::default());
    let fixed = FIXED.iter().map(|(name, part)| (*name, *part));
    for (name, part) in fixed.chain(made.iter().map(|(name, part)| (*name, part.as_str()))) {
        archive.start_file(name, options)?;
        archive.write_all(part.as_bytes())?;
    }
    out.write_all(archive.finish()?.get_ref())
}

fn rendered(template: &impl Template) -> io::Result<String> {
    template.render().map_err(io::Error::other)
}

/// Returns a colour without the number sign, as the format writes it.
fn hex(colour: Colour) -> String {
    colour.to_string().trim_start_matches('#').to_owned()
}

/// Returns the language with a region, without which Word proofreads nothing.
const fn language(locale: Locale) -> &'static str {
    match locale {
        Locale::En => "en-GB",
        Locale::Uk => "uk-UA",
        Locale::De => "de-DE",
        Locale::Pl => "pl-PL",
        Locale::Cs => "cs-CZ",
        Locale::Ro => "ro-RO",
        Locale::Ru => "ru-RU",
    }
}

/// Returns all terms of such reports, among which a person chooses.
fn terms_of(acr: &AcrTerms) -> [&str; 5] {
    [&acr.supports, &acr.partially_supports, &acr.does_not_support, &acr.not_applicable, &acr.not_evaluated]
}

/// Returns the name of a field for a criterion or a clause.
fn field_name(acr: &AcrTerms, number: &str) -> String {
    format!("{} {number}", acr.conformance)
}

fn is_web(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://")
}

#[derive(Template)]
#[template(path = "docx/core.xml")]
struct Core<'a> {
    title: &'a str,
    author: &'a str,
    language: &'a str,
    date: &'a str,
}

#[derive(Template)]
#[template(path = "docx/styles.xml")]
struct Styles<'a> {
    language: &'a str,
    colour: &'a str,
}

#[derive(Template)]
#[template(path = "docx/footer.xml")]
struct Footer<'a> {
    content: &'a Content,
}

impl Footer<'_> {
    /// Returns what stands before, between and after the number of a page and that of all pages.
    fn page_of(&self) -> [String; 3] {
        const MARK: &str = "\u{1}";
        let text = fill(&self.content.label.page_of, &[("page", MARK), ("pages", MARK)]);
        let mut parts = text.splitn(3, MARK).map(str::to_owned);
        std::array::from_fn(|_| parts.next().unwrap_or_default())
    }
}

#[derive(Template)]
#[template(path = "docx/document_rels.xml")]
struct Links<'a> {
    url: &'a str,
}

#[derive(Template)]
#[template(path = "docx/document.xml")]
struct Document<'a> {
    content: &'a Content,
    title: &'a str,
    brand_name: &'a str,
}
