//! OpenACR: GSA's structure for conformance reports, schema 0.1.0. JSON, which is YAML as well.

use std::io;

use serde::{Serialize, Serializer, ser::SerializeMap};

use super::{
    remarks::{gaps, methods, not_checked, remarks, scope_warning},
    verdict::Verdict,
};
use crate::{
    catalog::{Level, Terms, terms},
    export::ExportSource,
};

/// The catalogue of requirements that a draft follows: WCAG 2.2 (which has all of 2.1), Section 508, EN 301 549 v3.2.1.
pub const CATALOG: &str = "2.5-edition-wcag-2.2-508-eu-en";

/// Chapters that automation says nothing of.
const NOT_EVALUATED: [&str; 13] = [
    "functional_performance_criteria",
    "hardware",
    "software",
    "support_documentation_and_services",
    "en_301_549_functional_performance",
    "en_301_549_generic_requirements",
    "en_301_549_ict_with_two-way_voice",
    "en_301_549_ict_with_video",
    "en_301_549_hardware",
    "en_301_549_non-web-documents",
    "en_301_549_software",
    "en_301_549_documentation_and_support_services",
    "en_301_549_ict_providing_relay_or_emergency_service_access",
];

pub(super) fn write(source: &ExportSource<'_>, verdicts: &[Verdict<'_>], out: &mut impl io::Write) -> io::Result<()> {
    let terms = terms(source.locale);
    let name = source.site.display_name();
    let date = source.checked_at.format("%Y-%m-%d").to_string();
    let document = Document {
        title: format!("{name}: {}", terms.acr.title),
        product: Product { name, description: source.site.url.as_str() },
        // The schema wants an address, and nobody has named one: the person who completes the draft fills it in.
        author: Contact { company_name: source.team, email: "" },
        report_date: &date,
        last_modified_date: &date,
        version: 1,
        notes: notes(source, terms),
        evaluation_methods_used: methods(source, terms),
        legal_disclaimer: &terms.disclaimer,
        catalog: CATALOG,
        chapters: Chapters { source, verdicts, terms },
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    out.write_all(b"\n")
}

/// That it is a draft, and what it leaves out.
fn notes(source: &ExportSource<'_>, terms: &Terms) -> String {
    let pages = not_checked(source.findings).map(|(url, failure)| format!("{url}: {}", terms.failure(failure)));
    let lines = [terms.acr.draft_note.clone()]
        .into_iter()
        .chain(gaps(source.findings, terms))
        .chain(scope_warning(source.findings, terms))
        .chain(pages);
    lines.collect::<Vec<_>>().join("\n")
}

#[derive(Serialize)]
struct Document<'a> {
    title: String,
    product: Product<'a>,
    author: Contact<'a>,
    report_date: &'a str,
    last_modified_date: &'a str,
    version: u32,
    notes: String,
    evaluation_methods_used: String,
    legal_disclaimer: &'a str,
    catalog: &'a str,
    chapters: Chapters<'a>,
}

#[derive(Serialize)]
struct Product<'a> {
    name: &'a str,
    description: &'a str,
}

#[derive(Serialize)]
struct Contact<'a> {
    company_name: &'a str,
    email: &'a str,
}

struct Chapters<'a> {
    source: &'a ExportSource<'a>,
    verdicts: &'a [Verdict<'a>],
    terms: &'static Terms,
}

impl Serialize for Chapters<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut chapters = serializer.serialize_map(None)?;
        for (id, level) in [
            ("success_criteria_level_a", Level::A),
            ("success_criteria_level_aa", Level::Aa),
            ("success_criteria_level_aaa", Level::Aaa),
        ] {
            chapters.serialize_entry(id, &CriteriaChapter { criteria: self.criteria(level) })?;
        }
        for id in NOT_EVALUATED {
            chapters.serialize_entry(id, &NoteChapter { notes: &self.terms.acr.chapter_not_evaluated })?;
        }
        chapters.serialize_entry("en_301_549_web", &NoteChapter { notes: &self.terms.acr.web_chapter })?;
        chapters.end()
    }
}

impl Chapters<'_> {
    fn criteria(&self, level: Level) -> Vec<CriterionRow<'_>> {
        let of_level = self.verdicts.iter().filter(|verdict| verdict.criterion.level == level);
        of_level
            .map(|verdict| CriterionRow {
                num: &verdict.criterion.number,
                components: [Component {
                    name: "web",
                    adherence: Adherence {
                        level: verdict.conformance.as_str(),
                        notes: remarks(verdict, self.source.findings, self.terms),
                    },
                }],
            })
            .collect()
    }
}

#[derive(Serialize)]
struct CriteriaChapter<'a> {
    criteria: Vec<CriterionRow<'a>>,
}

#[derive(Serialize)]
struct NoteChapter<'a> {
    notes: &'a str,
}

#[derive(Serialize)]
struct CriterionRow<'a> {
    num: &'a str,
    components: [Component<'a>; 1],
}

#[derive(Serialize)]
struct Component<'a> {
    name: &'a str,
    adherence: Adherence<'a>,
}

#[derive(Serialize)]
struct Adherence<'a> {
    level: &'a str,
    notes: String,
}
