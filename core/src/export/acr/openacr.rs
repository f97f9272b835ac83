//! OpenACR: GSA's structure for conformance reports, schema 0.1.0, written as JSON, which is YAML as well.

use std::io;

use serde::{Serialize, Serializer, ser::SerializeMap};

use super::{
    content::levels,
    manual::{CriterionToCheck, by_criterion, lines},
    remarks::{gaps, has_assessments, methods, not_checked, remarks, scope_warning},
    verdict::Verdict,
};
use crate::{
    catalog::{Level, Terms, fill, terms},
    domain::{DraftHead, HeadText},
    export::ExportSource,
    report::{Prepared, to_check},
};

/// The catalogue of requirements that a draft follows: WCAG 2.2 (which has all of 2.1), Section 508, EN 301 549 v3.2.1.
pub const CATALOG: &str = "2.5-edition-wcag-2.2-508-eu-en";

/// The chapters about which automation says nothing.
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
    let rules = to_check(source.findings, source.locale);
    let DraftHead { product_version, contact, evaluator } = &source.draft.head;
    let [product_version, contact, evaluator] =
        [product_version, contact, evaluator].map(|given| given.as_ref().map(HeadText::as_str));
    let address = contact.filter(|contact| is_mail(contact));
    let date = source.checked_at.format("%Y-%m-%d").to_string();
    let document = Document {
        title: format!("{name}: {}", terms.acr.title),
        product: Product { name, version: product_version.unwrap_or(""), description: source.site.url.as_str() },
        author: Contact {
            // The evaluator answers for the draft, and the schema has no place of its own for one.
            name: evaluator.unwrap_or(""),
            company_name: source.team,
            // The schema requires an address: where none is known, the person who completes the draft fills it in.
            email: address.unwrap_or(""),
            address: contact.filter(|_| address.is_none()).unwrap_or(""),
        },
        report_date: &date,
        last_modified_date: &date,
        version: 1,
        notes: notes(source, terms),
        evaluation_methods_used: methods(source, terms),
        legal_disclaimer: &terms.disclaimer,
        catalog: CATALOG,
        chapters: Chapters {
            source,
            verdicts,
            to_check: by_criterion(verdicts, &rules),
            terms,
            prepared: &Prepared::new(source.site, source.findings, source.locale),
        },
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    out.write_all(b"\n")
}

/// Returns whether a contact is an address for mail and nothing else.
fn is_mail(contact: &str) -> bool {
    !contact.contains(char::is_whitespace)
        && contact.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'))
}

/// Returns the notes: that this is a draft, and what it leaves out.
fn notes(source: &ExportSource<'_>, terms: &Terms) -> String {
    let pages = not_checked(source.findings).map(|(url, failure)| format!("{url}: {}", terms.failure(failure)));
    let standard = format!("{}: {}", terms.label.standard, terms.checked_standard(source.findings.standard));
    let lines = [terms.acr.draft_note.clone(), standard, terms.acr.what_decides.clone()]
        .into_iter()
        .chain(gaps(source.findings, terms))
        .chain(scope_warning(source.findings, terms))
        .chain(has_assessments(source).then(|| terms.acr.assessed_means.clone()))
        .chain(pages);
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the schema of the file.
#[cfg(feature = "schema")]
pub(in crate::export) fn schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
    generator.subschema_for::<Document<'_>>()
}

/// The automated draft of a conformance report, in the structure of GSA OpenACR 0.1.0.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Acr"))]
struct Document<'a> {
    /// The name of the site, and that the document is a draft.
    title: String,
    /// The product that was checked.
    product: Product<'a>,
    /// The author, who is to complete the draft.
    author: Contact<'a>,
    /// The day on which the check completed.
    #[cfg_attr(feature = "schema", schemars(extend("format" = "date")))]
    report_date: &'a str,
    /// The same day.
    #[cfg_attr(feature = "schema", schemars(extend("format" = "date")))]
    last_modified_date: &'a str,
    /// The version of the draft.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    version: u32,
    /// The statement that it is a draft, and what it leaves out.
    notes: String,
    /// The pages that were checked, and how.
    evaluation_methods_used: String,
    /// The statement that an automated check is no full audit and no legal advice.
    legal_disclaimer: &'a str,
    /// OpenACR's name of the list of requirements.
    catalog: &'a str,
    /// The chapters of that list.
    #[cfg_attr(feature = "schema", schemars(with = "std::collections::BTreeMap<String, Chapter<'a>>"))]
    chapters: Chapters<'a>,
}

/// The product that was checked.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AcrProduct"))]
struct Product<'a> {
    /// The site's name, else its domain.
    name: &'a str,
    /// Its version; empty where it is not known.
    version: &'a str,
    /// Its address.
    description: &'a str,
}

