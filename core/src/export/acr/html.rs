//! A page for people: one file without scripts or anything from elsewhere; its one picture, a brand's logo, is in it.

use std::io;

use base64::{Engine as _, engine::general_purpose::STANDARD as STANDARD_BASE64};

use super::{
    remarks::{gaps, methods, not_checked, remarks, scope_warning},
    verdict::{Conformance, Verdict},
};
use crate::{
    catalog::{Level, Terms, fill, terms},
    export::{
        Brand, ExportSource, STANDARD,
        text::{one_line, one_line_with_no_breaks},
    },
};

/// Contrasts are 7:1 and better, but for headings in the brand's colour, which are large: 4.5:1 and better. Nothing is told by
/// colour alone.
const STYLE: &str = "
:root { color: #1b1b1b; background: #fff; font: 100%/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
header { margin-bottom: 1.5rem; border-top: 0.6rem solid var(--brand); padding-top: 1rem; font-weight: bold; }
header img { max-width: 100%; max-height: 4rem; }
h1, h2 { color: var(--ink); line-height: 1.25; }
h2 { margin-top: 2.5rem; }
a { color: #0b3d91; }
:focus-visible { outline: 3px solid #0b3d91; outline-offset: 2px; }
.skip { position: absolute; left: -100vw; background: #fff; padding: 0.5rem 1rem; }
.skip:focus { left: 1rem; top: 1rem; }
.draft { border: 2px solid #1b1b1b; padding: 0.75rem 1rem; font-weight: bold; }
dt { font-weight: bold; }
dd { margin: 0 0 0.5rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border: 1px solid #5e5e5e; padding: 0.5rem; text-align: start; vertical-align: top; }
thead th { background: #eee; }
tbody th { width: 30%; font-weight: normal; }
tbody td:nth-child(2) { width: 18%; font-weight: bold; }
@media print { .skip { display: none; } tr { break-inside: avoid; } }
";

pub(super) fn write(
    source: &ExportSource<'_>,
    brand: &Brand,
    verdicts: &[Verdict<'_>],
    out: &mut impl io::Write,
) -> io::Result<()> {
    let terms = terms(source.locale);
    let (acr, site) = (&terms.acr, escaped(source.site.display_name()));
    write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n\
         <title>{site}: {}</title>\n<style>\n:root {{ --brand: {}; --ink: {}; }}{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#content\">{}</a>\n<header>{}</header>\n<main id=\"content\" tabindex=\"-1\">\n<h1>{site}: {}</h1>\n\
         <p class=\"draft\">{}</p>\n<p>{}</p>\n",
        terms.locale,
        escaped(&acr.title),
        brand.colour,
        brand.colour.readable_on_white(),
        escaped(&acr.skip_to_content),
        sign(brand),
        escaped(&acr.title),
        escaped(&acr.draft_note),
        escaped(&terms.disclaimer),
    )?;
    facts(source, terms, out)?;
    scope(source, terms, out)?;
    levels(terms, out)?;
    for level in [Level::A, Level::Aa, Level::Aaa] {
        let of_level = verdicts.iter().filter(|verdict| verdict.criterion.level == level);
        table(source, terms, level, of_level, out)?;
    }
    write!(
        out,
        "<h2>EN 301 549 v3.2.1</h2>\n<p>{}</p>\n<p>{}</p>\n</main>\n</body>\n</html>\n",
        escaped(&acr.web_chapter),
        escaped(&acr.other_clauses)
    )
}

/// The brand's logo, or else its name.
fn sign(brand: &Brand) -> String {
    let name: String = one_line(&brand.name).chars().take(Brand::MAX_NAME).collect();
    match &brand.logo {
        Some(logo) => {
            let (media_type, data) = (logo.format().media_type(), STANDARD_BASE64.encode(logo.bytes()));
            format!("<img src=\"data:{media_type};base64,{data}\" alt=\"{}\">", escaped(&name))
        }
        None => escaped(&name),
    }
}

/// What was checked, when, and how.
fn facts(source: &ExportSource<'_>, terms: &Terms, out: &mut impl io::Write) -> io::Result<()> {
    let label = &terms.label;
    let date = source.checked_at.format("%Y-%m-%d");
    writeln!(out, "<dl>")?;
    for (name, value) in [
        (&label.site, address(source.site.url.as_str())),
        (&label.checked_on, format!("<time datetime=\"{date}\">{date}</time>")),
        (&label.prepared_by, escaped(source.team)),
        (&label.standard, format!("<span lang=\"en\">{}</span>", escaped(STANDARD))),
        (&terms.acr.methods, escaped(&methods(source, terms))),
    ] {
        writeln!(out, "<dt>{}</dt>\n<dd>{value}</dd>", escaped(name))?;
    }
    writeln!(out, "</dl>")?;
    gaps(source.findings, terms).iter().try_for_each(|gap| writeln!(out, "<p>{}</p>", escaped(gap)))
}

/// The pages of which nothing is said.
fn scope(source: &ExportSource<'_>, terms: &Terms, out: &mut impl io::Write) -> io::Result<()> {
    let Some(warning) = scope_warning(source.findings, terms) else { return Ok(()) };
    writeln!(out, "<h2>{}</h2>\n<p>{}</p>\n<ul>", escaped(&terms.label.not_checked), escaped(&warning))?;
    for (url, failure) in not_checked(source.findings) {
        writeln!(out, "<li>{}: {}</li>", address(url), escaped(&terms.failure(failure)))?;
    }
    writeln!(out, "</ul>")
}

/// By what the terms were chosen.
fn levels(terms: &Terms, out: &mut impl io::Write) -> io::Result<()> {
    let acr = &terms.acr;
    writeln!(out, "<h2>{}</h2>\n<dl>", escaped(&acr.level_meanings))?;
    for (conformance, meaning) in [
        (Conformance::PartiallySupports, &acr.partially_supports_means),
        (Conformance::DoesNotSupport, &acr.does_not_support_means),
        (Conformance::NotEvaluated, &acr.not_evaluated_means),
    ] {
        writeln!(out, "<dt>{}</dt>\n<dd>{}</dd>", escaped(conformance.name(acr)), escaped(meaning))?;
    }
    writeln!(out, "</dl>")
}

fn table<'a>(
    source: &ExportSource<'_>,
    terms: &Terms,
    level: Level,
    verdicts: impl Iterator<Item = &'a Verdict<'a>>,
    out: &mut impl io::Write,
) -> io::Result<()> {
    let acr = &terms.acr;
    let heading = escaped(&fill(&acr.criteria_of_level, &[("level", &level.to_string())]));
    write!(out, "<h2 id=\"level-{level}\">{heading}</h2>\n<table aria-labelledby=\"level-{level}\">\n<thead>\n<tr>")?;
    for column in [&acr.criterion, &acr.conformance, &acr.remarks] {
        write!(out, "<th scope=\"col\">{}</th>", escaped(column))?;
    }
    writeln!(out, "</tr>\n</thead>\n<tbody>")?;
    for verdict in verdicts {
        let criterion = verdict.criterion;
        writeln!(
            out,
            "<tr><th scope=\"row\">{} {}</th><td>{}</td><td>{}</td></tr>",
            escaped(&criterion.number),
            escaped(criterion.name(source.locale)),
            escaped(verdict.conformance.name(acr)),
            escaped(&remarks(verdict, source.findings, terms)),
        )?;
    }
    writeln!(out, "</tbody>\n</table>")
}

/// A link that shows its address; only the text where it does not lead to the web.
fn address(url: &str) -> String {
    let text = escaped(url);
    if url.starts_with("https://") || url.starts_with("http://") {
        format!("<a href=\"{text}\">{text}</a>")
    } else {
        text
    }
}

/// The text as HTML, in an element or in a quoted attribute.
fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len() + 8);
    for character in one_line_with_no_breaks(text).chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            other => html.push(other),
        }
    }
    html
}
