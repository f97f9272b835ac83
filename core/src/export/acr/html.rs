//! A page for people: one file without scripts or external resources. Its only picture, the logo of the brand, is embedded.
//!
//! The page is the template `templates/acr.html`. `askama.toml` makes [`Escaped`] the escaper of every value in it.

use std::{fmt, io};

use askama::{Template, filters::Escaper};
use base64::{Engine as _, engine::general_purpose::STANDARD as STANDARD_BASE64};

use super::{
    remarks::{gaps, methods, not_checked, remarks, scope_warning},
    verdict::Verdict,
};
use crate::{
    catalog::{AcrTerms, Labels, Level, Terms, fill, terms},
    domain::Logo,
    export::{
        Brand, ExportSource, STANDARD,
        text::{is_hidden, one_line, one_line_with_no_breaks},
    },
};

pub(super) fn write(
    source: &ExportSource<'_>,
    brand: &Brand,
    verdicts: &[Verdict<'_>],
    out: &mut impl io::Write,
) -> io::Result<()> {
    Page::new(source, brand, verdicts).write_into(out)
}

/// The values of the template. Texts that a page, a team or an error has written are one line each.
#[derive(Template)]
#[template(path = "acr.html")]
struct Page<'a> {
    terms: &'static Terms,
    acr: &'static AcrTerms,
    label: &'static Labels,
    brand: &'a Brand,
    brand_name: String,
    site: String,
    url: String,
    team: String,
    date: String,
    methods: String,
    gaps: Vec<String>,
    scope_warning: Option<String>,
    not_checked: Vec<PageNotChecked>,
    tables: Vec<Table>,
}

struct PageNotChecked {
    url: String,
    reason: String,
}

/// The criteria of one level.
struct Table {
    level: Level,
    heading: String,
    rows: Vec<Row>,
}

struct Row {
    number: &'static str,
    name: &'static str,
    conformance: &'static str,
    remarks: String,
}

impl<'a> Page<'a> {
    fn new(source: &ExportSource<'_>, brand: &'a Brand, verdicts: &[Verdict<'_>]) -> Self {
        let terms = terms(source.locale);
        let line = |text: &str| one_line_with_no_breaks(text);
        let brand_name: String = one_line(&brand.name).chars().take(Brand::MAX_NAME).collect();
        let not_checked = not_checked(source.findings)
            .map(|(url, failure)| PageNotChecked { url: line(url), reason: line(&terms.failure(failure)) });
        Self {
            terms,
            acr: &terms.acr,
            label: &terms.label,
            brand,
            brand_name: line(&brand_name),
            site: line(source.site.display_name()),
            url: line(source.site.url.as_str()),
            team: line(source.team),
            date: source.checked_at.format("%Y-%m-%d").to_string(),
            methods: line(&methods(source, terms)),
            gaps: gaps(source.findings, terms),
            scope_warning: scope_warning(source.findings, terms),
            not_checked: not_checked.collect(),
            tables: [Level::A, Level::Aa, Level::Aaa].map(|level| Table::new(level, source, verdicts, terms)).into(),
        }
    }
}

impl Table {
    fn new(level: Level, source: &ExportSource<'_>, verdicts: &[Verdict<'_>], terms: &'static Terms) -> Self {
        let of_level = verdicts.iter().filter(|verdict| verdict.criterion.level == level);
        let rows = of_level.map(|verdict| Row {
            number: &verdict.criterion.number,
            name: verdict.criterion.name(source.locale),
            conformance: verdict.conformance.name(&terms.acr),
            remarks: one_line_with_no_breaks(&remarks(verdict, source.findings, terms)),
        });
        let heading = fill(&terms.acr.criteria_of_level, &[("level", &level.to_string())]);
        Self { level, heading, rows: rows.collect() }
    }
}

fn base64(logo: &Logo) -> String {
    STANDARD_BASE64.encode(logo.bytes())
}

/// Writes texts as HTML, for an element or a quoted attribute. Hidden characters that change how their surroundings are
/// read become U+FFFD.
///
/// askama's own escaper writes `&` as `&#38;` and leaves hidden characters as they are.
#[derive(Clone, Copy)]
struct Escaped;

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