/// The author of a draft.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AcrAuthor"))]
struct Contact<'a> {
    /// Who evaluates the product; empty where that is not known.
    name: &'a str,
    /// The team's name.
    company_name: &'a str,
    /// The contact, if it is an address for mail. Else empty: whoever completes the draft fills it in.
    email: &'a str,
    /// The contact, if it is something else; else empty.
    address: &'a str,
}

struct Chapters<'a> {
    source: &'a ExportSource<'a>,
    verdicts: &'a [Verdict<'a>],
    to_check: Vec<CriterionToCheck<'a>>,
    terms: &'static Terms,
    prepared: &'a Prepared<'a>,
}

impl Serialize for Chapters<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut chapters = serializer.serialize_map(None)?;
        for (id, level) in [
            ("success_criteria_level_a", Level::A),
            ("success_criteria_level_aa", Level::Aa),
            ("success_criteria_level_aaa", Level::Aaa),
        ] {
            let chapter = if levels(self.source).contains(&level) {
                Chapter::Criteria(CriteriaChapter { criteria: self.criteria(level) })
            } else {
                Chapter::Note(NoteChapter { notes: &self.terms.acr.aaa_left_out })
            };
            chapters.serialize_entry(id, &chapter)?;
        }
        for id in NOT_EVALUATED {
            chapters
                .serialize_entry(id, &Chapter::Note(NoteChapter { notes: &self.terms.acr.chapter_not_evaluated }))?;
        }
        let wcag = &self.source.findings.standard.effective().en301549.wcag;
        let web = fill(&self.terms.acr.web_chapter, &[("wcag", wcag)]);
        chapters.serialize_entry("en_301_549_web", &Chapter::Note(NoteChapter { notes: &web }))?;
        chapters.end()
    }
}

/// The most places of a rule that the notes on a criterion name.
const MAX_PLACES: usize = 5;

impl Chapters<'_> {
    /// Returns the reasons for a verdict, and what a person has to look at.
    fn notes(&self, verdict: &Verdict<'_>) -> String {
        let of_criterion = |found: &&CriterionToCheck<'_>| found.criterion.number == verdict.criterion.number;
        let manual = self.to_check.iter().find(of_criterion);
        let lines_to_check = manual.map(|found| lines(found, &self.terms.label, MAX_PLACES)).unwrap_or_default();
        let all = [remarks(verdict, self.prepared, self.source, self.terms)].into_iter().chain(lines_to_check);
        all.collect::<Vec<_>>().join("\n")
    }

    fn criteria(&self, level: Level) -> Vec<CriterionRow<'_>> {
        let of_level = self.verdicts.iter().filter(|verdict| verdict.criterion.level == level);
        of_level
            .map(|verdict| CriterionRow {
                num: &verdict.criterion.number,
                components: [Component {
                    name: "web",
                    adherence: Adherence { level: verdict.conformance.as_str(), notes: self.notes(verdict) },
                }],
            })
            .collect()
    }
}

/// A chapter of a draft.
#[derive(Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AcrChapter"))]
enum Chapter<'a> {
    Criteria(CriteriaChapter<'a>),
    Note(NoteChapter<'a>),
}

/// A chapter of criteria.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AcrCriteria"))]
struct CriteriaChapter<'a> {
    /// Its criteria.
    criteria: Vec<CriterionRow<'a>>,
}

/// A chapter that automation says nothing of.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AcrNote"))]
struct NoteChapter<'a> {
    /// The things that a person has to look at.
    notes: &'a str,
}

/// One criterion.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AcrCriterion"))]
struct CriterionRow<'a> {
    /// Its number.
    num: &'a str,
    /// The verdicts on each component.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Component<'a>>"))]
    components: [Component<'a>; 1],
}

/// The verdict on one component.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AcrComponent"))]
struct Component<'a> {
    /// The component, `web` for a site.
    name: &'a str,
    /// The verdict.
    adherence: Adherence<'a>,
}

#[cfg(feature = "schema")]
const LEVELS: [&str; 5] = {
    use super::verdict::Conformance::{DoesNotSupport, NotApplicable, NotEvaluated, PartiallySupports, Supports};
    [
        Supports.as_str(),
        PartiallySupports.as_str(),
        DoesNotSupport.as_str(),
        NotApplicable.as_str(),
        NotEvaluated.as_str(),
    ]
};

/// How far a component meets a criterion.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AcrAdherence"))]
struct Adherence<'a> {
    /// The level: `supports` and `not-applicable` only where a person or the standard itself (4.1.1) says so, because automation alone can't tell.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = LEVELS)))]
    level: &'a str,
    /// The evidence, or the things that a person has to look at.
    notes: String,
}
